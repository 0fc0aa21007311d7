// The text of a field that becomes part of the address a moment after the last key. Any other step to an address wins
// over what was typed before it: the field then shows what the new address says.
import { useEffect, useState } from 'react';
import { currentVisit, usePlace } from './router.ts';

const typingMs = 120;

interface Typed {
  readonly text: string;
  /** The visit it was typed in. */
  readonly visit: number;
}

/** `asked` is what the address says; `onSettled` gets the typed text without the spaces around it. */
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
  // A space at the end is not searched for, but stays, as another word may follow.
  const isShown = typed !== null && (typed.visit === visit || typed.text.trim() === asked);
  return [isShown ? typed.text : asked, (text) => setTyped({ text, visit: currentVisit() })];
}
