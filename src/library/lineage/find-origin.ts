// A session and all others → the session that it came from, by what is in their lines: ids, uuids, the name of a
// transcript, the first prompt and answer. Times only order sessions that are related by something else.
import type { BackgroundJob } from './jobs.ts';
import { isEarlier, type MarkedSession, SessionGroups } from './session-marks.ts';

/** How a session came from another one. */
export type OriginKind = 'fork-of' | 'continues' | 'after-compaction' | 'reopened-from' | 'background-of' | 'copy-of';

/** How it is known: Clew made it, its lines say so, a background job names both, or they have the same content. */
export type Evidence = 'operation-log' | 'field' | 'job' | 'content';

export interface Origin {
  readonly kind: OriginKind;
  readonly sessionId: string;
  /** `undefined`: it is not in the library. */
  readonly session: MarkedSession | undefined;
  /** The uuid of the last line that both have, or of the line that it follows. */
  readonly at: string | undefined;
  readonly evidence: Evidence;
}

export class OriginFinder {
  readonly #byId: SessionGroups;
  readonly #byBeginning: SessionGroups;
  readonly #byAnswer: SessionGroups;
  readonly #byEnd: SessionGroups;
  readonly #byPrompt: SessionGroups;
  readonly #reopened: ReadonlyMap<MarkedSession, MarkedSession>;

  constructor(sessions: readonly MarkedSession[], jobs: readonly BackgroundJob[]) {
    this.#byId = new SessionGroups(sessions, ({ sessionId }) => sessionId);
    this.#byBeginning = new SessionGroups(sessions, beginningOf);
    this.#byAnswer = new SessionGroups(sessions, answerOf);
    const ends = new Set(sessions.flatMap(({ origin }) => origin.compactedAt ?? []));
    this.#byEnd = new SessionGroups(sessions, ({ origin: { lastUuid } }) =>
      lastUuid !== undefined && ends.has(lastUuid) ? lastUuid : undefined,
    );
    const isAsked = sessions.some(isBlankBackground);
    this.#byPrompt = new SessionGroups(isAsked ? sessions : [], promptOf);
    this.#reopened = jobs.length === 0 ? new Map() : reopenedByJobs(sessions, jobs, this.#byId);
  }

  /** The first that applies: what the lines say comes before what they have in common. */
  find(session: MarkedSession): Origin | undefined {
    return (
      this.#forked(session) ??
      this.#copied(session) ??
      this.#named(session) ??
      this.#compacted(session) ??
      this.#ofJob(session) ??
      this.#sameBeginning(session) ??
      this.#sameAnswer(session) ??
      this.#sameId(session) ??
      this.#samePrompt(session)
    );
  }

  #named(session: MarkedSession): Origin | undefined {
    const { named } = session.origin;
    if (named === undefined) return undefined;
    const kind = named.isSummary ? 'after-compaction' : 'continues';
    return this.#withId(session, named.sessionId, kind, undefined);
  }

  #forked(session: MarkedSession): Origin | undefined {
    const { forkedFrom, origin, sessionId } = session;
    if (forkedFrom === undefined || forkedFrom === sessionId) return undefined;
    return this.#withId(session, forkedFrom, 'fork-of', origin.forkedAt);
  }

  /** A file that was renamed by hand carries an id that may be of no session. */
  #copied(session: MarkedSession): Origin | undefined {
    const { copied } = session.origin;
    if (copied === undefined) return undefined;
    const found = this.#withId(session, copied.sessionId, copied.isWhole ? 'copy-of' : 'fork-of', copied.at);
    return found.session === undefined ? undefined : found;
  }

  #withId(session: MarkedSession, sessionId: string, kind: OriginKind, at: string | undefined): Origin {
    const all = this.#byId.with(sessionId).filter((each) => each !== session);
    const found = all.find(({ root }) => root === session.root) ?? all[0];
    return { kind: forkKind(kind, session, found), sessionId, session: found, at, evidence: 'field' };
  }

  /** The line before the compaction is the end of one other session. */
  #compacted(session: MarkedSession): Origin | undefined {
    const { compactedAt } = session.origin;
    const [found, another] = this.#byEnd.with(compactedAt).filter((each) => each.sessionId !== session.sessionId);
    if (compactedAt === undefined || found === undefined || another !== undefined) return undefined;
    return originFrom(found, 'after-compaction', compactedAt, 'field');
  }

  #ofJob(session: MarkedSession): Origin | undefined {
    const found = this.#reopened.get(session);
    return found === undefined ? undefined : originFrom(found, 'reopened-from', undefined, 'job');
  }

  #sameBeginning(session: MarkedSession): Origin | undefined {
    const found = earliest(this.#byBeginning.with(beginningOf(session)), session);
    if (found === undefined) return undefined;
    const { lastUuid } = session.origin;
    const isWhole = lastUuid !== undefined && lastUuid === found.origin.lastUuid;
    const kind = isWhole ? 'copy-of' : forkKind('fork-of', session, found);
    return originFrom(found, kind, isWhole ? lastUuid : undefined, 'content');
  }

  /** Clients of 1.0 write the whole conversation into a new file when they resume, with new uuids. */
  #sameAnswer(session: MarkedSession): Origin | undefined {
    const others = this.#byAnswer.with(answerOf(session)).filter((each) => each.turns <= session.turns);
    const leaves = new Set(session.origin.summaryLeaves);
    const named = others.filter(({ origin }) => origin.lastUuid !== undefined && leaves.has(origin.lastUuid));
    const found = earliest(named.length > 0 ? named : others, session);
    return found === undefined ? undefined : originFrom(found, 'continues', found.origin.lastUuid, 'content');
  }

  /** A background session that changed into a worktree may be opened again as an empty one (claude-code#75929). */
  #sameId(session: MarkedSession): Origin | undefined {
    const same = this.#byId.with(session.sessionId);
    if (same.length === 1) return undefined;
    const found = same.find(
      (each) => each !== session && each.root === session.root && each.turns > session.turns && isBlank(session, each),
    );
    return found === undefined ? undefined : originFrom(found, 'reopened-from', undefined, 'field');
  }

  /** The client gives a job that it opens again its first prompt and nothing else (claude-code#72012). */
  #samePrompt(session: MarkedSession): Origin | undefined {
    if (!isBlankBackground(session)) return undefined;
    const [found, another] = this.#byPrompt
      .with(promptOf(session))
      .filter((each) => each !== session && each.turns > session.turns && isEarlier(each, session));
    if (found === undefined || another !== undefined) return undefined;
    return originFrom(found, 'reopened-from', undefined, 'content');
  }
}

function originFrom(session: MarkedSession, kind: OriginKind, at: string | undefined, evidence: Evidence): Origin {
  return { kind, sessionId: session.sessionId, session, at, evidence };
}

/** `/bg` copies the conversation into a background session. */
function forkKind(kind: OriginKind, session: MarkedSession, from: MarkedSession | undefined): OriginKind {
  const isMoved = session.origin.isBackground === true && from?.origin.isBackground !== true;
  return kind === 'fork-of' && isMoved ? 'background-of' : kind;
}

/** What a fork has in common with its origin. A program may write the same uuids into all its transcripts. */
function beginningOf({ firstUuid, firstPrompt, forkedFrom }: MarkedSession): string | undefined {
  return firstUuid === undefined || forkedFrom !== undefined ? undefined : `${firstUuid} ${firstPrompt ?? ''}`;
}

function answerOf({ root, firstPrompt, origin }: MarkedSession): string | undefined {
  const { firstAnswer } = origin;
  return firstAnswer === undefined || firstPrompt === undefined ? undefined : `${root}\n${firstAnswer} ${firstPrompt}`;
}

function promptOf({ root, cwd, firstPrompt }: MarkedSession): string | undefined {
  return cwd === undefined || firstPrompt === undefined ? undefined : [root, cwd, firstPrompt].join('\n');
}

/** Copies of a whole folder have the same ids: they are not forks of one another. */
function earliest(group: readonly MarkedSession[], session: MarkedSession): MarkedSession | undefined {
  const others = group.filter((each) => each.sessionId !== session.sessionId && isEarlier(each, session));
  return others.reduce<MarkedSession | undefined>(
    (first, each) => (first === undefined || isEarlier(each, first) ? each : first),
    undefined,
  );
}

function isBlankBackground({ origin, turns }: MarkedSession): boolean {
  return origin.isBackground === true && turns <= 1;
}

function isBlank({ firstPrompt, firstUuid, turns }: MarkedSession, full: MarkedSession): boolean {
  return turns <= 1 && firstUuid !== full.firstUuid && (firstPrompt === undefined || firstPrompt === full.firstPrompt);
}

/** Every session of a job but its first was opened in place of the one before. */
function reopenedByJobs(
  sessions: readonly MarkedSession[],
  jobs: readonly BackgroundJob[],
  byId: SessionGroups,
): ReadonlyMap<MarkedSession, MarkedSession> {
  const byStart = new SessionGroups(sessions, ({ sessionId }) => sessionId.slice(0, 8));
  const found = new Map<MarkedSession, MarkedSession>();
  for (const { root, id, sessionIds } of jobs) {
    const named = sessionIds.flatMap((sessionId) => byId.with(sessionId).find((each) => each.root === root) ?? []);
    const [first, ...more] = byStart.with(id).filter((each) => each.root === root);
    const isFirst = first !== undefined && more.length === 0 && named.some((each) => isSameTask(each, first));
    const members = [...new Set(isFirst ? [first, ...named] : named)].sort((a, b) => (isEarlier(a, b) ? -1 : 1));
    for (const [i, member] of members.entries()) {
      const before = members[i - 1];
      if (before !== undefined) found.set(member, before);
    }
  }
  return found;
}

/** The first eight characters of an id may fit another session by chance. */
function isSameTask(session: MarkedSession, first: MarkedSession): boolean {
  return session === first || session.firstPrompt === undefined || session.firstPrompt === first.firstPrompt;
}
