// Plans the resulting session of an operation with all its files: with a new id, or in place of the source.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import type { Edit, JsonPath } from '../../format/bytes/index.ts';
import type { Transcript } from '../../session/transcript/index.ts';
import type { FileSource, PlannedFile, PlannedSession, Source, SourceFile } from './plan.ts';
import { type Rewrite, rewriteLines } from './rewrite.ts';

// New ids for a copied session. Every occurrence of an id gets the same new id, in every file; the content of the
// conversation is not searched.

export function sessionIdEdits(entry: JsonObject, sessionId: string): readonly Edit[] {
  return ['sessionId', 'session_id'].flatMap((key) =>
    asString(entry[key]) === undefined || entry[key] === sessionId ? [] : [{ path: [key], set: sessionId }],
  );
}

/**
 * Adds `forkedFrom` to each message line, like the SDK's fork, so that a message is counted in its first session. Lines
 * that an operation adds do not get one.
 */
export function originEdits(sessionId: string, transcripts: readonly Transcript[]): (entry: JsonObject) => Edit[] {
  const uuids = new Set(transcripts.flatMap(({ nodes }) => nodes.flatMap(({ uuid }) => uuid ?? [])));
  return (entry) => {
    const role = asString(entry.type) || asString(asObject(entry.message)?.role);
    if (role !== 'user' && role !== 'assistant') return [];
    const messageUuid = asString(entry.uuid);
    if (messageUuid !== undefined && !uuids.has(messageUuid)) return [];
    return [{ path: ['forkedFrom'], set: messageUuid === undefined ? { sessionId } : { sessionId, messageUuid } }];
  };
}

export class NewIds {
  readonly #ids = new Map<string, string>();
  readonly #prompts = new Map<string, string>();

  constructor(transcripts: readonly Transcript[]) {
    for (const { nodes } of transcripts) {
      for (const { uuid } of nodes) if (uuid !== undefined) this.#ids.set(uuid, '');
    }
  }

  /** An id that is not in these transcripts stays. */
  of(uuid: string): string {
    const known = this.#ids.get(uuid);
    if (known === undefined) return uuid;
    if (known !== '') return known;
    const made = randomUUID();
    this.#ids.set(uuid, made);
    return made;
  }

  /**
   * Edits for every reference to a line, see `findReferences`. A parent that is in no file also gets a new id, so that it
   * does not lead to the original.
   */
  edits(entry: JsonObject): readonly Edit[] {
    const edits: Edit[] = [];
    for (const key of ['parentUuid', 'logicalParentUuid']) {
      const parent = asString(entry[key]);
      if (parent !== undefined && !this.#ids.has(parent)) this.#ids.set(parent, '');
    }
    const promptId = asString(entry.promptId);
    if (promptId !== undefined) edits.push({ path: ['promptId'], set: this.#prompt(promptId) });
    for (const { path, id } of findReferences(entry, (uuid) => this.#ids.has(uuid)))
      edits.push({ path, set: this.of(id) });
    return edits;
  }

  #prompt(promptId: string): string {
    const made = this.#prompts.get(promptId) ?? randomUUID();
    this.#prompts.set(promptId, made);
    return made;
  }
}

export interface Reference {
  readonly path: JsonPath;
  readonly id: string;
}

/**
 * Where a record names one of these lines. A uuid counts in fields of any name, so that the fields of later clients are
 * found too. Another id (`u1` in hand-written files) might be anything, and counts only in a field named like an id.
 */
export function findReferences(entry: JsonObject, isId: (text: string) => boolean): readonly Reference[] {
  const found: Reference[] = [];
  const visit = (value: JsonValue | undefined, path: JsonPath, field: string): void => {
    if (typeof value === 'string') {
      if (isId(value) && (uuidForm.test(value) || idField.test(field))) found.push({ path, id: value });
    } else if (isArray(value)) {
      for (const [i, item] of value.entries()) visit(item, [...path, i], field);
    } else if (isObject(value) && path.length < deepestReference) {
      for (const [key, item] of Object.entries(value))
        if (!(path.length === 0 && otherKeys.has(key))) visit(item, [...path, key], key);
    }
  };
  visit(entry, [], '');
  return found;
}

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const idField = /(?:uuids?|messageid)$/i;
const deepestReference = 6;

/** Content that may quote an id, and fields that are renamed separately. */
const otherKeys: ReadonlySet<string> = new Set([
  'message',
  'toolUseResult',
  'content',
  'rendered',
  'data',
  'sessionId',
  'session_id',
  'promptId',
  'cwd',
  'forkedFrom',
]);

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
