// clew usage blocks --live: the active block on a screen of its own, drawn again every second and whenever a transcript
// changes, until q or Ctrl-C. Without a terminal it is printed once.
import type { ReadStream, WriteStream } from 'node:tty';
import { cellsOf, makeReport, passes, type UsageFilter, type UsageStore } from '../../library/usage/index.ts';
import { watchLibrary } from '../../library/watch/index.ts';
import type { PriceList } from '../../models/index.ts';
import type { CommandInput } from '../command/index.ts';
import { rootsOf } from '../input/index.ts';
import { KeyReader, Screen, singleKeys, terminalWidth, withoutMark, writeOut } from '../terminal/index.ts';
import { type LiveBlock, liveLines } from './live-text.ts';

export interface LiveQuestion {
  readonly store: UsageStore;
  readonly prices: PriceList;
  readonly filter: UsageFilter;
}

const redrawMs = 1000;

export async function showLive(input: CommandInput, question: LiveQuestion): Promise<void> {
  const { io } = input;
  const isTerminal = process.stdin.isTTY === true && io.stdout.isTTY === true;
  if (isTerminal) return watch(input, question, { stdin: process.stdin, stdout: process.stdout });
  const width = terminalWidth(io.stdout, io.env);
  const lines = liveLines(blockOf(question), { width, style: io.style, nowMs: Date.now(), isLive: false });
  await writeOut([`${lines.join('\n')}\n`], io);
}

/** The active block, or the last one before it. */
function blockOf({ store, filter, prices }: LiveQuestion): LiveBlock {
  const cells = cellsOf(store).filter((cell) => passes(filter, cell, cell.session));
  const { rows } = makeReport(cells, { kind: 'blocks', calendar: filter.calendar, nowMs: Date.now() });
  const active = rows.find(({ block }) => block?.isActive === true);
  return { active, last: rows.at(-1), pricesVersion: prices.prices.version };
}

async function watch(
  input: CommandInput,
  question: LiveQuestion,
  { stdin, stdout }: { readonly stdin: ReadStream; readonly stdout: WriteStream },
): Promise<void> {
  const { io } = input;
  const screen = new Screen(stdin, stdout);
  const keys = new KeyReader();
  const stop = new AbortController();
  let isChanged = false;
  const draw = (): void => {
    if (isChanged) question.store.update({ prices: question.prices });
    isChanged = false;
    const width = terminalWidth(io.stdout, io.env);
    const style = withoutMark(io.style);
    const lines = liveLines(blockOf(question), { width, style, nowMs: Date.now(), isLive: true });
    screen.draw({ lines: lines.slice(0, stdout.rows) });
  };
  const onResize = (): void => {
    screen.clear();
    draw();
  };
  screen.enter();
  const timer = setInterval(draw, redrawMs);
  stdout.on('resize', onResize);
  try {
    watchLibrary(
      rootsOf(input),
      () => {
        isChanged = true;
      },
      stop.signal,
    );
    draw();
    await new Promise<void>((resolve) => {
      stdin.on('data', (data: string) => {
        for (const { name, text } of keys.push(data).flatMap(singleKeys)) {
          if (name === 'ctrl-c' || name === 'ctrl-d' || text === 'q') resolve();
          else if (name === 'ctrl-z') void screen.suspend().then(onResize);
        }
        // A lone escape waits for more keys.
        if (keys.settle().some(({ name }) => name === 'escape')) resolve();
      });
      stdin.on('end', resolve);
    });
  } finally {
    clearInterval(timer);
    stop.abort();
    stdout.off('resize', onResize);
    stdin.removeAllListeners('data');
    screen.leave();
  }
}
