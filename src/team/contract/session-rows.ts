// One session as the store keeps it: its head, and the rows of each table at its level. What is collected, spooled, sent
// through a gateway, written by COPY and read back has this form. Times are milliseconds since 1970, `null` if unknown;
// the month of a row is that of its own time in UTC, `1970-01-01` if it has none.
import type { JsonObject, JsonValue } from '../../base/json/index.ts';
import type { LevelNumber } from './level.ts';

/** `YYYY-MM-01`. */
export type Month = string;

/** What `clew.open_session` reads. */
export interface SessionHead {
  /** Unique for the person; the second session with one id has `@` and a hash of its folder after it. */
  readonly sessionId: string;
  /** The id that the client knows. */
  readonly baseId: string;
  readonly machine: string;
  readonly level: LevelNumber;
  /** Hash of everything below and of the level: the same key is the same content. */
  readonly contentKey: string;
  readonly month: Month;
  readonly months: readonly Month[];
  /** Of the main transcript. */
  readonly mainBytes: number;
  readonly mainSha256: string;
  /** Hash of the transcript of another machine that this one begins with. */
  readonly continues?: string;
  /** Version of the redaction rules; from the level of text on. */
  readonly rules: string | null;
  /** ISO times. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly projectHash: string;
  /** Numbers only, no text of the session. */
  readonly facts: JsonObject;
  /** Why a tombstone is written: the session was redacted or its level lowered. */
  readonly tombstone?: TombstoneReason;
  /** The person raises the level that a tombstone lowered. */
  readonly raises?: boolean;
}

export type TombstoneReason = 'removed' | 'lowered' | 'redacted' | 'undone';

export interface CellRow {
  readonly quarter: number | null;
  readonly model: string | null;
  readonly isFast: boolean;
  readonly isLowerBound: boolean;
  readonly messages: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly costMicroUsd: number | null;
}

export interface CallRow {
  /** The same in copies of a call. */
  readonly callKey: string;
  readonly name: string;
  readonly calledAt: number | null;
  readonly isError: boolean | null;
}

export interface PromptRow {
  /** The same in copies of a prompt. */
  readonly promptKey: string;
  readonly typedAt: number | null;
  readonly isCopy: boolean;
}

export interface TitleRow {
  readonly title: string | null;
  readonly cwd: string | null;
  /** Of the main transcript, on its machine. */
  readonly path: string;
  readonly facts: JsonObject;
}

export interface CallPathRow {
  /** Index of the call in `calls`. */
  readonly nth: number;
  readonly calledAt: number | null;
  readonly touched: string;
}

/** A document of the full text: what one line says in one capacity, redacted. */
export interface TextRow {
  /** The transcript: '' for the main one, else the id of the sub-agent. */
  readonly agent: string;
  readonly line: number;
  readonly kind: string;
  readonly part: number;
  readonly saidAt: number | null;
  readonly tool: string | null;
  readonly uuid: string | null;
  readonly text: string;
  /** As PostgreSQL writes a `tsvector`. */
  readonly words: string;
  readonly tokens: number;
  readonly facts: JsonValue;
}

/** A segment of an exchange, which ranks a search. */
export interface ExchangeRow {
  readonly agent: string;
  readonly line: number;
  /** The lines that it covers, from the first to the last. */
  readonly firstLine: number;
  readonly endLine: number;
  readonly saidAt: number | null;
  readonly words: string;
  /** By field. */
  readonly tokens: readonly number[];
  readonly facts: JsonValue;
}

export const packChunkBytes: number = 1024 * 1024;

/** A compressed piece of a file. */
export interface PackRow {
  readonly isOriginal: boolean;
  /** Index of the file, and of the piece in it. */
  readonly nth: number;
  readonly chunk: number;
  /** Below the project folder. */
  readonly name: string;
  /** In the first piece of a file. */
  readonly sizeBytes: number | null;
  readonly sha256: string | null;
  readonly mode: number | null;
  readonly mtimeMs: number | null;
  /** As in the archive. A piece has `packChunkBytes` bytes before compression; the last one of a file has the rest. */
  readonly codec: string;
  readonly data: Uint8Array;
}

/** Rows that a level does not have are empty lists. `nth` of a row is its index, unless it has one of its own. */
export interface SessionRows {
  readonly head: SessionHead;
  readonly cells: readonly CellRow[];
  readonly calls: readonly CallRow[];
  readonly prompts: readonly PromptRow[];
  readonly titles: readonly TitleRow[];
  readonly callPaths: readonly CallPathRow[];
  readonly documents: readonly TextRow[];
  readonly exchanges: readonly ExchangeRow[];
  readonly packs: readonly PackRow[];
}

/** Of a row without a time, or with one that no month of its session has. */
export const noMonth: Month = '1970-01-01';

export function monthOf(timeMs: number | null): Month {
  if (timeMs === null || Number.isNaN(timeMs)) return noMonth;
  // Almost all rows of a session are of one day.
  const day = Math.floor(timeMs / dayMs);
  if (day !== lastDay) [lastDay, lastMonth] = [day, `${new Date(timeMs).toISOString().slice(0, 7)}-01`];
  return lastMonth;
}

const dayMs = 24 * 60 * 60 * 1000;
let [lastDay, lastMonth] = [Number.NaN, noMonth];
