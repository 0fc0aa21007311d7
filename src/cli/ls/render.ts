// Rows of `clew ls` → the table, and below it the number of sessions and the next commands.
import { homedir } from 'node:os';
import path from 'node:path';
import { counted, displayWidth, formatAge, formatBytes, formatCount, oneLine } from '../../base/text/index.ts';
import type { Verdict } from '../../library/index/index.ts';
import type { Relation } from '../../library/lineage/index.ts';
import type { Expiring } from '../../library/session-files/index.ts';
import type { SessionSummary } from '../../session/facts/index.ts';
import { type Lineage, originMarks } from '../input/index.ts';
import { type Cell, type Column, formatCost, renderTable, type TableOptions, wrapSpans } from '../render/index.ts';

export interface Row extends SessionSummary {
  readonly project: string;
  readonly mtimeMs: number;
  readonly lineage?: Lineage | undefined;
  readonly relations: readonly Relation[];
  /** Of the worktree that it works in. */
  readonly repository: string | null;
  /** `undefined`: not examined. */
  readonly health?: Verdict | undefined;
  /** In a store. */
  readonly person?: string;
}

interface ListColumn extends Column {
  /** The terminal width from which on this column is shown. */
  readonly fromWidth?: number;
  cell(row: Row): Cell;
}

export interface ListOptions extends TableOptions {
  /** The time to which ages are counted. */
  readonly nowMs: number;
  /** The flags that `clew show` needs to find them, such as `--demo`; empty for the sessions of this machine. */
  readonly showFlags: string;
  /** How many sessions the limit was applied to. */
  readonly found?: number;
  readonly costOf?: ((row: Row) => number | undefined) | undefined;
  /** Before the title. */
  readonly indentOf?: (row: Row) => string;
  readonly isWithoutFolders?: boolean;
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
  return `${[tableText(rows, ids, options), '', ...footerLines(rows, options)].join('\n')}\n`;
}

/** One line for the headers and one for each row. */
export function tableText(rows: readonly Row[], ids: ReadonlyMap<string, string>, options: ListOptions): string {
  const columns = listColumns(rows, ids, options).filter(({ fromWidth = 0 }) => options.width >= fromWidth);
  const cells = rows.map((row) => columns.map((column) => column.cell(row)));
  return renderTable(columns, cells, options);
}

export function footerLines(rows: readonly Row[], { style, width, showFlags, found }: ListOptions): readonly string[] {
  const folders = new Set(rows.map((row) => path.dirname(row.path))).size;
  const show = ['clew show', showFlags, 'ID'].filter((word) => word !== '').join(' ');
  const unexamined = showFlags !== '' ? 0 : rows.filter(({ health }) => health === undefined).length;
  const examine = `${formatCount(unexamined)} not examined; \`clew doctor --all\` looks at them`;
  const count = counted(rows.length, 'session');
  const of = found === undefined || found === rows.length ? '' : ` of ${formatCount(found)}`;
  const total = `${count}${of} in ${counted(folders, 'folder')}; \`${show}\` reads one`;
  const notes = [total, ...(unexamined === 0 ? [] : [examine])];
  return notes.flatMap((text) => wrapSpans([{ text, paint: style.muted }], width).map((line) => line.text));
}

/** When it was last used: what its lines say, else what the disk says. */
export function lastUse(row: Pick<Row, 'endedAt' | 'mtimeMs'>): number {
  return Number.isNaN(row.endedAt) ? row.mtimeMs : row.endedAt;
}

function listColumns(
  rows: readonly Row[],
  ids: ReadonlyMap<string, string>,
  options: TableOptions & Omit<ListOptions, 'showFlags'>,
): readonly ListColumn[] {
  const { style, width, nowMs, costOf, indentOf = () => '', isWithoutFolders = false } = options;
  const folderWidth = roomForFolders(rows, width);
  const folders = new Map<string, string>();
  const folderOf = (row: Row): string => {
    const folder = row.cwd ?? row.project;
    const known = folders.get(folder) ?? endOfPath(folderText(row), folderWidth);
    folders.set(folder, known);
    return known;
  };
  const folderColumn: ListColumn = {
    header: 'FOLDER',
    flex: true,
    minWidth: 10,
    fromWidth: 66,
    cell: (row) => ({ text: folderOf(row), paint: style.muted }),
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
      cell: (row) => {
        const text = `${indentOf(row)}${row.title ?? untitled(row)}`;
        return row.title === undefined ? { text, paint: style.muted } : text;
      },
    },
    ...(rows.some(({ person }) => person !== undefined) ? [personColumn] : []),
    ...(rows.some((row) => marksOf(row) !== '') ? [marks] : []),
    ...(isWithoutFolders ? [] : [folderColumn]),
    ...(costOf === undefined ? [] : [costColumn(costOf)]),
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

const personColumn: ListColumn = { header: 'PERSON', minWidth: 8, cell: ({ person = '' }) => person };

function costColumn(costOf: (row: Row) => number | undefined): ListColumn {
  const cell = (row: Row): string => {
    const cost = costOf(row);
    return cost === undefined ? '' : formatCost(cost);
  };
  return { header: 'COST', align: 'right', cell };
}

function marksOf({ tag, lineage, relations }: Row): string {
  return originMarks(tag, lineage, relations);
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

/** `~/code/lighthouse ⎇ lamp` for a worktree. */
function folderText({ cwd, repository, project }: Row): string {
  if (cwd === undefined) return project;
  if (repository === null) return withoutHome(cwd);
  return `${withoutHome(repository)} ⎇ ${path.basename(cwd)}`;
}

export function withoutHome(folder: string): string {
  const home = homedir();
  return folder === home || folder.startsWith(home + path.sep) ? `~${folder.slice(home.length)}` : folder;
}

/** The last folders of a path say more than the first: `…/ada/lighthouse`. */
function endOfPath(folder: string, width: number): string {
  if (displayWidth(folder) <= width) return folder;
  const parts = folder.split(/(?=[/\\])/);
  let end = parts.pop() ?? '';
  while (parts.length > 0 && displayWidth(`…${parts.at(-1)}${end}`) <= width) end = `${parts.pop()}${end}`;
  return parts.length === 0 ? folder : `…${end}`;
}
