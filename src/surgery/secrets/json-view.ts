// The parts of a record or of other JSON for a redactor: the strings to search, the strings to keep, and the signed
// thinking.
import { type JsonValue, parseJson } from '../../base/json/json.ts';
import { type JsonString, jsonStrings } from './json-strings.ts';
import { isKeptValue, isMediaData, isToolName, signedThinking } from './kept-values.ts';
import { isEscapedByte, splitEscapedBytes } from './lossless-text.ts';

/** A record of a transcript, other JSON, or any text. Invalid JSON counts as text. */
export type Form = 'record' | 'json' | 'text';

export interface JsonView {
  readonly text: string;
  /** The strings to search; `undefined` if the text is not JSON. */
  readonly strings: readonly JsonString[] | undefined;
  /** The strings that are not searched. */
  readonly kept: readonly JsonString[];
  readonly signed: readonly { readonly index: number; readonly text: string }[];
  /** Names of tools. */
  readonly toolNames: readonly string[];
}

export interface Cut {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function viewOf(text: string, form: Form): JsonView {
  const value = form === 'text' ? undefined : parseJson(text);
  if (typeof value !== 'object' || value === null)
    return { text, strings: undefined, kept: [], signed: [], toolNames: [] };
  const signed = form === 'record' ? signedThinking(value) : new Set<number>();
  const strings: JsonString[] = [];
  const kept: JsonString[] = [];
  const toolNames: string[] = [];
  for (const string of jsonStrings(text)) {
    if (isToolName(string.path) && !string.isKey) toolNames.push(text.slice(string.start, string.end));
    const isKept =
      !string.isKey &&
      ((form === 'record' && isKeptValue(string.path, signed)) || isMediaData(text.slice(string.start, string.end)));
    (isKept ? kept : strings).push(string);
  }
  return { text, strings, kept, signed: thinkingTexts(value, signed), toolNames };
}

function thinkingTexts(entry: JsonValue, signed: ReadonlySet<number>): JsonView['signed'] {
  if (signed.size === 0) return [];
  const { content } = (entry as { message: { content: readonly { thinking?: unknown }[] } }).message; // it has signed thinking
  return [...signed].flatMap((index) => {
    const text = content[index]?.thinking;
    return typeof text === 'string' ? [{ index, text }] : [];
  });
}

/** The whole text without the kept strings, then each decoded string. */
export function textsOf(view: JsonView): string[] {
  const { text, strings } = view;
  if (strings === undefined) return [text];
  const decoded = strings.flatMap(({ start, end }) =>
    splitEscapedBytes(text.slice(start, end)).flatMap((part) => {
      const plain = isEscapedByte(part) ? undefined : decodeString(part);
      return plain !== undefined && plain.length >= shortest ? [plain] : [];
    }),
  );
  return [shownText(view), ...decoded];
}

/** A string without quotes and escapes. */
export function decodeString(raw: string): string | undefined {
  if (!raw.includes('\\')) return raw;
  const plain = parseJson(`"${raw}"`);
  return typeof plain === 'string' ? plain : undefined;
}

/** No rule matches a shorter value. */
export const shortest = 4;

/** The same length, with blanks for kept strings. */
export function shownText({ text, kept }: JsonView): string {
  return splice(
    text,
    kept.map(({ start, end }) => ({ start, end, text: ' '.repeat(end - start) })),
  );
}

export function splice(text: string, cuts: readonly Cut[]): string {
  if (cuts.length === 0) return text;
  const parts: string[] = [];
  let done = 0;
  for (const cut of cuts) {
    parts.push(text.slice(done, cut.start), cut.text);
    done = cut.end;
  }
  parts.push(text.slice(done));
  return parts.join('');
}
