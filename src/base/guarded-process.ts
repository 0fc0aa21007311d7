// A program → it runs in a process group of its own, next to a watcher that reads from a pipe whose other end only we
// have: when that closes, by our hand or because we were killed with -9, the watcher ends the group. Commands, hooks and
// servers are all started here, so that nothing of them outlives us.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

export interface GuardedOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** One more pipe, the program's file 4: it is `child.stdio[4]`. */
  readonly withReport?: boolean;
}

/** Node's pipes are sockets: they can let our process end while they are open. */
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
  /** Sends the watcher away: what the program has left running goes on without us. */
  release(): void;
}

/** The watcher is not a child of the program, which may wait for all that it has, and holds none of its pipes. */
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

/** dash hands on no variable whose name a shell cannot use (`a.b`, functions of bash): bash does, and so called it
 *  reads neither .bashrc nor BASH_ENV nor the functions. */
function guardShell(env: NodeJS.ProcessEnv): readonly [string, ...string[]] {
  return Object.keys(env).every((name) => /^\w+$/.test(name)) ? ['/bin/sh'] : ['bash', '--norc', '-p'];
}

function signalGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}
