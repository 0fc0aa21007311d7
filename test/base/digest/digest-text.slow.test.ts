// Digests of random texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { digestText, measureText, type TextUnit } from '../../../src/base/digest/digest.ts';

test('a digest measures what its text measures, also with more after it', () => {
  const measures: Readonly<Record<TextUnit, (text: string) => number>> = {
    chars: (text) => text.length,
    utf8: (text) => Buffer.byteLength(text),
    json: (text) => Buffer.byteLength(JSON.stringify(text)),
  };
  const piece = fc.string({ unit: 'binary', maxLength: 40 });
  fc.assert(
    fc.property(
      piece,
      piece,
      fc.integer({ min: 0, max: 400 }),
      fc.integer({ min: 0, max: 900 }),
      (a, b, times, start) => {
        const text = `${a}${`${b}"é灯😀\n`.repeat(times)}`.toWellFormed();
        for (const unit of ['chars', 'utf8', 'json'] as const)
          assert.equal(
            measureText(`${digestText(text, start)}${b}\n`.toWellFormed(), unit),
            measures[unit](`${text}${b}\n`.toWellFormed()),
          );
      },
    ),
    { numRuns: 200 },
  );
});
