// Texts of a transcript ⇄ the page: long ones are cut and carry the place of the whole, and a place is turned back into
// its text or its image. Every cut is at a character, so that the page never shows half of one.
import { decodedByteLength, type ImageType, readImageSize, readImageType } from '../../api/request/index.ts';
import { asObject, asString, isArray, isObject, type JsonValue, prettyJson } from '../../base/json/index.ts';
import { blocksOf, isHunk } from '../../format/entry/index.ts';
import { resultText } from '../../session/calls/index.ts';
import type { StoryImage, StoryLine, StoryText, TextRole } from '../../session/items/index.ts';
import type { Session } from '../../session/load/index.ts';
import { diffText, editHunks, isEdit, valueBelow } from '../../session/story/index.ts';
import type { ImageRef, Place, Ref, Text } from '../wire/index.ts';

/** Enough to read; the page asks for the rest. */
const textChars = {
  answer: 20_000,
  prompt: 10_000,
  thinking: 6_000,
  output: 6_000,
  note: 2_000,
} as const satisfies Record<TextRole, number>;

export function sentText({ text, role, at }: StoryText): Text {
  return cutText(text, textChars[role], at);
}

export function cutText(text: string, maxChars: number, at: Ref | null): Text {
  const chars = hasEndlessWord(text) ? Math.min(maxChars, endlessChars) : maxChars;
  // Leaving out a few words would save nothing.
  if (text.length <= chars * 1.1) return { text, more: 0, at: null };
  const start = firstChars(text, chars);
  return { text: start, more: text.length - start.length, at };
}

const endlessChars = 2_000;

/** Encoded bytes and the like: nobody reads all of it, and a page of it hides what follows. */
function hasEndlessWord(text: string): boolean {
  return text.length > endlessChars && /^\S{2000}/.test(text.trimStart().slice(0, endlessChars));
}

/** Of the id of a call, which a transcript may make as long as it likes. */
export const callIdChars = 100;

/** Never splits a surrogate pair. */
export function firstChars(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const code = text.charCodeAt(maxChars - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? maxChars - 1 : maxChars);
}

/** The beginning of a text on one line; of a huge text only the beginning is read. */
export function startOf(text: string, maxChars: number): string {
  const line = firstChars(text.trimStart(), maxChars * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= maxChars ? line : `${firstChars(line, maxChars - 1)}…`;
}

export function linePlace(node: StoryLine): Place {
  return { line: node.line, record: node.index, uuid: node.uuid ?? null };
}

/** JSON has no `NaN`. */
export function timeOf(timeMs: number): number | null {
  return Number.isNaN(timeMs) ? null : timeMs;
}

export function valueAt({ transcript }: Pick<Session, 'transcript'>, ref: Ref): JsonValue | undefined {
  const node = transcript.nodes[ref.record];
  if (node === undefined || (ref.pointer !== '' && !ref.pointer.startsWith('/'))) return undefined;
  const keys = ref.pointer.split('/').slice(1);
  return valueBelow(
    transcript.read(node),
    keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')),
  );
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

/** An image by its own header, whatever the transcript calls it; `undefined` if its type is not shown. */
export function imageAt(session: Pick<Session, 'transcript'>, ref: Ref): StoredImage | undefined {
  const data = asString(valueAt(session, ref));
  const type = data === undefined ? undefined : readImageType(data);
  return data === undefined || type === undefined ? undefined : { type, bytes: Buffer.from(data, 'base64') };
}

/** A reference that the page can ask for: never the bytes, and never an address outside. */
export function imageRef({ source, at }: StoryImage): ImageRef {
  const data = asString(source.data) ?? '';
  const url = asString(source.url);
  const type = readImageType(data);
  const size = type === undefined ? undefined : readImageSize(data);
  return {
    at: type === undefined ? null : { record: at.record, pointer: `${at.pointer}/source/data` },
    mediaType: type ?? firstChars(asString(source.media_type) ?? 'image', 60),
    width: size?.width ?? null,
    height: size?.height ?? null,
    sizeBytes: decodedByteLength(data),
    url: url === undefined ? null : firstChars(url, 500),
  };
}
