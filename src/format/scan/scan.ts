// The lazy scanner: one pass over the bytes of a line finds what the graph, the turns and the counts need, and decodes no
// other string. It checks the shape of the record, not the content of strings and numbers.

import { parseJson } from '../../base/json/index.ts';
import { asBuffer } from '../../base/node/index.ts';
import { makeUsage, noUsage, readCompactions, tokenCount, type Usage } from '../entry/index.ts';
import { field } from './places.ts';
import {
  blockCount,
  endOf,
  isNull,
  isObject,
  isOnRecord,
  isString,
  isTrue,
  selectBlock,
  startOf,
  strayCount,
  stringAt,
  stringField,
  stringFields,
  timeOf,
  walkRecord,
} from './spans.ts';

/**
 * The fields of a record that can be read without parsing its content. Missing fields and fields of the wrong type are
 * `undefined`.
 */
export interface Head {
  /** Empty if there is none (seed-002 files leave it out on assistant lines). */
  type: string;
  /** For an attachment, its type. */
  subtype: string | undefined;
  uuid: string | undefined;
  /** `null` and `undefined` are both roots; a value that is neither string nor null counts as absent. */
  parentUuid: string | null | undefined;
  logicalParentUuid: string | undefined;
  /** Milliseconds since 1970, or `NaN` without a timestamp that `Date.parse` accepts. */
  time: number;
  sessionId: string | undefined;
  agentId: string | undefined;
  cwd: string | undefined;
  version: string | undefined;
  requestId: string | undefined;
  /** Of `last-prompt` and `summary`. */
  leafUuid: string | undefined;
  explicit: boolean;
  isSidechain: boolean;
  isMeta: boolean;
  isCompactSummary: boolean;
  isApiErrorMessage: boolean;
  hasPermissionMode: boolean;
  /** `toolUseResult.agentId`: the sub-agent that a tool result came from. */
  resultAgentId: string | undefined;
  message: MessageHead | undefined;
  /** The start of every text in a user line: enough to recognise the kind of input. */
  textPrefixes: readonly string[];
}

/** The part of a head that determines the kind of input of a user line. */
export interface InputHead {
  readonly isSidechain: boolean;
  readonly isMeta: boolean;
  readonly isCompactSummary: boolean;
  readonly message: { readonly blockTypes: readonly string[] } | undefined;
  readonly textPrefixes: readonly string[];
}

/** The fields of a record's message, without its content. */
export interface MessageHead {
  role: string | undefined;
  id: string | undefined;
  model: string | undefined;
  stopReason: string | undefined;
  usage: Usage | undefined;
  /**
   * `blocks` only if every element is an object: the client does not read a line otherwise. `on-record`: on the record
   * instead of in its message (seed 002), which the client does not read.
   */
  content: 'absent' | 'string' | 'blocks' | 'invalid' | 'on-record';
  blockTypes: string[];
  calls: CallHead[];
  results: ResultHead[];
  /** Qwen Code's form of a message. */
  hasParts: boolean;
}

/** The id and the name of a tool call, and the file it names. */
export interface CallHead {
  readonly id: string;
  readonly name: string;
  /** `file_path` of the input, as tools that read or write a file have it. */
  readonly file: string | undefined;
}

/** Which tool call a result belongs to, and whether it is an error. */
export interface ResultHead {
  readonly toolUseId: string;
  readonly isError: boolean;
}

/** The empty list that all heads share; it is never changed. */
const none: never[] = [];

/** A list of one is a literal, because a pushed array reserves more memory. */
function append<T>(list: T[], item: T): T[] {
  if (list === none) return [item];
  list.push(item);
  return list;
}

/**
 * Reads the head of a record without parsing its content. Returns `undefined` if the line is not exactly one whole
 * JSON object.
 */
export function scanRecord(record: Uint8Array): Head | undefined {
  const bytes = asBuffer(record);
  return walkRecord(bytes) ? scannedHead(bytes) : undefined;
}

/** The head of the walked record. */
export function scannedHead(bytes: Buffer): Head {
  const type = stringField(bytes, field.type) ?? '';
  const attached = type === 'attachment' ? stringField(bytes, field.attachmentType) : undefined;
  return {
    type,
    subtype: attached ?? stringField(bytes, field.subtype),
    uuid: stringField(bytes, field.uuid),
    parentUuid: isNull(bytes, field.parentUuid) ? null : stringField(bytes, field.parentUuid),
    logicalParentUuid: stringField(bytes, field.logicalParentUuid),
    time: timeOf(bytes),
    sessionId: stringField(bytes, field.sessionId),
    agentId: stringField(bytes, field.agentId),
    cwd: stringField(bytes, field.cwd),
    version: stringField(bytes, field.version),
    requestId: stringField(bytes, field.requestId),
    leafUuid: stringField(bytes, field.leafUuid),
    explicit: isTrue(bytes, field.explicit),
    isSidechain: isTrue(bytes, field.isSidechain),
    isMeta: isTrue(bytes, field.isMeta),
    isCompactSummary: isTrue(bytes, field.isCompactSummary),
    isApiErrorMessage: isTrue(bytes, field.isApiErrorMessage),
    hasPermissionMode: startOf(field.permissionMode) !== 0 && !isNull(bytes, field.permissionMode),
    resultAgentId: stringField(bytes, field.resultAgentId),
    message: scannedMessage(bytes),
    textPrefixes: type === 'user' || type === '' ? prefixes(bytes) : none,
  };
}

/** What determines the kind of input, of the walked record. */
export function scannedInput(bytes: Buffer): InputHead {
  return {
    isSidechain: isTrue(bytes, field.isSidechain),
    isMeta: isTrue(bytes, field.isMeta),
    isCompactSummary: isTrue(bytes, field.isCompactSummary),
    message: { blockTypes: scannedBlockTypes(bytes) },
    textPrefixes: prefixes(bytes),
  };
}

// The `message` of the walked record: its ids, its usage, the types of its blocks, and their calls and results.

const openBrace = 0x7b;
const openBracket = 0x5b;
const quote = 0x22;
const backslash = 0x5c;

function scannedMessage(bytes: Buffer): MessageHead | undefined {
  if (!isOnRecord && !isObject(bytes, field.message)) return undefined;
  const message: MessageHead = {
    role: stringField(bytes, field.role),
    id: stringField(bytes, field.messageId),
    model: stringField(bytes, field.model),
    stopReason: stringField(bytes, field.stopReason),
    usage: scannedUsage(bytes),
    content: isOnRecord ? 'on-record' : contentKind(bytes),
    blockTypes: blockCount === 0 ? none : scannedBlockTypes(bytes),
    calls: none,
    results: none,
    hasParts: startOf(field.parts) !== 0,
  };
  for (let i = 0; i < blockCount; i++) {
    selectBlock(i);
    const call = scannedCall(bytes);
    if (call !== undefined) message.calls = append(message.calls, call);
    const result = scannedResult(bytes);
    if (result !== undefined) message.results = append(message.results, result);
  }
  return message;
}

function contentKind(bytes: Buffer): MessageHead['content'] {
  const at = startOf(field.content);
  if (at === 0) return 'absent';
  const byte = bytes[at];
  if (byte === quote) return 'string';
  if (byte === openBracket) return strayCount === 0 ? 'blocks' : 'invalid';
  return byte === openBrace ? 'invalid' : 'absent';
}

/** The call of the selected block, if it is one. */
export function scannedCall(bytes: Buffer): CallHead | undefined {
  stringFields(bytes, callFields, texts);
  const [type, id, name, file] = texts;
  return type === 'tool_use' && id !== undefined ? { id, name: name ?? '', file } : undefined;
}

/** The result of the selected block, if it is one. */
export function scannedResult(bytes: Buffer): ResultHead | undefined {
  stringFields(bytes, resultFields, texts);
  const [type, toolUseId] = texts;
  if (type !== 'tool_result' || toolUseId === undefined) return undefined;
  return { toolUseId, isError: isTrue(bytes, field.isError) };
}

const callFields: readonly number[] = [field.blockType, field.blockId, field.blockName, field.filePath];
const resultFields: readonly number[] = [field.blockType, field.toolUseId];
const texts: (string | undefined)[] = [];

function scannedBlockTypes(bytes: Buffer): string[] {
  const types: string[] = [];
  for (let i = 0; i < blockCount; i++) {
    selectBlock(i);
    types.push(stringField(bytes, field.blockType) ?? '');
  }
  return types;
}

/** The start of every text in the content. */
function prefixes(bytes: Buffer): readonly string[] {
  return textsBy(bytes, prefix);
}

/** Every text in the content, without other blocks such as images. */
export function scannedTexts(bytes: Buffer): readonly string[] {
  return textsBy(bytes, stringAt);
}

function textsBy(bytes: Buffer, read: (bytes: Buffer, start: number, end: number) => string): readonly string[] {
  const whole = isOnRecord ? field.contentOnRecord : field.content;
  if (isString(bytes, whole)) return [read(bytes, startOf(whole) + 1, endOf(whole) - 1)];
  let found: string[] = none;
  for (let i = 0; i < blockCount; i++) {
    selectBlock(i);
    if (isString(bytes, field.text) && stringField(bytes, field.blockType) === 'text')
      found = append(found, read(bytes, startOf(field.text) + 1, endOf(field.text) - 1));
  }
  return found;
}

const prefixBytes = 64;

function prefix(bytes: Buffer, start: number, end: number): string {
  if (end - start <= prefixBytes) return stringAt(bytes, start, end);
  // An escape has up to six bytes for one letter.
  const isPlain = !isEscaped(bytes, start, start + prefixBytes);
  let cut = isPlain ? start + prefixBytes : Math.min(end, start + 6 * prefixBytes);
  // Cut before an escape or a UTF-8 sequence that crosses the limit.
  while (cut > start && ((bytes[cut] as number) & 0xc0) === 0x80) cut--;
  if (isPlain || cut === end) return stringAt(bytes, start, cut);
  const lastEscape = bytes.subarray(start, cut).lastIndexOf(backslash);
  if (lastEscape >= 0 && lastEscape > cut - start - 6) cut = start + lastEscape;
  while (cut > start && bytes[cut - 1] === backslash) cut--;
  return stringAt(bytes, start, cut);
}

function isEscaped(bytes: Buffer, start: number, end: number): boolean {
  const at = bytes.indexOf(backslash, start);
  return at >= 0 && at < end;
}

export function scannedUsage(bytes: Buffer): Usage | undefined {
  if (!isObject(bytes, field.usage)) return undefined;
  for (let i = 0; i < countFields.length; i++) {
    const number = countFields[i] as number;
    const start = startOf(number);
    counts[i] = start === 0 ? undefined : count(bytes, start, endOf(number));
  }
  return makeUsage({
    inputTokens: counts[0] ?? 0,
    outputTokens: counts[1] ?? 0,
    cacheReadTokens: counts[2] ?? 0,
    cacheWriteTokens: counts[3] ?? 0,
    split5mTokens: counts[4],
    split1hTokens: counts[5],
    webSearches: counts[6] ?? 0,
    fast: stringField(bytes, field.speed) === 'fast',
    usOnly: stringField(bytes, field.inferenceGeo) === 'us',
    batch: stringField(bytes, field.serviceTier) === 'batch',
    compactions: scannedCompactions(bytes),
  });
}

/** Every response has a list of iterations; it is parsed only if it may contain a compaction. */
function scannedCompactions(bytes: Buffer): Usage['compactions'] {
  const start = startOf(field.iterations);
  if (start === 0) return noUsage.compactions;
  const list = bytes.subarray(start, endOf(field.iterations));
  if (!list.includes('compaction') && !list.includes('\\')) return noUsage.compactions;
  return readCompactions(parseJson(list.toString('utf8')));
}

const countFields: readonly number[] = [
  ...[field.inputTokens, field.outputTokens, field.cacheReadTokens, field.cacheWriteTokens],
  ...[field.split5mTokens, field.split1hTokens, field.webSearches],
];
const counts: (number | undefined)[] = [];

function count(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = (bytes[i] as number) - 0x30;
    if (digit < 0 || digit > 9 || end - start > 15) return tokenCount(parseJson(bytes.toString('utf8', start, end)));
    value = value * 10 + digit;
  }
  return value;
}
