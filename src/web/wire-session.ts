// What the page asks of one session, and the answers around its views (export/page has the views themselves).

/** `agent`: the id of a sub-agent, for its own transcript instead of the main one. */
export interface SessionPart {
  readonly agent?: string;
}

export interface HeadQuery extends SessionPart {
  /** From 1; the active one unless it is given. */
  readonly branch?: number;
  /** Rows of the outline only from this turn on: the others have not changed. */
  readonly fromTurn?: number;
  /** The beginning of a large session will do, while the rest is being read. */
  readonly start?: boolean;
  /** The version of such a beginning: `fromPart` says from where on the whole differs from it. */
  readonly since?: string;
}

export interface HeadAnswer<Head> {
  readonly key: string;
  /** Changes whenever the transcript does. */
  readonly version: string;
  /** `false`: this is the beginning of it, and whoever asks again without `start` gets the whole once it is read. */
  readonly isWhole: boolean;
  /** The first part that is not as it was in the version `since`; 0 where that is not known. */
  readonly fromPart: number;
  readonly head: Head;
}

export interface TurnsQuery extends SessionPart {
  /** From 1; the active one unless it is given. */
  readonly branch?: number;
  /** Parts of turns, from 0, the last one not included; 20 parts unless `to` is given. */
  readonly from?: number;
  readonly to?: number;
  /** Of the head that the numbers are from, where that was the beginning of a large session. */
  readonly version?: string;
}

export interface TurnsAnswer<Turn> {
  readonly version: string;
  /** From `from` on. */
  readonly parts: readonly Turn[];
  /** Parts of this branch. */
  readonly total: number;
  /** The part to go on from, where the answer had grown large enough before `to`. */
  readonly next: number | null;
}

/** Where a line is shown; `part` is `null` for what stands beside all turns, such as a title. */
export interface PlaceAnswer {
  readonly line: number;
  readonly agentId: string | null;
  /** From 1. */
  readonly branch: number;
  readonly part: number | null;
  /** For a line of a sub-agent: the line of the transcript above it with the call that it is shown under. */
  readonly under: { readonly line: number; readonly branch: number; readonly part: number | null } | null;
}

export interface LineAnswer {
  readonly line: number;
  readonly offset: number;
  readonly sizeBytes: number;
  /** As it stands in the file; cut where it is very long. */
  readonly text: string;
  readonly isCut: boolean;
}

/** A value in a record of the transcript, as the views name it: `Ref` of export/page. */
export interface ValueQuery extends SessionPart {
  readonly record: number;
  readonly pointer: string;
}

export interface FindQuery extends SessionPart {
  readonly text: string;
  readonly branch?: number;
  /** The part to begin at: `next` of the answer before. */
  readonly from?: number;
  /** 100 unless it is given. */
  readonly limit?: number;
}

export interface MarkdownQuery extends SessionPart {
  readonly branch?: number;
  /** Only this turn. */
  readonly turn?: number;
}
