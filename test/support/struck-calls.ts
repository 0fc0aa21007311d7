// Runs the command under strace, which kills it, or lets a system call fail, at a chosen call that changes something: the
// points where a run can end, or its disk can refuse.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Run } from './clew.ts';
import { clew } from './dist.ts';

/** The `nth` call of this name in one of the threads. */
export interface CallPoint {
  readonly call: string;
  readonly nth: number;
}

/** What happens at a point: a signal, an error of the system, or a wait before the call, in microseconds. */
export type Strike = 'KILL' | `E${string}` | number;

export interface StrikeOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const strace = '/usr/bin/strace';

export const noStrace: string | false =
  spawnSync(strace, ['-qqq', '-o', '/dev/null', 'true']).status === 0
    ? false
    : 'strace is not installed, or may not trace';

const changing = [
  'rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,symlink,symlinkat',
  'write,writev,pwrite64,pwritev,ftruncate,truncate,fsync,fdatasync,chmod,fchmod,fchmodat,chown,fchown,utimensat',
];
const reading = ['openat', 'read', 'pread64', 'readv', 'statx', 'newfstatat', 'fstat', 'getdents64'];

/** Every call of the run that changes a file or a folder; with `reads` also those that only read one below it. */
export function listPoints(
  args: readonly string[],
  options: StrikeOptions,
  reads: string | undefined = undefined,
): readonly CallPoint[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'clew-strikes-'));
  const log = path.join(folder, 'calls');
  const trace = [...changing, 'openat', ...(reads === undefined ? [] : reading)].join(',');
  try {
    const run = runTraced(['-y', '-s', '4096', '-o', log, '-e', `trace=${trace}`], args, options);
    if (run.status === null) throw new Error(`clew ${args.join(' ')} was killed without a strike`);
    return pointsIn(readFileSync(log, 'latin1'), reads);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface StruckRun extends Run {
  /** The file whose call was struck; `undefined` if the point was not met, or was an event of Node's own. */
  readonly struck: string | undefined;
}

/** Not every point is met again: threads take turns. Then the run ends as without the strike, or has no `struck`. */
export function runStruck(
  args: readonly string[],
  { call, nth }: CallPoint,
  strike: Strike,
  options: StrikeOptions,
): StruckRun {
  const what =
    strike === 'KILL' ? 'signal=KILL' : typeof strike === 'number' ? `delay_enter=${strike}` : `error=${strike}`;
  const inject = ['-y', '-e', `trace=${call}`, '-e', `inject=${call}:${what}:when=${nth}`];
  const folder = mkdtempSync(path.join(tmpdir(), 'clew-strikes-'));
  const log = path.join(folder, 'calls');
  try {
    const run = runTraced([...inject, '-o', log], args, options);
    const lines = readFileSync(log, 'latin1').split('\n');
    const hit =
      strike === 'KILL'
        ? lines.findLast((line) => / = \?$/.test(line))
        : lines.find((line) => line.includes('INJECTED'));
    return { ...run, struck: fileIn(/^\d+\s+\w+\((.*)$/.exec(hit ?? '')?.[1] ?? '') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runTraced(flags: readonly string[], args: readonly string[], { env, cwd }: StrikeOptions): Run {
  // Without seccomp: with it, strace does not count, and strikes at no call.
  const base = ['-f', '-qqq', '-e', 'signal=none'];
  const { status, stdout, stderr } = spawnSync(strace, [...base, ...flags, '--', process.execPath, clew, ...args], {
    // One thread of the pool, so that calls have an order.
    env: { ...env, UV_THREADPOOL_SIZE: '1' },
    encoding: 'utf8',
    ...(cwd === undefined ? {} : { cwd }),
  });
  return { status, stdout, stderr };
}

function pointsIn(log: string, reads: string | undefined): readonly CallPoint[] {
  const counts = new Map<string, number>();
  const found = new Map<string, CallPoint>();
  for (const line of log.split('\n')) {
    const [, thread = '', call = '', rest = ''] = /^(\d+)\s+(\w+)\((.*)$/.exec(line) ?? [];
    if (call === '') continue;
    const nth = (counts.get(`${thread} ${call}`) ?? 0) + 1;
    counts.set(`${thread} ${call}`, nth);
    if (isOfFile(call, rest, reads)) found.set(`${call} ${nth}`, { call, nth });
  }
  return [...found.values()];
}

/** Not a pipe, an event of Node's own, or a file that is only read elsewhere. */
function isOfFile(call: string, rest: string, reads: string | undefined): boolean {
  if (call === 'openat' && rest.includes('O_CREAT')) return true;
  const file = fileIn(rest);
  if (reading.includes(call)) return reads !== undefined && file?.startsWith(reads) === true;
  return file !== undefined;
}

/** The first argument, or the second if the first is a folder to start from; only full paths. */
function fileIn(rest: string): string | undefined {
  const [, opened, named] = /^(?:\d+<([^>]*)>|(?:\w+(?:<[^>]*>)?, )?"([^"]*)")/.exec(rest) ?? [];
  return [named, opened].find((file) => file?.startsWith('/'));
}
