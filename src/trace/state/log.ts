// One line per failure in trace.log, because a hook has no screen.
import { appendFileSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors/index.ts';
import { makeFolderSync } from '../../base/files/index.ts';
import { privateFileMode } from '../../store/index.ts';

const mostBytes = 1024 * 1024;

export function logFailure(file: string, where: string, error: unknown, nowMs: number = Date.now()): void {
  const text = `${logText(where, 200)}: ${logText(error instanceof Error ? error.message : String(error), 500)}`;
  try {
    makeFolderSync(path.dirname(file));
    const before = statSync(file, { throwIfNoEntry: false });
    // Writing to a pipe without a reader would never end.
    if (before?.isFile() === false) throw new Error('it is not a regular file');
    if ((before?.size ?? 0) > mostBytes) renameSync(file, `${file}.old`);
    appendFileSync(file, `${new Date(nowMs).toISOString()} ${text}\n`, { mode: privateFileMode });
  } catch (problem) {
    // A disk without room for the log has none for the outbox. The client keeps the stderr of a hook in its debug log.
    const why = systemErrorCode(problem) ?? logText(String(problem), 100);
    process.stderr.write(`clew: cannot write ${logText(file, 500)} (${why}); ${text}\n`);
  }
}

/** Names and reasons come from outside: they must not end a line or control a terminal that shows the log. */
function logText(text: string, most: number): string {
  return text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, most);
}
