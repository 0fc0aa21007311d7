// One hook command and its input → how it ended and what it printed. It runs in a process group of its own, so that an
// abort or the end of its time also ends what it has started.
import { type ChildProcess, spawn } from 'node:child_process';
import type { HookCommand } from './hook-config.ts';

export interface HookResult {
  /** `undefined` where it was ended, or never began. */
  readonly exitCode: number | undefined;
  readonly ended?: 'timeout' | 'abort' | 'signal';
  /** Why it could not be started. */
  readonly problem?: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly isCut: boolean;
}

export interface HookSurroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const maxOutputBytes = 1 << 20;
/** For those that must put something away; after it they are killed. */
const graceMs = 1000;
/** A hook may leave a program behind that holds its output open. */
const drainMs = 200;

export function runHook(
  { command, timeoutMs }: HookCommand,
  input: string,
  { cwd, env }: HookSurroundings,
  signal: AbortSignal,
): Promise<HookResult> {
  return new Promise((resolve) => {
    const empty = { stdout: '', stderr: '', isCut: false };
    if (signal.aborted) return resolve({ exitCode: undefined, ended: 'abort', ...empty });
    const child = spawn(command, { shell: true, detached: process.platform !== 'win32', cwd, env, stdio: 'pipe' });
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    let ended: 'timeout' | 'abort' | undefined;
    let isDone = false;
    let killer: NodeJS.Timeout | undefined;
    const end = (why: 'timeout' | 'abort'): void => {
      if (isDone || ended !== undefined) return;
      ended = why;
      killGroup(child, 'SIGTERM');
      killer = setTimeout(() => killGroup(child, 'SIGKILL'), graceMs);
    };
    const onAbort = (): void => end('abort');
    const timer = setTimeout(() => end('timeout'), timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    const finish = (exitCode: number | null, problem?: string): void => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      clearTimeout(killer);
      signal.removeEventListener('abort', onAbort);
      // What it started goes with it, where it did not end by itself.
      if (ended !== undefined) killGroup(child, 'SIGKILL');
      child.stdout.destroy();
      child.stderr.destroy();
      const why = ended ?? (exitCode === null && problem === undefined ? 'signal' : undefined);
      resolve({
        exitCode: why === undefined ? (exitCode ?? undefined) : undefined,
        ...(why === undefined ? {} : { ended: why }),
        ...(problem === undefined ? {} : { problem }),
        stdout: stdout.text(),
        stderr: stderr.text(),
        isCut: stdout.isCut() || stderr.isCut(),
      });
    };
    child.on('error', (error) => finish(null, error.message));
    child.on('close', (code) => finish(code));
    child.on('exit', (code) => setTimeout(() => finish(code), drainMs));
    // Many hooks do not read their input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

function collect(stream: NodeJS.ReadableStream): { text(): string; isCut(): boolean } {
  const pieces: Buffer[] = [];
  let size = 0;
  stream.on('error', () => undefined);
  stream.on('data', (piece: Buffer) => {
    if (size < maxOutputBytes) pieces.push(piece.subarray(0, maxOutputBytes - size));
    size += piece.length;
  });
  return { text: () => Buffer.concat(pieces).toString('utf8'), isCut: () => size > maxOutputBytes };
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
  } catch {
    // It is gone already.
  }
}
