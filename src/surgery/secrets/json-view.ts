// The parts of a record or of other JSON for a redactor: the strings to search, the strings to keep, and the signed
// thinking.
import { isUtf8 } from 'node:buffer';
import { asObject, asString, isArray, type JsonValue, parseJson } from '../../base/json/index.ts';
import { findSecrets, type RuleSet, type Secret } from './find.ts';
import { keyBits } from './scan/index.ts';

export function decodeLossless(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    parts.push(bytes.toString('utf8', start, at), String.fromCharCode(firstEscape + (bytes[at] as number)));
    start = ++at;
  }
  parts.push(bytes.toString('utf8', start));
  return parts.join('');
}

export function encodeLossless(text: string): Buffer {
  if (!/[\ud800-\udfff]/.test(text)) return Buffer.from(text);
  return Buffer.concat(
    splitEscapedBytes(text).map((part) =>
      isEscapedByte(part) ? Buffer.from([part.charCodeAt(0) - firstEscape]) : Buffer.from(part),
    ),
  );
}

/** Splits the text around escaped bytes. */
export function splitEscapedBytes(text: string): string[] {
  if (!/[\udc80-\udcff]/.test(text)) return text === '' ? [] : [text];
  return text.split(/((?<![\ud800-\udbff])[\udc80-\udcff])/).filter((part) => part !== '');
}

export function isEscapedByte(part: string): boolean {
  return part.length === 1 && part >= '\udc80' && part <= '\udcff';
}

const firstEscape = 0xdc00;

/** The number of bytes of the character at `at`; 0 if it is invalid. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}

export interface JsonString {
  /** Between the quotes. */
  readonly start: number;
  readonly end: number;
  readonly isKey: boolean;
  /** Of the member whose value it is. */
  readonly name: string | undefined;
  /** Its path; for a key, that of its object. Valid until the next string. */
  readonly path: readonly (string | number)[];
}

/** `text` must be one complete JSON value. */
function* jsonStrings(text: string): Generator<JsonString> {
  const path: (string | number)[] = [];
  /** Whether a key comes next, for each open bracket. */
  const open: ('object' | 'array')[] = [];
  let isKeyNext = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charAt(at)) {
      case '{':
        open.push('object');
        path.push('');
        isKeyNext = true;
        break;
      case '[':
        open.push('array');
        path.push(0);
        isKeyNext = false;
        break;
      case '}':
      case ']':
        open.pop();
        path.pop();
        isKeyNext = false;
        break;
      case ',':
        isKeyNext = open.at(-1) === 'object';
        if (!isKeyNext) path.push(Number(path.pop()) + 1);
        break;
      case '"': {
        const end = endOfString(text, at);
        if (isKeyNext) path.pop();
        const last = isKeyNext ? undefined : path.at(-1);
        const name = typeof last === 'string' ? last : undefined;
        yield { start: at + 1, end: end - 1, isKey: isKeyNext, name, path };
        if (isKeyNext) path.push(decodeKey(text.slice(at, end)));
        isKeyNext = false;
        at = end - 1;
        break;
      }
    }
  }
}

function endOfString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slash = end;
    while (text.charCodeAt(slash - 1) === 0x5c) slash--;
    if (((end - slash) & 1) === 0) return end + 1;
  }
  return text.length;
}

function decodeKey(literal: string): string {
  return literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
}

type Path = readonly (string | number)[];

/** `signed`: the elements of `message.content` that are thinking with a signature. */
function isKeptValue(path: Path, signed: ReadonlySet<number>): boolean {
  const [first, second, third, fourth] = path;
  if (path.length === 1) return typeof first === 'string' && idFields.has(first);
  if (first !== 'message') return false;
  if (path.length === 2) return typeof second === 'string' && messageFields.has(second);
  if (second !== 'content' || typeof third !== 'number') return false;
  if (fourth === 'thinking' && path.length === 4) return signed.has(third);
  // A result has its own blocks.
  const isInner = fourth === 'content' && typeof path[4] === 'number';
  const field = path.slice(isInner ? 5 : 3);
  if (field.length === 2) return field[0] === 'source' && sourceFields.has(String(field[1]));
  return field.length === 1 && blockFields.has(String(field[0]));
}

/** An image or document in base64; matches in it would not be secrets. */
export function isMediaData(text: string): boolean {
  return text.length >= 64 && mediaStart.test(text) && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

/** The name of a tool: in a call, a result or an attachment. */
function isToolName(path: Path): boolean {
  const last = path.at(-1);
  if (typeof last === 'number') return toolNameLists.has(String(path.at(-2)));
  if (last === 'name') return typeof path.at(-2) === 'number' && path.at(-3) === 'content';
  return toolNameFields.has(String(last));
}

/** Only in messages: copies in bookkeeping are never sent, so they may be altered. */
function signedThinking(value: JsonValue): ReadonlySet<number> {
  const entry = asObject(value);
  const content = entry?.type === 'assistant' ? asObject(entry.message)?.content : undefined;
  if (!isArray(content)) return none;
  return new Set(
    content.flatMap((item, i) => {
      const block = asObject(item);
      const isSigned = block?.type === 'thinking' && (asString(block.signature) ?? '') !== '';
      return isSigned ? [i] : [];
    }),
  );
}

const none: ReadonlySet<number> = new Set();

/** png, jpeg, gif, webp, pdf. */
const mediaStart = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|JVBERi0)/;

const idFields: ReadonlySet<string> = new Set([
  'type',
  'subtype',
  'uuid',
  'parentUuid',
  'logicalParentUuid',
  'leafUuid',
  'messageId',
  'snapshotMessageId',
  'sessionId',
  'session_id',
  'promptId',
  'requestId',
  'agentId',
  'toolUseID',
  'parentToolUseID',
  'sourceToolUseID',
  'sourceToolAssistantUUID',
  'timestamp',
  'version',
  'userType',
]);

const messageFields: ReadonlySet<string> = new Set(['id', 'type', 'role', 'model', 'stop_reason']);
const blockFields: ReadonlySet<string> = new Set(['type', 'id', 'tool_use_id', 'signature', 'data']);

const sourceFields: ReadonlySet<string> = new Set(['type', 'media_type']);
const toolNameFields: ReadonlySet<string> = new Set(['toolName', 'tool_name']);
const toolNameLists: ReadonlySet<string> = new Set(['addedNames', 'removedNames', 'readdedNames']);

/** What the module must know about the name of a key to decide `isKeptValue` and `isToolName`. */
export const keptNames: ReadonlyMap<string, number> = bitsByName([
  [idFields, keyBits.id],
  [messageFields, keyBits.messageField],
  [blockFields, keyBits.blockField],
  [sourceFields, keyBits.sourceField],
  [toolNameFields, keyBits.toolName],
  [toolNameLists, keyBits.names],
  [['message'], keyBits.message],
  [['content'], keyBits.content],
  [['source'], keyBits.source],
  [['thinking'], keyBits.thinking],
  [['signature'], keyBits.signature],
  [['type'], keyBits.type],
  [['name'], keyBits.name],
]);

function bitsByName(groups: readonly (readonly [Iterable<string>, number])[]): ReadonlyMap<string, number> {
  const bits = new Map<string, number>();
  for (const [names, bit] of groups) for (const name of names) bits.set(name, (bits.get(name) ?? 0) | bit);
  return bits;
}

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

/**
 * The secrets in a value with quotes or escapes, which the rules would end at the quote: they see `name` and the value
 * without them. `raw` is the value as JSON, without its quotes.
 */
export function quotedSecrets(name: string, raw: string, ruleSet: RuleSet): Pick<Secret, 'kind' | 'value'>[] {
  if (raw.length > longestQuoted || !/["'`\\]/.test(raw)) return [];
  const value = parseJson(`"${raw}"`);
  if (typeof value !== 'string' || /\s/.test(value)) return [];
  const before = `"${name}": "`;
  return findSecrets(`${before}${value.replace(/["'`\\]/g, '~')}"`, ruleSet).flatMap(({ kind, start, end }) => {
    const own = value.slice(Math.max(0, start - before.length), end - before.length);
    return own.length >= shortest ? [{ kind, value: own }] : [];
  });
}

/** Longer values are not passwords. */
const longestQuoted = 200;

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
