// The bar: only on a terminal, only for long work, and gone when it is done.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { progressLine, showProgress } from '../../../src/cli/terminal/progress.ts';

function written(isTTY: boolean, steps: readonly (readonly [timeMs: number, done: number])[]): string {
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY });
  let time = 0;
  const progress = showProgress({ stderr, label: 'reading', now: () => time });
  for (const [timeMs, done] of steps) {
    time = timeMs;
    progress.update(done, 100);
  }
  progress.end();
  progress.end();
  return String(stderr.read() ?? '');
}

test('short work and pipes see nothing', () => {
  assert.equal(
    written(true, [
      [10, 50],
      [300, 99],
    ]),
    '',
  );
  assert.equal(
    written(false, [
      [10, 50],
      [3000, 99],
    ]),
    '',
  );
});

test('long work has a bar, drawn now and then, and wiped away at the end', () => {
  const steps = [
    [500, 10],
    [510, 20],
    [600, 50],
  ] as const;
  const [first, second] = [progressLine('reading', 0.1), progressLine('reading', 0.5)];
  assert.equal(written(true, steps), `\r${first}\x1b[K\r${second}\x1b[K\r\x1b[K`);
});

test('it says 100 only when all is done, and is never more than full', () => {
  assert.equal(progressLine('x', 0), `x ${'░'.repeat(24)} 0 %`);
  assert.equal(progressLine('x', 0.999), `x ${'█'.repeat(24)} 99 %`);
  assert.equal(progressLine('x', 3), `x ${'█'.repeat(24)} 100 %`);
});
