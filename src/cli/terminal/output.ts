// Chunks of text → stdout or a pager, no faster than the reader reads. A reader that has seen enough (`| head`, `q` in
// the pager) ends the output quietly: the producer is stopped and the command succeeds. Text is made safe for a terminal
// here, wherever it goes; bytes are data, which only a terminal does not get as they are.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { systemErrorCode, UserError } from '../../base/errors.ts';
import { safeText } from './safe-text.ts';
import type { Style } from './style.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly fd?: number;
}

export interface OutputOptions {
  readonly pager?: boolean;
  readonly env: Environment;
  readonly stdout: OutputStream;
  /** What the text was painted with. */
  readonly style?: Style;
}

export type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

export async function writeOut(chunks: Chunks, options: OutputOptions): Promise<void> {
  const { pager = false, env, stdout } = options;
  const command = pager && stdout.isTTY === true ? pagerCommand(env) : undefined;
  const child = command === undefined ? undefined : await startPager(command, env, stdout);
  const safe = safeChunks(chunks, options);
  if (child === undefined || command === undefined) await pump(safe, stdout);
  else await page(safe, child, command);
}

/** A few lines at once, between or before other output: `stderr` of a question, a stack. */
export function writeText(stream: Writable, text: string, style?: Style): void {
  stream.write(safeText(text, style));
}

/** What a program may read, such as the answer of a model: as it is in a pipe or a file, safe on a terminal. */
export function writeData(stream: OutputStream, text: string, done: (error?: Error | null) => void): void {
  stream.write(stream.isTTY === true ? safeText(text) : text, done);
}

async function* safeChunks(chunks: Chunks, { stdout, style }: OutputOptions): AsyncGenerator<string | Uint8Array> {
  const decoder = stdout.isTTY === true ? new TextDecoder() : undefined;
  for await (const chunk of chunks) {
    if (typeof chunk === 'string') yield safeText(chunk, style);
    else yield decoder === undefined ? chunk : safeText(decoder.decode(chunk, { stream: true }));
  }
}

type Sized = Pick<OutputStream, 'columns' | 'isTTY'>;

/**
 * The columns for tables and lines that may be cut: what the terminal says, else `COLUMNS`, else 80. In a pipe or a file
 * nobody sees where a column ends, and what is cut off is lost: there is no limit.
 */
export function terminalWidth(stdout: Sized, env: Environment): number {
  const told = stdout.columns ?? Number(env.COLUMNS);
  if (Number.isInteger(told) && told > 0) return told;
  return stdout.isTTY === true ? 80 : Number.POSITIVE_INFINITY;
}

/** The columns to wrap prose to: longer lines are hard to read. */
export function proseWidth(stdout: Sized, env: Environment): number {
  const width = terminalWidth(stdout, env);
  return width === Number.POSITIVE_INFINITY ? 80 : Math.min(120, width);
}

/** The pager the user wants, or `undefined` for none (an empty value, `cat`). */
export function pagerCommand(env: Environment): string | undefined {
  const command = (env.CLEW_PAGER ?? env.PAGER ?? 'less -RFX').trim();
  return command === '' || command === 'cat' ? undefined : command;
}

/** Writes until the chunks or the reader end; answers once the last chunk was handed over. */
async function pump(chunks: Chunks, sink: Writable): Promise<void> {
  hearErrors(sink);
  let failure: Error | undefined;
  let stop = (): void => {};
  const stopped = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
  });
  const fail = (error: Error): void => {
    failure ??= error;
    stop();
  };
  sink.once('error', fail).once('close', stop);
  const iterator = iterate(chunks);
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), stopped]);
      if (next === undefined || next.done === true || !sink.writable) break;
      if (!sink.write(next.value)) await Promise.race([drained(sink), stopped]);
    }
    if (sink.writable) await Promise.race([flushed(sink), stopped]);
  } finally {
    sink.off('error', fail).off('close', stop);
    // Only a moment to clean up: a producer that is itself waiting for something may never come to its end.
    await Promise.race([iterator.return(undefined).catch(() => {}), setImmediate()]);
  }
  if (failure !== undefined && !readerLeft(failure)) throw outputError(failure);
}

/** The reader may leave even after the last write, and an `error` event that nobody hears would end the process. */
function hearErrors(sink: Writable): void {
  if (heard.has(sink)) return;
  heard.add(sink);
  sink.on('error', () => {});
}

const heard = new WeakSet<Writable>();

function drained(sink: Writable): Promise<void> {
  return new Promise((resolve) => {
    sink.once('drain', resolve);
  });
}

function flushed(sink: Writable): Promise<void> {
  return new Promise((resolve) => {
    sink.write('', () => resolve());
  });
}

async function* iterate(chunks: Chunks): AsyncGenerator<string | Uint8Array, undefined> {
  yield* chunks;
  return undefined;
}

function readerLeft(error: Error): boolean {
  const code = systemErrorCode(error);
  return code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED';
}

function outputError(error: Error): UserError {
  return new UserError(`the output could not be written (${error.message})`, 'check where it is written to');
}

/** The running pager, or `undefined` where there is no such program. */
async function startPager(command: string, env: Environment, stdout: OutputStream): Promise<ChildProcess | undefined> {
  const [program = '', ...args] = command.split(/\s+/);
  const [file, argv] = /[^\w\s./=:@%+,-]/.test(command) ? ['/bin/sh', ['-c', command]] : [program, args];
  // Loaded when it is needed: it brings the network along, and most output goes to no pager.
  const { spawn } = await import('node:child_process');
  const child = spawn(file, argv, {
    stdio: ['pipe', stdout.fd ?? 'inherit', 'inherit'],
    // As git does: colours shown, no pager for what fits the screen, the screen not cleared.
    env: { ...env, LESS: env.LESS ?? 'FRX' },
  });
  try {
    await once(child, 'spawn');
    return child;
  } catch {
    return undefined;
  }
}

async function page(chunks: Chunks, child: ChildProcess, command: string): Promise<void> {
  const { stdin } = child;
  if (stdin === null) throw new Error('the pager was started without a pipe');
  // Ctrl-C belongs to the pager; if it ended this process, the pager would be left without its terminal settings.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  const closed = once(child, 'close') as Promise<[exitCode: number | null]>;
  try {
    await pump(chunks, stdin);
  } finally {
    stdin.end();
    await closed;
    process.off('SIGINT', ignore);
  }
  const [exitCode] = await closed;
  if (exitCode !== 127) return;
  throw new UserError(`the pager "${command}" could not be run`, 'set CLEW_PAGER to one that can, or to cat for none');
}
