// Temporary roots for copies of sessions of the store: text of others must not stay on this machine.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const folders = new Set<string>();

/** A root that only the user can read, removed when the program ends, also by a signal. mkdtemp makes it with mode 0700. */
export function privateFolder(): string {
  if (folders.size === 0) onEnd();
  const folder = mkdtempSync(path.join(tmpdir(), 'clew-store-'));
  folders.add(folder);
  mkdirSync(path.join(folder, 'projects'), { mode: 0o700 });
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function onEnd(): void {
  const removeAll = (): void => {
    for (const folder of folders) removeFolder(folder);
  };
  process.once('exit', removeAll);
  for (const signal of signals)
    process.once(signal, () => {
      removeAll();
      // With no other listener the signal ends the process, with the status that its caller expects.
      process.kill(process.pid, signal);
    });
}
