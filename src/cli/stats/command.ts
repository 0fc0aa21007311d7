// clew stats: what was done in all sessions, or in those of a project or a time, on one screen or as JSON.

import { isoDate, jsonText } from '../../base/json/index.ts';
import { parseTime } from '../../base/time/index.ts';
import { listDeleted } from '../../library/deleted/index.ts';
import type { Database, ReadSummaries } from '../../library/index/index.ts';
import { findExpiring } from '../../library/session-files/index.ts';
import {
  cellsOf,
  collectStats,
  createCalendar,
  type LibraryStats,
  makeCells,
  pricedMessages,
  type UsageCell,
} from '../../library/usage/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import {
  currentPrices,
  currentUsage,
  type ProjectFilter,
  projectFilter,
  rootsOf,
  sessionsIn,
  withIndex,
} from '../input/index.ts';
import { terminalWidth, writeNotice, writeOut } from '../terminal/index.ts';
import { sumJson } from '../usage/index.ts';
import { type DeletedCount, statsText } from './render.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const nowMs = Date.now();
  const since = textFlag(flags, 'since');
  const sinceMs = since === undefined ? undefined : parseTime(since, '--since', false, nowMs);
  const { stats, expiring, deleted } = await withIndex(
    input,
    (database, _, summaries) => collect(database, input, summaries, sinceMs, nowMs),
    { withSummaries: true },
  );
  if (flags.json === true)
    return writeOut(
      [`${jsonText({ ...statsJson(stats, sinceMs, expiring, deleted), unread: input.unread.problems }, 2)}\n`],
      io,
    );
  if (stats.sessions + stats.transcripts === 0) {
    writeNotice(
      io.stderr,
      `no sessions to count below ${rootsOf(input).join(' and ')}; run \`clew ls\` to list the sessions`,
    );
    return;
  }
  const options = { style: io.style, width: terminalWidth(io.stdout, io.env), expiring, deleted, sinceMs };
  await writeOut([statsText(stats, options)], { ...io, pager: true });
}

async function collect(
  database: Database,
  input: CommandInput,
  summaries: ReadSummaries,
  sinceMs: number | undefined,
  nowMs: number,
): Promise<{ stats: LibraryStats; expiring: number; deleted: DeletedCount }> {
  const isWanted = projectFilter(input);
  const sessions = (await sessionsIn(database, input, summaries)).sessions.filter(isWanted);
  // By the same rule as `clew usage`: the two must not disagree.
  const cells = cellsSince(input, sinceMs).filter(({ session }) =>
    isWanted({ cwd: session.cwd, project: session.slug }),
  );
  const stats = collectStats(database, {
    roots: rootsOf(input),
    sessions,
    isWanted,
    cells,
    calendar: createCalendar(),
    nowMs,
    ...(sinceMs === undefined ? {} : { sinceMs }),
  });
  return { stats, expiring: findExpiring(sessions, nowMs).length, deleted: countDeleted(input, isWanted, sinceMs) };
}

/** Sessions whose transcript is gone, used since the given moment, and the prompts that are left of them. */
function countDeleted(input: CommandInput, isWanted: ProjectFilter, sinceMs: number | undefined): DeletedCount {
  const { sessions } = listDeleted({ roots: rootsOf(input), env: input.io.env });
  const wanted = sessions.filter((each) => isWanted(each) && (sinceMs === undefined || each.endedAt >= sinceMs));
  return { sessions: wanted.length, prompts: wanted.reduce((sum, { left }) => sum + left.prompts, 0) };
}

/** A moment may lie inside a quarter of an hour, where cells are too coarse. */
function cellsSince(input: CommandInput, sinceMs: number | undefined): readonly UsageCell[] {
  const prices = currentPrices(input.io);
  const store = currentUsage(input, prices);
  if (sinceMs === undefined) return cellsOf(store);
  return makeCells(pricedMessages(store, prices).filter(({ line }) => line.time >= sinceMs));
}

function statsJson(stats: LibraryStats, sinceMs: number | undefined, expiring: number, deleted: DeletedCount): object {
  const { streaks } = stats;
  return {
    since: sinceMs === undefined ? null : isoDate(sinceMs),
    sessions: stats.sessions,
    turns: stats.turns,
    prompts: stats.prompts,
    agents: stats.agents,
    usage: sumJson(stats.usage),
    models: stats.models.map((row) => ({ model: row.key === '' ? null : row.key, ...sumJson(row) })),
    tools: stats.tools,
    files: stats.files.slice(0, mostFiles),
    hours: stats.hours,
    weekdays: stats.weekdays,
    days: {
      active: streaks.activeDays,
      currentStreak: streaks.current,
      longestStreak: streaks.longest,
      first: streaks.firstDay ?? null,
      last: streaks.lastDay ?? null,
    },
    library: { transcripts: stats.transcripts, sizeBytes: stats.sizeBytes, expiring },
    deleted,
  };
}

const mostFiles = 50;
