// Texts of a transcript with the place each was read from, so that a sink may cut one and fetch the rest later.
import { asObject, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { Entry } from '../../format/entry.ts';
import type { Node } from '../node.ts';

/** A value inside a record: the JSON Pointer (RFC 6901) from its root. */
export interface Ref {
  /** Among the records of the transcript, from 0. */
  readonly record: number;
  readonly pointer: string;
}

/** What a text is: a sink chooses how much of it to show. */
export type TextRole = 'answer' | 'prompt' | 'thinking' | 'output' | 'note';

/** A class, so that a sink can recognise texts anywhere in an item. */
export class StoryText {
  readonly text: string;
  readonly role: TextRole;
  readonly at: Ref | null;

  constructor(text: string, role: TextRole, at: Ref | null) {
    this.text = text;
    this.role = role;
    this.at = at;
  }

  get isBlank(): boolean {
    return this.text.trim() === '';
  }
}

export type Keys = readonly (string | number)[];

export function refTo(node: Node, ...keys: Keys): Ref {
  const pointer = keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { record: node.index, pointer };
}

/** The path to the content of an entry: old lines have no message. */
export function contentKeys(entry: Entry): readonly string[] {
  return asObject((entry as JsonObject).message)?.content === undefined ? ['content'] : ['message', 'content'];
}

/** A block of the content; the content itself if it is one string. */
export function blockRef(node: Node, entry: Entry, block: number, ...keys: Keys): Ref {
  const path = contentKeys(entry);
  return isArray(valueBelow(entry, path)) ? refTo(node, ...path, block, ...keys) : refTo(node, ...path);
}

export function valueBelow(root: JsonValue | Entry, keys: readonly string[]): JsonValue | undefined {
  let value: unknown = root;
  for (const name of keys) {
    if (isArray(value)) value = /^\d{1,9}$/.test(name) ? value[Number(name)] : undefined;
    else value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value as JsonValue | undefined; // below a JSON value there is nothing else
}
