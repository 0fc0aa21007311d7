// The widths that need no tables, against the package that has them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import stringWidth from 'string-width';
import { emojiWidth, plainColumns, plainWidth } from '../../../src/base/text/plain-width.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const plainCodes = Array.from({ length: 0x10000 }, (_, code) => code).filter((code) => plainWidth(code) > 0);

test('a text of characters it knows is as wide as the tables say', () => {
  const random = seededRandom(7);
  for (let round = 0; round < 300; round++) {
    const text = Array.from({ length: 12 }, () => {
      return String.fromCharCode(plainCodes[Math.floor(random() * plainCodes.length)] ?? 0x20);
    }).join('');
    assert.equal(plainColumns(text), stringWidth(text), text);
  }
});

test('each of these characters is as wide as the tables say, and is never part of another one', () => {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const clusters = (text: string): number => [...segmenter.segment(text)].length;
  for (const code of plainCodes.filter((each) => each < 0x4e00 || each > 0xd7a3)) {
    const sign = String.fromCharCode(code);
    assert.equal(plainWidth(code), stringWidth(sign), `U+${code.toString(16)}`);
    assert.equal(clusters(`a${sign}${sign}b`), 4, `U+${code.toString(16)}`);
  }
});

test('what Clew prints needs no tables', () => {
  const signs = '·…›◆●❯✓▸↳⋮≥×→–—“”█▉▊▋▌▍▎▏▂▃▄▅▆▇─│├└┌┐é';
  assert.equal(plainColumns(signs), 38);
});

test('colours count nothing; what may combine, control or hide is left to the tables', () => {
  assert.equal(plainColumns('\x1b[1;31m── 日本\x1b[0m ◆'), 9);
  const unknown = ['e\u0301', '👩‍👩‍👧', 'a\tb', '\x1b]0;title\x07', '❤\ufe0f', '\u202e', '\ud83d'];
  assert.deepEqual(
    unknown.map(plainColumns),
    unknown.map(() => undefined),
  );
});

test('each character and each emoji that it knows is as wide alone as the tables say', () => {
  for (const code of plainCodes) assert.equal(plainWidth(code), stringWidth(String.fromCharCode(code)), `${code}`);
  const emoji = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code)).filter(emojiWidth);
  assert.ok(emoji.length > 500);
  for (const each of emoji) assert.equal(emojiWidth(each), stringWidth(each), each);
  assert.deepEqual(['😋', '✅', '👩‍👩‍👧', '✔', 'a', '', '🎉🎉', '😋\u0301'].map(emojiWidth), [2, 2, 0, 0, 0, 0, 0, 0]);
});
