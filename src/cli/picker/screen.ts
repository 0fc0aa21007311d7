// The terminal while the picker has it: raw keys, a screen of its own, and everything given back on every way out: the
// end, an error, a signal, a suspension.
import { writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import { safeText } from '../terminal/safe-text.ts';
import { stopUntilResumed } from '../terminal/suspend.ts';
import type { PickerScreen } from './layout.ts';

const enterCodes = '\x1b[?1049h\x1b[?2004h\x1b[?25l\x1b[2J';
const leaveCodes = '\x1b[?25h\x1b[?2004l\x1b[?1049l';
const stdoutNumber = 1;
const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
const signalNumbers = { SIGTERM: 15, SIGHUP: 1, SIGINT: 2 } as const;

export class Screen {
  readonly #stdin: ReadStream;
  readonly #stdout: WriteStream;
  #isEntered = false;
  #shown: readonly string[] = [];

  constructor(stdin: ReadStream, stdout: WriteStream) {
    this.#stdin = stdin;
    this.#stdout = stdout;
  }

  enter(): void {
    if (this.#isEntered) return;
    this.#isEntered = true;
    this.#stdin.setRawMode(true);
    this.#stdin.setEncoding('utf8').resume();
    this.#write(enterCodes);
    this.#shown = [];
    // Before the trace of an error is printed, so that it stays on the screen the user comes back to.
    process.on('uncaughtExceptionMonitor', this.leave);
    process.on('exit', this.leave);
    for (const name of signals) process.on(name, this.#endBySignal);
  }

  readonly leave = (): void => {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    process.off('uncaughtExceptionMonitor', this.leave);
    process.off('exit', this.leave);
    for (const name of signals) process.off(name, this.#endBySignal);
    this.#write(leaveCodes);
    try {
      this.#stdin.setRawMode(false);
    } catch {
      // the terminal is gone
    }
    this.#stdin.pause();
  };

  /** Only the lines that differ from what is shown are written. */
  draw({ lines, cursor }: PickerScreen): void {
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

  /** After a change of size nothing of what was shown can be counted on. */
  clear(): void {
    this.#shown = [];
    if (this.#isEntered) this.#write('\x1b[2J');
  }

  /** Back to the shell, until it is brought to the front again. */
  async suspend(): Promise<void> {
    this.leave();
    await stopUntilResumed();
    this.enter();
  }

  readonly #endBySignal = (name: NodeJS.Signals): void => {
    this.leave();
    process.exit(128 + (signalNumbers[name as keyof typeof signalNumbers] ?? 0));
  };

  /** At once: on the way out of a process nothing that waits is written any more. */
  #write(text: string): void {
    try {
      for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(writeSync(stdoutNumber, rest));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return; // the terminal is gone
      this.#stdout.write(text);
    }
  }
}

/** Its lines are neutralised cell by cell; whatever else is in one, only colours get through. */
const ownColors = { enabled: true, mark: '' };
