// The head of a record: what the lazy scanner reads, without the content.
import type { Usage } from '../entry/usage.ts';

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
