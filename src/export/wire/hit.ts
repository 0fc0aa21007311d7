// A hit is a place in a text: which transcript, line and text of the line, and the offset in the decoded text. The page
// gets with it where the line is drawn.
import type { WordMatch } from './word-match.ts';

/** One of the texts of a line, as the search over all sessions splits it. */
export interface TextPlace {
  /** `null`: the main transcript. */
  readonly agentId: string | null;
  /** In the file, from 1. */
  readonly line: number;
  /** What the text is: prompt, answer, thinking, tool-input, tool-output, note, attachment, title. */
  readonly kind: string;
  /** Which text of this kind in the line, from 0. */
  readonly nth: number;
}

export interface HitPlace extends TextPlace {
  /** In the decoded text. */
  readonly offset: number;
}

/** Where the page draws a line. */
export interface ShownPlace {
  /** Of the main transcript, from 1. */
  readonly branch: number;
  /** Of the main transcript, from 0. */
  readonly part: number;
  /** The turn that the part belongs to. */
  readonly turn: number;
  /** Sub-agents to open, each below a call of the one before. */
  readonly trail: readonly string[];
  /** The part of the last of them, from 0; 0 without one. */
  readonly agentPart: number;
  /** The line of the block that shows it, in the transcript of the last of them. */
  readonly line: number;
}

/** Where a word was found in a session. */
export interface FindHit extends HitPlace, WordMatch {
  /** Of a text of a tool call. */
  readonly callId: string | null;
  /** How many earlier places of this text have the same words next to them (`contextOf`). */
  readonly same: number;
  /** `null`: the page does not draw the line; a slice of its text can be shown. */
  readonly shown: ShownPlace | null;
}

export interface FindResult {
  readonly hits: readonly FindHit[];
  /** Where to continue; `null`: everything was searched. */
  readonly next: string | null;
}

/** A stretch of a text. */
export interface TextSlice {
  readonly text: string;
  /** The offset of its first character in the whole text, and the length of that. */
  readonly start: number;
  readonly total: number;
  /** Of a text of a tool call. */
  readonly callId: string | null;
}
