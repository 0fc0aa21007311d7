// What an operation will write. An operation is a function `session → Plan`; everything after that (staging, proof,
// writing, backup, undo, history) is the same for all operations, see operate.ts.
//
// How to write an operation:
// 1. Load the source with `loadSource`.
// 2. Describe the changes with a `Rewrite`: edits, drops with a reason, new lines. Everything else stays byte for byte.
//    Lines are created lazily, so that a transcript of gigabytes is never in memory.
// 3. Return a `Plan` whose sessions list every file of the result. `newSession` creates one with its own id, side files
//    and sub-agents; `sameSession` replaces the source (`--in-place`).
// 4. In `expects`, check what only this operation guarantees, on the staged result. If it returns a text, nothing is
//    written.
import type { Session } from '../../session/load/session.ts';
import type { JudgedThinking, ThinkingRule } from '../request/bound-thinking.ts';
import type { OutLine } from './out-line.ts';
import type { Source } from './source.ts';

/** What an operation will write; the plan functions create it and `operate` carries it out. */
export interface Plan {
  /** The command's name, such as `fork`. */
  readonly operation: string;
  /** Its arguments, for the history: `--at 4`. */
  readonly words: readonly string[];
  /** See `PlannedSession.comparedWith`. */
  readonly sources: readonly PlannedSource[];
  /** The first one is `to` in the output. */
  readonly results: readonly PlannedSession[];
  /** Files to remove, with a backup; only of sessions that the user named. */
  readonly removals?: readonly string[];
  /** Other files, such as `history.jsonl`, that get new content, with a backup. */
  readonly otherFiles?: readonly PlannedOtherFile[];
  /** The working directory of the result, if it differs from the first source. */
  readonly workingFolder?: string;
  readonly dropped: readonly Dropped[];
  /** Sentences for the user. */
  readonly notes?: readonly string[];
  /** @internal Checks the staged result; returns the failed checks. */
  expects?(result: StagedSession, index: number): readonly string[] | Promise<readonly string[]>;
  /** Which thinking is removed, see bound-thinking.ts; by default `changed`. */
  readonly thinking?: ThinkingRule;
  /**
   * @internal The sources from which the plan was made, in the same order, if they differ from the files: doctor restores
   * records from broken lines.
   */
  readonly readAs?: readonly Source[];
  /** @internal Maps a line of `readAs` to the line of the file. */
  lineOf?(line: number): number;
  /** @internal What is known of the thinking of a result, in addition to the comparison with the source. */
  judgeThinking?(result: Session): JudgedThinking;
  /** Whether lines may stay in the file that a resume no longer loads: a rewind, a summary. */
  readonly loadsLess?: boolean;
  /** `all` (repairs): no violation may remain. `new`: none that the source does not have. */
  readonly violations?: 'all' | 'new';
}

/** A session that an operation reads or writes. */
export interface PlannedSource {
  readonly sessionId: string;
  readonly path: string;
}

/** A session that an operation will write. */
export interface PlannedSession {
  readonly sessionId: string;
  /** Its project folder. */
  readonly folder: string;
  /** Whether it replaces existing files, which are kept as backups. */
  readonly isInPlace: boolean;
  /** The index of the source that the proof compares it with; by default the first. */
  readonly comparedWith?: number;
  /** The main transcript first. */
  readonly files: readonly PlannedFile[];
}

/** A file that an operation will write. */
export interface PlannedFile {
  /** Relative to the project folder, with `/`. */
  readonly name: string;
  /** @internal */
  readonly content: FileSource;
  /** The modification time, if it must be preserved: lists of sessions are sorted by it. */
  readonly mtimeMs?: number;
}

export type FileSource =
  /** A transcript, line by line. */
  | { readonly lines: () => Iterable<OutLine> }
  /** The bytes of another file. */
  | { readonly copyOf: string }
  | { readonly bytes: Buffer };

/** A file outside of the session that an operation will change. */
export interface PlannedOtherFile {
  /** Created if it does not exist. */
  readonly path: string;
  /** Other programs append to it: an undo keeps what they appended. */
  readonly isLog?: boolean;
  /** @internal */
  readonly content: FileSource;
}

/** A line that an operation drops, and why. */
export interface Dropped {
  /** Its file, if that is not the main transcript of the source. */
  readonly file?: string;
  readonly line: number;
  readonly uuid?: string;
  readonly reason: string;
}

/** A result in the staging folder. */
export interface StagedSession {
  readonly planned: PlannedSession;
  readonly session: Session;
}

export function mainFile(session: Pick<PlannedSession, 'files' | 'sessionId'>): PlannedFile {
  const [main] = session.files;
  if (main === undefined) throw new TypeError(`the plan for ${session.sessionId} has no main transcript`);
  return main;
}
