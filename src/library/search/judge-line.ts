// The bytes of a line → which of its texts match, before the index is asked for its documents.
import { skipKey, skipString, skipValue, skipWhitespace } from '../../format/bytes/index.ts';
import { type TextKind, textsOfLine } from '../text/index.ts';

/** The texts that match, as `kind part`; or `only-text`: the line has one text, and it matches. */
export type Verdict = ReadonlySet<string> | 'only-text';

export interface Judge {
  readonly pattern: RegExp;
  /** Given if a text matches exactly where it holds these bytes, or escapes of them. */
  readonly plain: Buffer | undefined;
  /** Bytes that a line must hold too, unless escapes spell them. */
  readonly needed: readonly Buffer[];
}

export function judgeLine(line: Buffer, { pattern, plain, needed }: Judge): Verdict {
  if (needed.some((bytes) => !line.includes(bytes)) && !line.includes('\\u')) return none;
  if (plain !== undefined) {
    const only = onlyText(line);
    if (only !== undefined) {
      const found = findPlain(line, only, plain);
      if (found !== 'unsure') return found ? 'only-text' : none;
    }
  }
  const texts = textsOfLine(line).filter(({ text }) => pattern.test(text));
  return texts.length === 0 ? none : new Set(texts.map(keyOf));
}

const none: ReadonlySet<string> = new Set();

export function keyOf({ kind, part }: { readonly kind: TextKind; readonly part: number }): string {
  return `${kind} ${part}`;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A backslash shortly before the bytes may make their first character a part of an escape. */
const longestEscape = 6;
const backslash = 0x5c;

function findPlain(line: Buffer, { start, end }: Span, plain: Buffer): boolean | 'unsure' {
  const text = line.subarray(start, end);
  for (let at = text.indexOf(plain); at >= 0; at = text.indexOf(plain, at + 1)) {
    if (!text.subarray(Math.max(0, at - longestEscape), at).includes(backslash)) return true;
  }
  return text.includes('\\u') || text.includes(plain) ? 'unsure' : false;
}

/**
 * The string that is all the text of a line: the content of its message, or of the only block in it. `undefined` for any
 * other line, also if a key is escaped.
 */
function onlyText(line: Buffer): Span | undefined {
  const record = membersOf(line, 0, ['type', 'message']);
  if (record === undefined || skipWhitespace(line, record.end) !== line.length) return undefined;
  const [typeOfRecord, message] = record.values;
  const type = literalAt(line, typeOfRecord);
  if (message === undefined || (type !== 'user' && type !== 'assistant')) return undefined;
  const content = membersOf(line, message.start, ['content'])?.values[0];
  if (content === undefined) return undefined;
  if (line[content.start] === quote) return content;
  if (line[content.start] !== openBracket) return undefined;
  const block = membersOf(line, skipWhitespace(line, content.start + 1), ['type', 'text', 'thinking', 'content']);
  if (block === undefined || skipWhitespace(line, block.end) !== content.end - 1) return undefined;
  const wanted = textMember.get(literalAt(line, block.values[0]) ?? '');
  const text = wanted === undefined ? undefined : block.values[wanted];
  return text !== undefined && line[text.start] === quote ? text : undefined;
}

/** By the type of a block: which of the members above is its text. */
const textMember: ReadonlyMap<string, number> = new Map([
  ['text', 1],
  ['thinking', 2],
  ['tool_result', 3],
]);

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const openBrace = 0x7b;
const closeBrace = 0x7d;

interface Members {
  /** In the order of their names. */
  readonly values: readonly (Span | undefined)[];
  /** After the object. */
  readonly end: number;
}

/** Some members of the object at `at`, the last of each name; `undefined` if it is not one, or a key is escaped. */
function membersOf(line: Buffer, at: number, names: readonly string[]): Members | undefined {
  if (line[at] !== openBrace) return undefined;
  const found: (Span | undefined)[] = names.map(() => undefined);
  let keyStart = skipWhitespace(line, at + 1);
  for (;;) {
    const start = skipKey(line, keyStart);
    const end = start < 0 ? -1 : skipValue(line, start);
    if (end < 0) return undefined;
    const key = line.toString('latin1', keyStart + 1, Math.min(skipString(line, keyStart) - 1, keyStart + longestKey));
    if (key.includes('\\')) return undefined;
    const number = names.indexOf(key);
    if (number >= 0) found[number] = { start, end };
    const next = skipWhitespace(line, end);
    if (line[next] === closeBrace) return { values: found, end: next + 1 };
    if (line[next] !== comma) return undefined;
    keyStart = skipWhitespace(line, next + 1);
  }
}

const longestKey = 64;

function literalAt(line: Buffer, span: Span | undefined): string | undefined {
  if (span === undefined || line[span.start] !== quote || span.end - span.start > longestKey) return undefined;
  const text = line.toString('latin1', span.start + 1, span.end - 1);
  return text.includes('\\') ? undefined : text;
}
