// The terminal during a full-screen view: raw keys and the alternate screen, restored on every way out: end, error,
// signal, suspension. A guest borrows the screen from a program that keeps the keys and the signals.
import { writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import { stopUntilResumed } from './keys.ts';
import { safeText } from './output.ts';

const enterCodes = '\x1b[?1049h\x1b[?2004h\x1b[?25l\x1b[2J';
const leaveCodes = '\x1b[?25h\x1b[?2004l\x1b[?1049l';
const guestCodes = { enter: '\x1b[?1049h\x1b[?25l\x1b[2J', leave: '\x1b[?1049l\x1b[?25h' };
const stdoutNumber = 1;
const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
const signalNumbers = { SIGTERM: 15, SIGHUP: 1, SIGINT: 2 } as const;

export interface Frame {
  readonly lines: readonly string[];
  /** Hidden without one. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}

export interface ScreenOptions {
  /** Keys and signals stay with the program that lends the screen. */
  readonly isGuest?: boolean;
  /** A system signal ends the process; `false` if the program has its own end. */
  readonly endsProcess?: boolean;
}

export class Screen {
  readonly #stdin: ReadStream;
  readonly #stdout: WriteStream;
  readonly #isGuest: boolean;
  readonly #endsProcess: boolean;
  #isEntered = false;
  #shown: readonly string[] = [];

  constructor(stdin: ReadStream, stdout: WriteStream, options: ScreenOptions = {}) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#isGuest = options.isGuest ?? false;
    this.#endsProcess = !this.#isGuest && (options.endsProcess ?? true);
  }

  enter(): void {
    if (this.#isEntered) return;
    this.#isEntered = true;
    if (!this.#isGuest) {
      this.#stdin.setRawMode(true);
      this.#stdin.setEncoding('utf8').resume();
    }
    this.#write(this.#isGuest ? guestCodes.enter : enterCodes);
    this.#shown = [];
    // Before the stack of an error is printed, so that it stays visible.
    process.on('uncaughtExceptionMonitor', this.leave);
    process.on('exit', this.leave);
    if (this.#endsProcess) for (const name of signals) process.on(name, this.#endBySignal);
  }

  readonly leave = (): void => {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    process.off('uncaughtExceptionMonitor', this.leave);
    process.off('exit', this.leave);
    for (const name of signals) process.off(name, this.#endBySignal);
    this.#write(this.#isGuest ? guestCodes.leave : leaveCodes);
    if (this.#isGuest) return;
    try {
      this.#stdin.setRawMode(false);
    } catch {
      // the terminal is closed
    }
    this.#stdin.pause();
  };

  /** Writes only the lines that changed. */
  draw({ lines, cursor }: Frame): void {
    if (!this.#isEntered) return;
    let text = '\x1b[?25l';
    const rows = Math.max(lines.length, this.#shown.length);
    for (let row = 0; row < rows; row++) {
      const line = lines[row] ?? '';
      if (line !== this.#shown[row]) text += `\x1b[${row + 1};1H${safeText(line, ownColors)}\x1b[0m\x1b[K`;
    }
    this.#shown = lines;
    if (cursor !== undefined) text += `\x1b[${cursor.row + 1};${cursor.column + 1}H\x1b[?25h`;
    this.#write(text);
  }

  /** After a resize the shown lines are unknown. */
  clear(): void {
    this.#shown = [];
    if (this.#isEntered) this.#write('\x1b[2J');
  }

  /** Back to the shell until the user brings it to the foreground again. */
  async suspend(): Promise<void> {
    this.leave();
    await stopUntilResumed();
    this.enter();
  }

  /** The screen of another program, such as an editor, which has the keys. */
  lend(): void {
    this.#write('\x1b[?25h\x1b[H\x1b[2J');
  }

  readonly #endBySignal = (name: NodeJS.Signals): void => {
    this.leave();
    process.exit(128 + (signalNumbers[name as keyof typeof signalNumbers] ?? 0));
  };

  /** Synchronously, because an exiting process drops pending writes. */
  #write(text: string): void {
    try {
      for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(writeSync(stdoutNumber, rest));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return; // the terminal is gone
      this.#stdout.write(text);
    }
  }
}

/** Lines are neutralised cell by cell; only colours get through. */
const ownColors = { enabled: true, mark: '' };
