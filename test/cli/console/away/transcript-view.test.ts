// The view of the whole conversation: wrapping, scrolling and following, drawn on a screen that only remembers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TranscriptView, wrapPainted } from '../../../../src/cli/console/away/transcript-view.ts';
import { KeyReader } from '../../../../src/cli/terminal/keys.ts';
import type { Frame, Screen } from '../../../../src/cli/terminal/screen.ts';
import { createStyle } from '../../../../src/cli/terminal/style.ts';

interface Shown {
  readonly view: TranscriptView;
  /** The lines without the footer, and the footer. */
  page(): readonly [string, string];
  press(keys: string): 'open' | 'closed';
}

async function show(count: number, rows = 7): Promise<Shown> {
  let frame: Frame = { lines: [] };
  const screen = {
    enter: () => undefined,
    leave: () => undefined,
    clear: () => undefined,
    draw: (drawn: Frame) => {
      frame = drawn;
    },
  } as unknown as Screen; // what the view uses of it
  const view = new TranscriptView({
    screen,
    style: createStyle(false),
    size: () => ({ columns: 60, rows }),
    readLines: async () => Array.from({ length: count }, (_, i) => String(i + 1)),
    notice: () => '',
  });
  view.open();
  await new Promise((resolve) => setImmediate(resolve));
  const reader = new KeyReader();
  return {
    view,
    page: () => [frame.lines.slice(0, -2).join(' ').trim(), frame.lines.at(-1)?.trim().split(' · ')[0] ?? ''],
    press: (keys) => {
      let state: 'open' | 'closed' = 'open';
      for (const key of [...reader.push(keys), ...reader.settle()]) state = view.press(key);
      return state;
    },
  };
}

test('it opens at the end, and every key scrolls within the lines', async () => {
  const shown = await show(12);
  assert.deepEqual(shown.page(), ['8 9 10 11 12', '8–12 of 12']);
  const after = (keys: string): string => {
    shown.press(keys);
    return shown.page()[1];
  };
  assert.deepEqual(
    ['\x1b[A', 'k', '\x1b[5~', 'b', 'j', '\x1b[B', ' ', '\x1b[6~', 'g', 'G', '\x1b[H', '\x1b[F', 'x', 'kk', 'Gb'].map(
      after,
    ),
    [
      '7–11 of 12',
      '6–10 of 12',
      '1–5 of 12',
      '1–5 of 12',
      '2–6 of 12',
      '3–7 of 12',
      '8–12 of 12',
      '8–12 of 12',
      '1–5 of 12',
      '8–12 of 12',
      '1–5 of 12',
      '8–12 of 12',
      '8–12 of 12',
      // Several letters that arrive together.
      '6–10 of 12',
      '3–7 of 12',
    ],
  );
  shown.view.close();
});

test('a short conversation fills the page with blanks, and the closing keys close', async () => {
  const shown = await show(2);
  assert.deepEqual(shown.page(), ['1 2', '1–2 of 2']);
  assert.deepEqual(['\x0f', 'q', 'jq', '\x1b', '\x03', 'j'].map(shown.press), [
    'closed',
    'closed',
    'closed',
    'closed',
    'closed',
    'open',
  ]);
  shown.view.close();
});

test('a long line is broken at the width, with its colours, and wide characters stay whole', () => {
  assert.deepEqual(wrapPainted('abcdef', 4), ['abcd', 'ef']);
  assert.deepEqual(wrapPainted('', 4), ['']);
  assert.deepEqual(wrapPainted('a\x1b[31mbcdef\x1b[39mg', 3), [
    'a\x1b[31mbc',
    '\x1b[31mdef\x1b[39m',
    '\x1b[31m\x1b[39mg',
  ]);
  assert.deepEqual(wrapPainted('日本語', 5), ['日本', '語']);
});
