// Statistics → one screen: the numbers, small charts of when, and what was used most.
import { homedir } from 'node:os';
import path from 'node:path';
import { counted, displayWidth, formatBytes, formatCount, formatTokens, padStart } from '../../base/text/index.ts';
import type { LibraryStats, ToolStats, UsageSum } from '../../library/usage/index.ts';
import { type Cell, type Column, costText, localTime, renderTable, unpricedText, wrapSpans } from '../render/index.ts';
import type { Style } from '../terminal/index.ts';
import { barOf } from '../usage/index.ts';

/** Sessions whose transcript is gone. */
export interface DeletedCount {
  readonly sessions: number;
  /** What is left of their prompts. */
  readonly prompts: number;
}

export interface StatsTextOptions {
  readonly style: Style;
  readonly width: number;
  readonly expiring: number;
  /** `undefined` where nobody knows. */
  readonly deleted: DeletedCount | undefined;
  readonly sinceMs: number | undefined;
}

const mostTools = 8;
const mostFiles = 8;
const mostModels = 6;

export function statsText(stats: LibraryStats, options: StatsTextOptions): string {
  const sections = [
    overview(stats, options),
    clock(stats, options),
    models(stats, options),
    tools(stats, options),
    files(stats, options),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function overview(stats: LibraryStats, { style, width, expiring, deleted, sinceMs }: StatsTextOptions): string {
  const { streaks, usage } = stats;
  const now = streaks.current === 0 ? 'none now' : `${counted(streaks.current, 'day')} now`;
  const rows: readonly (readonly [string, string])[] = [
    ['sessions', joined(formatCount(stats.sessions), counted(stats.turns, 'turn'), agentsText(stats.agents))],
    ['prompts', joined(formatCount(stats.prompts), daysText(streaks))],
    ['streak', joined(now, `${counted(streaks.longest, 'day')} at most`)],
    [
      'tokens',
      joined(
        `${formatTokens(inputOf(usage))} in`,
        `${lowerBound(usage)}${formatTokens(usage.outputTokens)} out`,
        costText(usage),
        unpricedText(usage),
      ),
    ],
    ['on disk', joined(formatBytes(stats.sizeBytes), counted(stats.transcripts, 'transcript'), expiringText(expiring))],
    ...(deleted === undefined || deleted.sessions === 0 ? [] : [['deleted', deletedText(deleted)] as const]),
    ...(sinceMs === undefined ? [] : [['since', localTime(sinceMs)] as const]),
  ];
  const lines = rows.flatMap(([name, text]) => {
    const wrapped = wrapSpans([{ text, paint: (each) => each }], Math.max(20, width - 10));
    return wrapped.map((line, i) => `${style.muted((i === 0 ? name : '').padEnd(10))}${line.text}`);
  });
  return lines.join('\n');
}

function agentsText(agents: number): string {
  return agents === 0 ? '' : counted(agents, 'sub-agent');
}

function daysText({ activeDays, firstDay, lastDay }: LibraryStats['streaks']): string {
  if (firstDay === undefined || lastDay === undefined) return '';
  return `on ${counted(activeDays, 'day')}, ${firstDay === lastDay ? firstDay : `${firstDay} to ${lastDay}`}`;
}

function expiringText(expiring: number): string {
  return expiring === 0
    ? ''
    : `${formatCount(expiring)} ${expiring === 1 ? 'expires' : 'expire'} soon: clew ls --expiring`;
}

function deletedText({ sessions, prompts }: DeletedCount): string {
  return joined(counted(sessions, 'session'), `${counted(prompts, 'prompt')} left: clew ls --deleted`);
}

function joined(...facts: readonly string[]): string {
  return facts.filter((fact) => fact !== '').join(' · ');
}

function inputOf(usage: UsageSum): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
}

function lowerBound(usage: UsageSum): string {
  return usage.outputIsLowerBound ? '≥ ' : '';
}

const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const levels = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** Hours as columns, weekdays as bars; next to each other where both fit. */
function clock(stats: LibraryStats, { style, width }: StatsTextOptions): string {
  if (stats.hours.every((count) => count === 0)) return '';
  const hours = hourChart(stats.hours, width < hourWidth(2) ? 1 : 2, style);
  const days = dayChart(stats.weekdays, style);
  if (width < hourWidth(2) + 4 + dayBar + 10) return [...hours, '', ...days].join('\n');
  const left = hourWidth(2) + 4;
  const rows = Math.max(hours.length, days.length);
  return Array.from({ length: rows }, (_, i) => {
    const hour = hours[i] ?? '';
    return `${hour}${' '.repeat(Math.max(0, left - displayWidth(hour)))}${days[i] ?? ''}`.trimEnd();
  }).join('\n');
}

const chartRows = 4;
const dayBar = 12;

function hourWidth(columns: number): number {
  return 24 * columns;
}

function hourChart(hours: readonly number[], columns: number, style: Style): string[] {
  const most = Math.max(1, ...hours);
  const eighths = hours.map((count) => (count === 0 ? 0 : Math.max(1, Math.round((count / most) * chartRows * 8))));
  const lines = Array.from({ length: chartRows }, (_, i) => {
    const below = (chartRows - 1 - i) * 8;
    const cells = eighths.map((value) => (levels[Math.min(8, value - below) - 1] ?? ' ').padEnd(columns));
    return style.blue(cells.join('').trimEnd());
  });
  const ground = '▔'.repeat(hourWidth(columns) - columns + 1);
  const labels = [0, 6, 12, 18].map((hour) => `${hour} h`.padEnd(6 * columns)).join('');
  return [style.muted('PROMPTS BY HOUR'), ...lines, style.muted(ground), style.muted(labels.trimEnd())];
}

function dayChart(weekdays: readonly number[], style: Style): string[] {
  const most = Math.max(1, ...weekdays);
  const width = Math.max(...weekdays.map((count) => formatCount(count).length));
  const lines = weekdays.map((count, i) => {
    const number = padStart(formatCount(count), width);
    return `${style.muted(dayNames[i] ?? '')} ${number} ${style.blue(barOf(count / most, dayBar))}`.trimEnd();
  });
  return [style.muted('BY WEEKDAY'), ...lines];
}

function models({ models: rows }: LibraryStats, { style, width }: StatsTextOptions): string {
  if (rows.length === 0) return '';
  const columns: readonly Column[] = [
    { header: 'MODEL', flex: true, minWidth: 10 },
    { header: 'MESSAGES', align: 'right' },
    { header: 'IN', align: 'right' },
    { header: 'OUT', align: 'right' },
    { header: 'COST', align: 'right' },
  ];
  const cells = rows
    .slice(0, mostModels)
    .map((row) => [
      row.key === '' ? '(no model)' : row.key,
      formatCount(row.messages),
      formatTokens(inputOf(row)),
      `${lowerBound(row)}${formatTokens(row.outputTokens)}`,
      costText(row),
    ]);
  return renderTable(columns, [...cells, ...more(rows.length, mostModels, style)], { width, style });
}

function tools({ tools: rows }: LibraryStats, { style, width }: StatsTextOptions): string {
  if (rows.length === 0) return '';
  const most = rows[0]?.calls ?? 1;
  const columns: readonly Column[] = [
    { header: 'TOOL', flex: true, minWidth: 10 },
    { header: 'CALLS', align: 'right' },
    { header: 'FAILED', align: 'right' },
    ...(width < 60 ? [] : [{ header: '' }]),
  ];
  const cells = rows
    .slice(0, mostTools)
    .map((tool): Cell[] => [
      tool.name,
      formatCount(tool.calls),
      { text: failedText(tool), paint: tool.errors === 0 ? style.muted : (text) => text },
      { text: barOf(tool.calls / most, 20), paint: style.blue },
    ]);
  return renderTable(columns, [...cells, ...more(rows.length, mostTools, style)], { width, style });
}

/** Of those that were answered; a small share is not rounded away. */
function failedText({ answered, errors }: ToolStats): string {
  if (answered === 0) return '';
  const percent = (100 * errors) / answered;
  if (errors === 0) return '0 %';
  return percent < 1 ? '< 1 %' : `${Math.round(percent)} %`;
}

function files({ files: rows }: LibraryStats, { style, width }: StatsTextOptions): string {
  if (rows.length === 0) return '';
  const columns: readonly Column[] = [
    { header: 'CALLS', align: 'right' },
    { header: 'FILE', flex: true },
  ];
  const cells = rows.slice(0, mostFiles).map((file) => [formatCount(file.calls), shortPath(file.path, width - 7)]);
  const rest = rows.length - cells.length;
  const note: Cell[][] = rest <= 0 ? [] : [['', { text: `${formatCount(rest)} more`, paint: style.muted }]];
  return renderTable(columns, [...cells, ...note], { width, style });
}

/** The end of a path says more than its beginning. */
function shortPath(file: string, width: number): string {
  const home = homedir();
  const short = file.startsWith(home + path.sep) ? `~${file.slice(home.length)}` : file;
  const parts = short.split(/(?=[/\\])/);
  let shown = short;
  while (parts.length > 1 && displayWidth(shown) > width) {
    parts.shift();
    shown = `…${parts.join('')}`;
  }
  return shown;
}

function more(count: number, shown: number, style: Style): Cell[][] {
  return count <= shown ? [] : [[{ text: `${formatCount(count - shown)} more`, paint: style.muted }]];
}
