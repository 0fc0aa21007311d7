// What Ink writes → the terminal. Ink erases its live lines by their number and knows nothing of a terminal that broke them
// into more rows, or dropped some, when its window was changed. So Ink never hears of a change: its writing is held until the
// size stands, the live lines are repainted where it believes them to be, and then it goes on.
import { EventEmitter } from 'node:events';
import type { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { displayWidth } from '../../base/terminal-text.ts';
import type { PlacedLines } from './dialog-lines.ts';

const noWrap = '\x1b[?7l';
const wrap = '\x1b[?7h';
/** How Ink begins where the cursor stands among its lines. */
const toTheEnd = /^\x1b\[\?25l\x1b\[(\d+)B/;
/** The last line of a frame, with the codes that follow it, is shorter. */
const tailChars = 4000;

/** As much of a terminal as Ink asks for. */
export class InkOutput extends EventEmitter {
  readonly isTTY = true;
  /** Ink clears the scrollback when its lines fill the screen. The layout sees to it that they do not. */
  readonly rows: number = Number.MAX_SAFE_INTEGER;
  /** Without its codes: by it a frame is told from finished text, which may be broken. */
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
    // It may be late for a change of the size that we have not heard of yet: a frame keeps to its rows, and on the way to
    // its end the screen moves up where rows have gone.
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

  /** Writes `first`, then what was held. */
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

/**
 * The live lines once more, in a terminal that has become smaller: from the cursor's row in the broken text up to their
 * beginning everything is erased, then each is written into one row, and the cursor is left where it stood among them.
 */
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
