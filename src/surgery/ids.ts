// Old ids → new ids, for a session that becomes another one. Every copy of an id gets the same new one, in every file;
// what is said in the conversation is never looked into.
import { randomUUID } from 'node:crypto';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Edit, JsonPath } from '../format/edit.ts';
import type { Transcript } from '../session/transcript.ts';

/** The edit that gives a record another session id; none where it names no session. */
export function sessionIdEdits(entry: JsonObject, sessionId: string): readonly Edit[] {
  return ['sessionId', 'session_id'].flatMap((key) =>
    asString(entry[key]) === undefined || entry[key] === sessionId ? [] : [{ path: [key], set: sessionId }],
  );
}

/**
 * The edits that say on each message line where it was copied from, as the SDK's fork does: so a message is counted in the
 * session that had it first. Lines that an operation adds come from nowhere.
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

/** New ids for the lines and prompts of some transcripts. */
export class NewIds {
  readonly #ids = new Map<string, string>();
  readonly #prompts = new Map<string, string>();

  constructor(transcripts: readonly Transcript[]) {
    for (const { nodes } of transcripts) {
      for (const { uuid } of nodes) if (uuid !== undefined) this.#ids.set(uuid, '');
    }
  }

  /** Of a line in these transcripts; any other id stays. */
  of(uuid: string): string {
    const known = this.#ids.get(uuid);
    if (known === undefined) return uuid;
    if (known !== '') return known;
    const made = randomUUID();
    this.#ids.set(uuid, made);
    return made;
  }

  /**
   * The edits for every reference to a line: fields of any name and depth, so that those of later clients are found too.
   * A parent that is in no file gets a new id as well: it must not lead to the session that was copied.
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
 * Where a record names one of these lines. A uuid is found in fields of any name, so that those of later clients are
 * found too; an id that is no uuid (in hand-made files, `u1` or a placeholder) might be anything, and counts only in a
 * field that by its name holds the id of a line.
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

/** What was said, where an id is quoted, and fields that name something else than a line and are renamed for themselves. */
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
