// Passes the output of Ink to the terminal. Ink erases its live lines by their count, which is wrong after a resize has
// wrapped or dropped rows. So Ink never sees a resize: its output is held until the size is stable, then the live lines
// are repainted where Ink expects them.
import { EventEmitter } from 'node:events';
import type { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { displayWidth } from '../../../base/text/terminal-text.ts';
import type { PlacedLines } from '../dialog/dialog-lines.ts';

const noWrap = '\x1b[?7l';
const wrap = '\x1b[?7h';
/** How Ink begins if the cursor is inside its lines. */
const toTheEnd = /^\x1b\[\?25l\x1b\[(\d+)B/;
/** The last line of a frame with its trailing codes is shorter. */
const tailChars = 4000;

/** The parts of a terminal that Ink uses. */
export class InkOutput extends EventEmitter {
  readonly isTTY = true;
  /** Ink clears the scrollback when its lines fill the screen; the layout prevents that. */
  readonly rows: number = Number.MAX_SAFE_INTEGER;
  /** Without its codes. Distinguishes a frame from finished text, which may wrap. */
  #lastLine = '';
  readonly #stdout: WriteStream;
  readonly #onWrite: () => void;
  #held: string[] | undefined;

  constructor(stdout: WriteStream, onWrite: () => void) {
    super();
    this.#stdout = stdout;
    this.#onWrite = onWrite;
  }

  get columns(): number {
    return this.#stdout.columns;
  }

  get writableLength(): number {
    return this.#stdout.writableLength;
  }

  expect({ lines }: PlacedLines): void {
    this.#lastLine = stripVTControlCharacters(lines.at(-1) ?? '').trimEnd();
  }

  write(text: string, done?: () => void): boolean {
    this.#onWrite();
    // We may not know of a resize yet: a frame keeps to its rows, and the screen scrolls up if rows are gone.
    const moved = text.replace(toTheEnd, (_, down: string) => `\x1b[?25l${'\n'.repeat(Number(down))}`);
    const safe = this.#isFrame(text) ? `${noWrap}${moved}${wrap}` : moved;
    if (this.#held === undefined) return this.#stdout.write(safe, done);
    this.#held.push(safe);
    if (done !== undefined) setImmediate(done);
    return true;
  }

  hold(): void {
    this.#held ??= [];
  }

  /** Writes `first`, then the held output. */
  release(first: string): void {
    this.#stdout.write(first + (this.#held ?? []).join(''));
    this.#held = undefined;
  }

  #isFrame(text: string): boolean {
    if (this.#lastLine === '') return false;
    return stripVTControlCharacters(text.slice(-tailChars)).trimEnd().endsWith(this.#lastLine);
  }
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Erases the wrapped live lines in a terminal that has become smaller, and writes each into one row. */
export function repaint({ lines, cursor }: PlacedLines, before: Size, { columns, rows }: Size): string {
  if (lines.length >= rows) return '\x1b[H\x1b[J';
  const row = cursor?.row ?? lines.length;
  const column = cursor?.column ?? 0;
  const rowsOf = (line: string): number =>
    Math.max(1, Math.ceil(Math.min(displayWidth(line), before.columns) / columns));
  const above = lines.slice(0, row).reduce((sum, line) => sum + rowsOf(line), Math.floor(column / columns));
  const start = `${above > 0 ? `\x1b[${above}A` : ''}\r\x1b[J`;
  const painted = lines.map((line) => `${line}\n`).join('');
  const back = lines.length - row;
  return `${start}${noWrap}${painted}${wrap}${back > 0 ? `\x1b[${back}A` : ''}\x1b[${column + 1}G`;
}
