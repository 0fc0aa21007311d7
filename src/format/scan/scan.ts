// The lazy scanner: one pass over the bytes of a line finds what the graph, the turns and the counts need, and decodes no
// other string. It checks the shape of the record, not the content of strings and numbers.

import { asBuffer } from '../../base/node/index.ts';
import type { Usage } from '../entry/index.ts';
import { field } from './places.ts';
import { prefixes, scannedBlockTypes, scannedMessage } from './scan-message.ts';
import { isNull, isTrue, startOf, stringField, timeOf, walkRecord } from './spans.ts';

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
export const none: never[] = [];

/** A list of one is a literal, because a pushed array reserves more memory. */
export function append<T>(list: T[], item: T): T[] {
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
    isMeta: isTrue(bytes, field.isMeta),
    isCompactSummary: isTrue(bytes, field.isCompactSummary),
    message: { blockTypes: scannedBlockTypes(bytes) },
    textPrefixes: prefixes(bytes),
  };
}
