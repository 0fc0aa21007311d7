// Limits → what was spent in their period, counted like `clew usage` over the same transcripts, and brought up to date.
import type { Environment } from '../../base/node/index.ts';
import { optimiseAsUsual, optimiseLess } from '../../base/process/index.ts';
import { counted } from '../../base/text/index.ts';
import { type GuardLimits, type GuardState, judge } from '../../library/guard/index.ts';
import { type CountedUsage, createCalendar, loadPrices, recentCells, UsageStore } from '../../library/usage/index.ts';
import { PriceList } from '../../models/index.ts';
import { findTranscripts, resolveRoots, stateFolder } from '../../store/index.ts';

export interface GuardQuestion {
  readonly limits: GuardLimits;
  /** Of `--root`; by default those of the environment. */
  readonly roots: readonly string[];
  /** The session that is asked about. */
  readonly sessionId: string | undefined;
  readonly ownRoot: string | undefined;
  readonly env: Environment;
  readonly nowMs: number;
}

export interface Spending {
  readonly state: GuardState;
  /** What makes the count incomplete, or slow; in the words of a notice. */
  readonly problems: readonly string[];
}

/** The state of about 700 transcripts: asking the disk about more takes longer than loading `node:v8`. */
const manyFilesBytes = 700 * 1024;

export function measureSpending({ limits, roots, sessionId, ownRoot, env, nowMs }: GuardQuestion): Spending {
  const loaded = loadPrices(env);
  const prices = new PriceList(loaded);
  const all = [...resolveRoots({ roots, env }), ...(ownRoot === undefined ? [] : [ownRoot])];
  const place = { folder: stateFolder(env), roots: all };
  const problems = [...loaded.notices];
  const store = new UsageStore(place);
  const isLarge = store.keptBytes > manyFilesBytes;
  if (isLarge) optimiseLess();
  const found = findTranscripts(all);
  if (isLarge) optimiseAsUsual();
  let unread = found.problems.length;
  let usage: CountedUsage | undefined = unread > 0 ? undefined : store.peek({ prices, found });
  if (usage === undefined) {
    const update = store.update({ prices, found });
    unread = update.problems.length;
    if (update.saveError !== undefined)
      problems.push(`${update.saveError.message}; until then every call reads all sessions`);
    usage = store;
  }
  if (unread > 0)
    problems.push(
      `${counted(unread, 'file')} could not be read and may be missing in the sum; \`clew usage\` lists them`,
    );
  const calendar = createCalendar(limits.timeZone);
  return { state: judge(recentCells(usage, { nowMs, sessionId }), { limits, sessionId, calendar, nowMs }), problems };
}
