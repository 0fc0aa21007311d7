// The terminal during a chat: raw keys and pastes in, and all modes restored on every way out. It draws nothing.
import { writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import { type Key, KeyReader, stopUntilResumed } from '../terminal/index.ts';

/** Pastes and the focus are reported. */
const enterCodes = '\x1b[?2004h\x1b[?1004h';
const leaveCodes = '\x1b[?1004l\x1b[?2004l\x1b[?25h';
const stdoutNumber = 1;
const escapeMs = 50;

export interface TerminalEvents {
  onKey(key: Key): void;
  /** The terminal is closed. */
  onGone(): void;
}

export class ChatTerminal {
  readonly #stdin: ReadStream;
  readonly #stdout: WriteStream;
  readonly #events: TerminalEvents;
  readonly #keys = new KeyReader();
  #escapeTimer: NodeJS.Timeout | undefined;
  #isEntered = false;

  constructor(stdin: ReadStream, stdout: WriteStream, events: TerminalEvents) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#events = events;
  }

  enter(): void {
    if (this.#isEntered) return;
    this.#isEntered = true;
    this.#stdin.setRawMode(true);
    this.#stdin.setEncoding('utf8').resume();
    this.#stdin.on('data', this.#hear).on('end', this.#gone).on('error', this.#gone);
    this.#stdout.on('error', this.#gone);
    this.#write(enterCodes);
    process.on('uncaughtExceptionMonitor', this.leave);
    process.on('exit', this.leave);
  }

  readonly leave = (): void => {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    clearTimeout(this.#escapeTimer);
    process.off('uncaughtExceptionMonitor', this.leave);
    process.off('exit', this.leave);
    // The error listeners stay, because a closing terminal emits several errors.
    this.#stdin.off('data', this.#hear).off('end', this.#gone);
    this.#write(leaveCodes);
    try {
      this.#stdin.setRawMode(false);
    } catch {
      // the terminal is closed
    }
    this.#stdin.pause();
  };

  /** Back to the shell until the user brings it to the foreground again. */
  async suspend(): Promise<void> {
    this.leave();
    await stopUntilResumed();
    this.enter();
  }

  /** Codes that show nothing: a title, a bell. Their text must be safe. */
  write(codes: string): void {
    this.#write(codes);
  }

  /** OSC 52: a terminal that does not know it, or does not allow it, ignores it. */
  copy(text: string): void {
    const code = `\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`;
    this.#stdout.write(code);
  }

  readonly #hear = (text: string): void => {
    clearTimeout(this.#escapeTimer);
    for (const key of this.#keys.push(text)) this.#events.onKey(key);
    if (!this.#keys.isWaiting) return;
    this.#escapeTimer = setTimeout(() => {
      for (const key of this.#keys.settle()) this.#events.onKey(key);
    }, escapeMs);
  };

  readonly #gone = (): void => this.#events.onGone();

  #write(text: string): void {
    try {
      writeSync(stdoutNumber, text);
    } catch {
      // the terminal is closed or too busy
    }
  }
}
