// A hook that asks the server; the last answer stays until the next one arrives.
import { useCallback, useEffect, useState } from 'react';
import { ServerFailure } from '../../client/client.ts';

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
