import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markWords } from '../../../src/web/app/session/text/mark-words.ts';
import { changedWords } from '../../../src/web/app/session/text/word-diff.ts';

/** The changed parts between brackets. */
function marked(lines: readonly string[]): readonly string[] {
  const changed = changedWords(lines);
  return lines.map((line, i) =>
    markWords([{ text: line.slice(1), className: '' }], changed.get(i) ?? [])
      .map(({ text, isChanged }) => (isChanged ? `[${text}]` : text))
      .join(''),
  );
}

test('the changed words of a pair of lines are marked', () => {
  assert.deepEqual(
    marked([' same', '-const port = 8080;', '-listen(port);', '+const port = 3000;', '+listen(port, host);', ' same']),
    ['same', 'const port = [8080];', 'listen(port);', 'const port = [3000];', 'listen(port[, host]);', 'same'],
  );
});

test('lines without a partner, or with little in common, are not marked', () => {
  assert.deepEqual(marked(['-gone', ' same', '+new']), ['gone', 'same', 'new']);
  assert.deepEqual(marked(['-const a = 1;', '+import everything from "elsewhere";']), [
    'const a = 1;',
    'import everything from "elsewhere";',
  ]);
  assert.deepEqual(marked(['-a b c', '+a b d', '+one more']), ['a b [c]', 'a b [d]', 'one more']);
});

test('the cost is bounded: long lines and later pairs are not compared', () => {
  const long = 'word '.repeat(200);
  assert.equal(changedWords([`-${long}a`, `+${long}b`]).size, 0);
  const pairs = Array.from({ length: 300 }, () => ['-x = 1', '+x = 2', ' ']).flat();
  assert.equal(changedWords(pairs).size, 400);
});

test('coloured words are cut at the changed parts', () => {
  const words = [
    { text: 'const', className: 'k' },
    { text: ' ab cd', className: '' },
  ];
  assert.deepEqual(markWords(words, [[3, 7]]), [
    { text: 'con', className: 'k', isChanged: false },
    { text: 'st', className: 'k', isChanged: true },
    { text: ' a', className: '', isChanged: true },
    { text: 'b cd', className: '', isChanged: false },
  ]);
});
