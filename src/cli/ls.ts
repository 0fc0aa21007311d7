// clew ls: all sessions of the roots, newest first.
import { homedir } from 'node:os';
import path from 'node:path';
import { formatAge, formatBytes, formatCount } from '../base/human.ts';
import { type SessionSummary, summariseFile } from '../session/summary.ts';
import { discoverSessions, type FoundSession } from '../store/discover.ts';
import { slugMatches } from '../store/slug.ts';
import { type CommandInput, type CommandIo, textFlag } from './command.ts';
import { isoDate } from './json-date.ts';
import { demoRoot, rootsOf } from './session-argument.ts';
import { terminalWidth, writeOut } from './terminal/output.ts';
import { type Cell, renderTable } from './terminal/table.ts';

interface Row extends SessionSummary {
  readonly project: string;
  readonly mtimeMs: number;
}

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const found = await findAll(input);
  if (flags.ids === true)
    return writeOut(
      found.map((session) => `${session.sessionId}\n`),
      io,
    );
  const rows = await summariseAll(found, io);
  const wanted = textFlag(flags, 'project');
  const shown = rows.filter((row) => wanted === undefined || isOfProject(row, wanted, io.cwd));
  shown.sort((a, b) => lastUse(b) - lastUse(a));
  if (flags.json === true) return writeOut([`${JSON.stringify(shown.map(jsonRow), null, 2)}\n`], io);
  if (shown.length === 0) return sayNothing(input, wanted);
  await writeOut([`${overview(shown, io)}\n`], { ...io, pager: true });
}

async function findAll(input: CommandInput): Promise<readonly FoundSession[]> {
  const { sessions, problems } = await discoverSessions(rootsOf(input));
  for (const problem of problems) {
    if (problem.code !== 'ENOENT') input.io.stderr.write(`clew: cannot read ${problem.path} (${problem.code})\n`);
  }
  if (sessions.length > 0 || input.flags['or-demo'] !== true) return sessions;
  input.io.stderr.write('clew: no sessions of your own yet; these are the bundled demo sessions\n');
  return (await discoverSessions([demoRoot])).sessions;
}

/** One after the other: a session is dropped before the next is read, so memory is that of the largest. */
async function summariseAll(found: readonly FoundSession[], io: CommandIo): Promise<Row[]> {
  const rows: Row[] = [];
  for (const session of found) {
    try {
      const row = await summariseOne(session);
      if (row !== undefined) rows.push(row);
      else io.stderr.write(`clew: passed over ${session.path}: it is not of Claude Code\n`);
    } catch (error) {
      io.stderr.write(`clew: cannot read ${session.path}: ${error instanceof Error ? error.message : error}\n`);
    }
  }
  return rows;
}

async function summariseOne(found: FoundSession): Promise<Row | undefined> {
  const summary = await summariseFile(found.path);
  return summary === undefined ? undefined : { ...summary, project: found.slug, mtimeMs: found.mtimeMs };
}

/** A path names a folder exactly; any other word is looked for in the folder's path. */
function isOfProject(row: Row, wanted: string, cwd: string): boolean {
  const isPath = path.isAbsolute(wanted) || wanted.startsWith('.') || wanted.startsWith('~');
  if (isPath) {
    const full = path.resolve(cwd, wanted.replace(/^~(?=$|\/)/, homedir()));
    return row.cwd === undefined ? slugMatches(row.project, full) : row.cwd === full;
  }
  return (row.cwd ?? row.project).toLowerCase().includes(wanted.toLowerCase()) || row.project === wanted;
}

function lastUse(row: Row): number {
  return Number.isNaN(row.endedAt) ? row.mtimeMs : row.endedAt;
}

function jsonRow(row: Row): object {
  return {
    sessionId: row.sessionId,
    path: row.path,
    project: row.project,
    cwd: row.cwd ?? null,
    title: row.title ?? null,
    startedAt: isoDate(row.startedAt),
    endedAt: isoDate(row.endedAt),
    entries: row.entries,
    turns: row.turns,
    agents: row.agents,
    sizeBytes: row.sizeBytes,
    diagnostics: row.diagnostics,
  };
}

function overview(rows: readonly Row[], io: CommandIo): string {
  const now = Date.now();
  const cells = rows.map((row): Cell[] => [
    formatAge(lastUse(row), now),
    row.title === undefined ? { text: untitled(row), paint: io.style.muted } : row.title,
    { text: shortFolder(row), paint: io.style.muted },
    row.turns === 0 ? '' : formatCount(row.turns),
    formatBytes(row.sizeBytes),
    { text: row.sessionId.slice(0, 8), paint: io.style.accent },
    { text: row.damage === 0 ? '' : `! ${formatCount(row.damage)}`, paint: io.style.error },
  ]);
  const table = renderTable(
    [
      { header: 'AGE', align: 'right' },
      { header: 'TITLE', flex: true, minWidth: 20 },
      { header: 'FOLDER', flex: true, minWidth: 10 },
      { header: 'TURNS', align: 'right' },
      { header: 'SIZE', align: 'right' },
      { header: 'ID' },
      { header: rows.some((row) => row.damage > 0) ? 'DAMAGE' : '' },
    ],
    cells,
    { width: terminalWidth(io.stdout, io.env), style: io.style },
  );
  const folders = new Set(rows.map((row) => row.cwd ?? row.project)).size;
  const total = `${counted(rows.length, 'session')} in ${counted(folders, 'folder')}; \`clew show ID\` reads one`;
  return `${table}\n\n${io.style.muted(total)}`;
}

function untitled(row: Row): string {
  if (row.sizeBytes === 0) return '(empty file)';
  return row.turns === 0 ? '(no conversation)' : '(untitled)';
}

function shortFolder(row: Row): string {
  if (row.cwd === undefined) return row.project;
  const home = homedir();
  return row.cwd === home || row.cwd.startsWith(home + path.sep) ? `~${row.cwd.slice(home.length)}` : row.cwd;
}

function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function sayNothing(input: CommandInput, wanted: string | undefined): void {
  const where = rootsOf(input).join(', ');
  const what = wanted === undefined ? 'no sessions' : `no session of a project "${wanted}"`;
  const next = wanted === undefined ? '`clew ls --demo` shows the bundled ones' : '`clew ls` shows all';
  input.io.stderr.write(`clew: ${what} below ${where}; ${next}\n`);
}
