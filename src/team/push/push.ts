// `clew push`: sessions and the levels that their user chose → the store. Removals go first; then what an earlier run
// collected and did not send; then each session that changed: collected, spooled, sent, and noted in the journal. One lock per
// store, so that a hook and a user do not push the same session twice.
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { withLock } from '../../store/index.ts';
import { baseIdOf, type CollectContext, collectSession, type LocalSession } from '../collect/index.ts';
import type { TeamConfig } from '../config/index.ts';
import { type Hello, type LevelNumber, levelName, type PushTarget, type SessionRows } from '../contract/index.ts';
import { Journal, type JournalEntry } from './journal.ts';
import { type PushPlaces, pushPlaces } from './places.ts';
import { chosenLevel, type PlannedSession, type PushPlan, planPush } from './plan.ts';
import { userChanges } from './removals.ts';
import type { RetryOptions } from './retry.ts';
import { Sender, type SessionReport } from './sender.ts';
import { countSpooled, dropSpooled, type SpooledSession, spooledSessions } from './spool.ts';

export interface PushOptions extends RetryOptions {
  readonly env: Environment;
  readonly config: TeamConfig;
  readonly address: string;
  readonly sessions: readonly LocalSession[];
  readonly context: CollectContext;
  readonly openTarget: () => Promise<PushTarget>;
  /** Share again what another machine of this person removed or lowered. */
  readonly raises?: boolean;
  /** How long to wait for another push to the same store; 0 refuses at once. */
  readonly waitMs?: number;
  readonly onProgress?: (progress: { readonly bytesDone: number; readonly bytesTotal: number }) => void;
  readonly onLock?: (holder: string) => void;
  /** @internal Called before each step; a test ends the process here. */
  readonly onStep?: (step: string) => void;
}

export interface PushReport {
  /** `undefined`: nothing is shared, and nothing was asked. */
  readonly hello: Hello | undefined;
  /** Those that changed, and those that the store does not have as they were wanted. */
  readonly sessions: readonly SessionReport[];
  readonly unchanged: number;
  /** Collected and not sent; the next push sends them. */
  readonly waiting: number;
}

export function pushSessions(options: PushOptions): Promise<PushReport> {
  const places = pushPlaces(options.address, options.env);
  const { waitMs = 0, onLock } = options;
  const lock = {
    name: 'push.lock',
    what: 'pushing sessions',
    waitMs,
    ...(onLock === undefined ? {} : { onWait: onLock }),
  };
  return withLock(places.store, lock, async () => {
    const journal = new Journal(places.journal);
    try {
      return await new Push(options, places, journal).run();
    } finally {
      journal.close();
    }
  });
}

/** What a push would do with the sessions, as far as this machine knows: the store is not asked. */
export function planDryRun(options: Omit<PushOptions, 'openTarget' | 'patienceMs'>): PushPlan {
  const journal = new Journal(pushPlaces(options.address, options.env).journal);
  try {
    return planOf(options, journal, journal.facts.mostLevel, false);
  } finally {
    journal.close();
  }
}

/** The rows of a planned session, as they would leave. */
export async function collectPlanned(planned: PlannedSession, context: CollectContext): Promise<SessionRows> {
  return collectAt(planned, planned.wanted, context);
}

function planOf(
  { env, sessions, config, context, raises = false }: Omit<PushOptions, 'openTarget' | 'patienceMs'>,
  journal: Journal,
  mostLevel: LevelNumber,
  isAll: boolean,
): PushPlan {
  const { key, nowMs, rules } = context;
  const changes = userChanges(env);
  return planPush({
    sessions,
    journal,
    config,
    mostLevel,
    key,
    changes,
    rulesVersion: rules.version,
    nowMs,
    raises,
    isAll,
  });
}

async function collectAt(planned: PlannedSession, wanted: LevelNumber, context: CollectContext): Promise<SessionRows> {
  const { session, sessionId, tombstone, raises } = planned;
  const level = wanted >= 3 && isTooLarge(session) ? 2 : wanted;
  const rows = await collectSession(session, { sessionId, level }, context);
  const marks = { ...(tombstone === undefined ? {} : { tombstone }), ...(raises ? { raises } : {}) };
  return { ...rows, head: { ...rows.head, ...marks } };
}

class Push {
  readonly #options: PushOptions;
  readonly #places: PushPlaces;
  readonly #journal: Journal;

  constructor(options: PushOptions, places: PushPlaces, journal: Journal) {
    this.#options = options;
    this.#places = places;
    this.#journal = journal;
  }

  async run(): Promise<PushReport> {
    if (!this.#isShared()) return { hello: undefined, sessions: [], unchanged: 0, waiting: 0 };
    const target = await this.#options.openTarget();
    try {
      return await this.#runWith(target);
    } finally {
      await target.close().catch(() => {});
    }
  }

  /** Without a level and without anything in the store, not even a connection leaves. */
  #isShared(): boolean {
    const { sessions, config } = this.#options;
    return (
      sessions.some(({ cwd }) => chosenLevel(config, cwd) > 0) ||
      this.#journal.entries().some(({ level }) => level > 0) ||
      countSpooled(this.#places.outbox) > 0
    );
  }

  async #runWith(target: PushTarget): Promise<PushReport> {
    const { context, raises = false } = this.#options;
    const journal = this.#journal;
    const sender = new Sender({
      ...this.#options,
      target,
      machine: context.machine,
      journal,
      places: this.#places,
      raises,
    });
    const hello = await sender.hello();
    const { digest, pendingDigest, mostLevel } = journal.facts;
    // The store has another state than this machine left: a backup was restored, or the journal was lost.
    const isAll = hello.digest !== digest && (pendingDigest === null || hello.digest !== pendingDigest);
    if (mostLevel !== hello.mostLevel) journal.putFacts({ mostLevel: hello.mostLevel });
    const first = planOf(this.#options, journal, hello.mostLevel, isAll);
    for (const removal of first.remove) await sender.remove(removal);
    const plan = first.remove.length === 0 ? first : planOf(this.#options, journal, hello.mostLevel, isAll);
    const left = await this.#finishSpooled(plan, sender);
    await this.#sendAll(left, sender, hello);
    if (isAll || sender.hasChanged || pendingDigest !== null) await sender.goodbye();
    const waiting = plan.waiting.map(reportOf);
    return {
      hello,
      sessions: [...sender.reports, ...waiting],
      unchanged: plan.unchanged - waiting.length,
      waiting: countSpooled(this.#places.outbox),
    };
  }

  /** Returns what must still be collected. */
  async #finishSpooled(plan: PushPlan, sender: Sender): Promise<readonly PlannedSession[]> {
    const planned = new Map(plan.collect.map((each) => [each.session.path, each]));
    for (const spooled of spooledSessions(this.#places.outbox)) {
      const now = planned.get(spooled.path);
      if (!this.#isStillWanted(spooled, now)) {
        dropSpooled(this.#places.outbox, spooled.path);
        continue;
      }
      planned.delete(spooled.path);
      await sender.sendSpooled(spooled, (level) => this.#collectAgain(now, level));
    }
    return [...planned.values()];
  }

  /** The transcript may be gone since; its level and the operations on it still count. */
  #isStillWanted(spooled: SpooledSession, planned: PlannedSession | undefined): boolean {
    const { config, sessions, env } = this.#options;
    const { path: main, cwd, wanted, print, rows } = spooled;
    if (planned !== undefined)
      return planned.print === print && planned.wanted === wanted && planned.sessionId === rows.head.sessionId;
    if (sessions.some((session) => session.path === main)) return false;
    return chosenLevel(config, cwd ?? undefined) >= rows.head.level && userChanges(env).whyRemoved(main) === undefined;
  }

  async #sendAll(planned: readonly PlannedSession[], sender: Sender, hello: Hello): Promise<void> {
    const { onProgress, signal } = this.#options;
    const sizeOf = ({ session }: PlannedSession): number =>
      session.files.reduce((sum, file) => sum + file.sizeBytes, 0);
    const bytesTotal = planned.reduce((sum, each) => sum + sizeOf(each), 0);
    let bytesDone = 0;
    for (const each of planned) {
      if (signal?.aborted === true) return;
      await this.#sendOne(each, sender, hello);
      bytesDone += sizeOf(each);
      onProgress?.({ bytesDone, bytesTotal });
    }
  }

  async #sendOne(planned: PlannedSession, sender: Sender, hello: Hello): Promise<void> {
    const { context, onStep = () => {} } = this.#options;
    const { session, wanted, print, sessionId } = planned;
    onStep('before collecting');
    const about = { path: session.path, cwd: session.cwd ?? null, wanted, print };
    // If retention keeps nothing, the store says so.
    const level = Math.max(1, Math.min(wanted, keptLevel(hello, session.endedAt, context.nowMs))) as LevelNumber;
    let rows: SessionRows;
    try {
      rows = await collectAt(planned, level, context);
    } catch (error) {
      if (!(error instanceof UserError) && systemErrorCode(error) === undefined) throw error;
      sender.fail(about, { sessionId, baseId: baseIdOf(session.path, context.key) }, (error as Error).message);
      return;
    }
    await sender.send({ ...about, rows }, (lower) => this.#collectAgain(planned, lower));
  }

  /** At a level that the store allows. */
  async #collectAgain(planned: PlannedSession | undefined, level: number): Promise<SessionRows | undefined> {
    return planned === undefined ? undefined : collectAt(planned, level as LevelNumber, this.#options.context);
  }
}

const dayMs = 24 * 60 * 60 * 1000;

/** The highest level that retention leaves a session, as `clew.kept_level` computes it. */
function keptLevel({ retention }: Hello, endedAt: number, nowMs: number): number {
  const ages = Object.entries(retention).filter(([, days]) => endedAt < nowMs - days * dayMs);
  return Math.min(4, ...ages.map(([level]) => Number(level) - 1));
}

/** All of its text is in memory at once. */
export const mostTextBytes: number = 256 * 1024 * 1024;

function isTooLarge({ files }: LocalSession): boolean {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > mostTextBytes;
}

function reportOf({ path, sessionId, state, level, note }: JournalEntry): SessionReport {
  return { path, sessionId, outcome: state === 'stored' ? 'same' : state, level: levelName(level) ?? 'none', note };
}
