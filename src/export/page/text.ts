// Texts of a transcript ⇄ the page: long ones are cut and carry the place of the whole, and a place is turned back into
// its text or its image. Every cut is at a character, so that the page never shows half of one.
import { type ImageType, readImageType } from '../../api/image-size.ts';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { prettyJson } from '../../base/json-text.ts';
import { blocksOf } from '../../format/block.ts';
import type { Entry } from '../../format/entry.ts';
import { isHunk } from '../../format/tool-result.ts';
import { resultText } from '../../session/call-result.ts';
import type { Node } from '../../session/node.ts';
import type { Session } from '../../session/session.ts';
import { diffText, editHunks, isEdit } from './hunks.ts';
import type { Place, Ref, Text } from './view.ts';

export const noText: Text = { text: '', more: 0, at: null };

/** Enough to read on; the page asks for the rest. */
export const textChars = { answer: 20_000, prompt: 10_000, thinking: 6_000, output: 6_000, note: 2_000 } as const;

export function cutText(text: string, maxChars: number, at: Ref | null): Text {
  const chars = hasEndlessWord(text) ? Math.min(maxChars, endlessChars) : maxChars;
  // To leave a few words out would save nothing.
  if (text.length <= chars * 1.1) return { text, more: 0, at: null };
  const start = firstChars(text, chars);
  return { text: start, more: text.length - start.length, at };
}

const endlessChars = 2_000;

/** Encoded bytes and the like: nobody reads on, and a page of it hides what stands below. */
function hasEndlessWord(text: string): boolean {
  return text.length > endlessChars && /^\S{2000}/.test(text.trimStart().slice(0, endlessChars));
}

/** At most so many characters, and never half of a pair. */
export function firstChars(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const code = text.charCodeAt(maxChars - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? maxChars - 1 : maxChars);
}

/** The beginning of a text on one line; of a huge one only the beginning is looked at. */
export function startOf(text: string, maxChars: number): string {
  const line = firstChars(text.trimStart(), maxChars * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= maxChars ? line : `${firstChars(line, maxChars - 1)}…`;
}

export function placeOf(node: Node): Place {
  return { line: node.line, record: node.index, uuid: node.uuid ?? null };
}

export function refTo(node: Node, ...keys: readonly (string | number)[]): Ref {
  const pointer = keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { record: node.index, pointer };
}

/** Where the content of an entry stands, and in it a block: a content may be one string, and old lines have no message. */
export function contentKeys(entry: Entry): readonly string[] {
  return asObject((entry as JsonObject).message)?.content === undefined ? ['content'] : ['message', 'content'];
}

export function blockRef(node: Node, entry: Entry, block: number, ...keys: readonly (string | number)[]): Ref {
  const path = contentKeys(entry);
  return isArray(valueBelow(entry, path)) ? refTo(node, ...path, block, ...keys) : refTo(node, ...path);
}

/** Not a number is nothing in JSON. */
export function timeOf(timeMs: number): number | null {
  return Number.isNaN(timeMs) ? null : timeMs;
}

/** The value at a place; `undefined` where there is none. */
export function valueAt({ transcript }: Pick<Session, 'transcript'>, ref: Ref): JsonValue | undefined {
  const node = transcript.nodes[ref.record];
  if (node === undefined || (ref.pointer !== '' && !ref.pointer.startsWith('/'))) return undefined;
  const keys = ref.pointer.split('/').slice(1);
  return valueBelow(
    transcript.read(node),
    keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')),
  );
}

function valueBelow(root: JsonValue | Entry, keys: readonly string[]): JsonValue | undefined {
  let value: unknown = root;
  for (const name of keys) {
    if (isArray(value)) value = /^\d{1,9}$/.test(name) ? value[Number(name)] : undefined;
    else value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value as JsonValue | undefined; // below a JSON value there is nothing else
}

/** The whole of a cut text, as the page shows it: blocks as their text, patches and edits as a diff, the rest as JSON. */
export function textAt(session: Pick<Session, 'transcript'>, ref: Ref): string | undefined {
  const value = valueAt(session, ref);
  if (value === undefined || typeof value === 'string') return value;
  if (isObject(value) && isEdit(value)) return diffText(editHunks(value));
  if (!isArray(value)) return prettyJson(value);
  if (value.length > 0 && value.every(isHunk)) return diffText(value);
  return value.some((block) => asObject(block)?.type === 'text') ? resultText(blocksOf(value)) : prettyJson(value);
}

export interface StoredImage {
  readonly type: ImageType;
  readonly bytes: Buffer;
}

/** An image by its own header, whatever the transcript calls it; `undefined` where it is none of the types we show. */
export function imageAt(session: Pick<Session, 'transcript'>, ref: Ref): StoredImage | undefined {
  const data = asString(valueAt(session, ref));
  const type = data === undefined ? undefined : readImageType(data);
  return data === undefined || type === undefined ? undefined : { type, bytes: Buffer.from(data, 'base64') };
}
