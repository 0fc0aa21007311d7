// Where a push goes: a database, or a gateway in front of one. Both answer the same.
import type { LevelNumber } from './level.ts';
import type { SessionRows, TombstoneReason } from './session-rows.ts';

export interface Hello {
  readonly tenant: string;
  readonly person: string;
  /** The most that the administrator asks for. */
  readonly mostLevel: LevelNumber;
  /** Days by level number. */
  readonly retention: Readonly<Record<string, number>>;
  readonly schema: number;
  /** Of everything that this machine has pushed; `null` before the first push. */
  readonly digest: string | null;
}

export type PushAnswer =
  | { readonly state: 'open' | 'same' }
  /** A tombstone or retention allows only this level. */
  | { readonly state: 'blocked'; readonly level: LevelNumber; readonly reason: string; readonly machine?: string }
  | { readonly state: 'held' }
  /** Another machine pushed other content of this session. */
  | { readonly state: 'other'; readonly machine: string; readonly mainBytes: number; readonly mainSha256: string };

export type RemoveAnswer = { readonly state: 'removed'; readonly sessions: number } | { readonly state: 'held' };

/** Every method is one transaction, and may be repeated after an error that `isPassing` knows. */
export interface PushTarget {
  hello(machine: string): Promise<Hello>;
  /** `open`: the rows are committed. */
  push(session: SessionRows): Promise<PushAnswer>;
  /** `kept`: the rows up to this level stay; 0, the default, keeps nothing. */
  remove(sessionId: string, reason: TombstoneReason, machine: string, kept?: LevelNumber): Promise<RemoveAnswer>;
  goodbye(machine: string, digest: string): Promise<void>;
  close(): Promise<void>;
}
