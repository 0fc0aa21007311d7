// The query and the answer of the search over all sessions.

export const textKinds = [
  'title',
  'prompt',
  'answer',
  'thinking',
  'tool-input',
  'tool-output',
  'note',
  'attachment',
] as const;
export type TextKind = (typeof textKinds)[number];

export const searchModes = ['words', 'exact', 'regex'] as const;
export type SearchMode = (typeof searchModes)[number];

/** An excerpt in pieces, so that the matches can be highlighted. */
export interface SnippetPiece {
  readonly text: string;
  readonly isMatch: boolean;
}

export interface SearchQuery {
  readonly text: string;
  /** Default `words`. */
  readonly mode?: SearchMode;
  readonly project?: string;
  /** Searches only this session: a `SessionRow.key`. */
  readonly session?: string;
  /** Only texts of this kind. */
  readonly kind?: TextKind;
  /** Only calls of this tool and their output. */
  readonly tool?: string;
  /** First and last day, `2026-02-28`, both included. */
  readonly since?: string;
  readonly until?: string;
  /** How many sessions to leave out, and how many to answer; default 0 and 20. */
  readonly offset?: number;
  readonly limit?: number;
  /** How many hits of each session; default 3. */
  readonly perSession?: number;
}

export interface SearchAnswer {
  /** All matches, including those not listed. */
  readonly total: number;
  /** Sessions with a match, among the best 2,000 matches. */
  readonly sessionCount: number;
  readonly offset: number;
  readonly sessions: readonly SearchSession[];
  /** The tools of the best matches, most frequent first. */
  readonly tools: readonly string[];
}

export interface SearchSession {
  readonly key: string;
  readonly id: string;
  readonly title: string | null;
  readonly project: string;
  /** Whose session it is, if the page shows several people's. */
  readonly person: string | null;
  readonly endedAt: number | null;
  readonly hits: readonly SearchHit[];
  readonly hasMore: boolean;
}

/** Opens at `?line=` (and `&agent=`, `&at=`) of the session page. */
export interface SearchHit {
  readonly line: number;
  /** The sub-agent whose transcript has the line; `null` for the main transcript. */
  readonly agentId: string | null;
  readonly uuid: string | null;
  readonly kind: TextKind;
  /** Which text of this kind in the line, from 0, and where in it the match is that the snippet shows. */
  readonly nth: number;
  readonly offset: number;
  readonly tool: string | null;
  readonly time: number | null;
  readonly snippet: readonly SnippetPiece[];
}
