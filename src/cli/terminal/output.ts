// Chunks → stdout or a pager, with back-pressure. If the reader ends early (`| head`, `q` in the pager), the producer is
// stopped and the command succeeds. Text is always made safe for a terminal; bytes only if stdout is one.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { neutralise } from '../../base/text/index.ts';
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
  /** The style that painted the text. */
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

/** Writes a few lines without waiting, such as a question or a stack on stderr. */
export function writeText(stream: Writable, text: string, style?: Style): void {
  stream.write(safeText(text, style));
}

/** Writes data for programs, such as a model's answer: unchanged in a pipe or a file, safe on a terminal. */
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

/** The width for tables and lines that may be cut: of the terminal, `COLUMNS` or 80. Unlimited in a pipe or a file. */
export function terminalWidth(stdout: Sized, env: Environment): number {
  const columns = stdout.columns ?? Number(env.COLUMNS);
  if (Number.isInteger(columns) && columns > 0) return columns;
  return stdout.isTTY === true ? 80 : Number.POSITIVE_INFINITY;
}

/** The width to wrap prose to, at most 120. */
export function proseWidth(stdout: Sized, env: Environment): number {
  const width = terminalWidth(stdout, env);
  return width === Number.POSITIVE_INFINITY ? 80 : Math.min(120, width);
}

/** The user's pager, or `undefined` for none (an empty value, `cat`). */
export function pagerCommand(env: Environment): string | undefined {
  const command = (env.CLEW_PAGER ?? env.PAGER ?? 'less -RFX').trim();
  return command === '' || command === 'cat' ? undefined : command;
}

/** Writes until the chunks or the reader end; resolves when the last chunk is flushed. */
async function pump(chunks: Chunks, sink: Writable): Promise<void> {
  ignoreLateErrors(sink);
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
    // The producer gets only a moment to clean up, because it may be waiting forever.
    await Promise.race([iterator.return(undefined).catch(() => {}), setImmediate()]);
  }
  if (failure !== undefined && !readerLeft(failure)) throw outputError(failure);
}

/** The reader may leave after the last write, and an unhandled `error` event would end the process. */
function ignoreLateErrors(sink: Writable): void {
  if (guarded.has(sink)) return;
  guarded.add(sink);
  sink.on('error', () => {});
}

const guarded = new WeakSet<Writable>();

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
  return new UserError(`the output could not be written (${error.message})`, 'check the disk or the receiving program');
}

/** The running pager, or `undefined` if there is no such program. */
async function startPager(command: string, env: Environment, stdout: OutputStream): Promise<ChildProcess | undefined> {
  const [program = '', ...args] = command.split(/\s+/);
  const [file, argv] = /[^\w\s./=:@%+,-]/.test(command) ? ['/bin/sh', ['-c', command]] : [program, args];
  // Loaded on demand: it loads Node's network code, and most output needs no pager.
  const { spawn } = await import('node:child_process');
  const child = spawn(file, argv, {
    stdio: ['pipe', stdout.fd ?? 'inherit', 'inherit'],
    // As git does: show colours, quit if it fits on one screen, do not clear the screen.
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
  // Ctrl-C belongs to the pager; ending this process would leave the terminal in the pager's mode.
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
  throw new UserError(
    `the pager "${command}" could not be run`,
    'set CLEW_PAGER to another program, or to cat for none',
  );
}

/** `style`: the one that painted the text. */
export function safeText(text: string, style?: Pick<Style, 'enabled' | 'mark'>): string {
  if (style?.enabled !== true || !text.includes('\x1b')) return neutralise(text);
  const own = new RegExp(`\\x1b\\[${style.mark}(\\d{1,2})m`, 'g');
  const parts: string[] = [];
  let copied = 0;
  for (const { 0: whole, 1: code, index } of text.matchAll(own)) {
    parts.push(neutralise(text.slice(copied, index)), `\x1b[${code}m`);
    copied = index + whole.length;
  }
  parts.push(neutralise(text.slice(copied)));
  return parts.join('');
}

export function writeNotice(stderr: Writable, message: string): void {
  stderr.write(`clew: ${safeText(message).replace(/\s*\n\s*/g, ' ')}\n`);
}
