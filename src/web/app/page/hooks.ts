// A hook that asks the server; the last answer stays until the next one arrives.
import { useCallback, useEffect, useRef, useState } from 'react';
import { ServerFailure } from '../../client/index.ts';
import { currentVisit, usePlace } from './router.ts';

export interface Problem {
  readonly message: string;
  /** What to do next; may be empty. */
  readonly next: string;
}

export interface Answered<T> {
  readonly answer: T | null;
  readonly problem: Problem | null;
  readonly isAsking: boolean;
  askAgain(): void;
}

/** Options of a request that is aborted when its answer is no longer wanted. */
export interface Abortable {
  readonly init: { readonly signal: AbortSignal };
}

/** `null` asks nothing. Asks again whenever the function changes. */
export function useAnswer<T>(ask: ((options: Abortable) => Promise<T>) | null): Answered<T> {
  const [state, setState] = useState<Omit<Answered<T>, 'askAgain'>>(nothing);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` repeats the same request
  useEffect(() => {
    if (ask === null) {
      setState(nothing);
      return;
    }
    const request = new AbortController();
    setState(({ answer, problem }) => ({ answer, problem, isAsking: true }));
    ask({ init: { signal: request.signal } }).then(
      (answer) => {
        if (!request.signal.aborted) setState({ answer, problem: null, isAsking: false });
      },
      (error: unknown) => {
        if (!request.signal.aborted) setState(({ answer }) => ({ answer, problem: problemOf(error), isAsking: false }));
      },
    );
    return () => request.abort();
  }, [ask, round]);
  const askAgain = useCallback(() => setRound((count) => count + 1), []);
  return { ...state, askAgain };
}

const nothing = { answer: null, problem: null, isAsking: false };

export function problemOf(error: unknown): Problem {
  if (error instanceof ServerFailure) return { message: error.message, next: error.next };
  if (error instanceof TypeError)
    return { message: 'the server does not respond', next: 'check that clew open is still running' };
  return { message: error instanceof Error ? error.message : String(error), next: '' };
}

export function useThrottled(act: () => void, everyMs: number): () => void {
  const latest = useRef(act);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    latest.current = act;
  }, [act]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, everyMs);
  }, [everyMs]);
}

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
