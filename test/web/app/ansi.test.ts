// Terminal output on the page keeps its colours and loses all other control sequences.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAnsi, withoutAnsi } from '../../../src/web/app/session/text/ansi.ts';

const esc = '\u001b';
const plain = { ink: null, ground: null, isBold: false, isFaint: false, isItalic: false, isUnderlined: false };

test('colours and weight apply until they are reset', () => {
  assert.deepEqual(readAnsi(`a${esc}[1;31mred${esc}[22m thin${esc}[0m b`), [
    { ...plain, text: 'a' },
    { ...plain, text: 'red', ink: 1, isBold: true },
    { ...plain, text: ' thin', ink: 1 },
    { ...plain, text: ' b' },
  ]);
});

test('bright, 256 and true colours map to sixteen colours', () => {
  const inks = [`${esc}[92mx`, `${esc}[38;5;9mx`, `${esc}[38;5;46mx`, `${esc}[38;2;200;30;30mx`, `${esc}[38;5;244mx`];
  assert.deepEqual(
    inks.map((text) => readAnsi(text)[0]?.ink),
    [10, 9, 10, 9, 8],
  );
});

test('links, titles, cursor moves and bidi controls are removed or made visible', () => {
  const hostile = `${esc}]8;;https://evil.example\u0007link${esc}]8;;\u0007${esc}[2J${esc}]0;title\u0007 \u202eright\u0000`;
  assert.deepEqual(readAnsi(hostile), [{ ...plain, text: 'link ‹U+202E›right␀' }]);
});

test('only the last state of a progress bar is shown', () => {
  assert.deepEqual(readAnsi('10 %\r50 %\r100 %\ndone\r\nnext'), [{ ...plain, text: '100 %\ndone\nnext' }]);
});

test('an unterminated sequence hides no text', () => {
  assert.deepEqual(readAnsi(`before ${esc}[31`), [{ ...plain, text: 'before ␛[31' }]);
});

test('copied output has no sequences, and its control characters as they are', () => {
  assert.equal(withoutAnsi(`a${esc}[1;31mred${esc}[0m${esc}]0;title\u0007 b${esc}[2K\tc`), 'ared b\tc');
  assert.equal(withoutAnsi('10 %\r100 %\ndone'), '100 %\ndone');
});
