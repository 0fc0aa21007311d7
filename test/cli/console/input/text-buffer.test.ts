// The text of the editor: moving, deleting and laying out by grapheme clusters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import * as buffers from '../../../../src/cli/console/input/text-buffer.ts';
import type { KeyName } from '../../../../src/cli/terminal/keys.ts';

/** `|` is the cursor. */
function at(marked: string): buffers.TextBuffer {
  return { text: marked.replace('|', ''), cursor: marked.indexOf('|') };
}

function marked({ text, cursor }: buffers.TextBuffer): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

test('keys move and delete by characters, words and lines', () => {
  const cases: readonly (readonly [KeyName, string, string])[] = [
    ['left', 'ab|', 'a|b'],
    ['left', '|ab', '|ab'],
    ['left', 'x👩‍👩‍👧|y', 'x|👩‍👩‍👧y'],
    ['left', 'a\n|b', 'a|\nb'],
    ['right', '|日本', '日|本'],
    ['right', 'e|e\u0301x', 'ee\u0301|x'],
    ['word-left', 'one two.|', 'one |two.'],
    ['word-left', 'one |two', '|one two'],
    ['word-right', 'one| two', 'one two|'],
    ['home', 'a\nbc|d', 'a\n|bcd'],
    ['end', 'a|b\nc', 'ab|\nc'],
    ['backspace', 'a🎉|b', 'a|b'],
    ['delete', 'a|🎉b', 'a|b'],
    ['ctrl-w', 'say two words|', 'say two |'],
    ['word-delete', 'say| two words', 'say| words'],
    ['ctrl-u', 'a\nbc|d', 'a\n|d'],
    ['ctrl-u', 'a\n|b', 'a|b'],
    ['ctrl-k', 'a|bc\nd', 'a|\nd'],
    ['ctrl-k', 'a|\nd', 'a|d'],
  ];
  for (const [key, before, after] of cases) {
    const edited = buffers.editBuffer(at(before), { name: key, text: '' });
    assert.equal(edited && marked(edited), after, `${key} ${before}`);
  }
});

test('inserted text loses its control sequences and keeps newlines and tabs', () => {
  assert.equal(marked(buffers.insertText(at('a|d'), 'b\x1b[31m\n\tc')), 'ab\n\tc|d');
});

test('rows break at the width, never inside a wide character, and the cursor has its own column', () => {
  const layout = (text: string, width: number): unknown => {
    const { rows, cursor } = buffers.layOutBuffer(at(text), width);
    return [rows.map((row) => row.text), [cursor.row, cursor.column]];
  };
  assert.deepEqual(layout('abcdef|', 4), [
    ['abcd', 'ef'],
    [1, 2],
  ]);
  assert.deepEqual(layout('abcd|', 4), [
    ['abcd', ''],
    [1, 0],
  ]);
  assert.deepEqual(layout('日本語|', 5), [
    ['日本', '語'],
    [1, 2],
  ]);
  assert.deepEqual(layout('a\n\n|b', 9), [
    ['a', '', 'b'],
    [2, 0],
  ]);
  assert.deepEqual(layout('|', 9), [[''], [0, 0]]);
  assert.deepEqual(layout('\t|x', 9), [['    x'], [0, 4]]);
});

test('up and down keep the column as far as the other row has one', () => {
  const move = (text: string, by: 1 | -1, width = 10): string | undefined => {
    const moved = buffers.moveVertically(at(text), by, width);
    return moved === undefined ? undefined : marked(moved);
  };
  assert.equal(move('abc\nde|f', -1), 'ab|c\ndef');
  assert.equal(move('abc|\nd', 1), 'abc\nd|');
  assert.equal(move('日本語\nabc|', -1), '日|本語\nabc');
  assert.equal(move('abcdefgh|', -1, 5), 'abc|defgh');
  assert.equal(move('abc|', -1), undefined);
  assert.equal(move('abc|', 1), undefined);
});

test('no key ever leaves the cursor inside a character or outside of the text', () => {
  const changes = [...buffers.bufferKeys.values()];
  assert.equal(changes.length, 19);
  const piece = fc.constantFrom('a', ' ', '\n', '日', '👩‍👩‍👧', 'e\u0301', '🇩🇪', '\t', '_');
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(changes.length - 1)), (pieces, steps) => {
      let buffer = buffers.bufferOf(pieces.join(''));
      for (const step of steps) {
        buffer = changes[step]?.(buffer) ?? buffer;
        const { rows, cursor } = buffers.layOutBuffer(buffer, 7);
        assert.equal(cursor.row < rows.length, true);
        assert.equal(buffer.cursor >= 0 && buffer.cursor <= buffer.text.length, true);
        const starts = [...new Intl.Segmenter().segment(buffer.text)].map(({ index }) => index);
        assert.equal(buffer.cursor === buffer.text.length || starts.includes(buffer.cursor), true, marked(buffer));
      }
    }),
  );
});
