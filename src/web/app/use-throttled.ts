// Something to do again and again → the same, at most once in a while: while a library is being read, or sessions run,
// news come several times a second. The last one is never left out.
import { useCallback, useEffect, useRef } from 'react';

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
