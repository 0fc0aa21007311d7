// clew stats: what was done in all sessions, or in those of a project or a time, on one screen or as JSON.

import { isoDate, jsonText } from '../../base/json/index.ts';
import { parseTime } from '../../base/time/index.ts';
import type { LibrarySource } from '../../library/source/index.ts';
import { collectStats, createCalendar, type LibraryStats, type UsageSession } from '../../library/usage/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { nextStep, projectFilter } from '../input/index.ts';
import { withSource } from '../source/index.ts';
import { terminalWidth, writeNotice, writeOut } from '../terminal/index.ts';
import { sumJson } from '../usage/index.ts';
import { type DeletedCount, statsText } from './render.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags } = input;
  const nowMs = Date.now();
  const since = textFlag(flags, 'since');
  const sinceMs = since === undefined ? undefined : parseTime(since, '--since', false, nowMs);
  await withSource(input, async (source) => {
    const counted = await count(input, source, sinceMs, nowMs);
    await print(input, source, counted, sinceMs);
  });
}

interface Counted {
  readonly stats: LibraryStats;
  readonly expiring: number;
  readonly deleted: DeletedCount | undefined;
  readonly hasFiles: boolean;
}

async function print(
  input: CommandInput,
  source: LibrarySource,
  { stats, expiring, deleted, hasFiles }: Counted,
  sinceMs: number | undefined,
): Promise<void> {
  const { flags, io } = input;
  if (flags.json === true)
    return writeOut(
      [
        `${jsonText({ ...statsJson(stats, sinceMs, expiring, deleted, hasFiles), unread: input.unread.problems }, 2)}\n`,
      ],
      io,
    );
  if (stats.sessions + stats.transcripts === 0) {
    writeNotice(
      io.stderr,
      `no sessions to count ${source.place}; ${nextStep(flags, 'run `clew ls` to list the sessions')}`,
    );
    return;
  }
  const options = { style: io.style, width: terminalWidth(io.stdout, io.env), expiring, deleted, sinceMs };
  await writeOut([statsText(stats, options)], { ...io, pager: true });
}

async function count(
  input: CommandInput,
  source: LibrarySource,
  sinceMs: number | undefined,
  nowMs: number,
): Promise<Counted> {
  const isWanted = projectFilter(input);
  const calendar = createCalendar();
  const ofProject = ({ cwd, slug }: UsageSession): boolean => isWanted({ cwd, project: slug });
  const filter = { calendar, sinceMs, isWanted: input.flags.project === undefined ? undefined : ofProject };
  const { sessions, work, cells, deleted, expiring, hasFiles } = await source.work({ isWanted, filter });
  const since = sinceMs === undefined ? {} : { sinceMs };
  const stats = collectStats(work, { sessions, cells, calendar, nowMs, ...since });
  return { stats, expiring, deleted, hasFiles };
}

function statsJson(
  stats: LibraryStats,
  sinceMs: number | undefined,
  expiring: number,
  deleted: DeletedCount | undefined,
  hasFiles: boolean,
): object {
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
    files: hasFiles ? stats.files.slice(0, mostFiles) : null,
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
    deleted: deleted ?? null,
  };
}

const mostFiles = 50;
