// A folder of files that belong to a session → which of them are really its own. Links decide: one that stays in the
// projects folder may be read and copied, one that leads out of it, or to a folder, belongs to someone else. Everything
// that copies, changes or deletes a session's files asks here first.
import {
  accessSync,
  constants,
  type Dirent,
  lstatSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { exitCodes, systemErrorCode, UserError } from '../base/errors/index.ts';

/** A file or a folder that could not be read. */
export interface DiskProblem {
  readonly path: string;
  /** The system's error code, such as `EACCES`. */
  readonly code: string;
}

/** The entries of `folder`, by name. A missing folder is empty. */
export function listFolder(folder: string, problems: DiskProblem[]): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => compareNames(a.name, b.name));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') problems.push({ path: folder, code });
    return [];
  }
}

/**
 * Those of the `names` in a folder that are not UTF-8: a path is a text, so what they name cannot be opened. It is reported
 * instead of missing without a word, with its bytes as `\xe9`.
 */
export function oddNames(folder: string, names: Iterable<string>): readonly DiskProblem[] {
  const odd = [...names].filter((name) => name.includes('\ufffd'));
  if (odd.length === 0) return [];
  return readdirSync(folder, { encoding: 'buffer' })
    .filter((bytes) => odd.includes(bytes.toString('utf8')) && !Buffer.from(bytes.toString('utf8')).equals(bytes))
    .map((bytes) => ({ path: path.join(folder, printBytes(bytes)), code: 'EILSEQ' }));
}

function printBytes(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}

/**
 * Why this process cannot read a file, without opening it; `undefined` if it can. Most transcripts are readable by their
 * owner, and then the file's mode answers without another call to the system. `user`: who runs this process.
 */
export function readProblem(
  file: string,
  { mode, uid }: Stats,
  user: number | undefined = process.geteuid?.(),
): DiskProblem | undefined {
  if (user === undefined || (user === uid && (mode & 0o400) !== 0)) return undefined;
  try {
    accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    return code === 'ENOENT' ? undefined : { path: file, code };
  }
}

/** By UTF-16 unit: the same order on every machine, whatever its locale. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What is in a session's folder but is not one of its files. */
export interface LeftOut {
  readonly path: string;
  /** Why, to be read after the path: `is a link to …`. */
  readonly reason: string;
}

export interface OwnedFiles {
  readonly files: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

/** The files below `folder`, in no order. Linked folders are not entered: one that leads upwards would never end. */
export function listOwned(folder: string, boundary: string, problems: DiskProblem[]): OwnedFiles {
  const found: Found = { files: [], leftOut: [] };
  if (isLink(folder)) addLink(folder, boundary, problems, found);
  else walk(folder, boundary, problems, found);
  return found;
}

/** The same for readers, who may also enter `folder` where it is a link that stays inside. */
export function listReadable(folder: string, boundary: string, problems: DiskProblem[]): OwnedFiles {
  if (!isLink(folder) || whyLeaving(folder, boundary) !== undefined) return listOwned(folder, boundary, problems);
  const found: Found = { files: [], leftOut: [] };
  walk(folder, boundary, problems, found);
  return found;
}

interface Found {
  readonly files: string[];
  readonly leftOut: LeftOut[];
}

/**
 * The real path of the folder that links of a session must not leave: the projects folder. A transcript that is not in
 * one has only its side folder, since what is around it (a home, a download folder) is not Clew's.
 */
export function boundaryFor(projectFolder: string, sessionId: string): string {
  const projects = path.dirname(path.resolve(projectFolder));
  return realPlace(isProjects(projects) ? projects : path.join(projectFolder, sessionId));
}

/** Whether the files of a session are where a client writes them: `projects/<slug>/`. */
export function isProjects(folder: string): boolean {
  return path.basename(folder) === 'projects';
}

/** Whether a file that is written at this path is really in `folder`, whatever links are on the way. */
export function staysIn(file: string, folder: string): boolean {
  return isBelow(realPlace(file), realPlace(boundaryOf(folder)));
}

/** A project folder may be a link to another one of its root, but not out of it. */
function boundaryOf(folder: string): string {
  const projects = path.dirname(folder);
  return isProjects(projects) ? projects : folder;
}

/** Throws where writing to `file` would change something outside `folder` through a link. */
export function refuseLeaving(file: string, folder: string): void {
  if (staysIn(file, folder)) return;
  const left = staysIn(path.join(folder, 'any'), folder) ? folder : boundaryOf(folder);
  throw new UserError(
    `${file} leads to ${realPlace(file)} through a link, outside ${left}; nothing was written`,
    'remove the link and run it again',
    exitCodes.refused,
  );
}

/** Why a link is not followed; `undefined` for anything that is not a link, and for a link that stays inside. */
export function whyLeaving(file: string, boundary: string): string | undefined {
  if (!isLink(file)) return undefined;
  const real = realPlace(file);
  return isBelow(real, boundary) ? undefined : `is a link to ${real}, outside ${boundary}`;
}

/** Why a session is not changed, copied or deleted: its file, or the project folder it is in, is a link out of the root. */
export function whySessionLeaves(main: string): string | undefined {
  const full = path.resolve(main);
  const project = path.dirname(full);
  const boundary = boundaryFor(project, path.basename(full, '.jsonl'));
  const leaving = whyLeaving(full, boundary);
  if (leaving !== undefined || !isProjects(path.dirname(project))) return leaving;
  const real = realPlace(full);
  return isBelow(real, boundary) ? undefined : `is really ${real}, outside ${boundary}, because ${project} is a link`;
}

/** Where a file of this name is or would be: links are followed as far as the path exists. */
export function realPlace(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    const folder = path.dirname(file);
    return folder === file ? file : path.join(realPlace(folder), path.basename(file));
  }
}

export function isBelow(file: string, folder: string): boolean {
  const rest = path.relative(folder, file);
  return rest !== '' && rest !== '..' && !rest.startsWith(`..${path.sep}`) && !path.isAbsolute(rest);
}

/** Of a file that is being written. Does not end in `.jsonl`, so that neither Clew nor the client takes it for a session. */
export function isTempName(name: string): boolean {
  return /^\.clew-[0-9a-f]{16}\.tmp$/.test(name);
}

function walk(folder: string, boundary: string, problems: DiskProblem[], found: Found): void {
  for (const entry of listFolder(folder, problems)) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) walk(full, boundary, problems, found);
    else if (entry.isFile()) found.files.push(...(isTempName(entry.name) ? [] : [full]));
    else if (entry.isSymbolicLink()) addLink(full, boundary, problems, found);
    else found.leftOut.push({ path: full, reason: 'is not a regular file' });
  }
}

/** A link that leads nowhere is passed over: there is nothing to leave out. */
function addLink(link: string, boundary: string, problems: DiskProblem[], found: Found): void {
  try {
    const stats = statSync(link);
    const leaving = whyLeaving(link, boundary);
    if (leaving === undefined && stats.isFile()) found.files.push(link);
    else {
      const reason = leaving ?? `is a link to ${realPlace(link)}, which is not a file`;
      found.leftOut.push({ path: link, reason });
    }
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') problems.push({ path: link, code });
  }
}

function isLink(file: string): boolean {
  try {
    return lstatSync(file).isSymbolicLink();
  } catch {
    return false;
  }
}
