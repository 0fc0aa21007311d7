// Runs one hook command with its input. It runs in a guarded process group: an abort, a timeout or the end of the agent
// also ends its child processes.
import { asObject, parseJson } from '../../base/json/index.ts';
import { startGuarded } from '../../base/process/index.ts';
import type { HookCall, HookResult } from './hook.ts';

const maxOutputBytes = 1 << 20;
/** For hooks that clean up; then they are killed. */
const graceMs = 1000;
/** A child process of the hook may hold its output open. */
const drainMs = 200;

/** Without `args`, `command` is a shell command; with them, a program. */
export function runCommand(
  command: string,
  args: readonly string[] | undefined,
  { input, cwd, env, signal, timeoutMs, onAsync }: HookCall,
): Promise<HookResult> {
  return new Promise((resolve) => {
    const empty = { stdout: '', stderr: '', isCut: false };
    if (signal.aborted) return resolve({ exitCode: undefined, ended: 'abort', ...empty });
    const [program, words] = args === undefined ? ['/bin/sh', ['-c', command]] : [command, args];
    const hook = startGuarded(program, words, { cwd, env });
    const stdout = collect(hook.stdout, (line) => {
      const announced = asObject(parseJson(line));
      if (announced?.async !== true) return;
      const seconds = announced.asyncTimeout;
      onAsync(typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined);
    });
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
    hook.stdin.end(JSON.stringify(input));
  });
}

/** `onFirstLine` gets the first line as soon as it is complete. */
function collect(
  stream: NodeJS.ReadableStream,
  onFirstLine?: (line: string) => void,
): { text(): string; isCut(): boolean } {
  const pieces: Buffer[] = [];
  let size = 0;
  let isFirst = true;
  stream.on('error', () => undefined);
  stream.on('data', (piece: Buffer) => {
    if (size < maxOutputBytes) pieces.push(piece.subarray(0, maxOutputBytes - size));
    size += piece.length;
    if (!isFirst || !piece.includes(10)) return;
    isFirst = false;
    onFirstLine?.(Buffer.concat(pieces).toString('utf8').split('\n', 1)[0] ?? '');
  });
  return { text: () => Buffer.concat(pieces).toString('utf8'), isCut: () => size > maxOutputBytes };
}
