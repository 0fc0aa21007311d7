// Writes sessions into one file for import on another machine: transcripts, sub-agents, side files and file backups, with
// neutral paths, compressed as a stream.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { createBrotliCompress } from 'node:zlib';
import { UserError } from '../../base/errors/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import { counted, isUuid } from '../../base/text/index.ts';
import type { Edit } from '../../format/bytes/index.ts';
import { leftOutNotes } from '../../library/session-files/index.ts';
import { titleOf } from '../../session/facts/index.ts';
import type { Session } from '../../session/load/index.ts';
import { refuseUnreadable } from '../../session/transcript/index.ts';
import {
  compareNames,
  type LeftOut,
  listOwned,
  RangeReader,
  realPlace,
  staysIn,
  writeNewFile,
} from '../../store/index.ts';
import {
  bytesOf,
  type FileSource,
  mergeAllRewrites,
  nameFor,
  placedSession,
  type Rewrite,
  type Source,
  unfitReason,
  withoutBlocks,
} from '../engine/index.ts';
import { folderEdits, isWindowsPath, launchFolderOf, restBelow, sidePathRewrites } from '../operations/index.ts';
import { holdsBoundThinking, placesOf } from '../request/index.ts';
import {
  activeFile,
  isCopyName,
  type KeptHistory,
  keepHistory,
  type LeftOutFile,
  leftOutFileNotes,
} from './file-history.ts';
import {
  type BundledFile,
  type BundledSession,
  brotliParameters,
  bundleVersion,
  firstLine,
  isAllowedName,
  type Manifest,
  manifestLine,
  placeholders,
  refuseTooManyFiles,
} from './format.ts';
import { isOutside } from './names.ts';
import { checkBundle } from './read.ts';

export interface BundleOptions {
  /** Redacts a line of a transcript, or a whole side file. */
  readonly redact?: (bytes: Buffer) => Buffer;
  /** Redacts the name of a file. */
  readonly renameFile?: (name: string) => string;
  readonly home?: string;
  /** Include files that programs run or obey, and those that a rewind would delete. */
  readonly keepsAll?: boolean;
  /** Only report what it would hold. */
  readonly isDryRun?: boolean;
}

interface Packed {
  readonly session: BundledSession;
  readonly contents: readonly FileSource[];
  readonly leftOut: readonly LeftOutFile[];
  readonly notes: readonly string[];
}

export interface WrittenBundle extends Manifest {
  /** What the bundle omits, as sentences. */
  readonly notes: readonly string[];
  /** Files that a rewind cannot restore after an import. */
  readonly leftOut: readonly LeftOutFile[];
}

/** Writes the bundle and reads it back to check it. */
export async function writeBundle(
  file: string,
  sources: readonly Source[],
  options: BundleOptions = {},
): Promise<WrittenBundle> {
  for (const { session } of sources) {
    refuseUnreadable(session.transcript);
    if (isUuid(session.id)) continue;
    const next = `\`clew fork ${session.id}\` creates a session with a valid id`;
    throw new UserError(`${session.id} is not a valid session id, so it could not be imported`, next);
  }
  const packed: Packed[] = [];
  for (const source of sources) packed.push(await packSession(source, options));
  const manifest: Manifest = {
    version: bundleVersion,
    madeAt: new Date().toISOString(),
    isRedacted: options.redact !== undefined,
    sessions: packed.map(({ session }) => session),
  };
  refuseTooManyFiles(manifest.sessions.reduce((sum, { files }) => sum + files.length, 0));
  const leftOut = packed.flatMap((each) => each.leftOut);
  const notes = [...packed.flatMap((each) => each.notes), ...leftOutFileNotes(leftOut)];
  if (options.isDryRun === true) return { ...manifest, notes, leftOut };
  await writeNewFile(file, compressed(manifest, packed, options));
  await checkBundle(file);
  return { ...manifest, notes, leftOut };
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
  const copies = fileCopies(source);
  const history = keepHistory(source, { keepsAll: options.keepsAll === true, copies: new Set(copies.files.keys()) });
  const unbound = withoutUnbound(source, options);
  const rewrites = mergeAllRewrites(history.rewrites, unbound.rewrites);
  const neutral = neutralised(source, project, homeFor(project, options.home ?? homedir()), rewrites);
  const active = neutral.flatMap(({ name }) => activeFile(name, session.id));
  const all = [
    ...neutral.filter(({ name }) => active.every(({ file }) => file !== name)),
    ...keptCopies(history, copies.files),
  ];
  const named = all.filter(({ name }) => isAllowedName(name, session.id));
  const unnamed = all.filter((each) => !named.includes(each));
  const files: BundledFile[] = [];
  for (const { name, content } of named)
    files.push({ name: options.renameFile?.(name) ?? name, ...(await measure(content, options)) });
  return {
    session: {
      sessionId: session.id,
      title: titleFor(session, options),
      isWindows: project !== undefined && isWindowsPath(project),
      files,
    },
    contents: named.map(({ content }) => content),
    leftOut: [...history.leftOut.filter(({ file }) => !isOutside(file)), ...active],
    notes: [
      ...leftOutNotes([...source.leftOut, ...copies.leftOut]),
      ...unnamed.map(({ name }) => `left out: ${name} has a name that some systems do not allow`),
      ...(unbound.count === 0
        ? []
        : [`left out: ${unbound.count} thinking blocks made after redacted text; the API would refuse them`]),
      ...outsideNote(history),
    ],
  };
}

/** Not by name: files outside the project are private. */
function outsideNote({ leftOut }: KeptHistory): readonly string[] {
  const count = leftOut.filter(({ file }) => isOutside(file)).length;
  return count === 0 ? [] : [`left out: ${counted(count, 'file')} outside the project`];
}

/** Redacted too, because the title is often the first prompt. */
function titleFor(session: Session, { redact }: BundleOptions): string | undefined {
  const title = titleOf(session);
  return title === undefined || redact === undefined ? title : redact(Buffer.from(title)).toString('utf8');
}

function neutralised(
  source: Source,
  project: string | undefined,
  home: string,
  own: ReadonlyMap<string, Rewrite>,
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
    rewrites: mergeAllRewrites(sidePathRewrites(source, `${placeholders.sessions}/${id}`), own),
    renames: (entry: JsonObject): readonly Edit[] => folderEdits(entry, change),
  });
  return files.map(({ name, content }) => ({ name: nameFor(name, id, id), content }));
}

/** The session may come from another machine, whose home is found in its paths. */
function homeFor(project: string | undefined, home: string): string {
  return /^(?:\/(?:home|Users)\/[^/]+|[A-Za-z]:[\\/]Users[\\/][^\\/]+)/i.exec(project ?? '')?.[0] ?? home;
}

/** The copies of files that a client restores at a rewind, by name. */
function fileCopies({ session, folder }: Source): {
  readonly files: ReadonlyMap<string, FileSource>;
  readonly leftOut: readonly LeftOut[];
} {
  const root = path.dirname(path.dirname(folder));
  const copies = path.join(root, 'file-history', session.id);
  if (existsSync(copies) && !staysIn(copies, root))
    return { files: new Map(), leftOut: [{ path: copies, reason: `is really ${realPlace(copies)}, outside ${root}` }] };
  const { files, leftOut } = listOwned(copies, realPlace(root), []);
  const own = files.filter((file) => path.dirname(file) === copies && isCopyName(path.basename(file)));
  return { files: new Map(own.sort(compareNames).map((file) => [path.basename(file), { copyOf: file }])), leftOut };
}

/** Only those that a kept line names. */
function keptCopies(
  { kept }: KeptHistory,
  copies: ReadonlyMap<string, FileSource>,
): readonly { readonly name: string; readonly content: FileSource }[] {
  const named = new Set(kept.map(({ copy }) => copy));
  return [...copies].flatMap(([name, content]) => (named.has(name) ? [{ name: `file-history/${name}`, content }] : []));
}

/** Removes the thinking of models that check it, from the first redacted line on, to which it is bound. */
function withoutUnbound(
  { session }: Source,
  { redact }: BundleOptions,
): { readonly rewrites: ReadonlyMap<string, Rewrite>; readonly count: number } {
  const { transcript } = session;
  const bound = redact === undefined ? [] : transcript.nodes.filter(holdsBoundThinking);
  if (redact === undefined || bound.length === 0) return { rewrites: new Map(), count: 0 };
  const ranges = new RangeReader(transcript.path);
  const change = transcript.nodes.find((node) => {
    const bytes = Buffer.from(ranges.read(node.offset, node.length));
    return !redact(Buffer.from(bytes)).equals(bytes);
  });
  const unbound = bound.filter((node) => change !== undefined && node.index >= change.index);
  if (unbound.length === 0) return { rewrites: new Map(), count: 0 };
  const blocks = new Map(unbound.map((node) => [node, placesOf(transcript, node)]));
  const rewrite = withoutBlocks(session, blocks, unfitReason);
  return { rewrites: new Map([[transcript.path, rewrite]]), count: [...blocks.values()].flat().length };
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
