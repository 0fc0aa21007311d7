// What the page and its server say to one another: the routes, the shape of every answer and event; those of a session, of
// usage and of health stand in the files beside. Types only (and names), so that page, test and server cannot disagree.
// What is not known is null; times are milliseconds since 1970, money is millionths of a dollar. Nothing of the library is
// imported, because the browser's types know no Node; where a shape is one of its own, the compiler compares them in the
// server. The views of a session are in export/page.
import type { LibraryDoctorAnswer, Severity } from './wire-health.ts';

export type TextKind =
  | 'title'
  | 'prompt'
  | 'answer'
  | 'thinking'
  | 'tool-input'
  | 'tool-output'
  | 'note'
  | 'attachment';

/** A stretch of text in pieces, so that what matched can be marked. */
export interface SnippetPiece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Pages that the server answers with the app; the app takes it from there. `:key` is a `SessionRow.key`. */
export const pageRoutes = ['/', '/s/:key', '/usage', '/health', '/live'] as const;

/** Carries the server's token; everything that holds data needs it. */
export const tokenHeader = 'x-clew-token';

/** What an answer of status 400 and above holds. */
export interface Failure {
  /** One line: what happened. */
  readonly error: string;
  /** What to do next; empty where there is nothing. */
  readonly next: string;
}

export interface Status {
  readonly version: string;
  readonly isDemo: boolean;
  readonly allowsChanges: boolean;
  readonly roots: readonly string[];
  readonly index: IndexState;
  /** What went wrong in the background, in sentences, newest last. */
  readonly notices: readonly string[];
}

export interface IndexState {
  /** `rows`: sessions, prompts, usage. `list`: titles and turns. `text`: words to search for. `current`: all is read. */
  readonly phase: 'rows' | 'list' | 'text' | 'current';
  /** Of this phase. */
  readonly bytesDone: number;
  readonly bytesTotal: number;
  /** Sessions that the list has by now. */
  readonly sessions: number;
  /** Changes whenever the answers of `usage` may. */
  readonly generation: number;
}

export const sessionSorts = ['age', 'size', 'turns', 'cost', 'title', 'project', 'damage', 'expires'] as const;
export type SessionSort = (typeof sessionSorts)[number];

export interface SessionsQuery {
  /** `age` (newest first) unless it is given. Numbers come largest first, names in order, `expires` soonest first. */
  readonly sort?: SessionSort;
  /** The other way round. */
  readonly reverse?: boolean;
  /** `ProjectRow.project`. */
  readonly project?: string;
  /** Words, all of which are in title, first prompt, folder or id; case does not matter. */
  readonly text?: string;
  /** `damaged`: doctor found a loss or worse, or lines are damaged. `unexamined`: doctor has not looked at it as it is now. */
  readonly only?: 'live' | 'damaged' | 'expiring' | 'unexamined';
  readonly offset?: number;
  /** 100 unless it is given, 1000 at most. */
  readonly limit?: number;
}

export interface SessionPage {
  readonly rows: readonly SessionRow[];
  /** That pass the filter. */
  readonly total: number;
  readonly offset: number;
}

export interface SessionRow {
  /** Names it in every route. */
  readonly key: string;
  readonly id: string;
  readonly path: string;
  /** Where it has no title, its first prompt says more. */
  readonly title: string | null;
  readonly firstPrompt: string | null;
  /** Its folder where it is known, else the name of the project folder. */
  readonly project: string;
  readonly cwd: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** When its file was last written. */
  readonly changedAt: number;
  readonly sizeBytes: number;
  /** `null` until its transcript has been read. */
  readonly turns: number | null;
  readonly entries: number | null;
  readonly agents: number | null;
  readonly costMicroUsd: number | null;
  /** Some messages have no known price, and are not in the cost. */
  readonly costIsPart: boolean;
  /** Lines that are damaged; `null` until its transcript has been read. */
  readonly damage: number | null;
  /** The worst that doctor found in its files; `null`: not examined since they last changed. */
  readonly severity: Severity | 'sound' | null;
  readonly isLive: boolean;
  /** When the client deletes it, where that is within a week. */
  readonly expiresAt: number | null;
}

export interface ProjectRow {
  readonly project: string;
  readonly sessions: number;
  readonly sizeBytes: number;
  readonly costMicroUsd: number | null;
  /** Some messages have no known price, and are not in the cost. */
  readonly costIsPart: boolean;
  /** When one of its sessions was last used. */
  readonly changedAt: number;
  readonly live: number;
}

export interface SearchQuery {
  readonly text: string;
  /** `words` unless it is given. */
  readonly mode?: 'words' | 'exact' | 'regex';
  readonly project?: string;
  /** Only in this session: a `SessionRow.key`. */
  readonly session?: string;
  readonly limit?: number;
  readonly perSession?: number;
}

export interface SearchAnswer {
  /** All that match, also those that are not given. */
  readonly total: number;
  readonly sessions: readonly {
    readonly key: string;
    readonly id: string;
    readonly title: string | null;
    readonly project: string;
    readonly hits: readonly SearchHit[];
    readonly hasMore: boolean;
  }[];
}

/** Opens at `?line=` (and `&agent=`) of the session page. */
export interface SearchHit {
  readonly line: number;
  /** The sub-agent in whose transcript the line is; `null` for the main one. */
  readonly agentId: string | null;
  readonly uuid: string | null;
  readonly kind: TextKind;
  readonly tool: string | null;
  readonly time: number | null;
  readonly snippet: readonly SnippetPiece[];
}

export interface LiveAnswer {
  /** The one that wrote last first. */
  readonly sessions: readonly LiveRow[];
}

export interface LiveRow {
  readonly row: SessionRow;
  /** The process of its client, where one says that it runs this session. */
  readonly pid: number | null;
  /** What it did last, newest last. */
  readonly recent: readonly LiveLine[];
}

export interface LiveLine {
  readonly line: number;
  readonly agentId: string | null;
  readonly time: number | null;
  readonly kind: 'prompt' | 'text' | 'thinking' | 'call' | 'result' | 'error' | 'other';
  readonly tool: string | null;
  readonly text: string;
}

/** Server-sent events of `/api/events?watch=KEY&watch=KEY`: `event:` is the name here, `data:` its JSON. */
export interface Events {
  /** First of all, and again whenever the server had to leave events out for a slow page: ask for everything anew. */
  readonly hello: Status;
  readonly index: IndexState;
  /** Rows that are new or have changed, and keys of those that are gone; `isMany`: more than that, ask again. */
  readonly sessions: {
    readonly changed: readonly SessionRow[];
    readonly gone: readonly string[];
    readonly isMany: boolean;
  };
  /** A watched session grew: parts from `fromPart` on of its active branch are new or have changed. */
  readonly append: AppendEvent;
  /** Lines of all live sessions, for pages that asked with `live=1`. */
  readonly live: { readonly key: string; readonly lines: readonly LiveLine[] };
  readonly doctor: Pick<LibraryDoctorAnswer, 'state' | 'bytesDone' | 'bytesTotal' | 'sessionsDone' | 'sessionsTotal'>;
}

export interface AppendEvent {
  readonly key: string;
  readonly version: string;
  /** The sub-agent that grew, or `null` for the main transcript. */
  readonly agentId: string | null;
  /** The first part of the active branch that may have changed. `0`: the file was replaced, or took another branch. */
  readonly fromPart: number;
  readonly parts: number;
}
