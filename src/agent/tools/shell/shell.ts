// Runs a command with bash in a guarded process group and reports its output, its exit code and its last working
// directory. No process outlives this one.
import type { Readable } from 'node:stream';
import { type GuardedProcess, type Held, startGuarded } from '../../../base/process/index.ts';
import type { Launch } from '../../contract/index.ts';
import { limits } from '../shared/index.ts';

export interface ShellExit {
  /** As in a shell: 128 + the signal number if a signal ended it. */
  readonly code: number;
  /** The last working directory, if the command ended normally. */
  readonly cwd: string | undefined;
}

export interface Shell {
  /** Resolves when the command has ended and its output is read. Its background processes may still run: see `gone`. */
  readonly exited: Promise<ShellExit>;
  /** Resolves when the group has no process left. */
  readonly gone: Promise<void>;
  /** Sends SIGTERM to the group, and SIGKILL after a moment. */
  stop(): void;
  /** Sends SIGKILL to the group. */
  kill(): void;
  /** Lets this process end, and the group with it. */
  unref(): void;
}

export interface ShellOptions {
  readonly cwd: string;
  readonly launch: Pick<Launch, 'prefix' | 'env'>;
  onOutput(bytes: Buffer): void;
}

/**
 * `cat` is needed because Node gives a child a socket, and `> /dev/stderr` cannot open a socket. It runs outside of
 * the sandbox, which ends all its processes with the command, so the last output would be lost. The command's bash
 * does not know it, so a plain `wait` does not wait for it.
 */
const outerScript = `
exec 3<&0 </dev/null
exec > >(trap '' HUP INT TERM; exec cat 3<&- 4>&-) 2>&1
exec "$@"`;

/** A pipe, because an argument is limited to 128 KB. Scripts do not use such high descriptors. */
const innerScript = `
exec 204>&4 205<&3 3<&- 4>&-
IFS= read -r -d '' -u 205 CLEW_COMMAND; exec 205<&-
trap 'printf "%s\\0" "$PWD" >&204' EXIT
eval "unset CLEW_COMMAND
$CLEW_COMMAND"`;

export function startShell(command: string, { cwd, launch, onOutput }: ShellOptions): Shell {
  // If its input is a socket and SHLVL is not set, bash assumes a remote shell and reads .bashrc.
  const args = ['--norc', '-c', outerScript, 'bash', ...launch.prefix, 'bash', '--norc', '-c', innerScript, 'bash'];
  const bash = startGuarded('bash', args, { cwd, env: launch.env, withReport: true });
  const { child, stdin, stdout, stderr, lifeline } = bash;
  const report = child.stdio[4] as unknown as Readable & Held; // requested above
  const pipes = [stdin, stdout, stderr, lifeline, report];
  for (const pipe of [stdin, stdout, stderr, report]) pipe.on('error', () => undefined);
  stdin.end(`${command}\0`);
  const hold = (how: 'ref' | 'unref'): void => {
    for (const each of [child, ...pipes]) each[how]();
  };
  const killGroup = (): void => {
    // The caller of `kill` waits for the end.
    hold('ref');
    bash.signal('SIGKILL');
    lifeline.destroy();
  };
  const gone = new Promise<void>((resolve) => report.once('close', resolve));
  const exited = waitForExit(bash, report, onOutput);
  // Only the watcher is left, and `cat` has passed everything on.
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

/** Every process of the command holds `report` open. `stderr` has only messages of our own scripts. */
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
    // Background processes may hold the pipes for hours: after the shell has ended, silence means the end.
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
