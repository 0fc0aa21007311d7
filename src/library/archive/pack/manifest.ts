// What the archive knows of one session at one time: its files, how to tell whether they changed, and the groups that
// give their bytes back. Stored as JSON, compressed, one record for each version.
import path from 'node:path';
import { asObject, asString, isArray, type JsonValue, parseJson } from '../../../base/json/json.ts';

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
  /** The folder that held the project folders, and the name of the session's. */
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

/** `undefined` for anything that is not a manifest; a path that leads out of the project folder makes it none. */
export function parseManifest(bytes: Buffer): Manifest | undefined {
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
