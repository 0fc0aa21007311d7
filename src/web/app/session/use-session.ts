// The head of a session on the page, and the store of its parts: loaded for a branch, and again whenever it grows.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { SessionHead, TurnRow } from '../../../export/wire/index.ts';
import { PartsStore, type SessionSource, type SessionStart } from './source/index.ts';

export interface LoadedSession {
  readonly head: SessionHead;
  readonly store: PartsStore;
  /** The branch that was asked for; `head` has another number if there is no such branch. */
  readonly askedBranch: number;
  /** `false`: the server is still reading the rest. */
  readonly isWhole: boolean;
}

export interface SessionState {
  readonly session: LoadedSession | null;
  readonly problem: string | null;
  /** How often each sub-agent has grown. */
  readonly agentVersions: ReadonlyMap<string, number>;
  /** How often another program has written the file again. */
  readonly replacements: number;
}

/** `mayStart`: the beginning may be shown before the rest is read; not if the address names a later place. */
export function useSession(source: SessionSource, branch: number, mayStart: boolean): SessionState {
  const [session, setSession] = useState<LoadedSession | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [agentVersions, setVersions] = useState<ReadonlyMap<string, number>>(new Map());
  const [replacements, setReplacements] = useState(0);
  const current = useRef<LoadedSession | null>(null);
  /** The first part that changed while the session was loading. */
  const missed = useRef<number | null>(null);
  const reload = useRef<(fromPart: number) => void>(() => {});
  const show = useCallback((next: LoadedSession | null): void => {
    current.current = next;
    setSession(next);
  }, []);
  useEffect(() => {
    const request = new AbortController();
    setProblem(null);
    missed.current = null;
    const { signal } = request;
    const open = async (): Promise<void> => {
      const start = mayStart ? await source.start?.(branch, signal) : undefined;
      const { head, rest }: SessionStart = start ?? { head: await source.head(branch, signal) };
      const store = new PartsStore(source, head.branch, head.parts);
      show({ head, store, askedBranch: branch, isWhole: rest === undefined });
      if (rest === undefined) return catchUp();
      const whole = await rest(signal);
      store.grow(whole.head.parts, whole.fromPart);
      show({ head: whole.head, store, askedBranch: branch, isWhole: true });
      catchUp();
    };
    const catchUp = (): void => {
      const from = missed.current;
      missed.current = null;
      if (from !== null) reload.current(from);
    };
    open().catch((error: unknown) => {
      if (!signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
    });
    return () => {
      request.abort();
      current.current?.store.close();
      show(null);
    };
  }, [source, branch, mayStart, show]);
  useEffect(() => {
    reload.current = latestOnly(async (fromPart: number) => {
      const before = current.current;
      if (before?.isWhole !== true) {
        missed.current = Math.min(missed.current ?? fromPart, fromPart);
        return;
      }
      const row = rowOfPart(before.head.turns, fromPart);
      const head = await source.head(before.head.branch, undefined, row?.index ?? 1);
      if (current.current !== before) return;
      before.store.grow(head.parts, fromPart);
      show({ ...before, head: withEarlierTurns(head, before.head) });
    });
    return source.watch(({ agentId, fromPart, isReplaced = false }) => {
      if (isReplaced && agentId === null) setReplacements((count) => count + 1);
      if (agentId === null) reload.current(fromPart);
      else setVersions((versions) => new Map(versions).set(agentId, (versions.get(agentId) ?? 0) + 1));
    });
  }, [source, show]);
  // The shown parts are dropped with the click on another branch: until the effects run, timers would still write.
  return { session: session?.askedBranch === branch ? session : null, problem, agentVersions, replacements };
}

/** A response that leaves out unchanged turns begins with a later one. */
function withEarlierTurns(head: SessionHead, before: SessionHead): SessionHead {
  const first = head.turns[0]?.index ?? head.turnCount + 1;
  return { ...head, turns: [...before.turns.filter((row) => row.index < first), ...head.turns] };
}

/** Changes that arrive while one is handled are handled together after it. */
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

/** The row of the turn that a part belongs to. */
export function rowOfPart(rows: readonly TurnRow[], part: number): TurnRow | undefined {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((rows[middle]?.firstPart ?? 0) <= part) low = middle;
    else high = middle - 1;
  }
  return rows[low];
}
