// A clew that keeps running while a test changes files: its output line by line, and its exit.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { cleanEnv } from './clew.ts';
import { clew } from './dist.ts';
import { waitFor } from './wait.ts';

export interface RunningClew {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** What stdout has once it matches. */
  prints(wanted: RegExp): Promise<string>;
  says(wanted: RegExp): Promise<string>;
  /** The exit code and the signal it ended by. */
  readonly ended: Promise<readonly [number | null, NodeJS.Signals | null]>;
  /** Sends the signal, and returns the same. */
  end(signal: NodeJS.Signals): Promise<readonly [number | null, NodeJS.Signals | null]>;
}

export function startClew(
  context: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningClew {
  const child = spawn(process.execPath, [clew, ...args], { env: { ...cleanEnv(), ...env }, stdio: 'pipe' });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  context.after(() => void child.kill('SIGKILL'));
  const shows = (name: 'stdout' | 'stderr', wanted: RegExp): Promise<string> =>
    waitFor(
      () => (wanted.test(texts[name]) ? texts[name] : undefined),
      () => `${wanted} in ${JSON.stringify(texts)}`,
    );
  return {
    pid: child.pid ?? 0,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    prints: (wanted) => shows('stdout', wanted),
    says: (wanted) => shows('stderr', wanted),
    ended: closed,
    end: (signal) => {
      child.kill(signal);
      return closed;
    },
  };
}
