// Runs a program in its own process group with a watcher that reads from a pipe of ours. When the pipe closes, even
// because this process was killed with -9, the watcher kills the group. Commands, hooks and servers are all started here,
// so that none of them outlives this process.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

export interface GuardedOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** One more pipe: the program's file descriptor 4, `child.stdio[4]`. */
  readonly withReport?: boolean;
}

/** Node's pipes are sockets, which can be unreferenced so that this process may end. */
export interface Held {
  ref(): void;
  unref(): void;
}

export interface GuardedProcess {
  readonly child: ChildProcess;
  readonly stdin: Writable & Held;
  readonly stdout: Readable & Held;
  readonly stderr: Readable & Held;
  readonly lifeline: Writable & Held;
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Ends the watcher, so that what the program left running continues. */
  release(): void;
}

/** The watcher is not a child of the program, which may wait for its children, and holds none of its pipes. */
const guardScript = `
( { trap '' HUP INT TERM; exec >/dev/null 2>&1 4>&-; read -r line <&3 || kill -s KILL -- -$$; } & )
exec 3<&-
exec "$@"`;

export function startGuarded(program: string, args: readonly string[], options: GuardedOptions): GuardedProcess {
  const { cwd, env, withReport = false } = options;
  const [shell, ...flags] = guardShell(env);
  const child = spawn(shell, [...flags, '-c', guardScript, 'sh', program, ...args], {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', ...(withReport ? ['pipe' as const] : [])],
  });
  const [stdin, stdout, stderr, lifeline] = child.stdio as unknown as Pipes; // all were asked to be pipes
  lifeline.on('error', () => undefined);
  return {
    child,
    stdin,
    stdout,
    stderr,
    lifeline,
    signal: (signal) => signalGroup(child, signal),
    release: () => void lifeline.end('\n'),
  };
}

type Pipes = readonly [Writable & Held, Readable & Held, Readable & Held, Writable & Held];

/** dash drops variables whose names a shell cannot use (`a.b`); bash keeps them, and with these flags reads no start-up
 *  files or functions. */
function guardShell(env: NodeJS.ProcessEnv): readonly [string, ...string[]] {
  return Object.keys(env).every((name) => /^\w+$/.test(name)) ? ['/bin/sh'] : ['bash', '--norc', '-p'];
}

function signalGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}
