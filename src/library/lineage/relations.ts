// All sessions of a library → how each is related to others, in both directions, without cycles. It reads nothing: what
// it needs is in the rows of the index.
import { type Evidence, type Origin, OriginFinder, type OriginKind } from './find-origin.ts';
import type { BackgroundJob } from './jobs.ts';
import { isEarlier, type MarkedSession } from './session-marks.ts';

/** The other direction of each `OriginKind`. */
const inverse: Readonly<Record<OriginKind, LaterKind>> = {
  'fork-of': 'forked-as',
  continues: 'continued-in',
  'after-compaction': 'compacted-into',
  'reopened-from': 'reopened-as',
  'background-of': 'background-as',
  'copy-of': 'copied-as',
};

export type LaterKind = 'forked-as' | 'continued-in' | 'compacted-into' | 'reopened-as' | 'background-as' | 'copied-as';

export type RelationKind = OriginKind | LaterKind;

/** Whether the other session is where this one came from. */
export function isOriginKind(kind: RelationKind): kind is OriginKind {
  return Object.hasOwn(inverse, kind);
}

/** How a session is related to another one. */
export interface Relation {
  readonly kind: RelationKind;
  /** The other session. */
  readonly sessionId: string;
  /** Its transcript; `undefined` if it is not in the library. */
  readonly path: string | undefined;
  /** The uuid of the last line that both have, or that the later one follows. */
  readonly at: string | undefined;
  readonly evidence: Evidence;
  /** Of a session that Clew made: `fork`, `compress` and so on. */
  readonly operation: string | undefined;
}

/** The sessions that Clew made a session from. */
export interface MadeBy {
  readonly operation: string;
  /** Their ids; empty for an import. */
  readonly from: readonly string[];
}

export interface RelationSources {
  readonly jobs?: readonly BackgroundJob[];
  /** From the log of operations, by the path of the transcript. */
  readonly madeBy?: (path: string) => MadeBy | undefined;
}

export interface Relations {
  /** Where a session came from, then what came from it, the earliest first. */
  of(path: string): readonly Relation[];
  /** The sessions that it came from. */
  originsOf(path: string): readonly Relation[];
  /** All paths with a relation. */
  readonly related: ReadonlySet<string>;
}

export function findRelations(sessions: readonly MarkedSession[], sources: RelationSources = {}): Relations {
  const origins = new Map<string, Relation[]>();
  const later = new Map<string, { readonly session: MarkedSession; readonly relation: Relation }[]>();
  for (const { session, origin, operation } of withoutCycles(candidates(sessions, sources))) {
    const { kind, sessionId, at, evidence } = origin;
    const known = { at, evidence, operation };
    put(origins, session.path, { kind, sessionId, path: origin.session?.path, ...known });
    if (origin.session === undefined) continue;
    const relation = { kind: inverse[kind], sessionId: session.sessionId, path: session.path, ...known };
    put(later, origin.session.path, { session, relation });
  }
  for (const list of later.values()) list.sort((a, b) => (isEarlier(a.session, b.session) ? -1 : 1));
  const originsOf = (path: string): readonly Relation[] => origins.get(path) ?? [];
  return {
    originsOf,
    of: (path) => [...originsOf(path), ...(later.get(path) ?? []).map(({ relation }) => relation)],
    related: new Set([...origins.keys(), ...later.keys()]),
  };
}

function put<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

interface Candidate {
  readonly session: MarkedSession;
  readonly origin: Origin;
  readonly operation: string | undefined;
}

const strength: readonly Evidence[] = ['operation-log', 'field', 'job', 'content'];

/** The strongest first. */
function candidates(sessions: readonly MarkedSession[], { jobs = [], madeBy }: RelationSources): readonly Candidate[] {
  const finder = new OriginFinder(sessions, jobs);
  const byId = new Map(sessions.map((session) => [session.sessionId, session]));
  const found = sessions.flatMap((session): readonly Candidate[] => {
    const made = madeBy?.(session.path);
    const origin = finder.find(session);
    if (made === undefined || made.from.length === 0)
      return origin === undefined ? [] : [{ session, origin, operation: undefined }];
    return made.from.map((sessionId) => {
      const at = origin?.sessionId === sessionId ? origin.at : undefined;
      const known = { kind: 'fork-of', sessionId, session: byId.get(sessionId), at } as const;
      return { session, origin: { ...known, evidence: 'operation-log' }, operation: made.operation };
    });
  });
  return found.sort((a, b) => rankOf(a) - rankOf(b));
}

/** Of sessions that name one another, the later one came from the earlier one. */
function rankOf({ session, origin }: Candidate): number {
  const isLater = origin.session !== undefined && isEarlier(session, origin.session);
  return strength.indexOf(origin.evidence) * 2 + Number(isLater);
}

/** Files that were changed by hand may name one another: a relation that leads back to its session is left out. */
function* withoutCycles(found: readonly Candidate[]): Generator<Candidate> {
  const parents = new Map<MarkedSession, MarkedSession[]>();
  for (const candidate of found) {
    const { session, origin } = candidate;
    if (origin.session === session) continue;
    if (origin.session !== undefined) {
      if (leadsTo(origin.session, session, parents)) continue;
      const known = parents.get(session);
      if (known === undefined) parents.set(session, [origin.session]);
      else known.push(origin.session);
    }
    yield candidate;
  }
}

function leadsTo(
  from: MarkedSession,
  wanted: MarkedSession,
  parents: ReadonlyMap<MarkedSession, readonly MarkedSession[]>,
): boolean {
  const seen = new Set<MarkedSession>();
  const pending = [from];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next === wanted) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    pending.push(...(parents.get(next) ?? []));
  }
  return false;
}
