// Numbers the system calls by which a program changes files below some folders, and runs it again so that one of them
// is answered with an error, waits, or is where the program is killed. strace counts the calls of a name on a path, for each
// thread; a program that is started with `steady-start.ts` and one thread for its disk uses the same paths in the same order.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { isBelow } from '../../src/store/index.ts';
import { decodeHex, wholeCalls } from './system-calls.ts';

/** A changing system call of a run: the nth one of this name on this path. */
export interface ChangingCall {
  readonly name: string;
  readonly path: string;
  readonly nth: number;
}

export type Fault =
  /** The call waits for so long at most until the program is killed. */
  | { readonly kind: 'kill'; readonly ms: number }
  | { readonly kind: 'error'; readonly error: string }
  /** `act` runs while the call waits. */
  | { readonly kind: 'pause'; readonly ms: number; act(): Promise<void> };

export interface StracedProgram {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly input?: string;
}

export interface FaultyRun {
  /** `null` after a signal. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the fault happened: the program has made the call, and was still waiting after `act`. */
  readonly isReached: boolean;
}

const changing = [
  'open,openat,creat,write,writev,pwrite64,pwritev,truncate,ftruncate,fallocate,copy_file_range,sendfile',
  'rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir,mkdir,mkdirat,mknod,mknodat',
  'chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,utimensat,fsync,fdatasync,ioctl',
]
  .join(',')
  .split(',')
  .map((name) => `?${name}`) // not every machine has every call
  .join(',');

/** Runs the program, and returns its changing calls below `folders` in their order. */
export async function numberCalls(
  program: StracedProgram,
  folders: readonly string[],
): Promise<{ readonly run: FaultyRun; readonly calls: readonly ChangingCall[] }> {
  const { run, log } = await runStraced(program, ['-qqq', '-xx', '-e', `trace=${changing}`], async () => true);
  const counts = new Map<string, number>();
  const calls: ChangingCall[] = [];
  for (const { thread, text } of wholeCalls(log)) {
    const [, name = '', args = ''] = /^(\w+)\((.*)\)\s+= /s.exec(text) ?? [];
    // A rename is counted at the file that is renamed: its other name may be used by other calls.
    const seen = new Set(pathsFor(name, args).filter((each) => folders.some((folder) => isBelow(each, folder))));
    for (const each of seen)
      counts.set(`${thread} ${name} ${each}`, 1 + (counts.get(`${thread} ${name} ${each}`) ?? 0));
    const [first] = seen;
    if (first === undefined || !isChange(name, args)) continue;
    calls.push({ name, path: first, nth: counts.get(`${thread} ${name} ${first}`) ?? 1 });
  }
  return { run, calls };
}

/** As strace compares them: of descriptors, and as given; a name in an open folder counts as that folder. */
function pathsFor(name: string, args: string): readonly string[] {
  const isOfDescriptor = /^(?:p?write|f(?!\w+at$)|copy_|sendfile|ioctl)/.test(name);
  const known = isOfDescriptor ? args.replaceAll(/"[^"]*"/g, '') : args;
  const hex = '((?:\\\\x[0-9a-f]{2})*)';
  return [...known.matchAll(new RegExp(`\\b\\d+<${hex}>|"${hex}"`, 'g'))]
    .map(([, opened, given]) => decodeHex(opened ?? given ?? ''))
    .filter((each) => path.isAbsolute(each));
}

function isChange(name: string, args: string): boolean {
  if (name.startsWith('open')) return /O_CREAT|O_WRONLY|O_RDWR|O_TRUNC|O_APPEND/.test(args);
  return name !== 'ioctl' || args.includes('FICLONE');
}

/** Runs the program with a fault at one of its calls. */
export async function runWithFault(program: StracedProgram, call: ChangingCall, fault: Fault): Promise<FaultyRun> {
  // strace sends no signal at a call that it selects by its path, so that a kill is a pause too.
  const what = fault.kind === 'error' ? `error=${fault.error}` : `delay_enter=${fault.ms * 1000}`;
  const flags = ['-P', call.path, '-e', `trace=${call.name}`, '-e', `inject=${call.name}:${what}:when=${call.nth}`];
  const { run } = await runStraced(program, flags, async (readLog, isOver) => {
    if (fault.kind === 'error') return true;
    while (waitingThread(readLog(), call) === undefined) {
      if (isOver()) return false;
      await delay(4);
    }
    const thread = waitingThread(readLog(), call);
    if (thread === undefined) return false;
    if (fault.kind === 'pause') await fault.act();
    const isWaiting = waitingThread(readLog(), call) !== undefined;
    if (fault.kind === 'kill') process.kill(thread, 'SIGKILL');
    return isWaiting;
  });
  const { isReached, log } = run;
  if (fault.kind === 'error') return { ...run, isReached: log.includes('(INJECTED)') };
  // strace ends by the signal that ended the program.
  return { ...run, isReached: isReached && (fault.kind !== 'kill' || run.status === null) };
}

/** The thread whose nth call is the last of the log, and has no result yet. */
function waitingThread(log: string, { name, nth }: ChangingCall): number | undefined {
  const lines = log.split('\n');
  const last = lines.at(-1) === '' ? (lines.at(-2) ?? '') : (lines.at(-1) ?? '');
  const [, thread = '', called] = /^(\d+)\s+(\w+)\(/.exec(last) ?? [];
  if (called !== name || /\)\s+= /.test(last)) return undefined;
  const own = lines.filter((line) => line.startsWith(`${thread} `) && line.includes(` ${name}(`));
  return own.length === nth ? Number(thread) : undefined;
}

type Watcher = (readLog: () => string, isOver: () => boolean) => Promise<boolean>;

async function runStraced(
  { argv, env, cwd, input = '' }: StracedProgram,
  flags: readonly string[],
  watch: Watcher,
): Promise<{ readonly run: FaultyRun & { readonly log: string }; readonly log: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'clew-strace-'));
  const file = path.join(folder, 'calls');
  const readLog = (): string => {
    try {
      return readFileSync(file, 'latin1');
    } catch {
      return '';
    }
  };
  try {
    const child = spawn(
      '/usr/bin/strace',
      ['-f', '--seccomp-bpf', '-y', '-s', '0', ...flags, '-o', file, '--', ...argv],
      { env: { ...env, UV_THREADPOOL_SIZE: '1', UV_USE_IO_URING: '0' }, cwd },
    );
    let isOver = false;
    const closed = once(child, 'close').finally(() => {
      isOver = true;
    });
    child.stdin.on('error', () => {}).end(input); // it may end without reading it
    const [isReached, stdout, stderr] = await Promise.all([
      watch(readLog, () => isOver),
      readText(child.stdout),
      readText(child.stderr),
    ]);
    const [status] = (await closed) as [number | null];
    const log = readLog();
    return { run: { status, stdout, stderr: withoutStrace(stderr), isReached, log }, log };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** strace says which path it takes a link for. */
function withoutStrace(stderr: string): string {
  return stderr.replaceAll(/^(?:\/usr\/bin\/)?strace: .*\n/gm, '');
}
