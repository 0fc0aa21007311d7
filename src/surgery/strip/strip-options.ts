// The options of `clew strip`, and the tools that a list of names matches.
import { UserError } from '../../base/errors/errors.ts';

/** Options of `planStrip`: what to leave out, and where. */
export interface StripOptions {
  /** Names of tools, with `*` for any characters; an empty list means all tools. */
  readonly tools?: readonly string[];
  /** How many characters of a tool's result to keep. */
  readonly truncateResults?: number;
  /** How many characters of each text in a call's input to keep. */
  readonly truncateInputs?: number;
  readonly thinking?: boolean;
  readonly images?: boolean;
  readonly progress?: boolean;
  readonly bookkeeping?: boolean;
  /** With `bookkeeping`: also the effective snapshot of the system prompt, and all thinking that is bound to it. */
  readonly prompt?: boolean;
  /** Only turns more than this many turns back. */
  readonly olderThanTurns?: number;
  /** Only turns that ended before this time. */
  readonly olderThanTime?: number;
  /** How many of the last turns to keep. */
  readonly keepLast?: number;
  /** Also the transcripts of sub-agents. */
  readonly agents?: boolean;
  readonly isInPlace?: boolean;
}

/** In the order of the planner's table. */
export const stripKinds = [
  'tools',
  'truncateResults',
  'truncateInputs',
  'thinking',
  'images',
  'progress',
  'bookkeeping',
] as const;

export type StripKind = (typeof stripKinds)[number];

export function takesAnything(options: StripOptions): boolean {
  return stripKinds.some((kind) => options[kind] !== undefined && options[kind] !== false);
}

export function toolMatcher(names: readonly string[]): (name: string) => boolean {
  if (names.length === 0) return () => true;
  const patterns = names.map((name) => {
    if (name.trim() === '') throw new UserError('--tools has an empty name in its list', 'write --tools Bash,mcp__*');
    const parts = name.trim().split('*');
    return new RegExp(`^${parts.map((part) => part.replace(/[^\w]/g, '\\$&')).join('.*')}$`, 's');
  });
  return (name) => patterns.some((pattern) => pattern.test(name));
}
