// What an account is kept of: pieces of the conversation with their tokens, and the counts of the API.
import type { ContextDrop, SliceKind } from '../wire/index.ts';

/** A piece of the conversation, or what was counted without one. */
export interface Item {
  readonly kind: SliceKind;
  readonly name: string | null;
  /** The line it is on; for what is on no line, that of the answer whose count shows it. */
  readonly line: number;
  readonly isRecorded: boolean;
  /** Of the system prompt and the definitions of tools: a compaction leaves it. */
  readonly isPrompt: boolean;
  /** The turn it came in. */
  readonly turn: number;
  /** In units: `Account.scale` turns them into tokens. */
  units: number;
  /** The API's own number. */
  isExact: boolean;
  /** A compaction has not removed it. */
  isAlive: boolean;
}

/** What the transcript says about the system prompt and the definitions of tools. */
export interface PromptPart {
  readonly kind: SliceKind;
  readonly name: string | null;
  readonly line: number;
  readonly tokens: number;
}

/** The answer that pieces belong to, with its own count. */
export interface Output {
  readonly id: string;
  /** `undefined` if the line was written before the answer was complete. */
  readonly tokens: number | undefined;
}

/** A request and what the API counted for it. */
export interface Count {
  readonly line: number;
  readonly turn: number;
  /** Input, cache writes and cache reads. */
  readonly tokens: number;
  /** How many times the tokens of the old tokenizer. */
  readonly factor: number;
  /** Thinking of earlier turns is not sent to this model. */
  readonly dropsThinking: boolean;
  /** Counts after the first one are only compared. */
  readonly isOnlyFirst?: boolean;
}

export interface Settled {
  readonly estimatedTokens: number;
  readonly drops: readonly ContextDrop[];
  /** Why the count was not used. */
  readonly problem: string | undefined;
}

/** `mcp__github__search` → `github`. */
export function mcpServerOf(tool: string): string | undefined {
  return /^mcp__(.+?)__/.exec(tool)?.[1];
}
