// Sessions → one file that a colleague imports: every transcript, sub-agent, side file and file backup, with neutral
// paths, compressed as it is read.
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { createBrotliCompress } from 'node:zlib';
import type { JsonObject } from '../../base/json.ts';
import type { Edit } from '../../format/edit.ts';
import type { Session } from '../../session/session.ts';
import { titleOf } from '../../session/title.ts';
import { listFolder } from '../../store/folders.ts';
import { writeNewFile } from '../../store/replace.ts';
import { sidePathRewrites } from '../move.ts';
import { launchFolderOf } from '../moved-projects.ts';
import { nameFor, placedSession } from '../new-session.ts';
import type { FileSource } from '../plan.ts';
import { folderEdits, isWindowsPath, restBelow } from '../relocate.ts';
import type { Source } from '../source.ts';
import { bytesOf } from '../stage.ts';
import {
  type BundledFile,
  type BundledSession,
  brotliParameters,
  bundleVersion,
  firstLine,
  type Manifest,
  manifestLine,
  placeholders,
} from './format.ts';
import { checkBundle } from './read.ts';

export interface BundleOptions {
  /** Takes secrets out of a line of a transcript, or of a whole side file. */
  readonly redact?: (bytes: Buffer) => Buffer;
  readonly home?: string;
  /** Only say what would be in it. */
  readonly isDryRun?: boolean;
}

interface Packed {
  readonly session: BundledSession;
  readonly contents: readonly FileSource[];
}

/** Writes the bundle, reads it back, and answers what is in it. */
export async function writeBundle(
  file: string,
  sources: readonly Source[],
  options: BundleOptions = {},
): Promise<Manifest> {
  const packed: Packed[] = [];
  for (const source of sources) packed.push(await packSession(source, options));
  const manifest: Manifest = {
    version: bundleVersion,
    madeAt: new Date().toISOString(),
    isRedacted: options.redact !== undefined,
    sessions: packed.map(({ session }) => session),
  };
  if (options.isDryRun === true) return manifest;
  await writeNewFile(file, compressed(manifest, packed, options));
  await checkBundle(file);
  return manifest;
}

async function* compressed(
  manifest: Manifest,
  packed: readonly Packed[],
  options: BundleOptions,
): AsyncGenerator<Buffer> {
  yield Buffer.from(firstLine);
  const raw = Readable.from(plainBytes(manifest, packed, options), { objectMode: false });
  const compressor = createBrotliCompress({ params: { ...brotliParameters } });
  raw.once('error', (error) => compressor.destroy(error));
  yield* raw.pipe(compressor);
}

async function* plainBytes(
  manifest: Manifest,
  packed: readonly Packed[],
  options: BundleOptions,
): AsyncGenerator<Buffer> {
  yield manifestLine(manifest);
  for (const { contents } of packed) for (const content of contents) yield* contentBytes(content, options);
}

async function packSession(source: Source, options: BundleOptions): Promise<Packed> {
  const { session, folder } = source;
  const project = launchFolderOf(session, folder);
  const neutral = neutralised(source, project, homeFor(project, options.home ?? homedir()));
  const backups = await fileHistory(source);
  const named = [...neutral, ...backups];
  const files: BundledFile[] = [];
  for (const { name, content } of named) files.push({ name, ...(await measure(content, options)) });
  return {
    session: {
      sessionId: session.id,
      title: titleFor(session, options),
      isWindows: project !== undefined && isWindowsPath(project),
      files,
    },
    contents: named.map(({ content }) => content),
  };
}

/** The title is often the first prompt. */
function titleFor(session: Session, { redact }: BundleOptions): string | undefined {
  const title = titleOf(session);
  return title === undefined || redact === undefined ? title : redact(Buffer.from(title)).toString('utf8');
}

function neutralised(
  source: Source,
  project: string | undefined,
  home: string,
): { name: string; content: FileSource }[] {
  const { id } = source.session;
  const change = (folder: string): string | undefined => {
    for (const [place, placeholder] of [
      [project, placeholders.project],
      [home, placeholders.home],
    ] as const) {
      const rest = place === undefined ? undefined : restBelow(folder, place);
      if (rest !== undefined) return placeholder + rest;
    }
    return undefined;
  };
  const { files } = placedSession(source, {
    folder: source.folder,
    rewrites: sidePathRewrites(source, `${placeholders.sessions}/${id}`),
    renames: (entry: JsonObject): readonly Edit[] => folderEdits(entry, change),
  });
  return files.map(({ name, content }) => ({ name: nameFor(name, id, id), content }));
}

/** The session may come from another machine: its own paths tell whose home it was. */
function homeFor(project: string | undefined, home: string): string {
  return /^(?:\/(?:home|Users)\/[^/]+|[A-Za-z]:[\\/]Users[\\/][^\\/]+)/i.exec(project ?? '')?.[0] ?? home;
}

/** What the client needs to take back its own changes to files. */
async function fileHistory({ session, folder }: Source): Promise<{ name: string; content: FileSource }[]> {
  const backups = path.join(path.dirname(path.dirname(folder)), 'file-history', session.id);
  const entries = await listFolder(backups, []);
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => ({ name: `file-history/${name}`, content: { copyOf: path.join(backups, name) } }));
}

async function measure(content: FileSource, options: BundleOptions): Promise<Omit<BundledFile, 'name'>> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const piece of contentBytes(content, options)) {
    hash.update(piece);
    sizeBytes += piece.length;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

async function* contentBytes(content: FileSource, { redact }: BundleOptions): AsyncGenerator<Buffer> {
  const bytes = bytesOf(content);
  if (redact === undefined) {
    if (Buffer.isBuffer(bytes)) yield bytes;
    else yield* bytes;
  } else if ('lines' in content) {
    for (const line of content.lines()) yield Buffer.concat([redact(line.bytes), Buffer.from('\n')]);
  } else {
    const pieces: Buffer[] = [];
    if (Buffer.isBuffer(bytes)) pieces.push(bytes);
    else for await (const piece of bytes) pieces.push(piece);
    yield redact(Buffer.concat(pieces));
  }
}
