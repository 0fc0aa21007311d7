// Queries and answers of one session. The views inside the answers are defined in export/page.
import type { FindMode, ShownPlace } from '../../export/wire/index.ts';

/** `agent`: the id of a sub-agent, to read its transcript instead of the main one. */
export interface SessionPart {
  readonly agent?: string;
}

export interface HeadQuery extends SessionPart {
  /** From 1, the active branch; default 1. */
  readonly branch?: number;
  /** Leaves out the outline rows of earlier turns, which have not changed. */
  readonly fromTurn?: number;
  /** Accepts the beginning of a large session while the rest is read. */
  readonly start?: boolean;
  /** The version of such a beginning: `fromPart` is then the first part that differs from it. */
  readonly since?: string;
}

export interface HeadAnswer<Head> {
  readonly key: string;
  /** Changes with the transcript. */
  readonly version: string;
  /** `false`: only the beginning. A request without `start` waits for the whole session. */
  readonly isWhole: boolean;
  /** The first part that differs from the version `since`; 0 if that is unknown. */
  readonly fromPart: number;
  readonly head: Head;
}

export interface TurnsQuery extends SessionPart {
  /** From 1, the active branch; default 1. */
  readonly branch?: number;
  /** Parts of turns, from 0, `to` excluded; default 20 parts. */
  readonly from?: number;
  readonly to?: number;
  /** The version of the head that the numbers come from, if that was the beginning of a large session. */
  readonly version?: string;
}

export interface TurnsAnswer<Turn> {
  readonly version: string;
  readonly parts: readonly Turn[];
  /** All parts of this branch. */
  readonly total: number;
  /** The part to continue from, if the answer became too large before `to`. */
  readonly next: number | null;
}

/** Where a line is drawn; `shown` is `null` for a line that is not, such as a title. */
export interface PlaceAnswer {
  readonly line: number;
  readonly agentId: string | null;
  readonly shown: ShownPlace | null;
}

export interface LineAnswer {
  readonly line: number;
  readonly offset: number;
  readonly sizeBytes: number;
  /** The bytes of the line, up to a limit. */
  readonly text: string;
  readonly isCut: boolean;
}

/** A value in a record of the transcript: `Ref` of export/page. */
export interface ValueQuery extends SessionPart {
  readonly record: number;
  readonly pointer: string;
}

/** Finds in the session and in its sub-agents. */
export interface FindQuery {
  readonly text: string;
  /** Default `text`. */
  readonly mode?: FindMode;
  /** `next` of the previous answer. */
  readonly from?: string;
  /** Default 100. */
  readonly limit?: number;
}

/** A stretch of one of the texts of a line: `TextPlace` of export/wire. */
export interface SliceQuery extends SessionPart {
  readonly line: number;
  readonly kind: string;
  readonly nth: number;
  /** In the decoded text, `to` excluded. */
  readonly from: number;
  readonly to: number;
}

export interface MarkdownQuery extends SessionPart {
  readonly branch?: number;
  /** Only this turn. */
  readonly turn?: number;
}
