// Draws the store with Ink: finished items are printed once into the scrollback, the live lines are redrawn in place.
import type { ReadStream, WriteStream } from 'node:tty';
import { Box, render, Static, Text, useCursor } from 'ink';
import { type ReactElement, useSyncExternalStore } from 'react';
import type { Style } from '../../terminal/style.ts';
import type { PlacedLines } from '../dialog/dialog-lines.ts';
import type { Drawing } from '../transcript/drawing.ts';
import type { Item } from '../transcript/item.ts';
import { itemLines } from '../transcript/item-lines.ts';
import type { ConsoleState, ConsoleStore } from './console-state.ts';
import { InkOutput, repaint, type Size } from './ink-output.ts';
import { layOutScreen } from './layout.ts';

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
  let timer: NodeJS.Timeout | undefined;
  const onDraw = (drawn: PlacedLines): void => {
    next = drawn;
    output.expect(drawn);
  };
  const settle = (): void => {
    clearTimeout(timer);
    if (broken === undefined) return;
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
  return {
    unmount: () => {
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
