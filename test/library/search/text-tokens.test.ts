import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { tokensOf } from '../../../src/base/text/words.ts';
import { indexable, innerWords } from '../../../src/library/text/query.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

test('CJK characters are separated, other text is unchanged', () => {
  assert.equal(indexable('plain text'), 'plain text');
  assert.equal(indexable('用React写'), ' 用 React 写 ');
  assert.equal(indexable('\u{20bb7}野家'), ' \u{20bb7}  野  家 ');
  assert.equal(indexable('a\0b'), 'a b');
});

test('words are folded as the index folds them', () => {
  const words = (text: string): string[] => [...tokensOf(text)].map((token) => token.word);
  assert.deepEqual(words('Größe naïve snake_case camelCase 灯台x'), [
    'große',
    'naive',
    'snake',
    'case',
    'camelcase',
    '灯',
    '台',
    'x',
  ]);
});

test('the inner words of a text are between its first and last sure word ends', () => {
  assert.equal(innerWords('unction main() {'), 'main() ');
  assert.equal(innerWords('middle'), '');
  assert.equal(innerWords('one two'), '');
  assert.equal(innerWords('mit größe und'), 'größe');
  assert.equal(innerWords('配置'), '配置');
  assert.equal(innerWords('a配b'), '配');
});

test('the inner words of any part of a text are words of the text, side by side', () => {
  const unit = fc.constantFrom('a', 'B', 'ß', 'é', 'e\u0301', '灯', '\u{20bb7}', ' ', '-', '"', '\n', '１', '→');
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), fc.nat(), fc.nat(), (units, from, length) => {
      const text = units.join('');
      const start = from % (text.length + 1);
      const part = text.slice(start, start + (length % (text.length - start + 1)));
      const all = [...tokensOf(text)].map((token) => token.word);
      const inner = [...tokensOf(innerWords(part))].map((token) => token.word);
      const isThere = all.some((_, i) => inner.every((word, j) => all[i + j] === word));
      assert.ok(inner.length === 0 || isThere, `${JSON.stringify(part)} in ${JSON.stringify(text)}`);
    }),
    { numRuns: fuzzRuns(2000) },
  );
});
