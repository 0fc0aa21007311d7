// A planned session → the same session as files in a folder of Clew's own, where it can be read and proved before
// anything of the user's is touched.

import { createReadStream } from 'node:fs';
import path from 'node:path';
import { loadSession } from '../session/session.ts';
import { writeNewFile } from '../store/replace.ts';
import type { OutLine } from './out-line.ts';
import type { FileSource, PlannedSession, StagedSession } from './plan.ts';
import { mainFile } from './plan.ts';

/** Writes every file of the result below `folder` and loads it from there. */
export async function stageSession(planned: PlannedSession, folder: string): Promise<StagedSession> {
  for (const file of planned.files) await writeNewFile(stagedPath(folder, file.name), bytesOf(file.content));
  return { planned, session: await loadSession(stagedPath(folder, mainFile(planned).name)) };
}

export function stagedPath(folder: string, name: string): string {
  return path.join(folder, ...name.split('/'));
}

/** The bytes of a file, in pieces. Every line ends in a newline: an older client would append to one that does not. */
export function bytesOf(content: FileSource): Buffer | AsyncIterable<Buffer> | Iterable<Buffer> {
  if ('bytes' in content) return content.bytes;
  if ('copyOf' in content) return createReadStream(content.copyOf);
  return lineBytes(content.lines());
}

function* lineBytes(lines: Iterable<OutLine>): Generator<Buffer> {
  for (const { bytes } of lines) yield Buffer.concat([bytes, newline]);
}

const newline = Buffer.from('\n');
