// What terminals send, and the keys that were pressed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KeyReader } from '../../../src/cli/terminal/keys.ts';

function names(...chunks: readonly string[]): string {
  const reader = new KeyReader();
  const keys = [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.settle()];
  return keys
    .map((key) => (key.text === '' ? key.name : `${key.name === 'paste' ? 'paste ' : ''}"${key.text}"`))
    .join(' ');
}

test('keys by the sequences that terminals send', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['abc', '"abc"'],
    ['é人🎉', '"é人🎉"'],
    ['\r', 'enter'],
    ['\t', 'tab'],
    ['\x7f', 'backspace'],
    ['\x03', 'ctrl-c'],
    ['\x12', 'ctrl-r'],
    ['\x1b[A\x1b[B', 'up down'],
    ['\x1bOA\x1bOB', 'up down'],
    ['\x1b[5~\x1b[6~\x1b[H\x1b[F', 'page-up page-down home end'],
    ['\x1b[1;5C\x1b[1;5D\x1bf\x1bb', 'word-right word-left word-right word-left'],
    ['\x1bd\x1b\x7f\x1b[3;5~', 'word-delete word-backspace word-delete'],
    ['\n\x1b\r\x1b[13;2u', 'newline newline newline'],
    ['\x1b[Z', 'shift-tab'],
    ['\x1b[1;6P', 'unknown'],
    ['\x1b[?1;2c', 'unknown'],
    ['\x1b', 'escape'],
    ['\x1bx', 'escape "x"'],
    ['\x1b\x1b', 'escape escape'],
    ['a\rb', '"a" enter "b"'],
    ['\x1b[200~two\nlines\x1b[201~', 'paste "two\nlines"'],
  ];
  for (const [sent, keys] of cases) assert.equal(names(sent), keys, JSON.stringify(sent));
});

test('a sequence that arrives in pieces is the same key', () => {
  const sent = fc.array(fc.constantFrom('a', '\x1b[A', '\x1bOB', '\x1b[5~', '\r', '人', '\x1b[200~p\x1b[201~'));
  fc.assert(
    fc.property(sent, fc.array(fc.nat(40)), (parts, cuts) => {
      const text = parts.join('');
      const places = [...new Set(cuts.map((cut) => Math.min(cut, text.length)))].sort((a, b) => a - b);
      const chunks = places.map((place, i) => text.slice(places[i - 1] ?? 0, place));
      const whole = names(text).replaceAll('" "', '');
      assert.equal(names(...chunks, text.slice(places.at(-1) ?? 0)).replaceAll('" "', ''), whole);
    }),
  );
});

test('an escape alone waits for what may follow', () => {
  const reader = new KeyReader();
  assert.deepEqual([reader.push('\x1b'), reader.isWaiting], [[], true]);
  assert.deepEqual([reader.push('[A'), reader.isWaiting], [[{ name: 'up', text: '' }], false]);
  reader.push('\x1b');
  assert.deepEqual([reader.settle(), reader.isWaiting], [[{ name: 'escape', text: '' }], false]);
});
