// clew ls: all sessions of the roots, newest first, as a table, as JSON or as bare ids; or those that the client is
// about to delete.
import path from 'node:path';
import { isoDate, jsonText } from '../../base/json/index.ts';
import { neutralise, shellQuote } from '../../base/text/index.ts';
import type { RepositoryOf } from '../../library/lineage/index.ts';
import { findExpiring } from '../../library/session-files/index.ts';
import type { LibrarySource, SourceSession } from '../../library/source/index.ts';
import { discoverSessions } from '../../store/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { nextStep, refuseWithStore, relationJson, rootsOf } from '../input/index.ts';
import { shortIds } from '../render/index.ts';
import { withSource } from '../source/index.ts';
import { terminalWidth, writeNotice, writeOut } from '../terminal/index.ts';
import { inListOrder, type ListChoice, readChoice } from './choose.ts';
import { listDeletedSessions } from './deleted.ts';
import { expiringTable, listTable } from './render.ts';
import { treeTable } from './tree.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const ofDisk = 'it is about files of this machine';
  refuseWithStore(input, { deleted: ofDisk, expiring: ofDisk });
  if (flags.deleted === true) return listDeletedSessions(input);
  const choice = readChoice(input, Date.now());
  const isPlain = choice.narrowed.length === 0 && flags.sort === undefined && flags.limit === undefined;
  if (flags.ids === true && isPlain && flags.store === undefined)
    return writeOut(idLines(await discoverAll(input)), io);
  await withSource(input, (source) => list(input, source, choice));
}

async function list(input: CommandInput, source: LibrarySource, choice: ListChoice): Promise<void> {
  const { flags, io } = input;
  const { rows, ids, showFlags, repositoryOf } = await listAll(input, source);
  const found = rows.filter((row) => choice.isListed(row, repositoryOf));
  if (flags.expiring === true) return listExpiring(input, found, ids, choice.limit);
  const costOf = choice.order === 'cost' ? await source.costs() : undefined;
  const shown = inListOrder(found, choice.order, costOf ?? (() => undefined)).slice(0, choice.limit);
  if (flags.ids === true) return writeOut(idLines(shown), io);
  if (flags.json === true) return writeOut([`${jsonText([...shown.map(jsonRow), ...unreadRows(input)], 2)}\n`], io);
  if (shown.length === 0) return sayNothing(input, source, choice.narrowed);
  const options = { width: terminalWidth(io.stdout, io.env), style: io.style, nowMs: Date.now(), showFlags, costOf };
  const table = flags.tree === true ? treeTable : listTable;
  await writeOut([table(shown, ids, { ...options, found: found.length })], { ...io, pager: true });
}

interface Listed {
  readonly rows: readonly SourceSession[];
  /** The shown part of each id. */
  readonly ids: ReadonlyMap<string, string>;
  readonly showFlags: string;
  readonly repositoryOf: RepositoryOf;
}

async function listAll(input: CommandInput, source: LibrarySource): Promise<Listed> {
  const { sessions, foreign, repositoryOf } = await source.list();
  if (sessions.length + foreign.length === 0 && input.flags['or-demo'] === true) {
    writeNotice(input.io.stderr, 'no sessions yet; showing the bundled demo sessions');
    const demo = { ...input, flags: { demo: true } };
    return withSource(demo, (source) => listAll(demo, source));
  }
  const ids = shortIds([...sessions.map((session) => session.sessionId), ...foreign.map(idOfFile)]);
  return { rows: sessions, ids, showFlags: await showFlagsOf(input, source), repositoryOf };
}

async function showFlagsOf({ flags }: CommandInput, { namesPeople }: LibrarySource): Promise<string> {
  if (flags.store === undefined) return flags.demo === true ? '--demo' : '';
  const { storeFlagText } = await import('../input/store/store-flag-text.ts');
  const person = textFlag(flags, 'person') ?? 'NAME';
  return `${storeFlagText(flags)}${namesPeople ? ` --person ${shellQuote(person)}` : ''}`;
}

/** Shell completion runs this for every key, so it does not use the index. */
async function discoverAll(input: CommandInput): Promise<readonly { readonly sessionId: string }[]> {
  const { sessions, problems } = await discoverSessions(rootsOf(input));
  input.unread.add(problems);
  return sessions;
}

function idOfFile(file: string): string {
  return path.basename(file, '.jsonl');
}

/** An id that is not plain text cannot be typed or completed, and could break out of its line. */
function* idLines(sessions: Iterable<{ readonly sessionId: string }>): Generator<string> {
  for (const { sessionId } of sessions) {
    if (neutralise(sessionId) === sessionId && !/\s/.test(sessionId)) yield `${sessionId}\n`;
  }
}

async function listExpiring(
  input: CommandInput,
  rows: readonly SourceSession[],
  ids: ReadonlyMap<string, string>,
  limit: number,
): Promise<void> {
  const { flags, io } = input;
  const nowMs = Date.now();
  const expiring = findExpiring(rows, nowMs).slice(0, limit);
  if (flags.ids === true) return writeOut(idLines(expiring.map(({ session }) => session)), io);
  if (flags.json === true) {
    const objects = expiring.map(({ session, expiresAt, daysLeft }) => {
      return { ...jsonRow(session), expiresAt: isoDate(expiresAt), daysLeft };
    });
    const unread = unreadRows(input).map((row) => ({ ...row, expiresAt: null, daysLeft: null }));
    return writeOut([`${jsonText([...objects, ...unread], 2)}\n`], io);
  }
  if (expiring.length === 0) return writeNotice(io.stderr, 'no session expires within 7 days');
  const options = { width: terminalWidth(io.stdout, io.env), style: io.style, nowMs };
  await writeOut([expiringTable(expiring, ids, options)], { ...io, pager: true });
}

/** What the person of a row does not share is null. */
function jsonRow(row: SourceSession): object {
  const isUntitled = row.isUntitled === true;
  return {
    sessionId: row.sessionId,
    path: isUntitled ? null : row.path,
    project: isUntitled ? null : row.project,
    cwd: row.cwd ?? null,
    title: row.title ?? null,
    startedAt: isoDate(row.startedAt),
    endedAt: isoDate(row.endedAt),
    entries: row.entries,
    turns: row.turns,
    agents: row.agents,
    sizeBytes: row.sizeBytes,
    diagnostics: row.diagnostics,
    tag: row.tag ?? null,
    gitBranch: row.gitBranch ?? null,
    model: row.model ?? null,
    worktree: row.worktree === undefined ? null : { ...row.worktree, branch: row.worktree.branch ?? null },
    pullRequests: isUntitled
      ? null
      : row.pullRequests.map(({ url, number, repository }) => {
          return { url, number: number ?? null, repository: repository ?? null };
        }),
    repository: row.repository,
    lineage: row.lineage ?? null,
    relations: isUntitled ? null : row.relations.map(relationJson),
    health: row.health ?? null,
    unread: null,
    ...(row.person === undefined ? {} : { person: row.person }),
  };
}

/** Unreadable files have rows too, at the end, so that a program that reads the list knows it is incomplete. */
function unreadRows({ unread }: CommandInput): readonly object[] {
  return unread.problems.map(({ path: file, code }) => ({
    sessionId: file.endsWith('.jsonl') ? idOfFile(file) : null,
    path: file,
    project: null,
    cwd: null,
    title: null,
    startedAt: null,
    endedAt: null,
    entries: null,
    turns: null,
    agents: null,
    sizeBytes: null,
    diagnostics: null,
    tag: null,
    gitBranch: null,
    model: null,
    worktree: null,
    pullRequests: null,
    repository: null,
    lineage: null,
    relations: null,
    health: null,
    unread: code,
  }));
}

function sayNothing(input: CommandInput, { place }: LibrarySource, narrowed: readonly string[]): void {
  const what = narrowed.length === 0 ? 'no sessions' : `no session for ${narrowed.join(' ')}`;
  const next = narrowed.length === 0 ? '`clew ls --demo` shows the bundled ones' : '`clew ls` shows all';
  writeNotice(input.io.stderr, `${what} ${place}; ${nextStep(input.flags, next)}`);
}
