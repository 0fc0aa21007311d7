// The text of a record or of other JSON → the strings in it that may be looked into, those that are kept as they are, and
// the signed thinking: what a redactor works on.
import { type JsonValue, parseJson } from '../../base/json.ts';
import { type JsonString, jsonStrings } from './json-strings.ts';
import { isKeptValue, isMediaData, isToolName, signedThinking } from './kept-values.ts';
import { isStandIn, splitStandIns } from './lossless-text.ts';

/** A record of a transcript, other JSON, or any text. What is no whole JSON value is taken for text. */
export type Form = 'record' | 'json' | 'text';

export interface JsonView {
  readonly text: string;
  /** Those that may be looked into; `undefined` where the text is no JSON. */
  readonly strings: readonly JsonString[] | undefined;
  /** Those that may not. */
  readonly kept: readonly JsonString[];
  readonly signed: readonly { readonly index: number; readonly text: string }[];
  /** Names of tools, which the API takes literally. */
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

/** The whole text, without what is kept, then each string by itself, decoded. */
export function textsOf(view: JsonView): string[] {
  const { text, strings } = view;
  if (strings === undefined) return [text];
  const decoded = strings.flatMap(({ start, end }) =>
    splitStandIns(text.slice(start, end)).flatMap((part) => {
      const plain = isStandIn(part) ? undefined : decodeString(part);
      return plain !== undefined && plain.length >= shortest ? [plain] : [];
    }),
  );
  return [shownText(view), ...decoded];
}

/** What stands between the quotes, without its escapes. */
export function decodeString(raw: string): string | undefined {
  if (!raw.includes('\\')) return raw;
  const plain = parseJson(`"${raw}"`);
  return typeof plain === 'string' ? plain : undefined;
}

/** No rule and no known value is shorter. */
export const shortest = 4;

/** The same length: what is kept is blank. */
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
