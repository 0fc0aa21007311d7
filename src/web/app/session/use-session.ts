// The head of a session on the page, and the store of its parts: loaded for a branch, and again whenever it grows.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { SessionHead } from '../../../export/page/view.ts';
import { PartsStore } from './parts-store.ts';
import type { SessionSource } from './source.ts';

export interface LoadedSession {
  readonly head: SessionHead;
  readonly store: PartsStore;
}

export interface SessionState {
  readonly session: LoadedSession | null;
  readonly problem: string | null;
  /** How often each sub-agent has grown. */
  readonly agentVersions: ReadonlyMap<string, number>;
}

export function useSession(source: SessionSource, branch: number): SessionState {
  const [session, setSession] = useState<LoadedSession | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [agentVersions, setVersions] = useState<ReadonlyMap<string, number>>(new Map());
  const current = useRef<LoadedSession | null>(null);
  const show = useCallback((next: LoadedSession | null): void => {
    current.current = next;
    setSession(next);
  }, []);
  useEffect(() => {
    const request = new AbortController();
    setProblem(null);
    source.head(branch, request.signal).then(
      (head) => show({ head, store: new PartsStore(source, head.branch, head.parts) }),
      (error: unknown) => {
        if (!request.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
      },
    );
    return () => {
      request.abort();
      current.current?.store.close();
      show(null);
    };
  }, [source, branch, show]);
  useEffect(() => {
    const reload = latestOnly(async (fromPart: number) => {
      const before = current.current;
      if (before === null) return;
      const head = await source.head(before.head.branch);
      if (current.current !== before) return;
      before.store.grow(head.parts, fromPart);
      show({ head, store: before.store });
    });
    return source.watch(({ agentId, fromPart }) => {
      if (agentId === null) reload(fromPart);
      else setVersions((versions) => new Map(versions).set(agentId, (versions.get(agentId) ?? 0) + 1));
    });
  }, [source, show]);
  return { session, problem, agentVersions };
}

/** Changes that come while one is being dealt with are dealt with together behind it. */
function latestOnly(work: (fromPart: number) => Promise<void>): (fromPart: number) => void {
  let isBusy = false;
  let waiting: number | null = null;
  const run = (fromPart: number): void => {
    if (isBusy) {
      waiting = Math.min(waiting ?? fromPart, fromPart);
      return;
    }
    isBusy = true;
    work(fromPart)
      .catch(() => {}) // the next change, or the reader's next step, asks again
      .finally(() => {
        isBusy = false;
        const next = waiting;
        waiting = null;
        if (next !== null) run(next);
      });
  };
  return run;
}
