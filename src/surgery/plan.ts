// What surgery will write, before it is written. An operation is a function `session → Plan`; everything behind that
// (staging, proof, writing, backup, undo, history) is the same for all of them and lives in operate.ts.
//
// How to write an operation:
// 1. Load the source with `loadSource` (source.ts). It is read only.
// 2. Say what happens to records with a `Rewrite` (rewrite.ts): edits, drops with a reason, new lines. What is not named
//    stays byte for byte. Lines are made lazily, so that a transcript of gigabytes is never in memory.
// 3. Answer a `Plan` whose sessions list every file of the result. `newSession` (new-session.ts) makes one with its own
//    id, side files and sub-agents along; `sameSession` one that takes the place of the source (`--in-place`).
// 4. In `expects`, check what only this operation can promise, on the staged result. A text is a broken promise:
//    nothing is written.
import type { Session } from '../session/session.ts';
import type { JudgedThinking, ThinkingRule } from './bound-thinking.ts';
import type { OutLine } from './out-line.ts';
import type { Source } from './source.ts';

/** What an operation will write; the plan functions create it and `operate` carries it out. */
export interface Plan {
  /** The command's name, such as `fork`. */
  readonly operation: string;
  /** What it was told to do, for the history: `--at 4`. */
  readonly words: readonly string[];
  /** What the results are made from, see `PlannedSession.comparedWith`. */
  readonly sources: readonly PlannedSource[];
  /** The first one is `to` in the output. */
  readonly results: readonly PlannedSession[];
  /** Files that go away, with a backup; only of sessions that the user named, and only where asked for. */
  readonly removals?: readonly string[];
  /** Files beside the sessions, such as `history.jsonl`, that get new content, with a backup. */
  readonly otherFiles?: readonly PlannedOtherFile[];
  /** Where the result goes on, if that is not the folder of the first source. */
  readonly workingFolder?: string;
  readonly dropped: readonly Dropped[];
  /** What the user should know beside the numbers, one sentence each. */
  readonly notes?: readonly string[];
  /** @internal What this operation promises of the staged result; each text answered is a promise that does not hold. */
  expects?(result: StagedSession, index: number): readonly string[] | Promise<readonly string[]>;
  /**
   * Which thinking is left out of the results: by default that of models that check, from the first change on; see
   * bound-thinking.ts.
   */
  readonly thinking?: ThinkingRule;
  /**
   * @internal The sources as the plan was made from them, in the same order, where that is not how their files read:
   * doctor restores records from broken lines.
   */
  readonly readAs?: readonly Source[];
  /** @internal A line of the main transcript as it was read → the line of the file. */
  lineOf?(line: number): number;
  /** @internal What is known of the thinking of a result beyond what a comparison with the source shows. */
  judgeThinking?(result: Session): JudgedThinking;
  /** Whether lines that a resume loaded may stay in the file and no longer be loaded: a rewind, a summary. */
  readonly loadsLess?: boolean;
  /** `all` (repairs): no violation may be left. Otherwise none that the source does not have. */
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
  /** The project folder it stands in. */
  readonly folder: string;
  /** Whether it takes the place of files that are there; they are kept as backups. */
  readonly isInPlace: boolean;
  /** Which of the sources the proof compares it with; by default the first. */
  readonly comparedWith?: number;
  /** The main transcript first. */
  readonly files: readonly PlannedFile[];
}

/** A file that an operation will write. */
export interface PlannedFile {
  /** Below the project folder, with `/`. */
  readonly name: string;
  /** @internal */
  readonly content: FileSource;
  /** When it was last changed, where that is to stay: lists of sessions are sorted by it. */
  readonly mtimeMs?: number;
}

export type FileSource =
  /** A transcript, line by line; called anew for every reading. */
  | { readonly lines: () => Iterable<OutLine> }
  /** The bytes of another file. */
  | { readonly copyOf: string }
  | { readonly bytes: Buffer };

/** A file outside of the session that an operation will change. */
export interface PlannedOtherFile {
  /** Made where nothing stands there yet. */
  readonly path: string;
  /** Other programs append to it: what came behind since is kept when the operation is taken back. */
  readonly isLog?: boolean;
  /** @internal */
  readonly content: FileSource;
}

/** A line that an operation leaves out, and why. */
export interface Dropped {
  /** The file it stood in, where that is not the main transcript of the source. */
  readonly file?: string;
  readonly line: number;
  readonly uuid?: string;
  readonly reason: string;
}

/** A result on the disk, not yet in its place. */
export interface StagedSession {
  readonly planned: PlannedSession;
  readonly session: Session;
}

export function mainFile(session: Pick<PlannedSession, 'files' | 'sessionId'>): PlannedFile {
  const [main] = session.files;
  if (main === undefined) throw new TypeError(`the plan for ${session.sessionId} has no main transcript`);
  return main;
}
