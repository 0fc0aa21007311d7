// An archived session → its files again, byte for byte, in their folder or in another root. Every file is checked
// against its hash before it gets its name; an existing file with other content is never lost.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { exitCodes, systemErrorCode, UserError } from '../../base/errors/index.ts';
import { asObject, asString, isArray, parseJson } from '../../base/json/index.ts';
import { scanRecord } from '../../format/scan/index.ts';
import { diskError, projectsFolder, realPlace, replaceFile, staysIn, writeNewFile } from '../../store/index.ts';
import { archiveFolder } from './archive.ts';
import {
  type ArchiveContents,
  ArchiveDamaged,
  type ArchivedFile,
  type ArchivedSession,
  ChunkReader,
  contentKey,
  type Manifest,
  readArchivedFile,
  readContents,
} from './pack/index.ts';

/** Options of `restoreSession`. */
export interface RestoreOptions {
  readonly folder?: string;
  /** A root to restore to; by default where the session was. */
  readonly to?: string;
  /** Counted from 1, the oldest; by default the latest. */
  readonly version?: number;
  /** Replace existing files that have other content; they are kept as backups. */
  readonly isForced?: boolean;
  readonly isDryRun?: boolean;
  /** Where replaced files are kept; by default `backups` next to the archive. */
  readonly backups?: string;
}

/** What was done with one file. */
export interface RestoredFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** `present`: it existed, with the same bytes. */
  readonly outcome: 'restored' | 'present' | 'replaced';
  /** Where the file that was replaced is now. */
  readonly backup?: string;
}

/** What `restoreSession` did. */
export interface Restored {
  readonly sessionId: string;
  /** The main transcript. */
  readonly path: string;
  readonly files: readonly RestoredFile[];
}

/** Restores a session from the archive, byte for byte. */
export async function restoreSession(id: string, options: RestoreOptions = {}): Promise<Restored> {
  const archive = options.folder ?? archiveFolder();
  const contents = readContents(archive);
  const manifest = findArchived(contents, id, options.version);
  const projects = options.to === undefined ? manifest.projects : projectsFolder(path.resolve(options.to));
  const folder = path.join(projects, manifest.slug);
  const steps = await planSteps(manifest, folder);
  const conflict = steps.find((step) => step.outcome === 'replaced');
  if (conflict !== undefined && options.isForced !== true) {
    throw new UserError(
      `${conflict.target} is there already and differs from the archived one; nothing was restored`,
      'add --force to replace it (it is kept as a backup), or --to another folder',
      exitCodes.refused,
    );
  }
  const usual = path.join(path.dirname(archive), 'backups', new Date().toISOString().replace(/[:.]/g, '-'));
  const backups = options.backups ?? usual;
  const reader = new ChunkReader(contents);
  const files: RestoredFile[] = [];
  for (const step of steps) {
    const backup = step.outcome === 'replaced' ? path.join(backups, manifest.slug, step.file.path) : undefined;
    if (options.isDryRun !== true) await restoreFile(reader, manifest, step, backup);
    const { target, file, outcome } = step;
    const { sizeBytes, sha256 } = file;
    files.push({ path: target, sizeBytes, sha256, outcome, ...(backup === undefined ? {} : { backup }) });
  }
  return { sessionId: manifest.sessionId, path: path.join(folder, manifest.files[0]?.path ?? ''), files };
}

interface Step {
  readonly file: ArchivedFile;
  readonly target: string;
  readonly outcome: RestoredFile['outcome'];
}

/** The main transcript is written last: once it exists, the session is whole. */
async function planSteps(manifest: Manifest, folder: string): Promise<readonly Step[]> {
  const [main, ...others] = manifest.files;
  const steps: Step[] = [];
  for (const file of main === undefined ? others : [...others, main]) {
    const target = path.join(folder, ...file.path.split('/'));
    if (!staysIn(target, folder))
      throw new UserError(
        `${target} leads to ${realPlace(target)} through a link, outside ${folder}; nothing was restored`,
        'remove the link, or restore --to another folder',
        exitCodes.refused,
      );
    steps.push({ file, target, outcome: await outcomeFor(target, file) });
  }
  return steps;
}

async function outcomeFor(target: string, file: ArchivedFile): Promise<RestoredFile['outcome']> {
  try {
    const stats = await stat(target);
    if (!stats.isFile())
      throw new UserError(
        `${target} is there and is not a regular file; nothing was restored`,
        'restore --to another folder',
      );
    return (await hashFile(target)) === file.sha256 ? 'present' : 'replaced';
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return 'restored';
    throw diskError(error, 'read', target);
  }
}

async function restoreFile(
  reader: ChunkReader,
  manifest: Manifest,
  step: Step,
  backup: string | undefined,
): Promise<void> {
  const { file, target } = step;
  if (step.outcome === 'present') return;
  const content = readArchivedFile(reader, manifest, file);
  try {
    if (backup === undefined) await writeNewFile(target, content);
    else await replaceFile(target, content, { backup });
    await chmod(target, file.mode);
    const seconds = file.mtimeMs / 1000;
    await utimes(target, seconds, seconds);
  } catch (error) {
    if (error instanceof ArchiveDamaged) throw damagedError(manifest, file.path, error.message);
    throw diskError(error, 'write', target);
  }
}

export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

/** A file whose bytes are in the archive. */
export interface ArchivedPlace {
  /** The archive. */
  readonly folder: string;
  /** The path that the main transcript had. */
  readonly session: string;
  /** Below the project folder. */
  readonly name: string;
  readonly sha256: string;
}

/** Restores one file with its mode and time; refuses if the archive no longer has these bytes. */
export async function restoreArchivedFile(place: ArchivedPlace, target: string): Promise<void> {
  const { contents, manifest, file } = findArchivedFile(place);
  await restoreFile(new ChunkReader(contents), manifest, { file, target, outcome: 'restored' }, undefined);
}

/** Throws if the archive does not have the file. */
export function findArchivedFile({ folder, session, name, sha256 }: ArchivedPlace): {
  readonly contents: ArchiveContents;
  readonly manifest: Manifest;
  readonly file: ArchivedFile;
} {
  const contents = readContents(folder);
  for (const manifest of contents.sessions.get(session)?.versions ?? []) {
    const file = manifest.files.find((each) => each.path === name && each.sha256 === sha256);
    if (file !== undefined) return { contents, manifest, file };
  }
  throw new UserError(
    `the archive ${folder} no longer has ${name} of ${session}`,
    'run `clew archive --list` to see its copies',
    exitCodes.refused,
  );
}

/** Lists every session in the archive. */
export function listArchive(folder: string = archiveFolder()): readonly ArchivedSession[] {
  const sessions = [...readContents(folder).sessions.values()];
  return sessions.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/**
 * `argument`: a session id, a unique prefix of one, or the path that the main transcript had. `version` counts from 1,
 * the oldest; without it the latest is meant.
 */
function findArchived(contents: ArchiveContents, argument: string, version?: number): Manifest {
  const { versions } = findArchivedSession(contents, argument);
  const found = versions.at(version === undefined ? -1 : version - 1);
  if (found !== undefined && (version === undefined || version >= 1)) return found;
  throw new UserError(
    `there is no version ${version} of session ${versions[0]?.sessionId} in the archive`,
    `there are ${versions.length}; 1 is the oldest`,
  );
}

function findArchivedSession({ sessions, folder, damage }: ArchiveContents, argument: string): ArchivedSession {
  const byPath = sessions.get(argument);
  if (byPath !== undefined) return byPath;
  const wanted = argument.trim().toLowerCase();
  const all = [...sessions.values()].filter((session) => wanted !== '' && idOf(session).startsWith(wanted));
  const exact = all.filter((session) => idOf(session) === wanted);
  const matches = exact.length > 0 ? exact : all;
  const ids = [...new Set(matches.map(idOf))].sort();
  if (ids.length > 1) {
    const more = ids.length > 5 ? ` and ${ids.length - 5} more` : '';
    throw new UserError(
      `"${argument}" fits ${ids.length} archived sessions: ${ids.slice(0, 5).join(', ')}${more}`,
      'give more of the id',
    );
  }
  const [newest, ...others] = matches.sort((a, b) => archivedAt(b) - archivedAt(a));
  if (newest === undefined) {
    const but = damage.length > 0 ? ', but a part of it is damaged' : '';
    throw new UserError(
      `no session "${argument}" in the archive ${folder}${but}`,
      'run `clew archive --list` to list the archived sessions',
    );
  }
  if (others.every((other) => sameContent(other, newest))) return newest;
  const paths = matches.map((session) => session.key).join(' and ');
  throw new UserError(`session ${newest.versions[0]?.sessionId} was archived from ${paths}`, 'give the path');
}

function idOf(session: ArchivedSession): string {
  return (session.versions[0]?.sessionId ?? '').toLowerCase();
}

function archivedAt(session: ArchivedSession): number {
  return session.versions.at(-1)?.archivedAtMs ?? 0;
}

function sameContent(a: ArchivedSession, b: ArchivedSession): boolean {
  const [one, two] = [a.versions.at(-1), b.versions.at(-1)];
  return one !== undefined && two !== undefined && contentKey(one) === contentKey(two);
}

/** A failure of the archive itself, for the user. */
function damagedError(manifest: Manifest, name: string, reason: string): UserError {
  return new UserError(
    `the archived copy of ${name} of session ${manifest.sessionId} cannot be read: ${reason}`,
    'run `clew archive --verify` to see what is damaged',
    exitCodes.failed,
  );
}

/** The first folder that a line of an archived session names; `undefined` where none does, or its bytes are damaged. */
export function archivedFolder(contents: ArchiveContents, manifest: Manifest): string | undefined {
  const [main] = manifest.files;
  if (main === undefined) return undefined;
  try {
    for (const line of readArchivedFile(new ChunkReader(contents), manifest, main)) {
      const cwd = scanRecord(line)?.cwd;
      if (cwd !== undefined) return cwd;
    }
    return undefined;
  } catch (error) {
    if (error instanceof ArchiveDamaged) return undefined;
    throw error;
  }
}

/** Lines that are read to find the first prompt: it is near the beginning, or there is none. */
const openingLines = 200;

/** The first prompt of an archived session; `undefined` where its first lines have none, or its bytes are damaged. */
export function archivedPrompt(contents: ArchiveContents, manifest: Manifest): string | undefined {
  const [main] = manifest.files;
  if (main === undefined) return undefined;
  try {
    let lines = 0;
    for (const line of readArchivedFile(new ChunkReader(contents), manifest, main)) {
      if (++lines > openingLines) return undefined;
      const prompt = promptIn(line);
      if (prompt !== undefined) return prompt;
    }
    return undefined;
  } catch (error) {
    if (error instanceof ArchiveDamaged) return undefined;
    throw error;
  }
}

function promptIn(line: Buffer): string | undefined {
  const entry = asObject(parseJson(line.toString('utf8')));
  if (entry?.type !== 'user' || entry.isMeta === true || entry.isSidechain === true) return undefined;
  const content = asObject(entry.message)?.content;
  if (typeof content === 'string') return content.startsWith('<') ? undefined : content;
  const [first] = isArray(content) ? content : [];
  return asString(asObject(first)?.text);
}
