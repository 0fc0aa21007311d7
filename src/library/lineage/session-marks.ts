// What the search for relations needs of a session: the marks that its lines carry, as the index has them.
import type { OriginFacts } from '../../session/facts/index.ts';

export interface MarkedSession {
  readonly sessionId: string;
  /** Of its transcript: what identifies it, because copies of a project have the same ids. */
  readonly path: string;
  readonly root: string;
  readonly cwd: string | undefined;
  readonly firstPrompt: string | undefined;
  readonly forkedFrom: string | undefined;
  readonly firstUuid: string | undefined;
  readonly origin: OriginFacts;
  /** Milliseconds; `NaN` if unknown. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly turns: number;
}

/** Sessions by a value that they have in common. */
export class SessionGroups<T extends MarkedSession = MarkedSession> {
  readonly #groups = new Map<string, T[]>();

  constructor(sessions: readonly T[], keyOf: (session: T) => string | undefined) {
    for (const session of sessions) {
      const key = keyOf(session);
      if (key === undefined) continue;
      const group = this.#groups.get(key);
      if (group === undefined) this.#groups.set(key, [session]);
      else group.push(session);
    }
  }

  with(key: string | undefined): readonly T[] {
    return key === undefined ? [] : (this.#groups.get(key) ?? []);
  }
}

/** Whether `a` is the earlier one of two sessions that share their beginning. */
export function isEarlier(a: MarkedSession, b: MarkedSession): boolean {
  const order = compareTimes(a.startedAt, b.startedAt) || compareTimes(a.endedAt, b.endedAt);
  return order === 0 ? a.path < b.path : order < 0;
}

function compareTimes(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a - b;
}
