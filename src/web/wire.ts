// What the page and its server say to one another: the routes, and the shape of every answer and event. Types only (and
// the names of routes), so that the page, a test and the server cannot disagree. What is not known is null; times are
// milliseconds since 1970, money is millionths of a dollar. It imports nothing, because the browser's types know no Node;
// where a shape is one of the library's, the compiler compares them in the server. The views of a session are in export/page.

export const severityNames = ['fatal', 'loss', 'warn', 'info'] as const;
export type Severity = (typeof severityNames)[number];

export const usageKinds = ['daily', 'weekly', 'monthly', 'session', 'project', 'model', 'blocks'] as const;
export type ReportKind = (typeof usageKinds)[number];

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

/** Everything the server can be asked. Session routes take `agent` for a sub-agent's own transcript. */
export const apiRoutes = {
  status: '/api/status',
  events: '/api/events',
  sessions: '/api/sessions',
  projects: '/api/projects',
  search: '/api/search',
  live: '/api/live',
  usage: '/api/usage',
  tools: '/api/usage/tools',
  top: '/api/usage/top',
  receipts: '/api/usage/receipts',
  doctor: '/api/doctor',
  operations: '/api/operations',
  undo: '/api/operations/:id/undo',
  head: '/api/sessions/:key',
  turns: '/api/sessions/:key/turns',
  place: '/api/sessions/:key/place',
  line: '/api/sessions/:key/lines/:line',
  text: '/api/sessions/:key/text',
  image: '/api/sessions/:key/image',
  find: '/api/sessions/:key/find',
  markdown: '/api/sessions/:key/markdown',
  diagnosis: '/api/sessions/:key/doctor',
  fix: '/api/sessions/:key/fix',
} as const;

/** Carries `Status.changeToken`; everything but GET needs it. */
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
  readonly changeToken: string;
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
  readonly only?: 'live' | 'damaged' | 'expiring';
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
  /** Lines that are damaged; `null` until its transcript has been read. */
  readonly damage: number | null;
  /** The worst that doctor found, where it has looked since the file last changed. */
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

export interface UsageQuery {
  /** `daily` unless it is given. */
  readonly by?: ReportKind;
  /** First and last day, `2026-02-28`, both included. */
  readonly since?: string;
  readonly until?: string;
  readonly project?: string;
  /** Of one session: a `SessionRow.key`. */
  readonly session?: string;
}

export interface UsageSumView {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly costMicroUsd: number | null;
  readonly messages: number;
  readonly unpricedMessages: number;
  readonly outputIsLowerBound: boolean;
  /** The part of all input that came from the cache, 0 to 1; `null` where there was no input. */
  readonly cacheHitRate: number | null;
}

export interface UsageAnswer {
  readonly by: ReportKind;
  readonly rows: readonly (UsageSumView & {
    /** `null` where the messages do not say (no time, no model). */
    readonly key: string | null;
    /** Of a session: what it is called, and the key of its page. */
    readonly session: { readonly key: string; readonly title: string | null } | null;
    readonly models: readonly { readonly model: string | null; readonly costMicroUsd: number | null }[];
    readonly block: { readonly endsAt: number; readonly isActive: boolean } | null;
  })[];
  readonly totals: UsageSumView;
  readonly unpricedModels: readonly string[];
  readonly pricesVersion: string;
}

export interface ToolsAnswer {
  /** The most used first. */
  readonly tools: readonly ToolRow[];
  readonly prompts: number;
  /** Prompts by the hour of the day, from midnight, and by the day of the week, from Monday. */
  readonly hours: readonly number[];
  readonly weekdays: readonly number[];
  readonly files: readonly { readonly path: string; readonly calls: number }[];
}

export interface ToolRow {
  readonly name: string;
  readonly calls: number;
  readonly answered: number;
  readonly errors: number;
}

export interface TopAnswer {
  readonly sessions: readonly {
    readonly key: string;
    readonly title: string | null;
    readonly project: string;
    readonly costMicroUsd: number;
    readonly messages: number;
  }[];
  /** By what a person asked, the messages behind it and those of its sub-agents. */
  readonly turns: readonly {
    readonly key: string;
    readonly title: string | null;
    /** The line of the prompt: opens the session page at the place. */
    readonly line: number;
    readonly prompt: string;
    readonly time: number | null;
    readonly costMicroUsd: number;
    readonly messages: number;
  }[];
}

export interface ReceiptsAnswer {
  /** At most `limit` (200), the most expensive first. */
  readonly receipts: readonly ReceiptView[];
  readonly total: number;
  readonly totals: UsageSumView;
  readonly pricesVersion: string;
}

export interface ReceiptView extends UsageSumView {
  readonly key: string;
  readonly path: string;
  readonly line: number;
  readonly messageId: string | null;
  readonly model: string | null;
  readonly time: number | null;
  readonly dropped: readonly { readonly path: string; readonly line: number; readonly reason: string }[];
}

export interface FindingView {
  readonly code: string;
  readonly severity: Severity;
  /** What this kind of damage is. */
  readonly title: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
  readonly effect: string;
  readonly fix: string;
}

export interface ReachView {
  readonly loaded: number;
  readonly of: number;
}

export interface DiagnosisAnswer {
  readonly key: string;
  readonly findings: readonly FindingView[];
  /** More were found than are given. */
  readonly hasMore: boolean;
  readonly reachable: ReachView;
  readonly reachableOld: ReachView;
  readonly violations: readonly { readonly rule: string; readonly message: string; readonly line: number }[];
  /** Whether a repair has anything to do. */
  readonly isMendable: boolean;
}

export interface LibraryDoctorAnswer {
  readonly state: 'idle' | 'running' | 'done' | 'failed';
  readonly bytesDone: number;
  readonly bytesTotal: number;
  readonly sessionsDone: number;
  readonly sessionsTotal: number;
  /** Sessions with findings, worst first. */
  readonly sessions: readonly DoctorRow[];
  readonly folders: readonly FindingView[];
  readonly counts: readonly {
    readonly code: string;
    readonly title: string;
    readonly severity: Severity;
    readonly findings: number;
    readonly sessions: number;
  }[];
}

export interface DoctorRow {
  readonly key: string;
  readonly id: string;
  readonly title: string | null;
  readonly project: string;
  readonly severity: Severity;
  readonly reachable: ReachView;
  readonly codes: readonly { readonly code: string; readonly count: number }[];
}

/** What a repair would do, proved on a copy; one for each strategy that differs. */
export interface FixPreview {
  readonly strategy: string;
  readonly meaning: string;
  readonly isDefault: boolean;
  readonly before: ReachView;
  readonly after: ReachView;
  readonly changed: number;
  readonly dropped: readonly { readonly line: number; readonly reason: string }[];
  readonly droppedTotal: number;
  readonly sizeBefore: number;
  readonly sizeAfter: number;
  readonly notes: readonly string[];
}

export interface FixAnswer {
  /** None where there is nothing to mend. */
  readonly previews: readonly FixPreview[];
}

export interface ApplyFix {
  readonly strategy?: string;
  /** Takes the place of the session, which is kept for undo, instead of making a new one. */
  readonly inPlace?: boolean;
}

export interface AppliedFix {
  /** For undo. */
  readonly operation: string;
  readonly to: { readonly key: string; readonly id: string };
  readonly preview: FixPreview;
  /** What is left, looked at again. */
  readonly left: readonly FindingView[];
}

export interface OperationRow {
  readonly id: string;
  readonly operation: string;
  readonly at: string;
  readonly state: string;
  readonly from: readonly { readonly key: string; readonly id: string }[];
  readonly to: readonly { readonly key: string; readonly id: string }[];
  readonly canUndo: boolean;
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
