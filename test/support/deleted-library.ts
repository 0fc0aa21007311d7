// What the real client 2.1.325 left of a tree of 40 sessions after its own cleanup deleted 20 of them, from
// test/corpus/deleted.br (test/corpus/README.md says how it was recorded), as a config folder on disk.
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { projectRoot } from './paths.ts';
import { writeTree } from './temp-folder.ts';

/** A session as it was typed, by whoever drove the client. */
export interface RecordedSession {
  readonly sessionId: string;
  readonly isDeleted: boolean;
  readonly cwd: string;
  /** What was typed, one entry a prompt, `/rename` included. */
  readonly typed: readonly string[];
  /** Lines of what was pasted. */
  readonly pasted: readonly string[];
}

interface Recording {
  readonly sessions: readonly RecordedSession[];
  readonly files: Readonly<Record<string, string>>;
  /** Empty ones. */
  readonly folders: readonly string[];
}

const recording = JSON.parse(
  brotliDecompressSync(readFileSync(path.join(projectRoot, 'test/corpus/deleted.br'))).toString('utf8'),
) as Recording;

export const recordedSessions: readonly RecordedSession[] = recording.sessions;

/** Writes the tree into `folder`, which becomes a config folder. */
export function writeDeletedLibrary(folder: string): void {
  writeTree(folder, recording.files);
  for (const name of recording.folders) mkdirSync(path.join(folder, name), { recursive: true });
}
