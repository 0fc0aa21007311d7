// The dry run that belongs to the options of a dialog: started again, after a pause, whenever they change.
import { useEffect, useState } from 'react';
import type { ActionSubject } from '../subject/index.ts';
import { type ActionCall, failureText, type Tried, tryAction } from './run-action.ts';

export interface DryRun {
  readonly tried: readonly Tried[];
  readonly problem: string | null;
  readonly isTrying: boolean;
  /** `tried` belongs to the options as they are now. */
  readonly isCurrent: boolean;
  /** Something would change, and all sessions were tried. */
  readonly isReady: boolean;
}

interface State {
  readonly call: ActionCall | null;
  readonly tried: readonly Tried[];
  readonly problem: string | null;
  readonly isDone: boolean;
}

const typingMs = 250;

export function useDryRun(call: ActionCall, subjects: readonly ActionSubject[], canTry: boolean): DryRun {
  const [state, setState] = useState<State>({ call: null, tried: [], problem: null, isDone: false });
  useEffect(() => {
    if (!canTry) return;
    const request = new AbortController();
    const timer = setTimeout(
      () => {
        tryAction(call, subjects, request.signal, (tried) => {
          if (!request.signal.aborted)
            setState({ call, tried, problem: null, isDone: tried.length === subjects.length });
        }).catch((error: unknown) => {
          if (!request.signal.aborted) setState({ call, tried: [], problem: failureText(error), isDone: true });
        });
      },
      // The first one starts at once.
      Object.keys(call.options).length === 0 ? 0 : typingMs,
    );
    return () => {
      clearTimeout(timer);
      request.abort();
    };
  }, [call, subjects, canTry]);
  const isCurrent = canTry && state.call === call;
  const hasChange = state.tried.some(({ preview }) => preview !== null && !preview.isNoop);
  return {
    tried: state.tried,
    problem: isCurrent ? state.problem : null,
    isTrying: canTry && !(isCurrent && state.isDone),
    isCurrent,
    isReady: isCurrent && state.isDone && state.problem === null && hasChange,
  };
}
