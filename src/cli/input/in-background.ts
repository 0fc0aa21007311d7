// For hooks: a `clew` that continues after the hook has returned, and a log for what nobody sees otherwise. Claude Code ends a
// SessionEnd hook after 1.5 seconds, which is not enough for every session.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolderSync } from '../../base/files/index.ts';
import { privateFileMode, stateFolder } from '../../store/index.ts';
import type { CommandIo } from '../command/index.ts';
import { packageRoot } from './session.ts';

/** For processes that run another command of this package. */
export const programFile: string = path.join(packageRoot, 'dist', 'clew.js');

export interface BackgroundOptions {
  readonly io: Pick<CommandIo, 'env' | 'cwd'>;
  /** Its standard input. */
  readonly input: string;
  readonly onError: (message: string) => void;
}

export function runInBackground(args: readonly string[], { io, input, onError }: BackgroundOptions): void {
  const child = spawn(process.execPath, [programFile, ...args], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: io.env,
    cwd: io.cwd,
  });
  child.on('error', (error) => onError(error.message));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  child.unref();
}

/** Appends a line to a log in Clew's state folder. */
export function logLine(env: NodeJS.ProcessEnv, log: string, message: string): void {
  try {
    const folder = stateFolder(env);
    makeFolderSync(folder);
    const line = `${new Date().toISOString()} ${message.replace(/\s+/g, ' ')}\n`;
    appendFileSync(path.join(folder, log), line, { mode: privateFileMode });
  } catch {
    // There is nowhere left to say it.
  }
}
