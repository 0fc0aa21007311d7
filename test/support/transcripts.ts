// The transcripts for tests of reading: the repository's recordings and the corpora, including damaged and foreign
// files.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { corpusFolder } from './corpus.ts';
import { filesBelow, projectRoot } from './paths.ts';

export const recordings: string = path.join(projectRoot, 'test/interop/recordings');

export function recordedFiles(): string[] {
  return filesBelow(recordings, '.jsonl');
}

export function corpusFiles(): string[] {
  return filesBelow(path.join(corpusFolder, 'corpus'), '.jsonl');
}

/** The lines of a file as bytes, without their newlines, split in the simplest way. */
export function linesOf(file: string): Buffer[] {
  const bytes = readFileSync(file);
  const lines: Buffer[] = [];
  for (let start = 0; start <= bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}
