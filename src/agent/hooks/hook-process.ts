// Runs one hook command with its input. It runs in a guarded process group: an abort, a timeout or the end of the agent
// also ends its child processes.
import { startGuarded } from '../../base/process/guarded-process.ts';
import type { HookCommand } from './hook-config.ts';

export interface HookResult {
  /** `undefined` if it was killed or never started. */
  readonly exitCode: number | undefined;
  readonly ended?: 'timeout' | 'abort' | 'signal';
  /** Why it could not be started. */
  readonly problem?: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly isCut: boolean;
}

export interface HookPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const maxOutputBytes = 1 << 20;
/** For hooks that clean up; then they are killed. */
const graceMs = 1000;
/** A child process of the hook may hold its output open. */
const drainMs = 200;

export function runHook(
  { command, timeoutMs }: HookCommand,
  input: string,
  { cwd, env }: HookPlace,
  signal: AbortSignal,
): Promise<HookResult> {
  return new Promise((resolve) => {
    const empty = { stdout: '', stderr: '', isCut: false };
    if (signal.aborted) return resolve({ exitCode: undefined, ended: 'abort', ...empty });
    const hook = startGuarded('/bin/sh', ['-c', command], { cwd, env });
    const stdout = collect(hook.stdout);
    const stderr = collect(hook.stderr);
    let ended: 'timeout' | 'abort' | undefined;
    let isDone = false;
    let killer: NodeJS.Timeout | undefined;
    const end = (why: 'timeout' | 'abort'): void => {
      if (isDone || ended !== undefined) return;
      ended = why;
      hook.signal('SIGTERM');
      killer = setTimeout(() => hook.signal('SIGKILL'), graceMs);
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
      // Child processes that are still running end with the hook.
      if (ended !== undefined) hook.signal('SIGKILL');
      hook.stdout.destroy();
      hook.stderr.destroy();
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
    hook.child.on('error', (error) => finish(null, error.message));
    hook.child.on('close', (code) => finish(code));
    hook.child.on('exit', (code) => {
      if (ended === undefined) hook.release();
      setTimeout(() => finish(code), drainMs);
    });
    // Many hooks do not read their input.
    hook.stdin.on('error', () => undefined);
    hook.stdin.end(input);
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
