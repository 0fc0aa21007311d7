// What the lazy look finds in a record: its head, without its content.
import type { Usage } from './usage.ts';

/**
 * The fields of a record that can be read without parsing its content. Missing fields and fields of the wrong type are
 * `undefined`.
 */
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

/** The part of a head that tells what kind of input a user line is. */
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

/** The id and the name of a tool call, and the file it names. */
export interface CallHead {
  readonly id: string;
  readonly name: string;
  /** The file that the call names in its input, as tools that read or write one do. */
  readonly file: string | undefined;
}

/** Which tool call a result belongs to, and whether it is an error. */
export interface ResultHead {
  readonly toolUseId: string;
  readonly isError: boolean;
}

/** Shared by all heads that have none; nothing is ever added to it. */
export const none: never[] = [];

/** A list of one is a literal: it takes the room of one. */
export function append<T>(list: T[], item: T): T[] {
  if (list === none) return [item];
  list.push(item);
  return list;
}
