// The sessions on this machine, what the store has of them, and the user's levels → what to collect and what to remove.
// Nothing of a transcript is read for it.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { baseIdOf, type LocalSession, type StoreKey, secondIdOf } from '../collect/index.ts';
import { levelFor, type TeamConfig } from '../config/index.ts';
import { type LevelNumber, levelNumber, type TombstoneReason } from '../contract/index.ts';
import type { Journal, JournalEntry } from './journal.ts';
import type { UserChanges } from './removals.ts';

export interface PlannedSession {
  readonly session: LocalSession;
  readonly sessionId: string;
  readonly wanted: LevelNumber;
  readonly print: string;
  readonly tombstone: TombstoneReason | undefined;
  /** The user raised the level here. */
  readonly raises: boolean;
}

export interface PlannedRemoval {
  readonly entry: JournalEntry;
  readonly reason: TombstoneReason;
  /** The level that stays. */
  readonly kept: LevelNumber;
}

export interface PushPlan {
  readonly collect: readonly PlannedSession[];
  readonly remove: readonly PlannedRemoval[];
  /** What could not be pushed the last time, and is the same. */
  readonly waiting: readonly JournalEntry[];
  readonly unchanged: number;
}

export interface PlanOptions {
  readonly sessions: readonly LocalSession[];
  readonly journal: Journal;
  readonly config: TeamConfig;
  readonly mostLevel: LevelNumber;
  readonly key: StoreKey;
  readonly changes: UserChanges;
  readonly rulesVersion: string;
  readonly nowMs: number;
  /** Try again what another machine blocked. */
  readonly raises: boolean;
  /** The store lacks something that the journal says it has. */
  readonly isAll: boolean;
}

/** What the user shares of a folder. */
export function chosenLevel(config: TeamConfig, cwd: string | undefined): LevelNumber {
  const level = levelFor(config, cwd);
  return level === 'none' ? 0 : levelNumber(level);
}

export function planPush(options: PlanOptions): PushPlan {
  const { sessions, journal, config } = options;
  const collect: PlannedSession[] = [];
  const remove: PlannedRemoval[] = [];
  const waiting: JournalEntry[] = [];
  let unchanged = 0;
  const ids = assignIds(options);
  for (const session of sessions) {
    const entry = journal.get(session.path);
    const chosen = chosenLevel(config, session.cwd);
    if (chosen === 0) {
      if (entry !== undefined && entry.level > 0) remove.push({ entry, reason: 'lowered', kept: 0 });
      continue;
    }
    const planned = plannedSession(session, ids.get(session.path) as string, chosen, entry, options); // every path has one
    if (isSettled(entry, planned, options)) {
      if (entry?.note !== null && entry !== undefined) waiting.push(entry);
      unchanged++;
    } else collect.push(planned);
  }
  const shared = sessions.filter(({ cwd }) => chosenLevel(config, cwd) > 0).map(({ path: main }) => ids.get(main));
  const removals = [...remove, ...planGone(options, new Set(shared))];
  return { collect, remove: removals, waiting, unchanged };
}

function plannedSession(
  session: LocalSession,
  sessionId: string,
  chosen: LevelNumber,
  entry: JournalEntry | undefined,
  { mostLevel, rulesVersion, changes }: PlanOptions,
): PlannedSession {
  const wanted = Math.min(chosen, mostLevel) as LevelNumber; // the lower of two
  return {
    session,
    sessionId,
    wanted,
    print: printOf(session, wanted, rulesVersion),
    tombstone: entry === undefined || entry.state === 'removed' ? undefined : changes.whyReplaced(session.path),
    raises: entry !== undefined && entry.wanted < wanted,
  };
}

const retryMs = 60 * 60 * 1000;

/** Whether there is nothing to do for a session. */
function isSettled(
  entry: JournalEntry | undefined,
  { sessionId, wanted, print }: PlannedSession,
  { isAll, raises, nowMs }: PlanOptions,
): boolean {
  if (entry === undefined || entry.state === 'removed' || entry.sessionId !== sessionId) return false;
  if (entry.print !== print || entry.wanted !== wanted) return false;
  if (isAll || (raises && entry.note !== null)) return false;
  // A hold may end, and another machine may remove its copy.
  return entry.state === 'stored' || nowMs - entry.atMs < retryMs;
}

/** Of all that the rows are made from. */
function printOf(session: LocalSession, wanted: LevelNumber, rules: string): string {
  const { path: main, cwd, listed, files, cells, madeBy, jobs } = session;
  const parts = [
    collectorVersion,
    cwd,
    listed,
    files.map(({ path: file, dev, ino, sizeBytes, mtimeMs }) => [file, dev, ino, sizeBytes, mtimeMs]),
    cells.map(({ session: _, ...cell }) => cell),
    wanted >= 2 ? rules : '',
    wanted >= 2 ? [madeBy, jobs] : [],
    wanted >= 3 ? sideStates(main) : [],
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** Rises when other rows are made from the same transcripts. */
const collectorVersion = 1;

/** The files next to the transcripts, by their state: results of tools, links of sub-agents, a given title. */
function sideStates(main: string): readonly (string | number)[] {
  const folder = main.slice(0, -path.extname(main).length);
  try {
    const names = readdirSync(folder, { recursive: true }) as string[]; // strings, as no encoding is given
    return names.sort().flatMap((name) => {
      const stats = statSync(path.join(folder, name), { throwIfNoEntry: false });
      return stats?.isFile() === true ? [name, stats.size, stats.mtimeMs] : [];
    });
  } catch {
    return []; // there is no such folder
  }
}

/** By path. The second session with one id gets another one; an id whose transcript is gone is free for a moved session. */
function assignIds({ sessions, journal, key }: PlanOptions): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  for (const { path: main } of sessions) {
    const known = journal.get(main)?.sessionId;
    if (known === undefined) continue;
    ids.set(main, known);
    taken.add(known);
  }
  for (const { path: main } of sessions) {
    if (ids.has(main)) continue;
    const baseId = baseIdOf(main, key);
    const id = taken.has(baseId) ? secondIdOf(baseId, main, key) : baseId;
    ids.set(main, id);
    taken.add(id);
  }
  return ids;
}

/** Sessions in the store whose transcripts are gone. `shared`: the ids of those that are there, and may be in the store. */
function planGone(
  { sessions, journal, config, changes }: PlanOptions,
  shared: ReadonlySet<string | undefined>,
): readonly PlannedRemoval[] {
  const present = new Set(sessions.map((session) => session.path));
  return journal.entries().flatMap((entry): readonly PlannedRemoval[] => {
    if (present.has(entry.path) || entry.level === 0 || existsSync(entry.path)) return [];
    // It was moved: the session is the same.
    if (shared.has(entry.sessionId)) return [];
    const reason = changes.whyRemoved(entry.path);
    if (reason !== undefined) return [{ entry, reason, kept: 0 }];
    const chosen = chosenLevel(config, entry.cwd ?? undefined);
    return chosen < entry.level ? [{ entry, reason: 'lowered', kept: chosen }] : [];
  });
}
