// Roots → every main transcript below them, or the one that a SESSION argument names. Folders that cannot be read are
// reported with the result, so that they hide nothing else.
import { closeSync, fstatSync, readSync, type Stats, statSync } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemErrorCode, UserError } from '../base/errors/index.ts';
import { openRegularFile } from '../base/files/index.ts';
import { identify } from './append.ts';
import { compareNames, type DiskProblem, listFolder, oddNames, readProblem } from './owned-files.ts';
import { projectsFolders } from './roots.ts';
import { agentIdOf } from './session-files.ts';
import { projectNames } from './transcripts.ts';

/** A session file on disk. */
export interface FoundSession {
  readonly path: string;
  readonly sessionId: string;
  readonly slug: string;
  readonly root: string;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

/** The session files below some roots. */
export interface FoundSessions {
  /** By root, then slug, then id. */
  readonly sessions: readonly FoundSession[];
  readonly problems: readonly DiskProblem[];
}

type Place = Omit<FoundSession, 'sizeBytes' | 'mtimeMs'>;

/**
 * Lists all session files below some roots. Each real file is listed once. A transcript that exists but cannot be read
 * is a problem, not a session. A root that does not exist is a problem with the code `ENOENT`.
 */
export async function discoverSessions(roots: readonly string[]): Promise<FoundSessions> {
  const problems: DiskProblem[] = [];
  const places = await listPlaces(roots, problems);
  const sessions = (await measure(places, problems)).flatMap(({ stats, ...session }) => {
    const problem = readProblem(session.path, stats);
    if (problem !== undefined) problems.push(problem);
    return problem === undefined ? [session] : [];
  });
  return { sessions, problems };
}

/**
 * Finds the session file that an argument names: a path, a session id or a unique prefix of one. An id wins over a
 * folder of the same name, because the side folder of a session is named like its id.
 */
export async function findSession(
  argument: string,
  roots: readonly string[],
  cwd: string = process.cwd(),
): Promise<string> {
  const wanted = argument.trim();
  if (wanted === '') throw new UserError('the session argument is empty', listHint);
  const full = path.resolve(cwd, wanted);
  const kind = await kindOf(full);
  if (kind === 'file') return readable(full);
  const hasSeparator = wanted.includes('/') || wanted.includes(path.sep);
  if (hasSeparator) throw await pathError(wanted, full, kind);

  const found = await findById(wanted.replace(/\.jsonl$/, ''), roots);
  if (found !== undefined) return readable(found);
  if (kind !== 'missing') throw await pathError(wanted, full, kind);
  throw new NoSessionError(`no session "${wanted}" below ${foldersText(roots)}`, listHint);
}

/** No file and no id is like the argument; it may be something else, such as a title. */
export class NoSessionError extends UserError {}

const listHint = 'run `clew ls` to list the sessions';

async function findById(id: string, roots: readonly string[]): Promise<string | undefined> {
  const problems: DiskProblem[] = [];
  const lower = id.toLowerCase();
  const places = (await listPlaces(roots, problems)).filter((place) => place.sessionId.toLowerCase().startsWith(lower));
  const exact = places.filter((place) => place.sessionId.toLowerCase() === lower);
  const matches = await measure(exact.length > 0 ? exact : places, problems);
  const ids = [...new Set(matches.map((session) => session.sessionId))].sort(compareNames);
  if (ids.length > 1) throw ambiguous(id, ids);
  if (matches.length > 0) return oneOfCopies(matches);
  if (problems.length === 0) return undefined;
  const unread = problems.map((problem) => `${problem.path} (${problem.code})`).join(', ');
  throw new UserError(`no session "${id}" below ${foldersText(roots)}, but not all could be read: ${unread}`, listHint);
}

function ambiguous(id: string, ids: readonly string[]): UserError {
  const shown = ids.slice(0, 5).join(', ');
  const more = ids.length > 5 ? ` and ${ids.length - 5} more` : '';
  return new UserError(`"${id}" fits ${ids.length} sessions: ${shown}${more}`, 'give more of the id');
}

/** One id in several folders: equal copies are one session, anything else only the user can decide. */
function oneOfCopies(copies: readonly FoundSession[]): string | undefined {
  const newestFirst = [...copies].sort((a, b) => b.mtimeMs - a.mtimeMs || compareNames(a.path, b.path));
  const [newest, ...others] = newestFirst;
  if (newest === undefined) return undefined;
  if (others.length === 0) return newest.path;
  const content = contentMark(newest.path);
  if (others.every((other) => contentMark(other.path) === content)) return newest.path;
  const paths = newestFirst.map((copy) => copy.path).join(' and ');
  throw new UserError(
    `session ${newest.sessionId} is there ${copies.length} times, and they differ: ${paths}`,
    'give the path',
  );
}

function contentMark(file: string): string {
  const identity = identify(file);
  return identity === 'absent' ? identity : `${identity.size} ${identity.tail}`;
}

async function listPlaces(roots: readonly string[], problems: DiskProblem[]): Promise<readonly Place[]> {
  const places: Place[] = [];
  for (const { root, projects } of projectsFolders(roots)) {
    const kind = await kindOf(root);
    if (kind !== 'folder') {
      problems.push({ path: root, code: codeOf(kind) });
      continue;
    }
    const { names, problems: unread } = projectNames(projects);
    problems.push(...unread, ...oddNames(projects, names));
    for (const slug of names.toSorted(compareNames)) {
      const folder = path.join(projects, slug);
      const transcripts = listFolder(folder, problems).filter(({ name }) => name.endsWith('.jsonl'));
      problems.push(
        ...oddNames(
          folder,
          transcripts.map(({ name }) => name),
        ),
      );
      for (const { name } of transcripts) {
        if (agentIdOf(name) !== undefined) continue;
        places.push({ root, slug, path: path.join(folder, name), sessionId: name.slice(0, -'.jsonl'.length) });
      }
    }
  }
  return places;
}

interface MeasuredSession extends FoundSession {
  readonly stats: Stats;
}

const statsPerBreath = 256;

/** Synchronous calls, a third of the time of awaited ones for 10,000 sessions; the pauses let a server answer. */
async function measure(places: readonly Place[], problems: DiskProblem[]): Promise<readonly MeasuredSession[]> {
  const sessions: MeasuredSession[] = [];
  for (const [at, place] of places.entries()) {
    if (at % statsPerBreath === statsPerBreath - 1) await setImmediate();
    try {
      const stats = statSync(place.path);
      if (stats.isFile()) sessions.push({ ...place, sizeBytes: stats.size, mtimeMs: stats.mtimeMs, stats });
    } catch (error) {
      // A transcript that was deleted since its folder was listed is not a problem.
      const code = systemErrorCode(error) ?? 'unknown';
      if (code !== 'ENOENT') problems.push({ path: place.path, code });
    }
  }
  return sessions;
}

type Kind = 'file' | 'folder' | 'missing' | 'other' | { readonly code: string };

async function kindOf(file: string): Promise<Kind> {
  try {
    const stats = await stat(file);
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : { code };
  }
}

function codeOf(kind: Kind): string {
  if (kind === 'missing') return 'ENOENT';
  return typeof kind === 'string' ? 'ENOTDIR' : kind.code;
}

async function pathError(wanted: string, full: string, kind: Exclude<Kind, 'file'>): Promise<UserError> {
  if (kind === 'missing') return new UserError(`there is no file ${wanted}`, listHint);
  if (kind === 'folder') {
    const transcript = `${full}.jsonl`;
    const beside = (await kindOf(transcript)) === 'file';
    return new UserError(
      `${wanted} is a folder`,
      beside ? `give ${transcript}` : 'give a transcript (.jsonl) or a session id',
    );
  }
  if (kind === 'other')
    return new UserError(`${wanted} is not a regular file`, 'give a transcript (.jsonl) or a session id');
  return new UserError(`${wanted} cannot be read (${kind.code})`, 'check the path and its permissions');
}

async function readable(file: string): Promise<string> {
  try {
    await access(file, constants.R_OK);
    refuseUnlessTranscript(file);
    return file;
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${file} cannot be read (${systemErrorCode(error)})`, 'check its permissions');
  }
}

function foldersText(roots: readonly string[]): string {
  return (
    projectsFolders(roots)
      .map(({ projects }) => projects)
      .join(' and ') || 'any root'
  );
}

const largeBytes = 256 * 1024 * 1024;
const headBytes = 64 * 1024;

/** Throws the system's error where there is no such file. */
export function refuseUnlessTranscript(file: string): void {
  const descriptor = openRegularFile(file);
  try {
    if (fstatSync(descriptor).size <= largeBytes) return;
    const head = Buffer.alloc(headBytes);
    const length = readSync(descriptor, head, 0, head.length, 0);
    if (head.subarray(0, length).includes('{')) return;
    throw new UserError(
      `${file} is not a transcript: its first 64 KB hold no JSON record`,
      'name a .jsonl file of Claude Code',
    );
  } finally {
    closeSync(descriptor);
  }
}
