// An archived session → its files again, byte for byte, in their folder or in another root. Every file is checked
// against its hash before it gets its name; an existing file with other content is never lost.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { exitCodes, systemErrorCode, UserError } from '../../base/errors/index.ts';
import { diskError, projectsFolder, realPlace, replaceFile, staysIn, writeNewFile } from '../../store/index.ts';
import { archiveFolder } from './archive-folder.ts';
import { FileChecker } from './file-check.ts';
import {
  type ArchiveContents,
  ArchiveDamaged,
  type ArchivedFile,
  type ArchivedSession,
  ChunkReader,
  contentKey,
  isLost,
  type LostCopy,
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

/** A file that can be restored. */
export type RestorableFile = Pick<ArchivedFile, 'path' | 'sizeBytes' | 'sha256' | 'mode' | 'mtimeMs'>;

/** A session elsewhere, and where its files belong. */
export interface RestoreSource {
  readonly sessionId: string;
  /** The folder of project folders, and the name of the session's. */
  readonly projects: string;
  readonly slug: string;
  /** The main transcript first. Names are below the project folder, with `/`. */
  readonly files: readonly RestorableFile[];
  /** For messages: `archived one`. */
  readonly kind: string;
  /** Throws if the file cannot be restored: asked of every file before the first is written. */
  check?(file: RestorableFile): Promise<void>;
  /** Throws if the bytes are not those of its hash: then no file gets its name. */
  content(file: RestorableFile): Iterable<Buffer> | AsyncIterable<Buffer>;
}

/** Restores a session from the archive, byte for byte. */
export async function restoreSession(id: string, options: RestoreOptions = {}): Promise<Restored> {
  return restoreFrom(archivedSource(id, options), options);
}

/** `id`: a session id, a unique prefix of one, or the path that the main transcript had. */
export function archivedSource(
  id: string,
  { folder, version }: Pick<RestoreOptions, 'folder' | 'version'>,
): RestoreSource {
  const contents = readContents(folder ?? archiveFolder());
  const manifest = findArchived(contents, id, version);
  const reader = new ChunkReader(contents);
  const { sessionId, projects, slug, files } = manifest;
  const content = (file: RestorableFile): Iterable<Buffer> => archivedContent(reader, manifest, file);
  const checker = new FileChecker(contents);
  const check = async (file: RestorableFile): Promise<void> => {
    const reason = await checker.findDamage(manifest, fileIn(manifest, file));
    if (reason !== undefined) throw damagedError(manifest, file.path, reason);
  };
  return { sessionId, projects, slug, files, kind: 'archived one', check, content };
}

/** The same from any source. Files that exist with the same bytes stay, so that an interrupted restore continues. */
export async function restoreFrom(source: RestoreSource, options: RestoreOptions = {}): Promise<Restored> {
  const archive = options.folder ?? archiveFolder();
  const projects = options.to === undefined ? source.projects : projectsFolder(path.resolve(options.to));
  const folder = path.join(projects, source.slug);
  const steps = await planSteps(source, folder);
  const conflict = steps.find((step) => step.outcome === 'replaced');
  if (conflict !== undefined && options.isForced !== true) {
    throw new UserError(
      `${conflict.target} is there already and differs from the ${source.kind}; nothing was restored`,
      'add --force to replace it (it is kept as a backup), or --to another folder',
      exitCodes.refused,
    );
  }
  for (const { file, outcome } of steps) if (outcome !== 'present') await source.check?.(file);
  const usual = path.join(path.dirname(archive), 'backups', new Date().toISOString().replace(/[:.]/g, '-'));
  const backups = options.backups ?? usual;
  const files: RestoredFile[] = [];
  for (const step of steps) {
    const backup = step.outcome === 'replaced' ? path.join(backups, source.slug, step.file.path) : undefined;
    if (options.isDryRun !== true) await restoreFile(source, step, backup);
    const { target, file, outcome } = step;
    const { sizeBytes, sha256 } = file;
    files.push({ path: target, sizeBytes, sha256, outcome, ...(backup === undefined ? {} : { backup }) });
  }
  return { sessionId: source.sessionId, path: path.join(folder, source.files[0]?.path ?? ''), files };
}

/** A failure of the archive itself is one for the user. */
function* archivedContent(reader: ChunkReader, manifest: Manifest, file: RestorableFile): Generator<Buffer> {
  try {
    yield* readArchivedFile(reader, manifest, fileIn(manifest, file));
  } catch (error) {
    if (error instanceof ArchiveDamaged) throw damagedError(manifest, file.path, error.message);
    throw error;
  }
}

function fileIn(manifest: Manifest, { path: name }: RestorableFile): ArchivedFile {
  const archived = manifest.files.find((each) => each.path === name);
  if (archived === undefined) throw new TypeError(`${name} is not of this session`);
  return archived;
}

interface Step {
  readonly file: RestorableFile;
  readonly target: string;
  readonly outcome: RestoredFile['outcome'];
}

/** The main transcript is written last: once it exists, the session is whole. */
async function planSteps(source: RestoreSource, folder: string): Promise<readonly Step[]> {
  const [main, ...others] = source.files;
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

async function outcomeFor(target: string, file: RestorableFile): Promise<RestoredFile['outcome']> {
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
  source: RestoreSource,
  { file, target, outcome }: Step,
  backup: string | undefined,
): Promise<void> {
  if (outcome === 'present') return;
  const content = source.content(file);
  try {
    if (backup === undefined) await writeNewFile(target, content);
    else await replaceFile(target, content, { backup });
    await chmod(target, file.mode);
    const seconds = file.mtimeMs / 1000;
    await utimes(target, seconds, seconds).catch(() => undefined); // its bytes are there, which is what counts
  } catch (error) {
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
  const reader = new ChunkReader(contents);
  const { sessionId, projects, slug } = manifest;
  const content = (): Iterable<Buffer> => archivedContent(reader, manifest, file);
  const source = { sessionId, projects, slug, files: [file], kind: 'archived one', content };
  await restoreFile(source, { file, target, outcome: 'restored' }, undefined);
}

/** Throws if the archive does not have the file, or not its bytes: they are read back. */
export function findArchivedFile({ folder, session, name, sha256 }: ArchivedPlace): {
  readonly contents: ArchiveContents;
  readonly manifest: Manifest;
  readonly file: ArchivedFile;
} {
  const contents = readContents(folder);
  const reader = new ChunkReader(contents);
  let damage: UserError | undefined;
  // Of two copies with the same file one may be damaged.
  for (const manifest of contents.sessions.get(session)?.versions ?? []) {
    const file = manifest.files.find((each) => each.path === name && each.sha256 === sha256);
    if (file === undefined) continue;
    const reason = whyUnreadable(reader, manifest, file);
    if (reason === undefined) return { contents, manifest, file };
    damage = damagedError(manifest, name, reason);
  }
  if (damage !== undefined) throw damage;
  throw new UserError(
    `the archive ${folder} no longer has ${name} of ${session}`,
    'run `clew archive --list` to see its copies',
    exitCodes.refused,
  );
}

function whyUnreadable(reader: ChunkReader, manifest: Manifest, file: ArchivedFile): string | undefined {
  try {
    for (const _ of readArchivedFile(reader, manifest, file));
    return undefined;
  } catch (error) {
    if (error instanceof ArchiveDamaged) return error.message;
    throw error;
  }
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
  const { key, versions } = findArchivedSession(contents, argument);
  const copies = contents.copies.get(key) ?? versions;
  const found = copies.at(version === undefined ? -1 : version - 1);
  if (found !== undefined && isLost(found)) throw lostError(found, copies, version);
  if (found !== undefined && (version === undefined || version >= 1)) return found;
  throw new UserError(
    `there is no version ${version} of session ${versions[0]?.sessionId} in the archive`,
    `there are ${copies.length}; 1 is the oldest`,
  );
}

/** An older copy is never taken for the latest one. */
function lostError(lost: LostCopy, copies: readonly (Manifest | LostCopy)[], version?: number): UserError {
  const last = copies.findLastIndex((copy) => !isLost(copy)) + 1;
  const which = version === undefined ? 'the latest copy' : `copy ${version}`;
  return new UserError(
    `${which} of session ${lost.sessionId} cannot be restored: ${lost.reason}`,
    last === 0
      ? 'run `clew archive --verify`'
      : `copy ${last} is there: \`clew restore ${lost.sessionId} --copy ${last}\``,
    exitCodes.failed,
  );
}

function findArchivedSession(contents: ArchiveContents, argument: string): ArchivedSession {
  const { folder, damage } = contents;
  const sessions = withLostOnes(contents);
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
  throw new UserError(`session ${idOf(newest)} was archived from ${paths}`, 'give the path');
}

/** A session of which no copy is left must be refused, not taken for one that was never archived. */
function withLostOnes({ sessions, copies }: ArchiveContents): ReadonlyMap<string, ArchivedSession> {
  return new Map([...copies.keys()].map((key) => [key, sessions.get(key) ?? { key, versions: [] }]));
}

function idOf({ key }: ArchivedSession): string {
  return path.basename(key, '.jsonl').toLowerCase();
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
