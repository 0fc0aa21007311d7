// What `clew strip` was told to take out, and which tools a list of names means.
import { UserError } from '../base/errors.ts';

/** Options of `planStrip`: what to leave out, and where. */
export interface StripOptions {
  /** Names of tools, with `*` for any characters; an empty list means all tools. */
  readonly tools?: readonly string[];
  /** How many characters of a tool's result stay. */
  readonly truncateResults?: number;
  /** How many characters of each text in a call's input stay. */
  readonly truncateInputs?: number;
  readonly thinking?: boolean;
  readonly images?: boolean;
  readonly progress?: boolean;
  readonly bookkeeping?: boolean;
  /** With `bookkeeping`: also the snapshot of the system prompt that counts, and with it all thinking that is bound to it. */
  readonly prompt?: boolean;
  /** Only turns that lie more than so many turns back. */
  readonly olderThanTurns?: number;
  /** Only turns that ended before this moment. */
  readonly olderThanTime?: number;
  /** The last turns that are not touched. */
  readonly keepLast?: number;
  /** The transcripts of sub-agents too. */
  readonly agents?: boolean;
  readonly isInPlace?: boolean;
}

/** What can be taken out, in the order of the planner's table. */
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
