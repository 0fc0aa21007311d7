// clew ls: all sessions of the roots, newest first, as a table, as JSON or as bare ids.
import { homedir } from 'node:os';
import path from 'node:path';
import { UserError } from '../base/errors.ts';
import { neutralise } from '../base/hostile-text.ts';
import { largeFileBytes, preferSmallMemory } from '../base/memory.ts';
import { summariseFile } from '../session/summary.ts';
import { discoverSessions, type FoundSession } from '../store/discover.ts';
import { diskError } from '../store/disk.ts';
import { slugMatches } from '../store/slug.ts';
import { type CommandInput, type CommandIo, textFlag } from './command.ts';
import { isoDate } from './json-date.ts';
import { jsonText } from './json-text.ts';
import { lastUse, listTable, type Row } from './ls-table.ts';
import { writeNotice } from './notice.ts';
import { demoRoot, rootsOf } from './session-argument.ts';
import { shortIds } from './short-ids.ts';
import { terminalWidth, writeOut } from './terminal/output.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const { found, isDemo } = await findAll(input);
  const wanted = textFlag(flags, 'project');
  if (flags.ids === true && wanted === undefined) return writeOut(idLines(found), io);
  const rows = await summariseAll(found, io);
  const shown = rows.filter((row) => wanted === undefined || isOfProject(row, wanted, io.cwd));
  shown.sort((a, b) => lastUse(b) - lastUse(a));
  if (flags.ids === true) return writeOut(idLines(shown), io);
  if (flags.json === true) return writeOut([`${jsonText(shown.map(jsonRow), 2)}\n`], io);
  if (shown.length === 0) return sayNothing(input, wanted);
  const ids = shortIds(found.map((session) => session.sessionId));
  const options = { width: terminalWidth(io.stdout, io.env), style: io.style, nowMs: Date.now(), isDemo };
  await writeOut([listTable(shown, ids, options)], { ...io, pager: true });
}

async function findAll(input: CommandInput): Promise<{ found: readonly FoundSession[]; isDemo: boolean }> {
  const { sessions, problems } = await discoverSessions(rootsOf(input));
  for (const problem of problems) {
    if (problem.code !== 'ENOENT') writeNotice(input.io.stderr, `cannot read ${problem.path} (${problem.code})`);
  }
  if (sessions.length > 0 || input.flags['or-demo'] !== true) {
    return { found: sessions, isDemo: input.flags.demo === true };
  }
  writeNotice(input.io.stderr, 'no sessions of your own yet; these are the bundled demo sessions');
  return { found: (await discoverSessions([demoRoot])).sessions, isDemo: true };
}

/** An id that is not plain text cannot be typed or completed, and could break out of its line. */
function* idLines(sessions: Iterable<{ readonly sessionId: string }>): Generator<string> {
  for (const { sessionId } of sessions) {
    if (neutralise(sessionId) === sessionId && !/\s/.test(sessionId)) yield `${sessionId}\n`;
  }
}

/** One after the other: a session is dropped before the next is read, so memory is that of the largest. */
async function summariseAll(found: readonly FoundSession[], io: CommandIo): Promise<Row[]> {
  if (found.some((session) => session.sizeBytes > largeFileBytes)) preferSmallMemory();
  const rows: Row[] = [];
  for (const session of found) {
    try {
      const row = await summariseOne(session);
      if (row !== undefined) rows.push(row);
      else writeNotice(io.stderr, `passed over ${session.path}: it is not of Claude Code`);
    } catch (error) {
      const reason = diskError(error, 'read', session.path);
      const isKnown = reason instanceof UserError;
      writeNotice(io.stderr, isKnown ? reason.message : `cannot read ${session.path}: ${String(reason)}`);
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
  const isPath = path.isAbsolute(wanted) || /^[.~](?:$|[./])/.test(wanted);
  if (isPath) {
    const full = path.resolve(cwd, wanted.replace(/^~(?=$|\/)/, homedir()));
    return row.cwd === undefined ? slugMatches(row.project, full) : row.cwd === full;
  }
  return (row.cwd ?? row.project).toLowerCase().includes(wanted.toLowerCase()) || row.project === wanted;
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

function sayNothing(input: CommandInput, wanted: string | undefined): void {
  const where = rootsOf(input).join(' and ');
  const what = wanted === undefined ? 'no sessions' : `no session of a project "${wanted}"`;
  const next = wanted === undefined ? '`clew ls --demo` shows the bundled ones' : '`clew ls` shows all';
  writeNotice(input.io.stderr, `${what} below ${where}; ${next}`);
}
