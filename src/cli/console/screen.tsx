// The store → the terminal, through Ink: what is finished is printed once and left to the scrollback, the few live lines
// are redrawn in place. No more than that is decided here.
import type { ReadStream, WriteStream } from 'node:tty';
import { Box, render, Static, Text, useCursor } from 'ink';
import { type ReactElement, useSyncExternalStore } from 'react';
import { displayWidth } from '../../base/terminal-text.ts';
import type { Style } from '../terminal/style.ts';
import type { ConsoleState, ConsoleStore } from './console-state.ts';
import type { PlacedLines } from './dialog-lines.ts';
import type { Drawing } from './drawing.ts';
import type { Item } from './item.ts';
import { itemLines } from './item-lines.ts';
import { layOutScreen } from './layout.ts';

export interface ScreenOptions {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly stderr: WriteStream;
  readonly style: Style;
  readonly cwd: string;
  /** Every frame as a whole, one below the other: for tests. */
  readonly isDebug?: boolean;
}

export interface MountedScreen {
  unmount(): void;
}

export function mountScreen(store: ConsoleStore, options: ScreenOptions): MountedScreen {
  const { stdin, stdout, stderr, style, cwd, isDebug = false } = options;
  let next: PlacedLines = { lines: [] };
  let shown = next;
  sayUnknownSize(stdout);
  let columns = stdout.columns;
  const onDraw = (drawn: PlacedLines): void => {
    next = drawn;
  };
  const onResize = (): void => {
    const before = columns;
    sayUnknownSize(stdout);
    columns = stdout.columns;
    if (columns < before) stdout.write(eraseReflowed(shown, columns));
    store.update({ columns, rows: stdout.rows });
  };
  // Before Ink's own listener, which counts on the lines standing as it wrote them.
  stdout.prependListener('resize', onResize);
  const instance = render(<Screen store={store} style={style} cwd={cwd} onDraw={onDraw} />, {
    stdin,
    stdout,
    stderr,
    exitOnCtrlC: false,
    patchConsole: false,
    debug: isDebug,
    // Ink writes fewer frames than React makes: only what was written can have been broken by a resize.
    onRender: () => {
      shown = next;
    },
  });
  return {
    unmount: () => {
      stdout.off('resize', onResize);
      instance.unmount();
    },
  };
}

/** A terminal may say that it has no columns and no rows (a serial line, `script` in a pipe); Ink would draw into none. */
function sayUnknownSize(stdout: WriteStream): void {
  if (!(stdout.columns > 0)) stdout.columns = 80;
  if (!(stdout.rows > 0)) stdout.rows = 24;
}

/**
 * A terminal that becomes narrower breaks our lines into more rows than Ink erases. This erases them all, from the
 * cursor's row in the broken text, and leaves the cursor where Ink believes it to be.
 */
export function eraseReflowed({ lines, cursor }: PlacedLines, columns: number): string {
  const row = cursor?.row ?? lines.length;
  const rowsOf = (line: string): number => Math.max(1, Math.ceil(displayWidth(line) / columns));
  const above =
    lines.slice(0, row).reduce((sum, line) => sum + rowsOf(line), 0) + Math.floor((cursor?.column ?? 0) / columns);
  return `${above > 0 ? `\x1b[${above}A` : ''}\r\x1b[J${'\n'.repeat(row)}`;
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
