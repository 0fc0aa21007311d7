// What the ranking of exchanges asks: of the local index, or of a team's store. Numbers name sessions, files and segments
// within one source; nothing else is known about them.
import type { Answer } from '../text/index.ts';

/** How many there are, for how rare a word is. */
export interface ExchangeCounts {
  readonly segments: number;
  /** Fields of segments that have a text. */
  readonly fields: number;
}

/** Fields of segments that match, the best first. */
export interface ScoredFields {
  /** `rowsPerSegment` times the segment, plus the number of the field: lists of pairs are slow. */
  readonly ids: readonly number[];
  /** As BM25 of FTS5 has them: negative, the better the lower. */
  readonly scores: readonly number[];
  /** How many match in all of the source, also those that are left out or out of scope. */
  readonly found: number;
}

/** A segment with the exchange that it counts for. */
export interface SegmentRow {
  readonly id: number;
  readonly session: number;
  /** The file and the line of the exchange: of its own prompt, or of the one that started the sub-agent. */
  readonly file: number;
  readonly path: string;
  readonly line: number;
  /** `NaN` if unknown. */
  readonly time: number;
  /** It is a sub-agent's, and the exchange is the one that started it. */
  readonly isOwned: boolean;
}

export interface ExpectedMatch {
  readonly match: string;
  /** As `isFrequent` takes it. */
  readonly most: number;
}

/** `match` is an expression of FTS5. Only `fieldScores` and `firstSegment` look at the filters. */
export interface ExchangeSource {
  /** `isFrequent` will be asked for these: a source that answers later may look them up at once. */
  expect?(matches: readonly ExpectedMatch[]): void;
  counts(): Answer<ExchangeCounts>;
  /** Whether more than `most` fields match. */
  isFrequent(match: string, most: number): Answer<boolean>;
  /** At most `most`, the best first. */
  fieldScores(match: string, most: number): Answer<ScoredFields>;
  segmentsWith(match: string): Answer<ReadonlySet<number>>;
  segments(ids: readonly number[]): Answer<readonly SegmentRow[]>;
  /** The exchanges of these segments, as file and line, also those of sub-agents. */
  exchangeKeys(segments: ReadonlySet<number>): Answer<ReadonlySet<string>>;
  /** Sessions of which a title matches, at most 2000. */
  titledSessions(match: string): Answer<readonly number[]>;
  /** The first segment of the main transcript. */
  firstSegment(session: number): Answer<SegmentRow | undefined>;
}
