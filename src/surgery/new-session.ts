// A source and what happens to its records → the session that results, with all its files: under a new id (the
// default: the original is never touched), or in the place of the source.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { JsonObject } from '../base/json.ts';
import type { Edit } from '../format/edit.ts';
import { originEdits, sessionIdEdits } from './ids.ts';
import type { FileSource, PlannedFile, PlannedSession } from './plan.ts';
import { type Rewrite, rewriteLines } from './rewrite.ts';
import type { Source, SourceFile } from './source.ts';

export interface ResultOptions {
  /** What happens to the records of each transcript, by the file's path; files not named stay as they are. */
  readonly rewrites?: ReadonlyMap<string, Rewrite>;
  /** Edits on top, for every record of every transcript: other ids, another folder. */
  readonly renames?: (entry: JsonObject, file: SourceFile) => readonly Edit[];
  /** Files that are not transcripts and get other content. */
  readonly contents?: ReadonlyMap<string, FileSource>;
  /** Files that the source does not have, by their name below the project folder. */
  readonly added?: readonly PlannedFile[];
  /** Other names for files, below the project folder; the main transcript keeps its own. */
  readonly fileNames?: (name: string) => string;
  /** Files that do not come along. */
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

/** The same session elsewhere: nothing changes but what `options` name. */
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

/** The source's own files with other content. Files that stay as they are do not appear in it. */
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
    .map((file) => ({ name: rename(file.name), content: contentOf(file, options) }));
  return [...own, ...(options.added ?? [])];
}

function contentOf(file: SourceFile, options: ResultOptions): FileSource {
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
 * Where a file of the old session stands in the new one. Sub-agents of 2.0.x stand beside the main transcript; they go
 * into the side folder, because beside it two sessions would own one name.
 */
export function nameFor(name: string, oldId: string, newId: string): string {
  if (name === `${oldId}.jsonl`) return `${newId}.jsonl`;
  const inside = name.startsWith(`${oldId}/`) ? name.slice(oldId.length + 1) : path.posix.join('subagents', name);
  return `${newId}/${inside}`;
}
