// The context ledger as data: what a request to the model was made of. `clew context --json` prints it and the page
// draws it, so this file has types and names only.

/** All kinds of slices. */
export const sliceKinds = [
  'system',
  'tools',
  'mcp',
  'skills',
  'instructions',
  'reminders',
  'summary',
  'prompts',
  'files',
  'output',
  'images',
  'calls',
  'answers',
  'thinking',
  'unrecorded',
  'silent',
] as const;

/**
 * What the tokens of a slice are.
 *
 * - `system`: the system prompt; with tool definitions and CLAUDE.md where the transcript does not tell them apart
 * - `tools`: definitions of built-in tools
 * - `mcp`: definitions of tools and instructions of an MCP server
 * - `skills`: the lists of skills, commands and agents, and skills that were loaded
 * - `instructions`: CLAUDE.md and memory
 * - `reminders`: other text that the client added: reminders, hook output, task lists
 * - `summary`: the summary of a compaction
 * - `prompts`: what the user typed
 * - `files`: contents of files: results of Read, and files attached to a prompt
 * - `output`: results of a tool
 * - `images`: images and documents
 * - `calls`: input of calls of a tool
 * - `answers`: text of the model
 * - `thinking`: thinking of the model
 * - `unrecorded`: counted by the API, but on no line of the transcript
 * - `silent`: lines of the conversation that are not sent, 0 tokens
 */
export type SliceKind = (typeof sliceKinds)[number];

/** Short names for readers. */
export const sliceLabels: Readonly<Record<SliceKind, string>> = {
  system: 'system prompt',
  tools: 'tool definitions',
  mcp: 'MCP',
  skills: 'skills and agents',
  instructions: 'CLAUDE.md and memory',
  reminders: 'reminders',
  summary: 'summary',
  prompts: 'prompts',
  files: 'file contents',
  output: 'tool output',
  images: 'images',
  calls: 'tool calls',
  answers: 'answers',
  thinking: 'thinking',
  unrecorded: 'not in the transcript',
  silent: 'not sent',
};

/**
 * How a number of tokens is known.
 *
 * - `exact`: the API's own count
 * - `anchored`: an estimate, scaled so that the sum is the API's count
 * - `estimated`: there is no count that fits
 */
export type Basis = 'exact' | 'anchored' | 'estimated';

/** A part of the context. */
export interface ContextSlice {
  readonly kind: SliceKind;
  /** The tool, the MCP server; `null` for a kind that is not divided. */
  readonly name: string | null;
  readonly tokens: number;
  readonly basis: Basis;
  /**
   * The lines of the transcript that it is on: ranges, both ends included. For what is on no line (`isRecorded: false`)
   * the lines of the answers whose count shows it.
   */
  readonly lines: readonly LineRange[];
  readonly lineCount: number;
  readonly isRecorded: boolean;
  /** How to free it; `null` if no command does, or if a resume no longer sends it. */
  readonly free: SliceFree | null;
}

/** Lines of a transcript, both ends included. */
export type LineRange = readonly [from: number, to: number];

/** How to free a slice. */
export interface SliceFree {
  /** A complete command; add `--dry-run` to try it. */
  readonly command: string;
  /** About how many tokens it frees. For a tool: its output and its calls. */
  readonly tokens: number;
}

/** The request whose context the slices are. */
export interface ContextRequest {
  /** The first line of its answer. */
  readonly line: number;
  /** ISO 8601, or `null` if the line has no time. */
  readonly time: string | null;
  readonly model: string | null;
  /** The tokens of the answer; a lower bound if `isOutputPartial`. */
  readonly outputTokens: number;
  readonly isOutputPartial: boolean;
}

/** Why a number is smaller than what was sent before. */
export type ContextDrop = 'compaction' | 'thinking' | 'cleared' | 'model';

/** The context at the last request of a turn. */
export interface ContextTurn {
  readonly turn: number;
  /** The first line of the turn. */
  readonly line: number;
  /** The sum of the slices; `null` if nothing was sent in this turn. */
  readonly tokens: number | null;
  /** The API's count, `null` without one. */
  readonly apiTokens: number | null;
  readonly basis: Basis;
  /** Tokens by kind. */
  readonly kinds: Readonly<Record<SliceKind, number>>;
  /** What became smaller in this turn. */
  readonly drops: readonly ContextDrop[];
}

/** What the context of one request was made of. */
export interface ContextLedger {
  readonly sessionId: string;
  readonly agentId: string | null;
  /** From 1, the active branch. */
  readonly branch: number;
  /** The turn of the request, from 1. */
  readonly turn: number | null;
  readonly model: string | null;
  /** How many tokens the model has room for. */
  readonly limitTokens: number | null;
  /** `null` if no request was answered: the slices are then what the lines so far would send. */
  readonly request: ContextRequest | null;
  /** What the API counted: input, cache writes and cache reads. */
  readonly apiTokens: number | null;
  /** The sum of the slices: `apiTokens`, unless that does not fit. */
  readonly tokens: number;
  /** What Clew would have guessed from the request before and the text since. */
  readonly estimatedTokens: number;
  readonly basis: Basis;
  /** Why `apiTokens` is not used, as a sentence; `null` if it is. */
  readonly problem: string | null;
  /** Largest first. */
  readonly slices: readonly ContextSlice[];
  /** Every turn of the branch, in order. */
  readonly turns: readonly ContextTurn[];
}
