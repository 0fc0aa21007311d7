// One line per failure, in a file that is always there to be looked at: a hook has no screen, and silence is how the
// other tracers lose turns.
import { appendFileSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../base/errors.ts';
import { makeFolderSync } from '../base/make-folder.ts';
import { privateFileMode } from '../store/disk.ts';

const mostBytes = 1024 * 1024;

export function logFailure(file: string, where: string, error: unknown, nowMs: number = Date.now()): void {
  const text = `${oneLine(where, 200)}: ${oneLine(error instanceof Error ? error.message : String(error), 500)}`;
  try {
    makeFolderSync(path.dirname(file));
    const before = statSync(file, { throwIfNoEntry: false });
    // To write to a pipe that nobody reads would never end.
    if (before?.isFile() === false) throw new Error('it is not a regular file');
    if ((before?.size ?? 0) > mostBytes) renameSync(file, `${file}.old`);
    appendFileSync(file, `${new Date(nowMs).toISOString()} ${text}\n`, { mode: privateFileMode });
  } catch (problem) {
    // A disk that takes no log takes no outbox either. The client keeps what a hook says in its debug log.
    const why = systemErrorCode(problem) ?? oneLine(String(problem), 100);
    process.stderr.write(`clew: cannot write ${oneLine(file, 500)} (${why}); ${text}\n`);
  }
}

/** Names and reasons come from outside: they end no line, and steer no terminal that shows the log. */
function oneLine(text: string, most: number): string {
  return text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, most);
}
