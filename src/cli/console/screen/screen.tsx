// Draws the store with Ink: finished items are printed once into the scrollback, the live lines are redrawn in place.
import { EventEmitter } from 'node:events';
import type { ReadStream, WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { Box, render, Static, Text, useCursor } from 'ink';
import { type ReactElement, useSyncExternalStore } from 'react';
import { displayWidth } from '../../../base/text/index.ts';
import type { Style } from '../../terminal/index.ts';
import type { PlacedLines } from '../dialog/index.ts';
import { type Drawing, type Item, itemLines } from '../transcript/index.ts';
import type { ConsoleState, ConsoleStore } from './console-state.ts';
import { layOutScreen } from './layout.ts';

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

  /** Clears the screen and writes what is visible of the conversation, and the live lines. */
  repaintAll(above: readonly string[], live: PlacedLines): void {
    const text = above.map((line) => `${line}\r\n`).join('');
    this.#stdout.write(`\x1b[H\x1b[2J${noWrap}${text}${wrap}${paint(live)}`);
  }

  #isFrame(text: string): boolean {
    if (this.#lastLine === '') return false;
    return stripVTControlCharacters(text.slice(-tailChars)).trimEnd().endsWith(this.#lastLine);
  }
}

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Erases the wrapped live lines in a terminal that has become smaller, and writes each into one row. */
export function repaint({ lines, cursor }: PlacedLines, before: Size, { columns, rows }: Size): string {
  if (lines.length >= rows) return '\x1b[H\x1b[J';
  const row = cursor?.row ?? lines.length;
  const column = cursor?.column ?? 0;
  const placed: PlacedLines = cursor === undefined ? { lines } : { lines, cursor };
  const rowsOf = (line: string): number =>
    Math.max(1, Math.ceil(Math.min(displayWidth(line), before.columns) / columns));
  const above = lines.slice(0, row).reduce((sum, line) => sum + rowsOf(line), Math.floor(column / columns));
  const start = `${above > 0 ? `\x1b[${above}A` : ''}\r\x1b[J`;
  return `${start}${paint(placed)}`;
}

/** From the start of a row: the lines, each in one row, and the cursor in its place. */
function paint({ lines, cursor }: PlacedLines): string {
  const painted = lines.map((line) => `${line}\n`).join('');
  const back = lines.length - (cursor?.row ?? lines.length);
  return `${noWrap}${painted}${wrap}${back > 0 ? `\x1b[${back}A` : ''}\x1b[${(cursor?.column ?? 0) + 1}G`;
}

/** The last rows of the conversation, as they were printed. */
function visibleLines(items: readonly Item[], drawing: Drawing, rows: number): readonly string[] {
  let lines: readonly string[] = [];
  for (let at = items.length - 1; at >= 0 && lines.length < rows; at--) {
    const item = items[at];
    if (item !== undefined) lines = [...itemLines(item, items[at - 1], drawing), ...lines];
  }
  return lines.slice(-Math.max(0, rows));
}

export interface ScreenOptions {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly stderr: WriteStream;
  readonly style: Style;
  readonly cwd: string;
  /** Prints every frame in full, one below the other, for tests. */
  readonly isDebug?: boolean;
}

export interface MountedScreen {
  /** Another view or program has the terminal until `resume`. */
  pause(): void;
  resume(): void;
  /** Draws the visible part again. */
  redraw(): void;
  unmount(): void;
}

/** tmux reports sizes that change in quick succession up to 250 ms late. */
const settleMs = 300;

export function mountScreen(store: ConsoleStore, options: ScreenOptions): MountedScreen {
  const { stdin, stdout, stderr, style, cwd, isDebug = false } = options;
  sayUnknownSize(stdout);
  let next: PlacedLines = { lines: [] };
  // React makes more frames than Ink renders, and Ink writes the last one a little later.
  let rendered = next;
  let shown = next;
  const output = new InkOutput(stdout, () => {
    shown = rendered;
  });
  let size = sizeOf(stdout);
  /** The screen before its size began to change. */
  let broken: PlacedLines | undefined;
  let atPause: PlacedLines = next;
  let timer: NodeJS.Timeout | undefined;
  let isPaused = false;
  const onDraw = (drawn: PlacedLines): void => {
    next = drawn;
    output.expect(drawn);
  };
  const settle = (): void => {
    clearTimeout(timer);
    if (broken === undefined || isPaused) return;
    const now = sizeOf(stdout);
    output.release(repaint(broken, size, now));
    size = now;
    broken = undefined;
  };
  const onResize = (): void => {
    sayUnknownSize(stdout);
    broken ??= shown;
    output.hold();
    store.update(sizeOf(stdout));
    clearTimeout(timer);
    timer = setTimeout(settle, settleMs);
  };
  stdout.on('resize', onResize);
  const instance = render(<Screen store={store} style={style} cwd={cwd} onDraw={onDraw} />, {
    stdin,
    stdout: output as unknown as WriteStream, // all that Ink uses
    stderr,
    exitOnCtrlC: false,
    patchConsole: false,
    debug: isDebug,
    onRender: () => {
      rendered = next;
    },
  });
  const pause = (): void => {
    settle();
    store.freeze();
    isPaused = true;
    atPause = shown;
    output.hold();
  };
  const resume = (): void => {
    isPaused = false;
    const now = sizeOf(stdout);
    if (now.columns === size.columns && now.rows === size.rows) {
      broken = undefined;
      output.release('');
    } else {
      broken = atPause;
      settle();
    }
    store.thaw();
  };
  const redraw = (): void => {
    if (isPaused || broken !== undefined) return;
    const { view, ...state } = store.get();
    const above = visibleLines(
      view.finished,
      drawingOf({ view, ...state }, style, cwd),
      size.rows - shown.lines.length - 1,
    );
    output.repaintAll(above, shown);
  };
  return {
    pause,
    resume,
    redraw,
    unmount: () => {
      if (isPaused) resume();
      stdout.off('resize', onResize);
      settle();
      instance.unmount();
    },
  };
}

function sizeOf({ columns, rows }: WriteStream): Size {
  return { columns, rows };
}

/** A terminal may report zero columns and rows (a serial line, `script` in a pipe); Ink would draw nothing. */
function sayUnknownSize(stdout: WriteStream): void {
  if (!(stdout.columns > 0)) stdout.columns = 80;
  if (!(stdout.rows > 0)) stdout.rows = 24;
}

interface ScreenProps {
  readonly store: ConsoleStore;
  readonly style: Style;
  readonly cwd: string;
  readonly onDraw: (drawn: PlacedLines) => void;
}

function Screen({ store, style, cwd, onDraw }: ScreenProps): ReactElement {
  const state = useSyncExternalStore(store.subscribe, store.get);
  const drawing = drawingOf(state, style, cwd);
  const placed = layOutScreen(state, drawing);
  onDraw(placed);
  const { setCursorPosition } = useCursor();
  setCursorPosition(placed.cursor === undefined ? undefined : { x: placed.cursor.column, y: placed.cursor.row });
  const { finished } = state.view;
  return (
    <>
      <Static items={finished as Item[]}>
        {(item, index) => <Text key={index}>{itemLines(item, finished[index - 1], drawing).join('\n')}</Text>}
      </Static>
      <Box flexDirection="column">
        {placed.lines.map((line, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place
          <Text key={row} wrap="truncate">
            {line === '' ? ' ' : line}
          </Text>
        ))}
      </Box>
    </>
  );
}

function drawingOf({ columns, rows, nowMs, agent }: ConsoleState, style: Style, cwd: string): Drawing {
  return { style, columns, rows, nowMs, cwd: agent?.cwd ?? cwd };
}
