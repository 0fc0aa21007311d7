// Which of several sessions that hold a message held it first: what the lines themselves say of their origin decides,
// then the times on the lines, and when a file was made, if it was written to after that: a file that was only copied has
// lines that are older than the file.
import { statSync } from 'node:fs';
import { bornMsOf } from '../../store/index.ts';
import { readUsageLines } from '../rows/index.ts';

/** What the order of sessions that share messages depends on, apart from their lines. */
export interface SessionAge {
  readonly sessionId: string;
  /** The earliest time in its files; `null` if unknown. A copy has no line that is older than those it copied. */
  readonly startedAt: number | null;
  /** The time of the first line of its main transcript. A client that forks headless writes its own lines first. */
  readonly firstAt: number | null;
  /** When its file was made, or its latest time if that is earlier; `null` if unknown. */
  readonly madeAt: number | null;
  /** The latest time in its files. A copy that was continued ends after its original; `null` if unknown. */
  readonly endedAt: number | null;
  readonly path: string;
}

/** Session id → the ids that its lines name as their origin. */
export type Origins = ReadonlyMap<string, ReadonlySet<string>>;

/** Sorts the sessions so that an original is before its copies. */
export function compareAges(origins: Origins): (a: SessionAge, b: SessionAge) => number {
  const generations = new Map<string, number>();
  const generationOf = ({ sessionId }: SessionAge): number => {
    const known = generations.get(sessionId) ?? countAncestors(sessionId, origins);
    generations.set(sessionId, known);
    return known;
  };
  return (a, b) =>
    generationOf(a) - generationOf(b) ||
    compareTimes(a.startedAt, b.startedAt) ||
    compareTimes(a.firstAt, b.firstAt) ||
    compareTimes(a.madeAt, b.madeAt) ||
    compareTimes(a.endedAt, b.endedAt) ||
    (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}

/**
 * How many sessions a session comes from, directly or not, whether or not they still exist. Every one of them has fewer
 * than the session itself. Sessions that come from each other (only files changed by hand do) are not counted.
 */
function countAncestors(sessionId: string, origins: Origins): number {
  const ancestors = reachable(sessionId, origins);
  let count = 0;
  for (const each of ancestors) if (!reachable(each, origins).has(sessionId)) count++;
  return count;
}

function reachable(sessionId: string, origins: Origins): ReadonlySet<string> {
  const found = new Set<string>();
  const pending = [sessionId];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const origin of origins.get(next) ?? []) {
      if (found.has(origin)) continue;
      found.add(origin);
      pending.push(origin);
    }
  }
  return found;
}

/** When a session was created, as far as its file and its lines show. */
export function madeAtOf(bornMs: number | null, endedAt: number | null): number | null {
  return bornMs === null || endedAt === null ? endedAt : Math.min(bornMs, endedAt);
}

function compareTimes(a: number | null, b: number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a - b;
}

/**
 * Sorts sessions so that an original is before its copies, from one transcript of each, which `fileOf` names: without an
 * index.
 */
export function sortByAge<T extends { readonly sessionId: string }>(
  sessions: readonly T[],
  fileOf: (session: T) => string,
): readonly T[] {
  const origins = new Map<string, ReadonlySet<string>>();
  const aged = sessions.map((session) => {
    const { age, origins: own } = readAge(fileOf(session), session.sessionId);
    origins.set(age.sessionId, own);
    return { session, age };
  });
  const compare = compareAges(origins);
  return aged.sort((a, b) => compare(a.age, b.age)).map(({ session }) => session);
}

/** A copy names its origin on its first messages. */
const beginningBytes = 256 * 1024;

function readAge(file: string, sessionId: string): { readonly age: SessionAge; readonly origins: ReadonlySet<string> } {
  try {
    const { facts } = readUsageLines(file, { sessionId, maxBytes: beginningBytes });
    const [startedAt, first] = [facts.startedAt, facts.firstAt].map((time) => (Number.isFinite(time) ? time : null));
    const age = { sessionId, path: file, startedAt: startedAt ?? null, firstAt: first ?? null };
    const endedAt = lastTimeOf(file) ?? null;
    return { age: { ...age, madeAt: madeAtOf(bornMsOf(statSync(file)), endedAt), endedAt }, origins: facts.origins };
  } catch {
    // Whoever reads the session says what is wrong with it.
    return {
      age: { sessionId, path: file, startedAt: null, firstAt: null, madeAt: null, endedAt: null },
      origins: new Set(),
    };
  }
}

/** As much of the end is looked at until a line has a time; the last lines of a session may be long, or have none. */
const tailSizes = [64 * 1024, 4 * 1024 * 1024, Number.POSITIVE_INFINITY];

/** `undefined` where no line has a time, or the file cannot be read. */
export function lastTimeOf(file: string): number | undefined {
  try {
    const { size } = statSync(file);
    for (const tail of tailSizes) {
      const offset = Math.max(0, size - tail);
      const { facts } = readUsageLines(file, { sessionId: undefined, from: { offset, number: 1 } });
      if (Number.isFinite(facts.endedAt)) return facts.endedAt;
      if (offset === 0) return undefined;
    }
  } catch {
    // Whoever reads the session says what is wrong with it.
  }
  return undefined;
}
