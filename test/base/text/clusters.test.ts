import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clusters } from '../../../src/base/text/terminal-text.ts';

test('short texts are cut exactly where Intl.Segmenter cuts them', () => {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const unit = fc.constantFrom(
    'a',
    '1',
    '中',
    'か',
    '\u3099',
    '가',
    '\u1100',
    '\u1161',
    'e',
    '\u0301',
    '\ufe0f',
    '\u20e3',
    '\u200d',
    '👩',
    '🇩',
    '🇪',
    '！',
    'é',
    '\n',
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 150 }), (text) => {
      const expected = [...segmenter.segment(text)].map(({ segment }) => segment);
      assert.deepEqual(
        [...clusters(text)].map((cluster) => cluster.text),
        expected,
      );
    }),
  );
});

test('a letter under a million accents is cut into bounded pieces, none of them lost', () => {
  const text = `e${'\u0301'.repeat(1_000_000)}`;
  let longest = 0;
  let total = 0;
  for (const cluster of clusters(text)) {
    longest = Math.max(longest, cluster.text.length);
    total += cluster.text.length;
  }
  assert.deepEqual({ longest, total }, { longest: 64, total: text.length });
});

test('a bounded piece never ends in the middle of a surrogate pair', () => {
  const text = `e${'\u0301'.repeat(62)}\u{e0101}${'\u0301'.repeat(100)}`;
  for (const cluster of clusters(text)) assert.ok(cluster.text.isWellFormed());
});
