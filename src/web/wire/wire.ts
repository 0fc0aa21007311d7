// The answers and events of the page's server. Unknown values are null, times are milliseconds since 1970, money is
// millionths of a dollar. The browser compiles without Node's types, so nothing of the library is imported here; the
// compiler compares the shapes in the server.
import type { ChangePermission } from './actions.ts';
import type { LibraryDoctorAnswer, Severity } from './health.ts';

/** The server answers these with the app, which then shows the page. `:key` is a `SessionRow.key`. */
export const pageRoutes = ['/', '/s/:key', '/usage', '/people', '/health', '/live'] as const;

/** Carries the server's token, which every request for data needs. */
export const tokenHeader = 'x-clew-token';

/** The body of a response with status 400 and above. */
export interface Failure {
  /** What happened, in one line. */
  readonly error: string;
  /** What to do next; may be empty. */
  readonly next: string;
}

export interface Status {
  readonly version: string;
  readonly isDemo: boolean;
  /** Started with `--allow-changes`. */
  readonly allowsChanges: boolean;
  readonly changes: ChangePermission;
  readonly roots: readonly string[];
  /** The page shows the store of a team, of which nothing can be changed; `null`: this machine. */
  readonly store: StoreStatus | null;
  readonly index: IndexState;
  /** Problems in the background, newest last. */
  readonly notices: readonly string[];
}

export interface StoreStatus {
  /** Host and database, without user and password. */
  readonly name: string;
  /** Whose sessions: `me` or `everyone`, or `person` or `group` with the name after a space. */
  readonly people: string;
  /** Rows name their person. */
  readonly namesPeople: boolean;
}

/** What the person of a session shares of it; each one includes those before. */
export type SharedLevel = 'metrics' | 'titles' | 'text' | 'files';

export interface IndexState {
  /** `rows`: sessions, prompts, usage. `list`: titles and turns. `text`: words to search for. `current`: complete. */
  readonly phase: 'rows' | 'list' | 'text' | 'current';
  /** Of this phase. */
  readonly bytesDone: number;
  readonly bytesTotal: number;
  /** Sessions in the list so far. */
  readonly sessions: number;
  /** Changes whenever the answers of `/api/usage` may change. */
  readonly generation: number;
}

export const sessionSorts = ['age', 'size', 'turns', 'cost', 'title', 'project', 'damage', 'expires'] as const;
export type SessionSort = (typeof sessionSorts)[number];
export const sessionFilters = ['live', 'starred', 'tagged', 'damaged', 'expiring', 'unexamined', 'deleted'] as const;
export type SessionFilter = (typeof sessionFilters)[number];

export interface SessionsQuery {
  /** Default `age` (newest first). Numbers sort largest first, names alphabetically, `expires` soonest first. */
  readonly sort?: SessionSort;
  readonly reverse?: boolean;
  /** `ProjectRow.project`; that of a repository includes its worktrees. */
  readonly project?: string;
  /**
   * Words that must all occur in title, first prompt, folder, branch, model, tag, pull requests or id, in any case.
   * `branch:x`, `model:x`, `tag:x`, `pr:x` and `person:x` look only there; a value in quotes is the whole name.
   */
  readonly text?: string;
  /**
   * `deleted`: the transcript is gone, but the archive has it, or prompts or files are left. `damaged`: doctor found a loss
   * or worse, or lines are damaged. `unexamined`: not examined since it last changed.
   */
  readonly only?: SessionFilter;
  /** Forks follow the session that they are copies of, and are left out unless `open` names it. */
  readonly fold?: boolean;
  /** Keys of sessions whose forks are listed, separated by spaces. */
  readonly open?: string;
  /** An IANA time zone; answers with `groups` if sorted by `age`. */
  readonly zone?: string;
  /** The beginning of an id. */
  readonly id?: string;
  /** Answers with `counts`. */
  readonly counts?: boolean;
  readonly offset?: number;
  /** Default 100, at most 1000. */
  readonly limit?: number;
}

export interface SessionPage {
  readonly rows: readonly SessionRow[];
  /** Rows of the list: sessions that pass the filter, without forks that are left out. */
  readonly total: number;
  /** All sessions that pass the filter. */
  readonly sessions: number;
  /** Consecutive rows of the whole list by the day of their last use; empty without a `zone`. */
  readonly groups: readonly DateGroup[];
  /** How many sessions of the project pass each filter. */
  readonly counts: Readonly<Record<SessionFilter, number>> | null;
  readonly offset: number;
}

export interface DateGroup {
  /** `week`: the rest of the week, from Monday. A month: `2026-03`. */
  readonly name: 'today' | 'yesterday' | 'week' | `${number}-${number}` | 'unknown';
  /** Of the list. */
  readonly rows: number;
  /** With forks that are left out. */
  readonly sessions: number;
}

export interface SessionRow {
  /** Identifies the session in every route. */
  readonly key: string;
  readonly id: string;
  readonly path: string;
  readonly title: string | null;
  readonly firstPrompt: string | null;
  /** The working directory, or the name of the project folder if it is unknown. */
  readonly project: string;
  readonly cwd: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The repository, if the working directory is a worktree of it. */
  readonly repository: string | null;
  /** Of the last message. */
  readonly gitBranch: string | null;
  /** Of the last answer, and as the list shows it. */
  readonly model: string | null;
  readonly modelName: string | null;
  readonly tag: string | null;
  readonly pullRequests: readonly PullRequestLink[];
  /** The key of the session that it is a copy of, if the library has it. */
  readonly forkedFrom: string | null;
  /** Sessions that are copies of it or of its copies; with `fold`, those that pass the filter. */
  readonly forks: number;
  /** When one of them was last used; `null` without forks. */
  readonly forksUsedAt: number | null;
  /** With `fold`: listed below the session that it is a copy of. */
  readonly isBelow: boolean;
  /** When the transcript was last written. */
  readonly changedAt: number;
  readonly sizeBytes: number;
  /** `null` until the transcript is read. */
  readonly turns: number | null;
  readonly entries: number | null;
  readonly agents: number | null;
  readonly costMicroUsd: number | null;
  /** Some messages have no known price and are not in the cost. */
  readonly costIsPart: boolean;
  /** Damaged lines; `null` until the transcript is read. */
  readonly damage: number | null;
  /** The most severe finding of doctor; `null`: not examined since the files last changed. */
  readonly severity: Severity | 'sound' | null;
  readonly isLive: boolean;
  readonly isStarred: boolean;
  /** The archive has all its bytes (`current`), or an earlier state of it (`stale`). */
  readonly archived: 'current' | 'stale' | null;
  /** `false`: its transcript is gone; it is read from the archive, or made of what is left. */
  readonly isOnDisk: boolean;
  /** What is left of a session that is neither on disk nor in the archive. */
  readonly left: SessionRemains | null;
  /** Whose session it is, if the page shows several people's. */
  readonly person: string | null;
  /** Of a session in a store: what its person shares of it. */
  readonly shared: SharedLevel | null;
  /** When the client deletes it, if that is within a week. */
  readonly expiresAt: number | null;
}

export interface SessionRemains {
  readonly prompts: number;
  /** Copies of files that were changed. */
  readonly fileVersions: number;
  readonly agents: number;
}

export interface PullRequestLink {
  /** `null`: not an https address. */
  readonly url: string | null;
  readonly number: number | null;
  readonly repository: string | null;
}

/** A repository counts the sessions of its worktrees too, which follow it as rows of their own. */
export interface ProjectRow {
  readonly project: string;
  /** Of a worktree: the repository. */
  readonly repository: string | null;
  readonly sessions: number;
  readonly sizeBytes: number;
  readonly costMicroUsd: number | null;
  /** Some messages have no known price and are not in the cost. */
  readonly costIsPart: boolean;
  /** When one of its sessions was last used. */
  readonly changedAt: number;
  readonly live: number;
}

export interface LiveAnswer {
  /** Most recently written first. */
  readonly sessions: readonly LiveRow[];
}

export interface LiveRow {
  readonly row: SessionRow;
  /** The process of the client that runs this session, if there is one. */
  readonly pid: number | null;
  /** The last lines, newest last. */
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
  /** The first event, and sent again after the server skipped events for a slow page: reload everything. */
  readonly hello: Status;
  readonly index: IndexState;
  /** Rows that are new or have changed, and keys of removed rows; `isMany`: too many to list, ask again. */
  readonly sessions: {
    readonly changed: readonly SessionRow[];
    readonly gone: readonly string[];
    readonly isMany: boolean;
  };
  /** A watched session as it is when the page begins to listen: later changes are events. */
  readonly current: { readonly key: string; readonly version: string };
  readonly append: AppendEvent;
  /** For pages that asked with `live=1`. */
  readonly live: { readonly key: string; readonly lines: readonly LiveLine[] };
  readonly doctor: Pick<LibraryDoctorAnswer, 'state' | 'bytesDone' | 'bytesTotal' | 'sessionsDone' | 'sessionsTotal'>;
}

/** A watched session grew. */
export interface AppendEvent {
  readonly key: string;
  readonly version: string;
  /** The sub-agent that grew, or `null` for the main transcript. */
  readonly agentId: string | null;
  /** The first part of the active branch that may have changed. `0`: the file was replaced or switched branches. */
  readonly fromPart: number;
  readonly parts: number;
  /** Earlier lines changed too: another program wrote the file again. */
  readonly isReplaced: boolean;
}
