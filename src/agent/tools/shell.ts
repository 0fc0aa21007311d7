// A command → bash in a process group of its own, its output as it comes, its exit and the folder it ended in. The group
// holds a watcher that reads from a pipe whose other end only we have: when it closes, by our hand or because we were
// killed, the watcher ends the group. So nothing that a command started outlives us.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { limits } from './limits.ts';

export interface ShellExit {
  /** As a shell shows it: 128 + the number of the signal that ended it. */
  readonly code: number;
  /** Where the command went with `cd`, if it lived to say so. */
  readonly cwd: string | undefined;
}

export interface Shell {
  /** When the command has ended and its output is read. Processes it left behind may still run: see `gone`. */
  readonly exited: Promise<ShellExit>;
  /** When no process of the group is left. */
  readonly gone: Promise<void>;
  /** SIGTERM to the group, and after a moment SIGKILL. */
  stop(): void;
  /** SIGKILL to the group. */
  kill(): void;
  /** Lets our process end, and the group with it. */
  unref(): void;
}

export interface ShellOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  onOutput(bytes: Buffer): void;
}

/** The high numbers keep out of the way of scripts, which use the small ones. `cat` stands between because what Node
 *  gives a child is a socket, and `> /dev/stderr` cannot open a socket. The second bash knows nothing of our two
 *  helpers, so that a plain `wait` in the command does not wait for them. */
const outerScript = `
exec 203<&3 204>&4 205<&0 3<&- 4>&- </dev/null
( trap '' HUP INT TERM; exec 204>&- 205<&- >/dev/null 2>&1; read -r -u 203; kill -KILL -- -$$ ) &
exec 203<&- > >(trap '' HUP INT TERM; exec cat 204>&- 205<&-) 2>&1
exec "$BASH" -c "$1" bash`;

/** The command comes through a pipe: an argument may not be longer than 128 KB. */
const innerScript = `
IFS= read -r -d '' -u 205 CLEW_COMMAND; exec 205<&-
trap 'printf "%s\\0" "$PWD" >&204' EXIT
eval "unset CLEW_COMMAND
$CLEW_COMMAND"`;

export function startShell(command: string, { cwd, env, onOutput }: ShellOptions): Shell {
  const child = spawn('bash', ['-c', outerScript, 'bash', innerScript], {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const pipes = pipesOf(child);
  for (const pipe of Object.values(pipes)) pipe.on('error', () => undefined);
  pipes.command.end(`${command}\0`);
  const hold = (how: 'ref' | 'unref'): void => {
    child[how]();
    for (const pipe of Object.values(pipes)) pipe[how]();
  };
  const killGroup = (): void => {
    // Who kills waits for the end.
    hold('ref');
    signalGroup(child, 'SIGKILL');
    pipes.lifeline.destroy();
  };
  const gone = new Promise<void>((resolve) => pipes.report.once('close', resolve));
  const exited = waitForExit(child, pipes, onOutput);
  // The watcher is all that is left then, and `cat` has passed on everything.
  void Promise.allSettled([gone, exited]).then(killGroup);
  return {
    exited,
    gone,
    kill: killGroup,
    stop: () => {
      hold('ref');
      signalGroup(child, 'SIGTERM');
      const timer = setTimeout(killGroup, limits.bash.killGraceMs);
      void gone.then(() => clearTimeout(timer));
    },
    unref: () => hold('unref'),
  };
}

/** Node's pipes are sockets: they can let the process end while they are open. */
interface Held {
  ref(): void;
  unref(): void;
}

interface Pipes {
  readonly output: Readable & Held;
  /** Of our own two scripts, before the command's is joined to `output`. */
  readonly complaints: Readable & Held;
  readonly lifeline: Writable & Held;
  /** Every process of the command has it open: its end is the end of them all. */
  readonly report: Readable & Held;
  readonly command: Writable & Held;
}

function pipesOf(child: ChildProcess): Pipes {
  const [command, output, complaints, lifeline, report] = child.stdio;
  return { output, complaints, lifeline, report, command } as unknown as Pipes; // all were asked to be pipes
}

function waitForExit(child: ChildProcess, pipes: Pipes, onOutput: (bytes: Buffer) => void): Promise<ShellExit> {
  const { output, complaints, report } = pipes;
  return new Promise((resolve, reject) => {
    let reported = '';
    let code: number | undefined;
    let open = 2;
    let isGone = false;
    let timer: NodeJS.Timeout | undefined;
    const settle = (): void => {
      clearTimeout(timer);
      if (code !== undefined) resolve({ code, cwd: reported.includes('\0') ? reported.split('\0')[0] : undefined });
    };
    // What a command left behind may hold the pipes for hours: once the shell is gone, a silence is the end.
    const wait = (): void => {
      clearTimeout(timer);
      if (code === undefined) return;
      if (open === 0) settle();
      else timer = setTimeout(settle, isGone ? limits.bash.flushMs : limits.bash.drainMs);
    };
    const onClose = (): void => {
      open--;
      wait();
    };
    output.on('data', (bytes: Buffer) => {
      onOutput(bytes);
      wait();
    });
    complaints.on('data', onOutput);
    report.setEncoding('utf8').on('data', (text: string) => {
      reported += text.slice(0, 2 * limits.pathChars);
      wait();
    });
    output.once('close', onClose);
    report.once('close', () => {
      isGone = true;
      onClose();
    });
    child.once('error', reject);
    child.once('exit', (exitCode, signal) => {
      code = exitCode ?? 128 + (signalNumbers[signal ?? ''] ?? 0);
      wait();
    });
  });
}

const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};

function signalGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}
