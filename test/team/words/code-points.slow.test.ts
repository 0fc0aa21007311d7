import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexable } from '../../../src/library/text/index.ts';
import { documentWords } from '../../../src/team/words/index.ts';
import { plain, sqliteWordsOf, wordsIn } from '../../support/sqlite-words.ts';

test('every code point of Unicode is part of a word exactly where it is for SQLite', () => {
  const texts: string[] = [];
  for (let page = 1; page < 0x100000; page += page < 0x30000 ? 0x800 : 0x8000) {
    const chars = Array.from({ length: 0x800 }, (_, i) => page + i);
    const valid = chars.filter((each) => each < 0xd800 || each > 0xdfff).map((each) => String.fromCodePoint(each));
    texts.push(valid.map((char) => `${char} a${char} ${char}b a${char}b`).join(' '));
  }
  // In pieces, so that no position is cut.
  const pieces = texts.flatMap((text) => text.match(/.{1,900}(?: |$)/gsu) ?? []);
  const expected = sqliteWordsOf(pieces.map(indexable), plain);
  for (const [i, piece] of pieces.entries())
    assert.deepEqual(wordsIn(documentWords(piece).words), expected[i], `${piece.codePointAt(0)?.toString(16)}`);
});
