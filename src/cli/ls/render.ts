// Rows of `clew ls` → the table, and below it the number of sessions and the next commands.
import { homedir } from 'node:os';
import path from 'node:path';
import { counted, displayWidth, formatAge, formatBytes, formatCount, oneLine } from '../../base/text/index.ts';
import type { Verdict } from '../../library/index/index.ts';
import type { Expiring } from '../../library/session-files/index.ts';
import type { SessionSummary } from '../../session/facts/index.ts';
import { type Lineage, marksText } from '../input/index.ts';
import { type Cell, type Column, renderTable, type TableOptions, wrapSpans } from '../render/index.ts';

export interface Row extends SessionSummary {
  readonly project: string;
  readonly mtimeMs: number;
  readonly lineage?: Lineage | undefined;
  /** `undefined`: not examined. */
  readonly health?: Verdict | undefined;
}

interface ListColumn extends Column {
  /** The terminal width from which on this column is shown. */
  readonly fromWidth?: number;
  cell(row: Row): Cell;
}

export interface ListOptions extends TableOptions {
  /** The time to which ages are counted. */
  readonly nowMs: number;
  /** The sessions are the bundled ones, which need `--demo`. */
  readonly isDemo: boolean;
}

/** `clew ls --expiring`: how long each session has left. */
export function expiringTable<T extends Row>(
  expiring: readonly Expiring<T>[],
  ids: ReadonlyMap<string, string>,
  options: TableOptions & { readonly nowMs: number },
): string {
  const { style, width } = options;
  const left = new Map<Row, Expiring<T>>(expiring.map((each) => [each.session, each]));
  const rows = expiring.map((each) => each.session);
  const time: ListColumn = {
    header: 'LEFT',
    align: 'right',
    cell: (row) => {
      const { daysLeft = 0 } = left.get(row) ?? {};
      return daysLeft < 0 ? { text: 'due', paint: style.error } : daysLeft === 0 ? '< 1 d' : `${daysLeft} d`;
    },
  };
  const columns = [time, ...listColumns(rows, ids, options)].filter(({ fromWidth = 0 }) => width >= fromWidth);
  const cells = rows.map((row) => columns.map((column) => column.cell(row)));
  const due = expiring.filter(({ daysLeft }) => daysLeft < 0).length;
  const fate = `${due === 0 ? 'none' : formatCount(due)} of them at its next start`;
  const advice = '`clew archive` keeps copies';
  const text = `${counted(rows.length, 'session')} that Claude Code will delete within a week, ${fate}; ${advice}`;
  const footer = wrapSpans([{ text, paint: style.muted }], width).map((line) => line.text);
  return `${[renderTable(columns, cells, options), '', ...footer].join('\n')}\n`;
}

/** `ids`: the shown part of each id. */
export function listTable(rows: readonly Row[], ids: ReadonlyMap<string, string>, options: ListOptions): string {
  const { style, width, isDemo } = options;
  const columns = listColumns(rows, ids, options).filter(({ fromWidth = 0 }) => width >= fromWidth);
  const cells = rows.map((row) => columns.map((column) => column.cell(row)));
  const folders = new Set(rows.map((row) => path.dirname(row.path))).size;
  const show = `clew show ${isDemo ? '--demo ' : ''}ID`;
  const unexamined = isDemo ? 0 : rows.filter(({ health }) => health === undefined).length;
  const examine = `${formatCount(unexamined)} not examined; \`clew doctor --all\` looks at them`;
  const total = `${counted(rows.length, 'session')} in ${counted(folders, 'folder')}; \`${show}\` reads one`;
  const notes = [total, ...(unexamined === 0 ? [] : [examine])];
  const footer = notes.flatMap((text) => wrapSpans([{ text, paint: style.muted }], width).map((line) => line.text));
  return `${[renderTable(columns, cells, options), '', ...footer].join('\n')}\n`;
}

/** When it was last used: what its lines say, else what the disk says. */
export function lastUse(row: Row): number {
  return Number.isNaN(row.endedAt) ? row.mtimeMs : row.endedAt;
}

function listColumns(
  rows: readonly Row[],
  ids: ReadonlyMap<string, string>,
  { style, width, nowMs }: TableOptions & { readonly nowMs: number },
): readonly ListColumn[] {
  const folderWidth = roomForFolders(rows, width);
  const folders = new Map<string, string>();
  const folderOf = (row: Row): string => {
    const folder = row.cwd ?? row.project;
    const known = folders.get(folder) ?? endOfPath(shortFolder(row), folderWidth);
    folders.set(folder, known);
    return known;
  };
  const damage: ListColumn = {
    header: 'DAMAGE',
    cell: (row) => ({ text: damageText(row), paint: row.health === 'warn' ? style.yellow : style.error }),
  };
  const marks: ListColumn = {
    header: 'MARKS',
    flex: true,
    minWidth: 10,
    fromWidth: 60,
    cell: (row) => ({ text: marksOf(row), paint: style.accent }),
  };
  return [
    { header: 'AGE', align: 'right', cell: (row) => formatAge(lastUse(row), nowMs) },
    {
      header: 'TITLE',
      flex: true,
      minWidth: 20,
      cell: (row) => (row.title === undefined ? { text: untitled(row), paint: style.muted } : row.title),
    },
    ...(rows.some((row) => marksOf(row) !== '') ? [marks] : []),
    {
      header: 'FOLDER',
      flex: true,
      minWidth: 10,
      fromWidth: 66,
      cell: (row) => ({ text: folderOf(row), paint: style.muted }),
    },
    {
      header: 'TURNS',
      align: 'right',
      fromWidth: 46,
      cell: (row) => (row.turns === 0 ? '' : formatCount(row.turns)),
    },
    { header: 'SIZE', align: 'right', fromWidth: 54, cell: (row) => formatBytes(row.sizeBytes) },
    // A cut id names no session, so it always keeps its eight characters.
    {
      header: 'ID',
      minWidth: 8,
      cell: (row) => ({ text: ids.get(row.sessionId) ?? row.sessionId, paint: style.accent }),
    },
    ...(rows.some(isDamaged) ? [damage] : []),
  ];
}

function marksOf({ tag, lineage }: Row): string {
  return marksText(tag, lineage);
}

function isDamaged({ health, damage }: Row): boolean {
  return health === 'fatal' || health === 'loss' || damage > 0;
}

/** The verdict of doctor; if it has not examined the session, the number of damaged lines. */
function damageText({ health, damage }: Row): string {
  if (health === undefined) return damage === 0 ? '' : `! ${formatCount(damage)}`;
  return health === 'sound' || health === 'info' ? '' : health;
}

/** The width that the titles leave, but enough to distinguish folders. */
function roomForFolders(rows: readonly Row[], width: number): number {
  const otherColumns = 38;
  if (!Number.isFinite(width)) return width;
  let longestTitle = 0;
  for (const row of rows) {
    if (width - otherColumns - longestTitle <= leastForFolders) break;
    longestTitle = Math.max(longestTitle, displayWidth(oneLine(row.title ?? '', width)));
  }
  return Math.max(leastForFolders, width - otherColumns - longestTitle);
}

const leastForFolders = 14;

function untitled(row: Row): string {
  if (row.sizeBytes === 0 && row.agents > 0) return `(only ${counted(row.agents, 'sub-agent')})`;
  if (row.sizeBytes === 0) return '(empty file)';
  return row.turns === 0 ? '(no conversation)' : '(untitled)';
}

function shortFolder(row: Row): string {
  if (row.cwd === undefined) return row.project;
  const home = homedir();
  return row.cwd === home || row.cwd.startsWith(home + path.sep) ? `~${row.cwd.slice(home.length)}` : row.cwd;
}

/** The last folders of a path say more than the first: `…/ada/lighthouse`. */
function endOfPath(folder: string, width: number): string {
  if (displayWidth(folder) <= width) return folder;
  const parts = folder.split(/(?=[/\\])/);
  let end = parts.pop() ?? '';
  while (parts.length > 0 && displayWidth(`…${parts.at(-1)}${end}`) <= width) end = `${parts.pop()}${end}`;
  return parts.length === 0 ? folder : `…${end}`;
}
