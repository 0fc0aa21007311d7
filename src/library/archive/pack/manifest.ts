// The files of an archived session ⇄ the body of its record. Names that lead out of the project folder are refused.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { asObject, asString, isArray, type JsonValue, parseJson } from '../../../base/json/index.ts';
import { type CodecName, codecs, isCodecName, type RecordHeader } from './record.ts';

/** A file of an archived session. */
export interface ArchivedFile {
  /** Below the project folder, with `/`. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly mode: number;
  readonly sha256: string;
  /** The numbers of its groups. */
  readonly groups: readonly number[];
}

/** One archived version of a session. */
export interface Manifest {
  readonly sessionId: string;
  /** The folder of the project folders, and the name of the session's project folder. */
  readonly projects: string;
  readonly slug: string;
  readonly archivedAtMs: number;
  /** The main transcript is the first. */
  readonly files: readonly ArchivedFile[];
}

/** What makes it the same session: equal ids in different folders are different sessions. */
export function placeKey({ projects, slug, sessionId }: Pick<Manifest, 'projects' | 'slug' | 'sessionId'>): string {
  return path.join(projects, slug, `${sessionId}.jsonl`);
}

/** Equal for two versions whose files have the same names and bytes. */
export function contentKey({ files }: Manifest): string {
  return JSON.stringify(files.map((file) => [file.path, file.sha256]));
}

/** A hash of the names and bytes of its files. */
export function contentHash(manifest: Manifest): string {
  return createHash('sha256').update(contentKey(manifest)).digest('hex');
}

export function totalBytes({ files }: Manifest): number {
  return files.reduce((sum, file) => sum + file.sizeBytes, 0);
}

/** Groups as steps: the numbers of a large file grow evenly, which compresses to almost nothing. */
export function serialiseManifest(manifest: Manifest): Buffer {
  const files = manifest.files.map((file) => ({
    ...file,
    groups: file.groups.map((group, index) => group - (file.groups[index - 1] ?? 0)),
  }));
  return Buffer.from(JSON.stringify({ ...manifest, files }));
}

/** `undefined` for anything that is not a manifest, and if a path leads out of the project folder. */
function parseManifest(bytes: Buffer): Manifest | undefined {
  const value = asObject(parseJson(bytes.toString('utf8')));
  const sessionId = asString(value?.sessionId);
  const projects = asString(value?.projects);
  const slug = asString(value?.slug);
  if (sessionId === undefined || projects === undefined || slug === undefined || !isArray(value?.files))
    return undefined;
  const files: ArchivedFile[] = [];
  for (const each of value.files) {
    const file = parseFile(each);
    if (file === undefined) return undefined;
    files.push(file);
  }
  if (!isInside(slug) || slug.includes('/') || files.length === 0) return undefined;
  return { sessionId, projects, slug, archivedAtMs: Number(value.archivedAtMs), files };
}

function parseFile(value: JsonValue): ArchivedFile | undefined {
  const file = asObject(value);
  const name = asString(file?.path);
  const sha256 = asString(file?.sha256);
  if (file === undefined || name === undefined || sha256 === undefined || !isArray(file.groups)) return undefined;
  if (!isInside(name)) return undefined;
  const groups: number[] = [];
  for (const step of file.groups) groups.push((groups.at(-1) ?? 0) + Number(step));
  const { sizeBytes, mtimeMs, mode } = file;
  return { path: name, sizeBytes: Number(sizeBytes), mtimeMs: Number(mtimeMs), mode: Number(mode), sha256, groups };
}

function isInside(name: string): boolean {
  const parts = name.split('/');
  return !path.isAbsolute(name) && parts.every((part) => part !== '' && part !== '.' && part !== '..');
}

/** The manifest in the body of a record, or why there is none. */
export function readManifest({ codec, rawBytes }: RecordHeader, body: Buffer): Manifest | string {
  if (!isCodecName(codec)) return `a session is written with "${codec}", which this Clew does not know`;
  const raw = decompressed(codec, body, rawBytes);
  return (raw && parseManifest(raw)) ?? 'the record of a session is not a manifest';
}

function decompressed(codec: CodecName, body: Buffer, rawBytes: number): Buffer | undefined {
  try {
    return codecs[codec].decompress(body, rawBytes);
  } catch {
    // The body has its hash, but is not what its codec makes.
    return undefined;
  }
}
