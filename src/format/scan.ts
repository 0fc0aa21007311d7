// The lazy look at a line: one pass over its bytes finds what the graph, the turns and the counts need, and skips
// every string it does not need without decoding it. It checks the shape of the record, not the inside of strings
// and numbers: whoever must know that a line is JSON to the last byte parses it.
import { parseJson } from '../base/json.ts';
import { recall } from './byte-memo.ts';
import { skipString, skipValue, skipWhitespace } from './json-bytes.ts';
import { knownKey } from './keys.ts';
import { isoTime } from './timestamp.ts';
import { makeUsage, type RawUsage, tokenCount, type Usage } from './usage.ts';

/** What one record says about itself, without its content. Absent and ill-typed fields are `undefined`. */
export interface Head {
  /** As written; empty where there is none (seed-002 files leave it out on assistant lines). */
  type: string;
  /** Of an attachment the type of what is attached. */
  subtype: string | undefined;
  uuid: string | undefined;
  /** `null` and `undefined` are both roots; a value that is neither string nor null counts as absent. */
  parentUuid: string | null | undefined;
  logicalParentUuid: string | undefined;
  /** Milliseconds since 1970, `NaN` where there is no timestamp that `Date.parse` accepts. */
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
  /** The start of every text in a user line, cut short: enough to tell what kind of input it is. */
  textPrefixes: readonly string[];
}

export interface MessageHead {
  role: string | undefined;
  id: string | undefined;
  model: string | undefined;
  stopReason: string | undefined;
  usage: Usage | undefined;
  /**
   * `blocks` only if every element is an object: the client does not read a line otherwise. `beside`: on the record
   * itself instead of in its message (seed 002), which only people read.
   */
  content: 'absent' | 'string' | 'blocks' | 'invalid' | 'beside';
  blockTypes: string[];
  calls: CallHead[];
  results: ResultHead[];
  /** Qwen Code's form of a message. */
  hasParts: boolean;
}

export interface CallHead {
  readonly id: string;
  readonly name: string;
  /** The file that the call names in its input, as tools that read or write one do. */
  readonly file: string | undefined;
}

export interface ResultHead {
  readonly toolUseId: string;
  readonly isError: boolean;
}

const prefixBytes = 64;
/** Shared by all heads that have none; `append` never adds to it. */
const none: never[] = [];

/**
 * The head of a line that is one whole JSON object, else `undefined` (blank, torn, joined, not JSON): such a line is
 * for `recoverRecords`.
 */
export function scanRecord(bytes: Buffer): Head | undefined {
  return scanInto(emptyHead(), bytes);
}

/**
 * The same for who looks at every line of a library, but keeps none of its heads: one head is filled again and again
 * (a new one for each line is half of the garbage), and what links lines to one another is left out.
 */
export function scanPassing(bytes: Buffer): Head | undefined {
  clearHead(passing);
  isPassing = true;
  const head = scanInto(passing, bytes);
  isPassing = false;
  return head;
}

let isPassing = false;

function scanInto(head: Head, bytes: Buffer): Head | undefined {
  const start = skipWhitespace(bytes, 0);
  if (bytes[start] !== openBrace) return undefined;
  textSpans.length = 0;
  const end = scanEntry(bytes, start, head);
  if (end < 0 || skipWhitespace(bytes, end) !== bytes.length) return undefined;
  if (textSpans.length > 0 && (head.type === 'user' || head.type === '')) head.textPrefixes = prefixes(bytes);
  return head;
}

const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;

// The key of the member that `nextMember` stands at. Module state instead of an object, because a transcript has
// millions of members and an allocation for each is what the lazy look avoids.
let keyStart = 0;
let keyEnd = 0;
/** Starts and ends of the texts in the message; only those of user lines are looked at, when the type is known. */
const textSpans: number[] = [];

/** From behind `{`, `,` or a value to the next member's value; -1 for a broken object, 0 at its end (see `memberEnd`). */
function nextMember(bytes: Buffer, at: number, first: boolean): number {
  let i = skipSpace(bytes, at);
  if (bytes[i] === closeBrace) {
    memberEnd = i + 1;
    return 0;
  }
  if (!first) {
    if (bytes[i] !== comma) return -1;
    i = skipSpace(bytes, i + 1);
  }
  if (bytes[i] !== quote) return -1;
  keyStart = ++i;
  let byte = bytes[i];
  while (byte !== quote && byte !== backslash && byte !== undefined) byte = bytes[++i];
  keyEscaped = byte === backslash;
  if (byte !== quote) i = skipString(bytes, keyStart - 1) - 1; // an escaped key, or none
  if (i < 0) return -1;
  keyEnd = i;
  i = skipSpace(bytes, i + 1);
  if (bytes[i] !== colon) return -1;
  return skipSpace(bytes, i + 1);
}
let memberEnd = 0;
let keyEscaped = false;

/** The client writes no white space between tokens, so the common answer is the place itself. */
function skipSpace(bytes: Buffer, at: number): number {
  return (bytes[at] as number) > 0x20 ? at : skipWhitespace(bytes, at);
}

/** The current key where it is one the scanner knows, however it is spelled; else an empty string. */
function key(bytes: Buffer): string {
  const known = knownKey(bytes, keyStart, keyEnd);
  if (!keyEscaped) return known;
  const spelled = Buffer.from(stringAt(bytes, keyStart, keyEnd));
  return knownKey(spelled, 0, spelled.length);
}

function scanEntry(bytes: Buffer, at: number, head: Head): number {
  let attachmentType: string | undefined;
  let i = at + 1;
  let contentAt = 0;
  for (let first = true; ; first = false) {
    const value = nextMember(bytes, i, first);
    if (value < 0) return -1;
    if (value === 0) break;
    const name = key(bytes);
    if (name === 'content') contentAt = value;
    if (name === 'message') {
      head.message = undefined;
      textSpans.length = 0;
      i = bytes[value] === openBrace ? scanMessage(bytes, value, head) : skipValue(bytes, value);
    } else if (name === 'toolUseResult') {
      i = scanForText(bytes, value, 'agentId');
      head.resultAgentId = foundText;
    } else if (name === 'attachment') {
      i = scanForText(bytes, value, 'type');
      attachmentType = foundText;
    } else {
      i = bytes[value] === quote ? skipString(bytes, value) : skipValue(bytes, value);
      if (i > 0 && name !== '') setField(bytes, head, name, value, i);
    }
    if (i < 0) return -1;
  }
  const end = memberEnd;
  if (head.type === 'attachment') head.subtype = attachmentType ?? head.subtype;
  if (contentAt > 0) scanContentBeside(bytes, contentAt, head);
  return end;
}

/** The content of a user or assistant line that has no message. */
function scanContentBeside(bytes: Buffer, at: number, head: Head): void {
  if (head.message !== undefined || (head.type !== 'user' && head.type !== 'assistant')) return;
  const message = emptyMessage();
  scanContent(bytes, at, message);
  if (message.content !== 'string' && message.content !== 'blocks') return;
  message.content = 'beside';
  head.message = message;
}

function setField(bytes: Buffer, head: Head, name: string, start: number, end: number): void {
  switch (name) {
    case 'type':
      head.type = text(bytes, start, end) ?? '';
      return;
    case 'subtype':
      head.subtype = text(bytes, start, end);
      return;
    case 'uuid':
      head.uuid = text(bytes, start, end);
      return;
    case 'parentUuid':
      if (isPassing) return;
      head.parentUuid = isNull(bytes, start) ? null : text(bytes, start, end);
      return;
    case 'logicalParentUuid':
      if (isPassing) return;
      head.logicalParentUuid = text(bytes, start, end);
      return;
    case 'timestamp':
      head.time = bytes[start] === quote ? isoTime(bytes, start + 1, end - 1) : Number.NaN;
      return;
    case 'sessionId':
      head.sessionId = text(bytes, start, end);
      return;
    case 'agentId':
      head.agentId = text(bytes, start, end);
      return;
    case 'cwd':
      head.cwd = text(bytes, start, end);
      return;
    case 'version':
      head.version = text(bytes, start, end);
      return;
    case 'requestId':
      head.requestId = text(bytes, start, end);
      return;
    case 'leafUuid':
      if (isPassing) return;
      head.leafUuid = text(bytes, start, end);
      return;
    case 'explicit':
      head.explicit = isTrue(bytes, start);
      return;
    case 'isSidechain':
      head.isSidechain = isTrue(bytes, start);
      return;
    case 'isMeta':
      head.isMeta = isTrue(bytes, start);
      return;
    case 'isCompactSummary':
      head.isCompactSummary = isTrue(bytes, start);
      return;
    case 'isApiErrorMessage':
      head.isApiErrorMessage = isTrue(bytes, start);
      return;
    case 'permissionMode':
      head.hasPermissionMode = !isNull(bytes, start);
      return;
  }
}

function scanMessage(bytes: Buffer, at: number, head: Head): number {
  const message = isPassing ? clearMessage(passingMessage) : emptyMessage();
  head.message = message;
  let i = at + 1;
  for (let first = true; ; first = false) {
    const value = nextMember(bytes, i, first);
    if (value <= 0) return value === 0 ? memberEnd : -1;
    const name = key(bytes);
    if (name === 'content') i = scanContent(bytes, value, message);
    else if (name === 'usage') i = scanUsage(bytes, value, message);
    else i = bytes[value] === quote ? skipString(bytes, value) : skipValue(bytes, value);
    if (i < 0) return -1;
    switch (name) {
      case 'id':
        message.id = text(bytes, value, i);
        break;
      case 'role':
        message.role = text(bytes, value, i);
        break;
      case 'model':
        message.model = text(bytes, value, i);
        break;
      case 'stop_reason':
        message.stopReason = text(bytes, value, i);
        break;
      case 'parts':
        message.hasParts = true;
        break;
    }
  }
}

function scanContent(bytes: Buffer, at: number, message: MessageHead): number {
  message.blockTypes = [];
  message.calls = message.results = none;
  textSpans.length = 0;
  if (bytes[at] === quote) {
    message.content = 'string';
    const end = skipString(bytes, at);
    textSpans.push(at + 1, end - 1);
    return end;
  }
  if (bytes[at] !== openBracket) {
    message.content = bytes[at] === openBrace ? 'invalid' : 'absent';
    return skipValue(bytes, at);
  }
  message.content = 'blocks';
  let i = skipWhitespace(bytes, at + 1);
  if (bytes[i] === closeBracket) return i + 1;
  for (;;) {
    if (bytes[i] === openBrace) {
      i = scanBlock(bytes, i, message);
    } else {
      message.content = 'invalid';
      i = skipValue(bytes, i);
    }
    if (i < 0) return -1;
    i = skipWhitespace(bytes, i);
    if (bytes[i] === closeBracket) return i + 1;
    if (bytes[i] !== comma) return -1;
    i = skipWhitespace(bytes, i + 1);
  }
}

function scanBlock(bytes: Buffer, at: number, message: MessageHead): number {
  let type = '';
  let id: string | undefined;
  let toolUseId: string | undefined;
  let name = '';
  let isError = false;
  let file: string | undefined;
  let textStart = 0;
  let textEnd = 0;
  let i = at + 1;
  for (let first = true; ; first = false) {
    const value = nextMember(bytes, i, first);
    if (value < 0) return -1;
    if (value === 0) break;
    const member = key(bytes);
    if (member === 'input') {
      i = scanForText(bytes, value, 'file_path');
      file = foundText;
    } else i = bytes[value] === quote ? skipString(bytes, value) : skipValue(bytes, value);
    if (i < 0) return -1;
    switch (member) {
      case 'type':
        type = text(bytes, value, i) ?? '';
        break;
      case 'id':
        id = text(bytes, value, i);
        break;
      case 'name':
        name = text(bytes, value, i) ?? '';
        break;
      case 'tool_use_id':
        toolUseId = text(bytes, value, i);
        break;
      case 'is_error':
        isError = isTrue(bytes, value);
        break;
      case 'text':
        textStart = bytes[value] === quote ? value + 1 : 0;
        textEnd = i - 1;
        break;
    }
  }
  const end = memberEnd;
  message.blockTypes.push(type);
  if (type === 'tool_use' && id !== undefined) message.calls = append(message.calls, { id, name, file });
  else if (type === 'tool_result' && toolUseId !== undefined) {
    message.results = append(message.results, { toolUseId, isError });
  } else if (type === 'text' && textStart > 0) {
    textSpans.push(textStart, textEnd);
  }
  return end;
}

/** A list of one is a literal: it takes the room of one. */
function append<T>(list: T[], item: T): T[] {
  if (list === none) return [item];
  list.push(item);
  return list;
}

/** Passes over a value; where it is an object, `foundText` is its member `wanted`, if that is a string. */
function scanForText(bytes: Buffer, at: number, wanted: string): number {
  foundText = undefined;
  if (bytes[at] !== openBrace) return skipValue(bytes, at);
  let i = at + 1;
  for (let first = true; ; first = false) {
    const value = nextMember(bytes, i, first);
    if (value <= 0) return value === 0 ? memberEnd : -1;
    const isWanted = key(bytes) === wanted;
    i = skipValue(bytes, value);
    if (i < 0) return -1;
    if (isWanted) foundText = text(bytes, value, i);
  }
}
let foundText: string | undefined;

function scanUsage(bytes: Buffer, at: number, message: MessageHead): number {
  message.usage = undefined;
  if (bytes[at] !== openBrace) return skipValue(bytes, at);
  const raw: RawUsage = {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    split5mTokens: undefined,
    split1hTokens: undefined,
    webSearches: 0,
    fast: false,
  };
  const end = scanUsageMembers(bytes, at, raw);
  if (end > 0) message.usage = makeUsage(raw);
  return end;
}

/** The members of `usage`; those of the two objects inside it have names of their own, so one function reads all. */
function scanUsageMembers(bytes: Buffer, at: number, raw: RawUsage): number {
  let i = at + 1;
  for (let first = true; ; first = false) {
    const value = nextMember(bytes, i, first);
    if (value <= 0) return value === 0 ? memberEnd : -1;
    const name = key(bytes);
    if ((name === 'cache_creation' || name === 'server_tool_use') && bytes[value] === openBrace) {
      i = scanUsageMembers(bytes, value, raw);
    } else {
      i = skipValue(bytes, value);
      if (i > 0 && name !== '') setUsage(bytes, raw, name, value, i);
    }
    if (i < 0) return -1;
  }
}

function setUsage(bytes: Buffer, raw: RawUsage, name: string, start: number, end: number): void {
  switch (name) {
    case 'input_tokens':
      raw.inputTokens = count(bytes, start, end);
      return;
    case 'output_tokens':
      raw.outputTokens = count(bytes, start, end);
      return;
    case 'cache_read_input_tokens':
      raw.cacheReadTokens = count(bytes, start, end);
      return;
    case 'cache_creation_input_tokens':
      raw.cacheWriteTokens = count(bytes, start, end);
      return;
    case 'ephemeral_5m_input_tokens':
      raw.split5mTokens = count(bytes, start, end);
      return;
    case 'ephemeral_1h_input_tokens':
      raw.split1hTokens = count(bytes, start, end);
      return;
    case 'web_search_requests':
      raw.webSearches = count(bytes, start, end);
      return;
    case 'speed':
      raw.fast = text(bytes, start, end) === 'fast';
      return;
  }
}

function count(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = (bytes[i] as number) - 0x30;
    if (digit < 0 || digit > 9 || end - start > 15) return tokenCount(parseJson(bytes.toString('utf8', start, end)));
    value = value * 10 + digit;
  }
  return value;
}

/** The string value that spans [start, end) with its quotes; `undefined` for any other kind of value. */
function text(bytes: Buffer, start: number, end: number): string | undefined {
  return bytes[start] === quote ? recall(bytes, start + 1, end - 1, stringAt) : undefined;
}

/** The string between two quotes. */
function stringAt(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('utf8', start, end);
  if (!raw.includes('\\')) return raw;
  const value = parseJson(`"${raw}"`);
  return typeof value === 'string' ? value : raw;
}

function prefixes(bytes: Buffer): readonly string[] {
  const texts: string[] = [];
  for (let i = 0; i < textSpans.length; i += 2) {
    texts.push(prefix(bytes, textSpans[i] as number, textSpans[i + 1] as number));
  }
  return texts;
}

function prefix(bytes: Buffer, start: number, end: number): string {
  if (end - start <= prefixBytes) return stringAt(bytes, start, end);
  // An escape takes up to six bytes for one letter.
  const isPlain = !isEscaped(bytes, start, start + prefixBytes);
  let cut = isPlain ? start + prefixBytes : Math.min(end, start + 6 * prefixBytes);
  // Cut before an escape or a UTF-8 sequence that the limit would break in two.
  while (cut > start && ((bytes[cut] as number) & 0xc0) === 0x80) cut--;
  if (isPlain || cut === end) return stringAt(bytes, start, cut);
  const lastEscape = bytes.subarray(start, cut).lastIndexOf(backslash);
  if (lastEscape >= 0 && lastEscape > cut - start - 6) cut = start + lastEscape;
  while (cut > start && bytes[cut - 1] === backslash) cut--;
  return stringAt(bytes, start, cut);
}

function isEscaped(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] === backslash) return true;
  return false;
}

function isTrue(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x74; // t
}

function isNull(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x6e; // n
}

function emptyHead(): Head {
  return {
    type: '',
    subtype: undefined,
    uuid: undefined,
    parentUuid: undefined,
    logicalParentUuid: undefined,
    time: Number.NaN,
    sessionId: undefined,
    agentId: undefined,
    cwd: undefined,
    version: undefined,
    requestId: undefined,
    leafUuid: undefined,
    explicit: false,
    isSidechain: false,
    isMeta: false,
    isCompactSummary: false,
    isApiErrorMessage: false,
    hasPermissionMode: false,
    resultAgentId: undefined,
    message: undefined,
    textPrefixes: none,
  };
}

function emptyMessage(): MessageHead {
  return {
    role: undefined,
    id: undefined,
    model: undefined,
    stopReason: undefined,
    usage: undefined,
    content: 'absent',
    blockTypes: none,
    calls: none,
    results: none,
    hasParts: false,
  };
}

function clearHead(head: Head): void {
  head.type = '';
  head.subtype = undefined;
  head.uuid = undefined;
  head.time = Number.NaN;
  head.sessionId = undefined;
  head.agentId = undefined;
  head.cwd = undefined;
  head.version = undefined;
  head.requestId = undefined;
  head.explicit = false;
  head.isSidechain = false;
  head.isMeta = false;
  head.isCompactSummary = false;
  head.isApiErrorMessage = false;
  head.hasPermissionMode = false;
  head.resultAgentId = undefined;
  head.message = undefined;
  head.textPrefixes = none;
}

function clearMessage(message: MessageHead): MessageHead {
  message.role = undefined;
  message.id = undefined;
  message.model = undefined;
  message.stopReason = undefined;
  message.usage = undefined;
  message.content = 'absent';
  message.blockTypes = none;
  message.calls = none;
  message.results = none;
  message.hasParts = false;
  return message;
}

const passing: Head = emptyHead();
const passingMessage: MessageHead = emptyMessage();
