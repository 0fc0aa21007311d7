// Plans the resulting session of an operation with all its files: with a new id, or in place of the source.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { JsonObject } from '../../base/json/json.ts';
import type { Edit } from '../../format/bytes/edit.ts';
import { originEdits, sessionIdEdits } from './ids.ts';
import type { FileSource, PlannedFile, PlannedSession } from './plan.ts';
import { type Rewrite, rewriteLines } from './rewrite.ts';
import type { Source, SourceFile } from './source.ts';

export interface ResultOptions {
  /** By the path of the transcript; other files stay as they are. */
  readonly rewrites?: ReadonlyMap<string, Rewrite>;
  /** Additional edits for every record of every transcript: new ids, another folder. */
  readonly renames?: (entry: JsonObject, file: SourceFile) => readonly Edit[];
  /** New content of files that are not transcripts. */
  readonly contents?: ReadonlyMap<string, FileSource>;
  /** New files. */
  readonly added?: readonly PlannedFile[];
  /** New names of files, relative to the project folder; the main transcript keeps its name. */
  readonly fileNames?: (name: string) => string;
  /** Files that are not copied. */
  readonly leftOut?: ReadonlySet<string>;
}

export interface NewSessionOptions extends ResultOptions {
  readonly sessionId?: string;
  /** The project folder; by default that of the source. */
  readonly folder?: string;
}

export interface PlacedOptions extends ResultOptions {
  readonly folder: string;
  readonly sessionId?: string;
}

export function newSession(source: Source, options: NewSessionOptions = {}): PlannedSession {
  const sessionId = options.sessionId ?? randomUUID();
  const origin = originEdits(
    source.session.id,
    source.files.flatMap(({ transcript }) => transcript ?? []),
  );
  const renames = (entry: JsonObject, file: SourceFile): readonly Edit[] => [
    ...sessionIdEdits(entry, sessionId),
    ...origin(entry),
    ...(options.renames?.(entry, file) ?? []),
  ];
  const isChanged = sessionId !== source.session.id;
  return {
    sessionId,
    folder: options.folder ?? source.folder,
    isInPlace: false,
    files: planFiles(source, { ...options, renames }, (name) =>
      isChanged ? nameFor(newName(name, options), source.session.id, sessionId) : newName(name, options),
    ),
  };
}

/** The same session in another folder. */
export function placedSession(source: Source, options: PlacedOptions): PlannedSession {
  const { folder, sessionId = source.session.id } = options;
  const rename = (name: string): string =>
    sessionId === source.session.id ? name : nameFor(name, source.session.id, sessionId);
  const files = planFiles(source, options, rename);
  const times = new Map(source.files.map((file) => [rename(file.name), file.stats.mtimeMs]));
  return {
    sessionId,
    folder,
    isInPlace: false,
    files: files.map((file) => ({ ...file, mtimeMs: times.get(file.name) ?? Date.now() })),
  };
}

/** The files of the source with new content; unchanged files are not listed. */
export function sameSession(source: Source, options: ResultOptions = {}): PlannedSession {
  const isTouched = (file: SourceFile): boolean =>
    options.rewrites?.has(file.path) === true ||
    options.contents?.has(file.path) === true ||
    newName(file.name, options) !== file.name ||
    (options.renames !== undefined && file.transcript !== undefined);
  const [main, ...others] = source.files;
  const files = [...(main === undefined ? [] : [main]), ...others.filter(isTouched)];
  return {
    sessionId: source.session.id,
    folder: source.folder,
    isInPlace: true,
    files: planFiles({ ...source, files }, options, (name) => newName(name, options)),
  };
}

function newName(name: string, { fileNames }: ResultOptions): string {
  return fileNames?.(name) ?? name;
}

function planFiles(source: Source, options: ResultOptions, rename: (name: string) => string): readonly PlannedFile[] {
  const own = source.files
    .filter((file) => options.leftOut?.has(file.path) !== true)
    .map((file) => ({ name: rename(file.name), content: resultContent(file, options) }));
  return [...own, ...(options.added ?? [])];
}

function resultContent(file: SourceFile, options: ResultOptions): FileSource {
  const given = options.contents?.get(file.path);
  if (given !== undefined) return given;
  const { transcript } = file;
  if (transcript === undefined) return { copyOf: file.path };
  const { renames } = options;
  const rewrite: Rewrite = {
    ...options.rewrites?.get(file.path),
    renames: renames === undefined ? undefined : (entry) => renames(entry, file),
  };
  return { lines: () => rewriteLines(transcript, rewrite) };
}

/**
 * The name of a file in the new session. Sub-agents of 2.0.x next to the main transcript move into the side folder,
 * because otherwise two sessions would own the same name.
 */
export function nameFor(name: string, oldId: string, newId: string): string {
  if (name === `${oldId}.jsonl`) return `${newId}.jsonl`;
  const inside = name.startsWith(`${oldId}/`) ? name.slice(oldId.length + 1) : path.posix.join('subagents', name);
  return `${newId}/${inside}`;
}
