// Runs the user's `apiKeyHelper` and keeps the key that it prints, for five minutes or until the API refuses it. Nothing
// that the command prints is part of a message: either output may contain the key.
import type { Environment } from '../../base/node/index.ts';
import { startGuarded } from '../../base/process/index.ts';

export interface KeyHelperOptions {
  readonly command: string;
  readonly cwd: string;
  readonly env: Environment;
  readonly timeoutMs?: number;
  readonly nowMs?: () => number;
}

/** The command gave no key. The message does not contain its output. */
export class KeyHelperError extends Error {
  constructor(what: string) {
    super(`apiKeyHelper ${what}; run its command in a shell to see why`);
    this.name = 'KeyHelperError';
  }
}

const usualLifetimeMs = 300_000;
/** It may open a browser and wait for the user. */
const usualTimeoutMs = 600_000;
const maxKeyBytes = 64 * 1024;
const graceMs = 1000;
/** A child process of the command may hold its output open. */
const drainMs = 200;

export class KeyHelper {
  readonly #options: KeyHelperOptions;
  readonly #nowMs: () => number;
  readonly #lifetimeMs: number;
  #kept: { readonly key: string; readonly atMs: number } | undefined;
  #run: HelperRun | undefined;

  constructor(options: KeyHelperOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? Date.now;
    const text = options.env.CLAUDE_CODE_API_KEY_HELPER_TTL_MS?.trim() ?? '';
    this.#lifetimeMs = /^\d{1,12}$/.test(text) ? Number(text) : usualLifetimeMs;
  }

  /** Requests at the same time wait for the same run, which ends when none of them waits any more. */
  async key(signal: AbortSignal): Promise<string> {
    const kept = this.#kept;
    if (kept !== undefined && this.#nowMs() - kept.atMs < this.#lifetimeMs) return kept.key;
    this.#run ??= this.#start();
    const run = this.#run;
    run.waiting++;
    const leave = (): void => {
      run.waiting--;
      if (run.waiting === 0) run.stop.abort();
    };
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      return await run.key;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** The API refused this key: the next request runs the command. */
  refuse(key: string): void {
    if (this.#kept?.key === key) this.#kept = undefined;
  }

  #start(): HelperRun {
    const stop = new AbortController();
    const key = runHelper(this.#options, stop.signal)
      .then((printed) => {
        this.#kept = { key: printed, atMs: this.#nowMs() };
        return printed;
      })
      .finally(() => {
        this.#run = undefined;
      });
    return { key, stop, waiting: 0 };
  }
}

interface HelperRun {
  readonly key: Promise<string>;
  readonly stop: AbortController;
  waiting: number;
}

function runHelper({ command, cwd, env, timeoutMs = usualTimeoutMs }: KeyHelperOptions, signal: AbortSignal) {
  return new Promise<string>((resolve, reject) => {
    if (signal.aborted) return reject(new KeyHelperError('was interrupted'));
    const helper = startGuarded('/bin/sh', ['-c', command], { cwd, env: { ...env } });
    const pieces: Buffer[] = [];
    let size = 0;
    let ended: string | undefined;
    let killer: NodeJS.Timeout | undefined;
    let isDone = false;
    const end = (why: string): void => {
      if (isDone || ended !== undefined) return;
      ended = why;
      helper.signal('SIGTERM');
      killer = setTimeout(() => helper.signal('SIGKILL'), graceMs);
    };
    const onAbort = (): void => end('was interrupted');
    const timer = setTimeout(() => end(`did not end within ${timeoutMs / 1000} s`), timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    const finish = (problem: string | undefined): void => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      clearTimeout(killer);
      signal.removeEventListener('abort', onAbort);
      helper.signal('SIGKILL');
      helper.stdout.destroy();
      helper.stderr.destroy();
      const text = Buffer.concat(pieces).toString('utf8').trim();
      const what = ended ?? problem ?? problemOf(text, size);
      if (what === undefined) resolve(text);
      else reject(new KeyHelperError(what));
    };
    helper.stdout.on('error', () => undefined);
    helper.stdout.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size <= maxKeyBytes) pieces.push(piece);
    });
    helper.stderr.on('error', () => undefined);
    helper.stderr.resume();
    const exitProblem = (code: number | null): string | undefined =>
      code === 0 ? undefined : code === null ? 'was killed' : `failed with exit code ${code}`;
    helper.child.on('error', () => finish('could not be started'));
    helper.child.on('close', (code) => finish(exitProblem(code)));
    helper.child.on('exit', (code) => setTimeout(() => finish(exitProblem(code)), drainMs));
    helper.stdin.on('error', () => undefined);
    helper.stdin.end();
  });
}

function problemOf(key: string, size: number): string | undefined {
  if (size > maxKeyBytes) return `printed more than ${maxKeyBytes} bytes`;
  if (key === '') return 'printed no key';
  return /[^\x21-\x7e]/.test(key) ? 'printed something that is not a key' : undefined;
}
