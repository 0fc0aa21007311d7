// Where the sessions of a report come from: the index of this machine, or the store of a team. Commands sort, filter, group and
// print what a source answers, so that both give the same report.
import type { ListedSession, Verdict } from '../index/index.ts';
import type { Relation, RepositoryOf } from '../lineage/index.ts';
import type { LibraryWork, ReportKind, UsageCell, UsageFilter } from '../usage/index.ts';

/** A session with what the source knows about its origin and health. */
export interface SourceSession extends ListedSession {
  /** Whose session it is; `undefined` where all are of one user. */
  readonly person?: string;
  /** Its person shares no titles: texts are empty because nobody knows them. */
  readonly isUntitled?: true;
  /** The operation of Clew, or the fork, that made it. */
  readonly lineage: SourceLineage | undefined;
  readonly relations: readonly Relation[];
  /** Of the worktree that it works in. */
  readonly repository: string | null;
  /** `undefined`: not examined. */
  readonly health: Verdict | undefined;
}

export interface SourceLineage {
  readonly operation: string;
  /** The ids of the sessions it was made from; empty for an import. */
  readonly from: readonly string[];
}

export interface SourceList {
  /** By root, then project, then id. */
  readonly sessions: readonly SourceSession[];
  /** Transcripts of other programs. */
  readonly foreign: readonly string[];
  readonly repositoryOf: RepositoryOf;
}

export interface UsageQuestion {
  /** What the cells must be fine enough for. */
  readonly kind: ReportKind;
  readonly filter: UsageFilter;
}

export interface SourceUsage {
  /** Of the time and the sessions that the filter wants, as fine as the report needs. */
  readonly cells: readonly UsageCell[];
  /** The date of the prices of their costs. */
  readonly pricesVersion: string;
  /** A note about the age of the prices. */
  readonly warning?: string | undefined;
}

export interface WorkQuestion {
  readonly isWanted: (place: { readonly cwd: string | undefined; readonly project: string }) => boolean;
  readonly filter: UsageFilter;
}

export interface SourceWork {
  readonly sessions: readonly ListedSession[];
  readonly work: LibraryWork;
  readonly cells: readonly UsageCell[];
  /** What is left of sessions whose transcript is gone; `undefined` where nobody knows. */
  readonly deleted: { readonly sessions: number; readonly prompts: number } | undefined;
  /** How many of the sessions the client deletes within a week. */
  readonly expiring: number;
  /** Whether the files that calls touched are known. */
  readonly hasFiles: boolean;
}

/** What identifies a session in a list. */
export type CostPlace = Pick<SourceSession, 'path' | 'sessionId' | 'person'>;

export interface LibrarySource {
  /** For messages: `below /home/ada/.claude`. */
  readonly place: string;
  /** Rows name the person. */
  readonly namesPeople: boolean;
  list(): Promise<SourceList>;
  /** In millionths of a dollar, with sub-agents; a session with unpriced models has the part that is known. */
  costs(): Promise<(session: CostPlace) => number | undefined>;
  usage(question: UsageQuestion): Promise<SourceUsage>;
  /** By session id. */
  titles(): Promise<ReadonlyMap<string, string>>;
  work(question: WorkQuestion): Promise<SourceWork>;
}
