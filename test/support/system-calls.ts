// Runs a program under strace and returns what it and its children did to files and the network: which paths were read,
// written and deleted, and where it connected or listened.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';

export interface WatchedRun {
  /** `null` after a signal. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Absolute paths, as used by the program; links are not resolved. */
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
  /** Includes files that did not exist before the run, such as its own temporary files. */
  readonly deletes: ReadonlySet<string>;
  /** Such as `127.0.0.1:9`. */
  readonly connects: ReadonlySet<string>;
  readonly listens: ReadonlySet<string>;
}

export interface WatchOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Run it as the user `nobody`; only root can. */
  readonly isNobody?: boolean;
  readonly input?: string;
  /** After this many seconds the program gets SIGTERM, and soon after that SIGKILL. */
  readonly seconds: number;
}

const strace = '/usr/bin/strace';

const traced = [
  'open,openat,openat2,creat,truncate,ftruncate',
  'rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,mknod,mknodat,link,linkat,symlink,symlinkat',
  'chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,utime,utimes,utimensat,futimesat',
  'setxattr,lsetxattr,fsetxattr,removexattr,lremovexattr,fremovexattr',
  'connect,bind,sendto,sendmsg',
].join(',');

/** Every thread and child; full paths, in hexadecimal; nothing about signals and exits. */
const flags = ['-f', '--seccomp-bpf', '-qqq', '-y', '-xx', '-s', '8192', '-e', 'signal=none', '-e', `trace=${traced}`];

export async function watchProgram(argv: readonly string[], options: WatchOptions): Promise<WatchedRun> {
  const { env, cwd, isNobody = false, input = '', seconds } = options;
  const folder = mkdtempSync(path.join(tmpdir(), 'clew-strace-'));
  const log = path.join(folder, 'calls');
  const user = isNobody ? ['-u', 'nobody'] : [];
  const limited = ['/usr/bin/timeout', '-k', '5', String(seconds), ...argv];
  try {
    const child = spawn(strace, [...flags, ...user, '-o', log, '--', ...limited], { env, cwd });
    const closed = once(child, 'close');
    child.stdin.on('error', () => {}).end(input); // it may end without reading it
    const [stdout, stderr] = await Promise.all([readText(child.stdout), readText(child.stderr)]);
    const [status] = (await closed) as [number | null];
    return { status, stdout, stderr, ...readCalls(readFileSync(log, 'latin1'), cwd) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Parses the log of strace. */
function readCalls(log: string, cwd: string): Omit<WatchedRun, 'status' | 'stdout' | 'stderr'> {
  const done = {
    reads: new Set<string>(),
    writes: new Set<string>(),
    deletes: new Set<string>(),
    connects: new Set<string>(),
    listens: new Set<string>(),
  };
  const folders = new Map<string, string>();
  for (const { text } of wholeCalls(log)) {
    const call = /^(\w+)\((.*)\)\s+= (-?\d+|\?)(?:<([^>]*)>)?(?: (E\w+))?/s.exec(text);
    if (call === null) continue;
    const [, name = '', args = '', result = '', opened, error] = call;
    if (opened !== undefined) folders.set(`/proc/self/fd/${result}`, decodeHex(opened));
    if (error !== undefined && harmless.has(error)) continue;
    note(
      name,
      pathsIn(args, cwd).map((file) => throughOpenFolder(file, folders)),
      args,
      done,
    );
  }
  return done;
}

/** These errors mean that nothing changed. Other failures were attempts, and count. */
const harmless: ReadonlySet<string> = new Set(['ENOENT', 'EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'EISDIR', 'EXDEV', 'ELOOP']);

export interface LoggedCall {
  readonly thread: string;
  readonly text: string;
}

/** Interrupted calls are on two lines; the thread id shows which belong together. */
export function wholeCalls(log: string): readonly LoggedCall[] {
  const begun = new Map<string, string>();
  const calls: LoggedCall[] = [];
  for (const line of log.split('\n')) {
    const [, thread = '', text = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text);
    if (text.endsWith('<unfinished ...>')) begun.set(thread, text.slice(0, -'<unfinished ...>'.length).trimEnd());
    else if (resumed !== null) {
      calls.push({ thread, text: `${begun.get(thread) ?? ''}${resumed[1]}` });
      begun.delete(thread);
    } else calls.push({ thread, text });
  }
  return [...calls, ...[...begun].map(([thread, text]) => ({ thread, text: `${text}) = ?` }))];
}

type Done = { readonly [Key in 'reads' | 'writes' | 'deletes' | 'connects' | 'listens']: Set<string> };

function note(name: string, [first = '', second = '']: readonly string[], args: string, done: Done): void {
  if (/^(?:connect|send)/.test(name)) addAddress(args, done.connects);
  else if (name === 'bind') addAddress(args, done.listens);
  else if (name.startsWith('open')) {
    const isRead = !/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND/.test(args);
    (isRead ? done.reads : done.writes).add(first);
  } else if (name.startsWith('rename')) {
    done.deletes.add(first);
    done.writes.add(second);
  } else if (/^(?:unlink|rmdir)/.test(name)) done.deletes.add(first);
  else done.writes.add(/^(?:link|symlink)/.test(name) ? second : first);
}

/** The paths of a call: strings, after the folder they are relative to; or the path of a descriptor. */
function pathsIn(args: string, cwd: string): string[] {
  const found: string[] = [];
  let folder = cwd;
  for (const [, at, quoted] of args.matchAll(/(?:AT_FDCWD|\b\d+)<((?:\\x[0-9a-f]{2})*)>|"((?:\\x[0-9a-f]{2})*)"/g)) {
    if (at !== undefined) folder = decodeHex(at);
    else found.push(path.resolve(folder, decodeHex(quoted ?? '')));
  }
  return found.length > 0 ? found : [folder];
}

/** A file whose path is relative to an open folder. */
function throughOpenFolder(file: string, folders: ReadonlyMap<string, string>): string {
  const [at = ''] = /^\/proc\/self\/fd\/\d+/.exec(file) ?? [];
  return `${folders.get(at) ?? at}${file.slice(at.length)}`;
}

export function decodeHex(hex: string): string {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex').toString('utf8');
}

function addAddress(args: string, addresses: Set<string>): void {
  const ip = /sin6?_port=htons\((\d+)\).*?(?:inet_addr|inet_pton)\((?:AF_INET6, )?"((?:\\x[0-9a-f]{2})*)"/.exec(args);
  if (ip !== null) addresses.add(`${decodeHex(ip[2] ?? '')}:${ip[1]}`);
  const unix = /sun_path=@?"((?:\\x[0-9a-f]{2})*)"/.exec(args);
  if (unix !== null) addresses.add(decodeHex(unix[1] ?? ''));
}
