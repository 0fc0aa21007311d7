// Collected sessions and removals → the store, and what it answered → the journal. A session is in the outbox until its answer
// is in the journal, so that a kill at any point loses nothing, and the same content key keeps it from arriving twice.
import { asString } from '../../base/json/index.ts';
import { hashFile } from '../collect/index.ts';
import type { Hello, PushAnswer, PushTarget, SessionRows, TombstoneReason } from '../contract/index.ts';
import { levelName } from '../contract/index.ts';
import { storeError } from '../database/index.ts';
import type { Journal } from './journal.ts';
import type { PushPlaces } from './places.ts';
import type { PlannedRemoval } from './plan.ts';
import { type RetryOptions, withRetries } from './retry.ts';
import { dropSpooled, type SpooledSession, spoolSession } from './spool.ts';

export type PushOutcome = 'sent' | 'same' | 'blocked' | 'held' | 'other' | 'failed' | 'removed' | 'lowered';

/** What became of a session. */
export interface SessionReport {
  readonly path: string;
  readonly sessionId: string;
  readonly outcome: PushOutcome;
  /** In the store now; `none` if it has nothing of it from this machine. */
  readonly level: string;
  /** Why, and what to do next; `null` if everything is as it was wanted. */
  readonly note: string | null;
}

export interface SenderOptions extends RetryOptions {
  readonly target: PushTarget;
  readonly address: string;
  readonly machine: string;
  readonly journal: Journal;
  readonly places: PushPlaces;
  readonly raises: boolean;
  /** @internal Called before each step; a test ends the process here. */
  readonly onStep?: (step: string) => void;
}

export class Sender {
  readonly #options: SenderOptions;
  readonly reports: SessionReport[] = [];
  /** Whether the store has other content than before. */
  hasChanged = false;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  hello(): Promise<Hello> {
    const { target, machine } = this.#options;
    return this.#call(() => target.hello(machine));
  }

  /** `again` collects the rows at a level that the store allows. */
  async send(session: SpooledSession, again: (level: number) => Promise<SessionRows | undefined>): Promise<void> {
    const { places, onStep = () => {} } = this.#options;
    spoolSession(places.outbox, session);
    onStep('spooled');
    await this.sendSpooled(session, again);
  }

  async sendSpooled(
    session: SpooledSession,
    again: (level: number) => Promise<SessionRows | undefined>,
  ): Promise<void> {
    const { places, onStep = () => {} } = this.#options;
    const { rows } = session;
    const answer = await this.#pushOrFail(session.path, rows);
    onStep('answered');
    const lower = 'state' in answer && answer.state === 'blocked' ? lowerLevel(answer, rows) : 0;
    const lowered = lower > 0 ? await again(lower) : undefined;
    if (lowered === undefined) this.#note(session, answer);
    else this.#note({ ...session, rows: lowered }, await this.#pushOrFail(session.path, lowered), answer);
    onStep('in the journal');
    dropSpooled(places.outbox, session.path);
  }

  async remove({ entry, reason, kept }: PlannedRemoval): Promise<void> {
    const { target, journal, machine, places, onStep = () => {} } = this.#options;
    dropSpooled(places.outbox, entry.path);
    const answer = await this.#call(() => target.remove(entry.sessionId, reason, machine, kept));
    onStep('removed');
    const { path, sessionId, baseId } = entry;
    if (answer.state === 'held') {
      const note = 'the store keeps it: it is on legal hold; it is removed by a later push, when the hold has ended';
      this.reports.push({ path, sessionId, outcome: 'held', level: nameOf(entry.level), note });
      return;
    }
    this.hasChanged = true;
    const state = kept === 0 ? 'removed' : 'stored';
    journal.put({
      ...entry,
      state,
      level: kept,
      wanted: kept,
      contentKey: '',
      print: '',
      note: null,
      atMs: Date.now(),
    });
    // The store removes all sessions with this id, as the user may mean any of them: the others are pushed again.
    for (const other of sessionId === baseId ? journal.entries() : [])
      if (other.path !== path && other.baseId === baseId && other.level > 0)
        journal.put({ ...other, state: 'removed', level: 0, contentKey: '', print: '' });
    this.reports.push({
      path,
      sessionId,
      outcome: kept === 0 ? 'removed' : 'lowered',
      level: nameOf(kept),
      note: null,
    });
    onStep('in the journal');
  }

  /** Collecting failed, or the store refused the rows. */
  fail(session: Omit<SpooledSession, 'rows'>, ids: { sessionId: string; baseId: string }, message: string): void {
    const { journal } = this.#options;
    const before = journal.get(session.path);
    const [level, contentKey] = [before?.level ?? 0, before?.contentKey ?? ''];
    const { path, cwd, wanted, print } = session;
    journal.put({
      path,
      cwd,
      ...ids,
      state: 'failed',
      level,
      wanted,
      contentKey,
      print,
      note: message,
      atMs: Date.now(),
    });
    this.reports.push({ path, sessionId: ids.sessionId, outcome: 'failed', level: nameOf(level), note: message });
  }

  /** The store can see at once that nothing is missing the next time. */
  async goodbye(): Promise<void> {
    const { target, journal, machine } = this.#options;
    const digest = journal.digest();
    journal.putFacts({ pendingDigest: digest });
    await this.#call(() => target.goodbye(machine, digest));
    journal.putFacts({ digest, pendingDigest: null });
  }

  async #pushOrFail(main: string, rows: SessionRows): Promise<PushAnswer | SessionFailure> {
    try {
      return await this.#push(main, rows);
    } catch (error) {
      const message = messageOfSession(error);
      if (message === undefined) throw error;
      return { failed: message };
    }
  }

  async #push(main: string, rows: SessionRows): Promise<PushAnswer> {
    const { target, raises } = this.#options;
    const push = (head: SessionRows['head']): Promise<PushAnswer> => this.#call(() => target.push({ ...rows, head }));
    const { head } = rows;
    const answer = await push(head);
    if (answer.state === 'other' && beginsWith(main, head, answer))
      return push({ ...head, continues: answer.mainSha256 });
    if (answer.state === 'blocked' && raises && answer.machine !== undefined) return push({ ...head, raises: true });
    return answer;
  }

  async #call<T>(call: () => Promise<T>): Promise<T> {
    const { address, ...retry } = this.#options;
    try {
      return await withRetries(call, retry);
    } catch (error) {
      if (messageOfSession(error) !== undefined) throw error;
      throw storeError(error, address);
    }
  }

  /** `before`: the answer that asked for a lower level. */
  #note(
    { path, cwd, wanted, print, rows }: SpooledSession,
    answer: PushAnswer | SessionFailure,
    before?: PushAnswer | SessionFailure,
  ): void {
    const { journal } = this.#options;
    const { sessionId, baseId, contentKey, level } = rows.head;
    if ('failed' in answer) {
      this.fail({ path, cwd, wanted, print }, { sessionId, baseId }, answer.failed);
      return;
    }
    const isStored = answer.state === 'open' || answer.state === 'same';
    const known = journal.get(path);
    const kept = isStored ? { level, contentKey } : { level: known?.level ?? 0, contentKey: known?.contentKey ?? '' };
    const note = noteOf(isStored ? before : answer) ?? (isStored && level < wanted ? lessNote(level) : null);
    const state = answer.state === 'open' || answer.state === 'same' ? 'stored' : answer.state;
    journal.put({ path, cwd, sessionId, baseId, state, wanted, print, note, atMs: Date.now(), ...kept });
    this.hasChanged ||= answer.state === 'open';
    if (isStored) this.#forgetMoved(path, sessionId);
    const outcome = answer.state === 'open' ? 'sent' : answer.state;
    this.reports.push({ path, sessionId, outcome, level: nameOf(kept.level as number), note });
  }

  /** The same session, where it was before. */
  #forgetMoved(main: string, sessionId: string): void {
    const { journal } = this.#options;
    for (const entry of journal.withId(sessionId))
      if (entry.path !== main && entry.level > 0)
        journal.put({ ...entry, state: 'removed', level: 0, contentKey: '', print: '', note: null });
  }
}

interface SessionFailure {
  readonly failed: string;
}

/** The rows themselves are refused, so that sending them again would fail again; `undefined` for any other error. */
function messageOfSession(error: unknown): string | undefined {
  const code = asString((error as { readonly code?: unknown } | undefined)?.code) ?? '';
  if (!(error instanceof Error) || !/^(22|23|54|CL003)/.test(code)) return undefined;
  return `the store refused its rows: ${error.message} (${code}); report it with \`clew push --dry-run --json\``;
}

/** Whether the transcript here continues the one that another machine pushed. */
function beginsWith(main: string, head: SessionRows['head'], other: PushAnswer & { readonly state: 'other' }): boolean {
  if (other.mainBytes > head.mainBytes) return false;
  try {
    return hashFile(main, other.mainBytes) === other.mainSha256;
  } catch {
    return false; // it is gone by now
  }
}

/** The level that the store allows; 0 if it takes none. */
function lowerLevel(answer: PushAnswer & { readonly state: 'blocked' }, { head }: SessionRows): number {
  return answer.level < head.level && answer.reason !== 'redacted' ? answer.level : 0;
}

function nameOf(level: number): string {
  return levelName(level) ?? 'none';
}

const tombstoneTexts: Readonly<Record<TombstoneReason, string>> = {
  removed: 'was removed',
  lowered: 'was lowered',
  redacted: 'was redacted',
  undone: 'was undone',
};

/** Not all that was wanted left the machine. */
function lessNote(level: number): string {
  return `shared at the level of ${nameOf(level)}: it is older than the store keeps more of, or has more text than fits`;
}

/** What happened, then what to do next. */
function noteOf(answer: PushAnswer | SessionFailure | undefined): string | null {
  if (answer === undefined || 'failed' in answer) return null;
  switch (answer.state) {
    case 'blocked': {
      const most = `shared at the level of ${nameOf(answer.level)} at most`;
      if (answer.machine === undefined)
        return `${most}: the store keeps nothing older; its administrator decides with \`clew team retain\``;
      const what = tombstoneTexts[answer.reason as TombstoneReason] ?? answer.reason;
      return `${most}: it ${what} on ${answer.machine}; \`clew push --raise\` shares it from here again`;
    }
    case 'held':
      return 'the store keeps what it has: it is on legal hold; it is pushed again when the hold has ended';
    case 'other':
      return `${answer.machine} pushed another version, which stays; push from there, or give this one another id: \`clew fork\``;
    default:
      return null;
  }
}
