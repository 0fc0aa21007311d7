// Where the values of an entry are: references that lead back to them.
import { asObject, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import type { Entry } from '../../format/entry/index.ts';
import type { Ref, StoryLine } from '../items/index.ts';

export type Keys = readonly (string | number)[];

export function refTo(node: StoryLine, ...keys: Keys): Ref {
  const pointer = keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { record: node.index, pointer };
}

/** The path to the content of an entry: old lines have no message. */
export function contentKeys(entry: Entry): readonly string[] {
  return asObject((entry as JsonObject).message)?.content === undefined ? ['content'] : ['message', 'content'];
}

/** A block of the content; the content itself if it is one string. */
export function blockRef(node: StoryLine, entry: Entry, block: number, ...keys: Keys): Ref {
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
