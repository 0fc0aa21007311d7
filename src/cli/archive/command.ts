// clew archive: copies of sessions in Clew's own folder; --list lists them, --verify checks them.
import { statSync } from 'node:fs';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { asObject, asString, jsonText, parseJson } from '../../base/json/index.ts';
import { counted, formatBytes, formatCount } from '../../base/text/index.ts';
import {
  type ArchiveReport,
  archiveFolder,
  archiveSessions,
  findOrphans,
  type OrphanSession,
} from '../../library/archive/index.ts';
import { leftOutNotes, sessionPlace } from '../../library/session-files/index.ts';
import { refuseOtherFile } from '../../session/transcript/index.ts';
import { discoverSessions, type FoundSession, type FoundSessions, findSession } from '../../store/index.ts';
import { archiveByName } from '../../surgery/keep/index.ts';
import { type CommandInput, type CommandIo, listFlag, problemText, textFlag } from '../command/index.ts';
import {
  findNamedSession,
  folderOfTranscript,
  logLine,
  projectFilter,
  rootsOf,
  runInBackground,
} from '../input/index.ts';
import { operationNotices } from '../operation/index.ts';
import { readStdin, showByteProgress, writeNotice, writeOut } from '../terminal/index.ts';
import { listArchived } from './list.ts';
import { verify } from './verify.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags } = input;
  const modes = ['auto', 'list', 'verify'].filter((name) => flags[name] === true);
  if (input.words.length > 0) refuseWithNames(input, modes);
  if (modes.length > 1) throw new UserError(`--${modes.join(' and --')} do not go together`, 'give one of them');
  if (flags.auto === true) return archiveFromHook(input);
  if (flags.list === true) return listArchived(input);
  if (flags.verify === true) return verify(input);
  const sessions = await chosenSessions(input);
  if (sessions.length === 0) return sayNothing(input);
  await archive(input, sessions);
}

async function archive({ flags, io, unread, words }: CommandInput, sessions: readonly FoundSession[]): Promise<void> {
  const progress = showByteProgress(io.stderr, 'archiving');
  const isDryRun = flags['dry-run'] === true;
  const keep = words.length === 0 ? archiveSessions : archiveNamed;
  const report = await keep(sessions, {
    ...operationNotices(io),
    folder: archiveFolder(io.env),
    isDryRun,
    onStart: (bytes) => progress.start(bytes),
    onRead: (bytes) => progress.add(bytes),
  }).finally(() => progress.end());
  for (const notice of report.notices) writeNotice(io.stderr, notice);
  for (const { problem, leftOut } of report.sessions) {
    if (problem !== undefined) writeNotice(io.stderr, `${problem}; check the permissions`);
    else for (const note of leftOutNotes(leftOut)) writeNotice(io.stderr, note);
  }
  const text =
    flags.json === true
      ? `${jsonText({ ...jsonReport(report, io), unread: unread.problems }, 2)}\n`
      : reportText(report, isDryRun);
  await writeOut([text], io);
  const failed = report.sessions.filter((session) => session.outcome === 'failed').length;
  if (failed > 0)
    throw new UserError(
      `${counted(failed, 'session')} could not be archived`,
      'check the permissions',
      exitCodes.failed,
    );
}

/** Named sessions are an operation that can be undone; all sessions, or those of a hook, are not. */
function archiveNamed(
  sessions: readonly FoundSession[],
  options: Parameters<typeof archiveByName>[1],
): Promise<ArchiveReport> {
  return archiveByName(
    sessions.map(({ sessionId, path: main }) => ({ sessionId, path: main })),
    options,
  );
}

function refuseWithNames({ flags }: CommandInput, modes: readonly string[]): void {
  const others = [...modes, ...['older-than', 'project'].filter((name) => flags[name] !== undefined)];
  if (others.length === 0) return;
  throw new UserError(`--${others[0]} and SESSIONs exclude each other`, `give either SESSIONs or --${others[0]}`);
}

async function namedSessions(input: CommandInput): Promise<readonly FoundSession[]> {
  const roots = rootsOf(input);
  const mains = new Set<string>();
  for (const word of input.words) mains.add(path.resolve(await findNamedSession(word, input)));
  for (const main of mains) refuseOtherFile(main, { roots });
  return [...mains].map((main) => {
    const { sessionId, slug, projects } = sessionPlace(main);
    const { size: sizeBytes, mtimeMs } = statSync(main);
    return { path: main, sessionId, slug, root: path.dirname(projects), sizeBytes, mtimeMs };
  });
}

async function chosenSessions(input: CommandInput): Promise<readonly FoundSession[]> {
  const { flags } = input;
  if (input.words.length > 0) return namedSessions(input);
  const { sessions, problems } = await everySession(rootsOf(input));
  input.unread.add(problems);
  const days = daysOf(textFlag(flags, 'older-than'));
  const isOfProject = projectFilter(input);
  const hasProject = flags.project !== undefined;
  const latestMs = days === undefined ? Number.POSITIVE_INFINITY : Date.now() - days * 86_400_000;
  const cwdOf = ({ path: file, agentPath }: Archivable): string | undefined =>
    hasProject ? folderOfTranscript(agentPath ?? file) : undefined;
  return sessions.filter(
    (session) => session.mtimeMs <= latestMs && isOfProject({ cwd: cwdOf(session), project: session.slug }),
  );
}

function daysOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const days = Number(text);
  if (text.trim() !== '' && Number.isFinite(days) && days >= 0) return days;
  throw new UserError(`--older-than takes a number of days, not "${text}"`, 'try --older-than 20');
}

function reportText({ sessions, storedBytes }: ArchiveReport, isDryRun: boolean): string {
  const changed = sessions.filter((session) => session.outcome === 'archived');
  const unchanged = sessions.filter((session) => session.outcome === 'unchanged').length;
  const sizeBytes = changed.reduce((sum, session) => sum + session.sizeBytes, 0);
  const rest = unchanged === 0 ? '' : `; ${formatCount(unchanged)} unchanged`;
  const what = `${counted(changed.length, 'session')} (${formatBytes(sizeBytes)})`;
  if (!isDryRun) return `archived ${what} in ${formatBytes(storedBytes)}${rest}\n`;
  const lines = changed.map((session) => `${session.sessionId}  ${formatBytes(session.sizeBytes)}\n`);
  return `${lines.join('')}would archive ${what}${rest}\n`;
}

function jsonReport({ sessions, storedBytes, notices }: ArchiveReport, io: CommandIo): object {
  return {
    folder: archiveFolder(io.env),
    storedBytes,
    notices,
    sessions: sessions.map((session) => ({ ...session, problem: session.problem ?? null })),
  };
}

/** A hook must never disturb the session that ends: no output, exit code 0, and a line in a log where it failed. */
async function archiveFromHook(input: CommandInput): Promise<void> {
  const { io } = input;
  try {
    if (input.flags.detach === true) return await archiveInBackground(input);
    const named = await hookSession(input);
    const found =
      named === undefined ? await everySession(rootsOf(input)) : { sessions: [{ path: named }], problems: [] };
    const report = await archiveSessions(found.sessions, { folder: archiveFolder(io.env) });
    const unread = found.problems.filter(({ code }) => code !== 'ENOENT').map(problemText);
    const failed = report.sessions.flatMap(({ problem }) => problem ?? []);
    for (const problem of [...report.notices, ...unread, ...failed]) log(io.env, problem);
  } catch (error) {
    log(io.env, error instanceof Error ? error.message : String(error));
  }
}

async function archiveInBackground({ flags, io }: CommandInput): Promise<void> {
  const roots = listFlag(flags, 'root').flatMap((root) => ['--root', root]);
  const onError = (message: string): void => log(io.env, message);
  runInBackground(['archive', '--auto', ...roots], { io, input: await readStdin(), onError });
}

/** The transcript that a hook's input names; without any input all sessions are meant. */
async function hookSession(input: CommandInput): Promise<string | undefined> {
  const text = (await readStdin()).trim();
  if (text === '') return undefined;
  const event = asObject(parseJson(text));
  const argument = asString(event?.transcript_path) ?? asString(event?.session_id);
  if (argument === undefined) throw new UserError('the input of the hook names no session', '');
  const file = await findSession(argument, rootsOf(input), input.io.cwd);
  refuseOtherFile(file, { roots: rootsOf(input) });
  return file;
}

type Archivable = FoundSession & Partial<OrphanSession>;

async function everySession(
  roots: readonly string[],
): Promise<FoundSessions & { readonly sessions: readonly Archivable[] }> {
  const { sessions, problems } = await discoverSessions(roots);
  return { sessions: [...sessions, ...(await findOrphans(roots))], problems };
}

function log(env: NodeJS.ProcessEnv, message: string): void {
  logLine(env, 'archive.log', `archive --auto: ${message}`);
}

function sayNothing(input: CommandInput): void {
  writeNotice(
    input.io.stderr,
    `no such sessions below ${rootsOf(input).join(' and ')}; run \`clew ls\` to list the sessions`,
  );
}
