// A command → bash in a guarded process group, its output as it comes, its exit and the folder it ended in. Nothing that
// it started outlives us.
import type { Readable } from 'node:stream';
import { type GuardedProcess, type Held, startGuarded } from '../../base/guarded-process.ts';
import type { Launch } from '../confinement.ts';
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
  readonly launch: Pick<Launch, 'prefix' | 'env'>;
  onOutput(bytes: Buffer): void;
}

/** `cat` comes between because what Node gives a child is a socket, and `> /dev/stderr` cannot open a socket. It runs
 *  outside the sandbox, which ends all of its processes when the command ends: what is printed last would be lost. The bash
 *  of the command knows nothing of it, so that a plain `wait` in the command does not wait for it. */
const outerScript = `
exec 3<&0 </dev/null
exec > >(trap '' HUP INT TERM; exec cat 3<&- 4>&-) 2>&1
exec "$@"`;

/** The command comes through a pipe: an argument may not be longer than 128 KB. The high numbers keep out of the way of
 *  scripts, which use the small ones. */
const innerScript = `
exec 204>&4 205<&3 3<&- 4>&-
IFS= read -r -d '' -u 205 CLEW_COMMAND; exec 205<&-
trap 'printf "%s\\0" "$PWD" >&204' EXIT
eval "unset CLEW_COMMAND
$CLEW_COMMAND"`;

export function startShell(command: string, { cwd, launch, onOutput }: ShellOptions): Shell {
  // Where its input is a socket and SHLVL is not set, bash takes itself for a remote shell and reads .bashrc.
  const args = ['--norc', '-c', outerScript, 'bash', ...launch.prefix, 'bash', '--norc', '-c', innerScript, 'bash'];
  const bash = startGuarded('bash', args, { cwd, env: launch.env, withReport: true });
  const { child, stdin, stdout, stderr, lifeline } = bash;
  const report = child.stdio[4] as unknown as Readable & Held; // asked for above
  const pipes = [stdin, stdout, stderr, lifeline, report];
  for (const pipe of [stdin, stdout, stderr, report]) pipe.on('error', () => undefined);
  stdin.end(`${command}\0`);
  const hold = (how: 'ref' | 'unref'): void => {
    for (const each of [child, ...pipes]) each[how]();
  };
  const killGroup = (): void => {
    // Who kills waits for the end.
    hold('ref');
    bash.signal('SIGKILL');
    lifeline.destroy();
  };
  const gone = new Promise<void>((resolve) => report.once('close', resolve));
  const exited = waitForExit(bash, report, onOutput);
  // The watcher is all that is left then, and `cat` has passed on everything.
  void Promise.allSettled([gone, exited]).then(killGroup);
  return {
    exited,
    gone,
    kill: killGroup,
    stop: () => {
      hold('ref');
      bash.signal('SIGTERM');
      const timer = setTimeout(killGroup, limits.bash.killGraceMs);
      void gone.then(() => clearTimeout(timer));
    },
    unref: () => hold('unref'),
  };
}

/** The end of `report`, which every process of the command has open, is the end of them all. On `stderr` come only words
 *  of our own scripts: the command's are joined to `stdout`. */
function waitForExit(
  { child, stdout, stderr }: GuardedProcess,
  report: Readable,
  onOutput: (bytes: Buffer) => void,
): Promise<ShellExit> {
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
    stdout.on('data', (bytes: Buffer) => {
      onOutput(bytes);
      wait();
    });
    stderr.on('data', onOutput);
    report.setEncoding('utf8').on('data', (text: string) => {
      reported += text.slice(0, 2 * limits.pathChars);
      wait();
    });
    stdout.once('close', onClose);
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
