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

import path from 'node:path';
import { UnreadableError } from '../../base/errors/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import { type Edit, editJson } from '../../format/bytes/index.ts';
import { type SessionPath, sessionPaths } from '../../library/session-files/index.ts';
import { loadSession, makeSession, type Session } from '../../session/load/index.ts';
import {
  loadTranscript,
  refuseOtherFile,
  type SessionFileOptions,
  type Transcript,
} from '../../session/transcript/index.ts';
import { type DiskProblem, diskError, type FileIdentity, identify, type LeftOut } from '../../store/index.ts';
import type { PlannedSource } from '../journal/index.ts';
import type { JudgedThinking, LineOrigin, ThinkingRule } from '../request/index.ts';

export interface OutLine extends LineOrigin {
  /** Without the newline. */
  readonly bytes: Buffer;
}

/** Splits after each newline. */
export function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    const next = end < 0 ? bytes.length : end + 1;
    lines.push(bytes.subarray(start, next));
    start = next;
  }
  return lines;
}

export function madeLine(entry: JsonObject): OutLine {
  return { bytes: Buffer.from(JSON.stringify(entry)), isEdited: false, isRenamed: false };
}

export function editLine(line: OutLine, edits: readonly Edit[], isRenaming = false): OutLine {
  if (edits.length === 0) return line;
  const bytes = editJson(line.bytes, edits);
  if (line.origin === undefined) return { ...line, bytes };
  const isOnlyRenamed = isRenaming && (!line.isEdited || line.isRenamed);
  return { ...line, bytes, isEdited: true, isRenamed: isOnlyRenamed };
}

/** A session to operate on, with all its files. */
export interface Source {
  readonly session: Session;
  /** The project folder. */
  readonly folder: string;
  /** All its files, the main transcript first. */
  readonly files: readonly SourceFile[];
  /** @internal */
  readonly identities: ReadonlyMap<string, FileIdentity>;
  /** Files in its folder that it does not own, such as a link that leads out of the root. */
  readonly leftOut: readonly LeftOut[];
}

/** A file of a session to operate on. */
export interface SourceFile extends SessionPath {
  /** Present if the file is the main transcript or a sub-agent's. */
  readonly transcript?: Transcript;
}

/** Loads a session with all its files, to operate on it. Refuses files that are not sessions of Claude Code. */
export function loadSource(main: string, options: SessionFileOptions = {}): Promise<Source> {
  return sourceOf(main, options);
}

/** `loaded`: the session, if it is loaded, and the identity that its file had before. */
export async function sourceOf(
  main: string,
  options: SessionFileOptions,
  loaded?: { readonly session: Session; readonly identity: FileIdentity },
): Promise<Source> {
  refuseOtherFile(main, options);
  const problems: DiskProblem[] = [];
  const { files: paths, leftOut } = await sessionPaths(main, problems);
  const [problem] = problems;
  if (problem !== undefined) throw new UnreadableError(problem.path, problem.code, 'check the permissions');
  const identities = new Map<string, FileIdentity>();
  for (const file of paths) identities.set(file.path, identify(file.path));
  if (loaded !== undefined) identities.set(path.resolve(main), loaded.identity);
  try {
    const session = loaded?.session ?? (await loadSession(main));
    const files = paths.map((file, i): SourceFile => {
      if (i === 0) return { ...file, transcript: session.transcript };
      return isAgentName(file.name) ? { ...file, transcript: loadTranscript(file.path, { strict: true }) } : file;
    });
    return { session, folder: path.dirname(path.resolve(main)), files, identities, leftOut };
  } catch (error) {
    throw diskError(error, 'read', main);
  }
}

/** The session itself, or the transcript of a sub-agent as a session of its own. */
export function sessionOf({ session, files }: Source, file: SourceFile): Session {
  if (file === files[0] || file.transcript === undefined) return session;
  return makeSession({ ...session.files, main: file.path, agents: [], flatAgents: [] }, file.transcript);
}

/** The session id of most of its lines. */
export function idInside(session: Session): string | undefined {
  const counts = new Map<string, number>();
  for (const { sessionId } of session.transcript.nodes)
    if (sessionId !== undefined) counts.set(sessionId, (counts.get(sessionId) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

function isAgentName(name: string): boolean {
  return /^agent-.+\.jsonl$/.test(path.posix.basename(name));
}

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
  /** By a removed file: the new file that has its lines, also those that other programs append meanwhile. */
  readonly continuedBy?: ReadonlyMap<string, string>;
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
  /** How much of the old file was read: what another program appended since is kept. */
  readonly readBytes?: number;
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
  /** By the name of a transcript: where each of its lines comes from, as it was written. */
  readonly origins: ReadonlyMap<string, readonly LineOrigin[]>;
}

export function mainFile(session: Pick<PlannedSession, 'files' | 'sessionId'>): PlannedFile {
  const [main] = session.files;
  if (main === undefined) throw new TypeError(`the plan for ${session.sessionId} has no main transcript`);
  return main;
}
