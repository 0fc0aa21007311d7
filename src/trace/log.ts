// One line per failure, in a file that is always there to be looked at: a hook has no screen, and silence is how the
// other tracers lose turns.
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { privateFileMode } from '../store/disk.ts';

const mostBytes = 1024 * 1024;

export function logFailure(file: string, where: string, error: unknown, nowMs: number = Date.now()): void {
  const text = `${oneLine(where, 200)}: ${oneLine(error instanceof Error ? error.message : String(error), 500)}`;
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > mostBytes) renameSync(file, `${file}.old`);
    appendFileSync(file, `${new Date(nowMs).toISOString()} ${text}\n`, { mode: privateFileMode });
  } catch {
    // a disk that takes no log takes no outbox either; the status command says so
  }
}

/** Names and reasons come from outside: they end no line, and steer no terminal that shows the log. */
function oneLine(text: string, most: number): string {
  return text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, most);
}
