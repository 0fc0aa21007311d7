// The text of an input that becomes part of the address shortly after the last key. Any other navigation wins over the
// typed text: the input then shows the value of the new address.
import { useEffect, useState } from 'react';
import { currentVisit, usePlace } from './router.ts';

const typingMs = 120;

interface Typed {
  readonly text: string;
  /** The visit in which it was typed. */
  readonly visit: number;
}

/** `asked` is the value in the address; `onSettled` gets the trimmed text. */
export function useTypedText(
  asked: string,
  onSettled: (text: string) => void,
): readonly [text: string, setText: (text: string) => void] {
  const { visit } = usePlace();
  const [typed, setTyped] = useState<Typed | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a key starts the timer
  useEffect(() => {
    if (typed === null) return;
    const timer = setTimeout(() => {
      if (currentVisit() === typed.visit && typed.text.trim() !== asked) onSettled(typed.text.trim());
    }, typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  // A trailing space is not searched for but stays in the input: another word may follow.
  const isShown = typed !== null && (typed.visit === visit || typed.text.trim() === asked);
  return [isShown ? typed.text : asked, (text) => setTyped({ text, visit: currentVisit() })];
}
