import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clusters, displayWidth } from '../../../src/base/text/terminal-text.ts';
import { mayBreak, type Span, wrapSpans } from '../../../src/cli/render/wrap.ts';
import { createStyle } from '../../../src/cli/terminal/style.ts';

const plain = (text: string): string => text;
const lines = (spans: readonly Span[], width: number, breakWords = false): string[] =>
  wrapSpans(spans, width, breakWords).map((line) => line.text);
const wrap = (text: string, width: number): string[] => lines([{ text, paint: plain }], width);

test('breaks at spaces and makes one of many', () => {
  assert.deepEqual(wrap('the quick   brown\tfox', 10), ['the quick', 'brown fox']);
});

test('keeps newlines, empty lines among them', () => {
  assert.deepEqual(wrap('a\n\nb \n c', 10), ['a', '', 'b', 'c']);
});

test('a word wider than the line stays whole on its own line, or is cut when asked', () => {
  const spans = [{ text: 'a incomprehensible b', paint: plain }];
  assert.deepEqual(lines(spans, 8), ['a', 'incomprehensible', 'b']);
  assert.deepEqual(lines(spans, 8, true), ['a', 'incompre', 'hensible', 'b']);
});

test('breaks between CJK characters, but not before what closes or after what opens', () => {
  assert.deepEqual(wrap('中文字符没有空格', 7), ['中文字', '符没有', '空格']);
  assert.deepEqual(wrap('中文字。符', 6), ['中文', '字。符']);
  assert.deepEqual(wrap('中文「字」符', 6), ['中文', '「字」', '符']);
  assert.deepEqual(wrap('中文word字', 6), ['中文', 'word字']);
});

test('a non-breaking space does not break', () => {
  assert.deepEqual(wrap('a 10\u00a0km b', 6), ['a', '10\u00a0km', 'b']);
});

test('a word of several colours is one word, and each line is coloured on its own', () => {
  const { bold } = createStyle(true);
  const spans = [
    { text: 'aa ', paint: plain },
    { text: 'bb cc', paint: bold },
    { text: 'dd', paint: plain },
  ];
  assert.deepEqual(wrapSpans(spans, 6), [
    { text: 'aa \x1b[1mbb\x1b[22m', width: 5 },
    { text: '\x1b[1mcc\x1b[22mdd', width: 4 },
  ]);
});

test('kept spaces stay inside a line and at its start, and vanish where it is wrapped', () => {
  assert.deepEqual(lines([{ text: '  a   b     c\n\td', paint: plain, keepSpaces: true }], 8), [
    '  a   b',
    'c',
    '    d',
  ]);
});

test('only a word without any place to break is wider than the line, and no word is lost', () => {
  const unit = fc.constantFrom('a', 'b', ' ', ' ', '\n', '中', '。', '「', 'e\u0301', '👩‍👩‍👧', '.', '(');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 80 }), fc.integer({ min: 2, max: 20 }), (text, width) => {
      const wrapped = wrap(text, width);
      for (const line of wrapped) {
        if (displayWidth(line) <= width) continue;
        assert.doesNotMatch(line, / /);
        const parts = [...clusters(line)];
        assert.ok(
          parts.every((part, index) => index === 0 || !mayBreak(parts[index - 1] ?? part, part)),
          line,
        );
      }
      assert.equal(wrapped.join('').replaceAll(' ', ''), text.replace(/\s/g, ''));
    }),
  );
});

test('when words are cut, nothing but a single cluster is wider than the line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 20 }), (text, width) => {
      for (const line of lines([{ text, paint: plain }], width, true)) {
        assert.ok(displayWidth(line) <= width || [...clusters(line)].length === 1, line);
      }
    }),
  );
});
