// The transcripts → the numbers of the status line: what the session and this day cost, and the size of the context. It
// reads only new bytes, and only up to a limit; a number that needs more is unknown until a later call has read them.
import path from 'node:path';
import type { Environment } from '../../base/node/index.ts';
import { type GuardLimits, type GuardState, judge } from '../../library/guard/index.ts';
import {
  cellsOf,
  createCalendar,
  sumUp,
  type UsageCell,
  UsageStore,
  type UsageSum,
} from '../../library/usage/index.ts';
import type { PriceList } from '../../models/index.ts';
import { stateFolder } from '../../store/index.ts';

export interface NumbersQuestion {
  /** The transcript of the session, if the client named one. */
  readonly file: string | undefined;
  /** The folders with sessions that the user named. */
  readonly roots: readonly string[];
  readonly prices: PriceList;
  /** `undefined` if there are none. */
  readonly limits: GuardLimits | undefined;
  readonly env: Environment;
  readonly notify: (message: string) => void;
}

export interface StatusNumbers {
  /** `undefined` while transcripts that may contribute are unread. */
  readonly session: UsageSum | undefined;
  readonly today: UsageSum | undefined;
  /** Of the last message of the session; `undefined` if it has none. */
  readonly contextTokens: number | undefined;
  readonly model: string | undefined;
  /** `undefined` without limits, and while transcripts are unread. */
  readonly guard: GuardState | undefined;
}

/** Some tens of milliseconds of reading; later calls read the rest. */
const mostNewBytes = 8 * 1024 * 1024;

export function readNumbers({ file, roots: named, prices, limits, env, notify }: NumbersQuestion): StatusNumbers {
  // The client may use another config folder.
  const own = file === undefined ? [] : [path.dirname(path.dirname(file))];
  const store = new UsageStore({ folder: stateFolder(env), roots: [...named, ...own] });
  const { unreadUntilMs, saveError } = store.update({ prices, maxBytes: mostNewBytes, first: file });
  if (saveError !== undefined) notify(saveError.message);
  const midnight = new Date().setHours(0, 0, 0, 0);
  const session = file === undefined ? undefined : sessionOf(store, file);
  // A transcript holds no message newer than its last change.
  const isReadSince = (time: number | undefined): boolean =>
    unreadUntilMs === Number.NEGATIVE_INFINITY || (time !== undefined && unreadUntilMs < time);
  const cells = cellsOf(store);
  const ofSession = cells.filter((cell) => cell.session.path === file);
  return {
    session: isReadSince(session?.startedAt) ? sumUp(ofSession) : undefined,
    // Midnight begins a quarter of an hour in every time zone.
    today: isReadSince(midnight) ? sumUp(cells.filter(({ time }) => time >= midnight)) : undefined,
    contextTokens: session?.contextTokens,
    model: session?.model,
    guard:
      limits === undefined || unreadUntilMs !== Number.NEGATIVE_INFINITY ? undefined : guardOf(cells, limits, file),
  };
}

function guardOf(cells: readonly UsageCell[], limits: GuardLimits, file: string | undefined): GuardState {
  const sessionId = file === undefined ? undefined : path.basename(file, '.jsonl');
  return judge(cells, { limits, sessionId, calendar: createCalendar(limits.timeZone), nowMs: Date.now() });
}

function sessionOf(
  store: UsageStore,
  main: string,
): { startedAt: number | undefined; contextTokens: number | undefined; model: string | undefined } {
  let startedAt: number | undefined;
  let context: { contextTokens: number; model: string | undefined } | undefined;
  for (const file of store.files()) {
    if (file.main !== main) continue;
    if (!(file.startedAt >= (startedAt ?? Number.POSITIVE_INFINITY)) && !Number.isNaN(file.startedAt))
      startedAt = file.startedAt;
    if (file.found.path === main && !Number.isNaN(file.contextTokens))
      context = { contextTokens: file.contextTokens, model: store.modelName(file.contextModel) };
  }
  return { startedAt, contextTokens: context?.contextTokens, model: context?.model };
}
