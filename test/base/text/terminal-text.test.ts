import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findHostile, neutralise } from '../../../src/base/text/hostile-text.ts';
import {
  displayWidth,
  displayWidthWithin,
  oneLine,
  padEnd,
  padStart,
  truncate,
} from '../../../src/base/text/terminal-text.ts';

const cases: readonly (readonly [what: string, input: string, output: string])[] = [
  ['ordinary text stays', 'a\tb\nc — 中文 👩‍👩‍👧 é', 'a\tb\nc — 中文 👩‍👩‍👧 é'],
  ['colours go', '\x1b[1;31mred\x1b[0m \x9b32mgreen\x9b39m \x1b[38:2::1:2:3mrgb', 'red green rgb'],
  ['cursor movement and screen clearing go', 'a\x1b[2J\x1b[1;1H\x1b[?25lb', 'ab'],
  ['window titles and links go', '\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\\x9d0;t\x9cc', 'abc'],
  ['device and application strings go', '\x1bPq#0\x1b\\a\x1b_Gx\x1b\\b\x1b^p\x1b\\\x90x\x9cc', 'abc'],
  ['charset switches go', 'a\x1b(Bb', 'ab'],
  ['a sequence that is never finished shows its text', 'a\x1b[31', 'a␛[31'],
  ['a string that is never closed hides nothing', 'a\x1b]0;title\nsecond line', 'a␛]0;title\nsecond line'],
  ['other escapes are shown', '\x1bc\x1b7\x1b', '␛c␛7␛'],
  ['control characters are shown', '\0\x07\x08\x0b\x0c\x7f', '␀␇␈␋␌␡'],
  ['C1 controls are shown', 'a\x85b\x9b', 'a\\x85b\\x9b'],
  [
    'bidi controls are shown',
    '\u202eevil\u202c \u2066\u2069\u200e\u200f\u061c',
    '‹U+202E›evil‹U+202C› ‹U+2066›‹U+2069›‹U+200E›‹U+200F›‹U+061C›',
  ],
  ['CRLF is a newline', 'a\r\nb\r\r\nc', 'a\nb\nc'],
  ['a lone carriage return ends the line', '10%\r20%\r', '10%\n20%\n'],
  ['half a surrogate pair is replaced', 'a\ud83db\udc00', 'a\ufffdb\ufffd'],
];
for (const [what, input, output] of cases) {
  test(`neutralise: ${what}`, () => assert.equal(neutralise(input), output));
}

test('whatever comes in, no control but newline and tab comes out, and a second pass changes nothing', () => {
  const hostile = fc.constantFrom(
    '\x1b',
    '[',
    ']',
    '\x9b',
    '\x9d',
    '\x9c',
    '\x07',
    '\\',
    'P',
    '(',
    '0',
    ';',
    'm',
    '\r',
    '\n',
    '\u202e',
  );
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: hostile }), fc.string());
  fc.assert(
    fc.property(text, (input) => {
      const output = neutralise(input);
      assert.doesNotMatch(output, /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/);
      assert.ok(output.isWellFormed());
      assert.equal(neutralise(output), output);
    }),
  );
});

test('each character of hostile text is read a bounded number of times', () => {
  const units = [
    '\x1b]',
    '\x9d',
    '\x1b[',
    '\x9b',
    '\x1b[0;',
    '\x1b(',
    '\x1b( ',
    '\x1bP\x9b',
    '\r',
    '\x1b[0 ',
    'a',
    '\x1b\x1b',
  ];
  for (const unit of units) {
    const text = unit.repeat(20_000);
    let reads = 0;
    const counting = {
      length: text.length,
      charCodeAt: (index: number) => {
        reads += 1;
        return text.charCodeAt(index);
      },
    };
    for (const _ of findHostile(counting));
    assert.ok(reads <= 6 * text.length, `${JSON.stringify(unit)}: ${reads} reads of ${text.length}`);
  }
});

test('a word of ten million characters is measured and cut whole', () => {
  const word = 'x'.repeat(10_000_000);
  assert.equal(displayWidth(word), 10_000_000);
  assert.equal(truncate(word, 5), 'xxxx…');
  assert.equal(neutralise(`${word}\x1b[m`), word);
  assert.equal(oneLine('中'.repeat(1_000_000), 6), '中中…');
});

test('display width counts columns', () => {
  const widths = ['', 'abc', '中文', 'ｱﾞ', 'e\u0301', '👩‍👩‍👧', '한국어', '\x1b[1mbold\x1b[22m', '…─│'].map(
    displayWidth,
  );
  assert.deepEqual(widths, [0, 3, 4, 2, 1, 2, 6, 4, 3]);
});

test('truncate cuts by columns and only where it must', () => {
  assert.deepEqual(
    [
      truncate('abcdef', 6),
      truncate('abcdef', 5),
      truncate('中文字', 5),
      truncate('中文字', 6),
      truncate('ab', 1),
      truncate('ab', 0),
    ],
    ['abcdef', 'abcd…', '中文…', '中文字', '…', ''],
  );
});

test('truncate never exceeds the width and never splits a cluster', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, width) => {
      const cut = truncate(text, width);
      assert.ok(displayWidth(cut) <= width);
      assert.ok(cut === text || (cut.endsWith('…') && text.startsWith(cut.slice(0, -1))));
    }),
  );
});

test('one line is neutralised, collapsed and cut', () => {
  assert.equal(oneLine('  a\n\tb\x1b[31m  c\r\nd  ', 80), 'a b c d');
  assert.equal(oneLine('one two three', 8), 'one two…');
});

test('padding is by columns', () => {
  assert.deepEqual([padEnd('中', 4), padStart('中', 4), padEnd('long', 2)], ['中  ', '  中', 'long']);
});

test('a line of any text is its neutralised text with single spaces, cut; a limited width is the smaller of both', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    ' ',
    '  ',
    '\t',
    '\n',
    '\r',
    'é',
    '中',
    '…',
    '’',
    '👩‍👩‍👧',
    '\u0301',
    '\x1b[1m',
    '\x1b',
    '\u202e',
  );
  const text = fc.oneof(fc.string(), fc.string({ unit: piece, maxLength: 40 }), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(
      text,
      fc.oneof(fc.integer({ min: 0, max: 30 }), fc.constant(Number.POSITIVE_INFINITY)),
      (input, width) => {
        const line = neutralise(input).replace(/\s+/g, ' ').trim();
        assert.equal(oneLine(input, width), truncate(line, width));
        assert.equal(displayWidthWithin(line, width), Math.min(displayWidth(line), width));
      },
    ),
    { numRuns: 2000 },
  );
});
