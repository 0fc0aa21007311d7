// What an exported page carries inside: JSON in script elements that are never run, found by these ids. Types and
// names only, for the exporter that writes it and for the page that reads it.
import type { SessionHead } from './view.ts';

/** The element that describes the file and lists its sub-agents. It is written last. */
export const embeddedId = 'clew-session';

export interface EmbeddedSession {
  readonly sessionId: string;
  /** Which secrets were removed. */
  readonly note: string;
  /** The raw lines are here too. */
  readonly hasRaw: boolean;
  readonly agents: readonly EmbeddedAgent[];
}

/** The position in the list gives its branch: `branchId(position + 1, 1)`. */
export interface EmbeddedAgent {
  readonly agentId: string;
  /** The line with the call that it is shown under. */
  readonly under: { readonly line: number; readonly branch: number; readonly part: number | null } | null;
  /** Why its transcript is not here. */
  readonly unreadable: string | null;
}

export interface EmbeddedBranch {
  readonly head: SessionHead;
  readonly parts: readonly EmbeddedPart[];
}

/** Branches share the elements of the parts that they share. */
export interface EmbeddedPart {
  readonly id: number;
  /** The lines of the file that it shows. */
  readonly lines: readonly number[];
}

/** `transcript`: 0 is the session's own, others are its sub-agents. */
export function branchId(transcript: number, branch: number): string {
  return `branch-${transcript}-${branch}`;
}

/** A `TurnView`. Its refs are replaced: `pointer` is the number of a value element. */
export function partId(part: number): string {
  return `part-${part}`;
}

/** An `EmbeddedLine` of the transcript. */
export function lineId(transcript: number, line: number): string {
  return `line-${transcript}-${line}`;
}

export interface EmbeddedLine {
  readonly text: string;
  readonly sizeBytes: number;
  readonly isCut: boolean;
}

/** A whole text, or the `data:` address of an image. */
export function valueId(value: number | string): string {
  return `value-${value}`;
}

/** The Markdown of a turn: for readers without scripts, and for copying; 0 is what comes before the first turn. */
export function markdownId(turn: number): string {
  return `markdown-${turn}`;
}
