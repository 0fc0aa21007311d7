// Writes a planned session to a staging folder, where it is proved before any file of the user changes.
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { loadSession } from '../../session/load/session.ts';
import { writeNewFile } from '../../store/replace.ts';
import type { OutLine } from './out-line.ts';
import { type FileSource, mainFile, type PlannedSession, type StagedSession } from './plan.ts';

export async function stageSession(planned: PlannedSession, folder: string): Promise<StagedSession> {
  for (const file of planned.files) await writeNewFile(stagedPath(folder, file.name), bytesOf(file.content));
  return { planned, session: await loadSession(stagedPath(folder, mainFile(planned).name)) };
}

export function stagedPath(folder: string, name: string): string {
  return path.join(folder, ...name.split('/'));
}

/** Every line ends with a newline, because older clients would append to an unfinished line. */
export function bytesOf(content: FileSource): Buffer | AsyncIterable<Buffer> | Iterable<Buffer> {
  if ('bytes' in content) return content.bytes;
  if ('copyOf' in content) return createReadStream(content.copyOf);
  return lineBytes(content.lines());
}

function* lineBytes(lines: Iterable<OutLine>): Generator<Buffer> {
  for (const { bytes } of lines) yield Buffer.concat([bytes, newline]);
}

const newline = Buffer.from('\n');
