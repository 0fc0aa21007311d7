// Prompts without a session id, as clients before about 2.1 wrote them → groups that were probably one session each: the
// same project, and no pause longer than three hours. Prompts that a transcript still covers are left out.
import { createHash } from 'node:crypto';
import { readdirSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { scanRecord } from '../../format/scan/index.ts';
import { agentIdOf, linesOfBytes, slugsFor } from '../../store/index.ts';
import { type HistoryEntry, isLocalCommand, readStart } from './history.ts';
import type { ConfigFolder } from './traces.ts';

export type UnnamedPrompt = Pick<HistoryEntry, 'line' | 'display' | 'time' | 'project'>;

export interface UnnamedGroup {
  readonly id: string;
  readonly cwd: string | undefined;
  readonly firstPrompt: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly prompts: number;
  /** The lines of the history that belong to it. */
  readonly lines: readonly number[];
}

const longestPauseMs = 3 * 3600 * 1000;

export function groupUnnamed(prompts: readonly UnnamedPrompt[], folder: ConfigFolder): readonly UnnamedGroup[] {
  const groups: UnnamedGroup[] = [];
  for (const [cwd, own] of byProject(prompts)) {
    const spans = cwd === undefined ? [] : livingSpans(folder, cwd);
    const left = own.filter(({ time }) => !spans.some(({ from, to }) => time >= from && time <= to));
    const byTime = left.sort((a, b) => (a.time || 0) - (b.time || 0) || a.line - b.line);
    let group: UnnamedPrompt[] = [];
    for (const prompt of byTime) {
      const last = group.at(-1);
      if (last !== undefined && (prompt.time || 0) - (last.time || 0) > longestPauseMs) {
        groups.push(...finished(group, cwd, folder));
        group = [];
      }
      group.push(prompt);
    }
    groups.push(...finished(group, cwd, folder));
  }
  return groups;
}

function byProject(prompts: readonly UnnamedPrompt[]): ReadonlyMap<string | undefined, UnnamedPrompt[]> {
  const groups = new Map<string | undefined, UnnamedPrompt[]>();
  for (const prompt of prompts) {
    const own = groups.get(prompt.project);
    if (own === undefined) groups.set(prompt.project, [prompt]);
    else own.push(prompt);
  }
  return groups;
}

function finished(
  group: readonly UnnamedPrompt[],
  cwd: string | undefined,
  { projects }: ConfigFolder,
): readonly UnnamedGroup[] {
  const prompts = group.filter(({ display }) => !isLocalCommand(display));
  if (prompts.length === 0) return [];
  const startedAt = group[0]?.time ?? Number.NaN;
  const endedAt = group.at(-1)?.time ?? Number.NaN;
  const hash = createHash('sha256')
    .update(`${projects}\n${cwd ?? ''}\n${startedAt}`)
    .digest('hex');
  return [
    {
      id: `prompts-${hash.slice(0, 8)}`,
      cwd,
      firstPrompt: prompts[0]?.display,
      startedAt,
      endedAt,
      prompts: prompts.length,
      lines: group.map(({ line }) => line),
    },
  ];
}

interface Span {
  readonly from: number;
  readonly to: number;
}

const aMinuteMs = 60_000;
const firstBytes = 64 * 1024;

/** From the first time in a transcript to its last change, for the transcripts of a working directory. */
function livingSpans({ projects }: ConfigFolder, cwd: string): readonly Span[] {
  return slugsFor(cwd).flatMap((slug) => {
    const folder = path.join(projects, slug);
    return namesIn(folder).flatMap((name) => {
      if (!name.endsWith('.jsonl') || agentIdOf(name) !== undefined) return [];
      const file = path.join(folder, name);
      const stats = statsOf(file);
      const from = stats?.isFile() === true ? firstTime(file) : Number.NaN;
      return stats === undefined || Number.isNaN(from)
        ? []
        : [{ from: from - aMinuteMs, to: stats.mtimeMs + aMinuteMs }];
    });
  });
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined; // in a closed folder
  }
}

function firstTime(file: string): number {
  for (const batch of linesOfBytes(readStart(file, firstBytes) ?? Buffer.alloc(0)))
    for (const { bytes } of batch) {
      const { time = Number.NaN } = scanRecord(bytes) ?? {};
      if (!Number.isNaN(time)) return time;
    }
  return Number.NaN;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
