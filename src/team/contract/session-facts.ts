// The `facts` of a session in the store: what a list, a search and statistics need in addition to the columns. What has text
// or a path is in `StoredTitle`, so that a session at the level of metrics has neither.
import type { JsonObject } from '../../base/json/index.ts';

/** `sessions.facts`. Times are milliseconds since 1970. */
export interface StoredFacts {
  /** `null`: the main transcript is gone, or another program wrote it. */
  readonly counts: {
    readonly entries: number;
    readonly turns: number;
    readonly agents: number;
    readonly sizeBytes: number;
    readonly diagnostics: number;
    readonly damage: number;
  } | null;
  readonly model: string | null;
  /** What doctor found; `null` if the session was not examined since it last changed. */
  readonly verdict: string | null;
  /** Of the main transcript. */
  readonly mtimeMs: number | null;
  /** When each turn of the active branch began. */
  readonly turnStarts: readonly (number | null)[];
  /** Its transcripts, the main one first. */
  readonly transcripts: readonly {
    readonly isAgent: boolean;
    readonly sizeBytes: number;
    readonly mtimeMs: number;
  }[];
  /** The version of the prices of its cells. */
  readonly prices?: string;
  /** For how many days the client keeps a transcript of its root. */
  readonly cleanupDays?: number;
  /** Its working directory was gone at the time of the push. */
  readonly isMoved?: boolean;
}

/** `titles.facts`. */
export interface StoredTitle {
  /** The name of the main transcript. The id in the store is a hash where this is not a UUID. */
  readonly sessionId: string;
  /** The name of the project folder, and the root that it is below. */
  readonly project: string;
  readonly root: string;
  readonly tag: string | null;
  readonly gitBranch: string | null;
  readonly worktree: JsonObject | null;
  readonly pullRequests: readonly JsonObject[];
  readonly forkedFrom: string | null;
  readonly firstUuid: string | null;
  /** Marks that sessions of one conversation have in common. */
  readonly origin: JsonObject;
  /** Where they differ from the column `cwd`: the folder in a list, and the folder that usage is counted for. */
  readonly listedCwd?: string | null;
  readonly countedCwd?: string | null;
  /** The operation of Clew that made it, and the ids of the sessions it was made from. */
  readonly madeBy?: { readonly operation: string; readonly from: readonly string[] };
  /** The background jobs of the client that name it, each with all ids that it names. */
  readonly jobs?: readonly { readonly id: string; readonly sessionIds: readonly string[] }[];
}

/** `documents.facts`. Members without a value are left out. */
export interface StoredDocument {
  /** As `clew show --turn` and `--branch` take them. */
  readonly turn?: number;
  readonly branch?: number;
  /** The line of its exchange in the main transcript: of a sub-agent's document, the one that started it. 0 is left out. */
  readonly exchange?: number;
  /** In the first document of a session: what its user typed first, at most 500 characters. */
  readonly firstPrompt?: string;
}

/** `exchanges.facts`. */
export interface StoredExchange {
  /** Of a sub-agent's exchange: the line of the exchange in the main transcript that started it. */
  readonly owner?: number;
}
