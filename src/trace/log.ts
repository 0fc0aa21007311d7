// One line per failure, in a file that is always there to be looked at: a hook has no screen, and silence is how the
// other tracers lose turns.
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { privateFileMode } from '../store/disk.ts';

const mostBytes = 1024 * 1024;

export function logFailure(file: string, where: string, error: unknown, nowMs: number = Date.now()): void {
  const text = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 500);
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > mostBytes) renameSync(file, `${file}.old`);
    appendFileSync(file, `${new Date(nowMs).toISOString()} ${where}: ${text}\n`, { mode: privateFileMode });
  } catch {
    // a disk that takes no log takes no outbox either; the status command says so
  }
}
