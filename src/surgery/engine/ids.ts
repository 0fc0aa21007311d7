// New ids for a copied session. Every occurrence of an id gets the same new id, in every file; the content of the
// conversation is not searched.
import { randomUUID } from 'node:crypto';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import type { Edit, JsonPath } from '../../format/bytes/edit.ts';
import type { Transcript } from '../../session/transcript/transcript.ts';

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
