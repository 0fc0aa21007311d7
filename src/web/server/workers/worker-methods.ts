// The methods and events of the worker threads as one type: role → method → parameters and result. `Thread` and the
// workers are both checked against it, so a method that is renamed on one side does not compile on the other.
import type { Severity } from '../../../doctor/checks/index.ts';
import type {
  ActionPreview,
  DiagnosisAnswer,
  DoctorRow,
  FixAnswer,
  IndexState,
  LibraryDoctorAnswer,
  PeopleAnswer,
  PeopleQuery,
} from '../../wire/index.ts';
import type {
  ActionApplied,
  ActionAsked,
  ActionFound,
  BulkAnswer,
  BulkApplied,
  BulkAsked,
  BulkFound,
} from '../actions/index.ts';
import type {
  AppliedFound,
  ApplyParams,
  ListedRow,
  OperationFound,
  SearchAsked,
  SearchFound,
  SessionAnswers,
  SideAnswers,
  TailAnswers,
  UsageAnswers,
} from '../answers/index.ts';
import type { ArchiveFound } from '../archived/index.ts';
import type { Encoded } from '../protocol/index.ts';

/** A store answers later. */
type OrLater<Methods> = {
  readonly [M in keyof Methods]: Methods[M] extends (params: infer P) => infer R
    ? (params: P) => R | Promise<Awaited<R>>
    : never;
};

export interface WorkerMethods {
  /** Keeps the index current. */
  readonly index: {
    /** Without `files`, all transcripts are checked. */
    changed(params: { readonly files?: readonly string[] }): void;
    /** Starts reading the transcripts that the index does not have yet. */
    proceed(params: NoParams): void;
  };
  /** Answers from sessions and the index; changes nothing. */
  readonly reader: Pick<
    SessionAnswers,
    | 'prepare'
    | 'head'
    | 'turns'
    | 'place'
    | 'line'
    | 'text'
    | 'image'
    | 'find'
    | 'slice'
    | 'markdown'
    | 'context'
    | 'export'
  > &
    Pick<SideAnswers, 'side' | 'edits'> &
    Pick<TailAnswers, 'know' | 'grown' | 'recent'> &
    OrLater<Pick<UsageAnswers, 'usage' | 'tools' | 'spending' | 'cache' | 'top' | 'receipts'>> & {
      search(params: SearchAsked): SearchFound | Promise<SearchFound>;
      /** Of a store. */
      people(params: PeopleQuery): PeopleAnswer | Promise<PeopleAnswer>;
      /** For tests and benchmarks. */
      memory(params: NoParams): NodeJS.MemoryUsage & { readonly whole: number; readonly grown: number };
    };
  /** Diagnoses sessions and repairs them. */
  readonly doctor: {
    diagnosis(params: { readonly path: string; readonly key: string }): Promise<DiagnosisAnswer>;
    preview(params: { readonly path: string }): Promise<FixAnswer>;
    apply(params: ApplyParams): Promise<AppliedFound>;
    previewAction(params: ActionAsked): Promise<ActionPreview>;
    applyAction(params: ActionApplied): Promise<ActionFound>;
    previewActions(params: BulkAsked): Promise<BulkAnswer<{ readonly preview: ActionPreview }>>;
    applyActions(params: BulkApplied): Promise<BulkFound>;
    /** What the archive has; sessions that are not on disk follow as events once they are read. */
    archive(params: NoParams): ArchiveFound;
    operations(params: NoParams): Promise<readonly OperationFound[]>;
    undo(params: { readonly id: string }): Promise<OperationFound>;
    /** Examines the whole library, unless that is already running. */
    start(params: NoParams): LibraryDoctorFound;
    library(params: NoParams): LibraryDoctorFound;
  };
  readonly watch: {
    /** Until the worker ends. */
    watch(params: NoParams): void;
  };
}

/** Sent by a worker without a question. */
export interface WorkerEvents {
  readonly index: {
    readonly rows: {
      readonly changed: readonly ListedRow[];
      readonly gone: readonly string[];
      /** How many rows there are with those that follow; `null`: these are all. */
      readonly total: number | null;
    };
    readonly state: IndexState;
    readonly notice: string;
  };
  readonly reader: Readonly<Record<never, never>>;
  readonly doctor: {
    readonly doctor: DoctorProgress;
    /** The most severe finding of a session. */
    /** A session that is only in the archive, after it was read. */
    readonly archived: ListedRow;
    readonly judged: { readonly path: string; readonly severity: Severity | 'sound' };
    readonly notice: string;
  };
  readonly watch: {
    readonly changed: readonly string[];
    /** From here on no change is missed. */
    readonly watching: null;
    readonly notice: string;
  };
}

export type Role = keyof WorkerMethods;
export type NoParams = Readonly<Record<never, never>>;
export type Params<R extends Role, M extends keyof WorkerMethods[R]> = WorkerMethods[R][M] extends (
  params: infer P,
) => unknown
  ? P
  : never;
/** What a method answers, decoded. */
export type Result<R extends Role, M extends keyof WorkerMethods[R]> = WorkerMethods[R][M] extends (
  params: never,
) => infer T
  ? Awaited<T> extends Encoded<infer Decoded>
    ? Decoded
    : Awaited<T>
  : never;
export type Emit<R extends Role> = <N extends keyof WorkerEvents[R]>(name: N, value: WorkerEvents[R][N]) => void;
export type EventHandlers<R extends Role> = {
  readonly [N in keyof WorkerEvents[R]]: (value: WorkerEvents[R][N]) => void;
};

export type DoctorProgress = Pick<
  LibraryDoctorAnswer,
  'state' | 'bytesDone' | 'bytesTotal' | 'sessionsDone' | 'sessionsTotal'
>;
/** The server replaces paths by keys and adds titles. */
export type LibraryDoctorFound = Omit<LibraryDoctorAnswer, 'sessions'> & {
  readonly sessions: readonly DoctorFound[];
};
export type DoctorFound = Omit<DoctorRow, 'key' | 'title'> & { readonly path: string };
