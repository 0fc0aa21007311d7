// The words of the store against those of SQLite: what its tokenizer makes of the same texts is the expected value.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { searchable } from '../../../src/library/exchanges/index.ts';
import { indexable, textsOfLine } from '../../../src/library/text/index.ts';
import { documentWords, fieldWords, stemmedWords } from '../../../src/team/words/index.ts';
import { corpusFolder } from '../../support/corpus.ts';
import { filesBelow } from '../../support/paths.ts';
import { plain, porter, sqliteWordsOf, wordsIn } from '../../support/sqlite-words.ts';

function corpusTexts(): readonly string[] {
  const texts = filesBelow(path.join(corpusFolder, 'corpus'), '.jsonl').flatMap((file) =>
    readFileSync(file)
      .toString('latin1')
      .split('\n')
      .flatMap((line) => textsOfLine(Buffer.from(line, 'latin1')).map(({ text }) => text)),
  );
  return texts.filter((text) => text.length < 60_000);
}

test('the words of every text of the corpus are those of SQLite, plain and stemmed', () => {
  const texts = corpusTexts();
  assert.ok(texts.length > 5000, String(texts.length));
  const expected = sqliteWordsOf(texts.map(indexable), plain);
  const stemmed = sqliteWordsOf(texts.map(searchable), porter);
  let most = 0;
  for (const [i, text] of texts.entries()) {
    const own = expected[i] as readonly string[];
    const { words, tokens } = documentWords(text);
    assert.equal(tokens, own.length);
    most = Math.max(most, tokens);
    // A word that is there more often than PostgreSQL has positions is cut; there are few texts of that kind.
    if (Math.max(0, ...counts(own).values()) <= 255 && tokens < 16_383) assert.deepEqual(wordsIn(words), own.map(cut));
    assert.deepEqual(stemmedWords(searchable(text)), stemmed[i]);
  }
  assert.ok(most > 5000, String(most));
});

/** PostgreSQL has no longer words; those of the corpus are ASCII. */
function cut(word: string): string {
  return word.slice(0, 2046);
}

function counts(words: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const word of words) found.set(word, (found.get(word) ?? 0) + 1);
  return found;
}

test('random mixtures of scripts, marks and signs are split and stemmed as SQLite does', () => {
  let state = 42;
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const alphabet = [
    ...'abcdefghijklmnopqrstuvwxyzsssseeeiiinnngggyyy ABCXYZ 0123456789 ____....\'"\\/-\n\t',
    ...'éèüßñçøÅİıſﬁǅΣςжЖЩдя\u0301\u0308\u0327\u200d\ufeff日本語한국어アイｱ﨑𠀀🙂①²Ⅷनमस्ते\u093c،مرحبا\u064b\ue000',
    '\ud800',
    '\udc00',
    'ational',
    'ization',
    'fulness',
    'ies',
    'ing',
    'eed',
    'sses',
    'ement',
  ];
  const texts = Array.from({ length: 4000 }, () =>
    Array.from({ length: 1 + random(40) }, () => alphabet[random(alphabet.length)]).join(''),
  );
  const expected = sqliteWordsOf(
    texts.map((text) => indexable(text.toWellFormed())),
    plain,
  );
  const stemmed = sqliteWordsOf(
    texts.map((text) => searchable(text.toWellFormed())),
    porter,
  );
  for (const [i, text] of texts.entries()) {
    assert.deepEqual(wordsIn(documentWords(text).words), expected[i], JSON.stringify(text));
    assert.deepEqual(stemmedWords(searchable(text)), stemmed[i], JSON.stringify(text));
  }
});

test('a word that is longer than PostgreSQL takes is one with others that begin like it', () => {
  const long = 'x'.repeat(2046);
  assert.deepEqual(documentWords(`${long}1 a ${long}2 ${long} ${long}1`), {
    words: `'${long}':1,3,4,5 'a':2`,
    tokens: 5,
  });
  // Not inside a character.
  assert.equal(documentWords(`a${'ж'.repeat(2000)}`).words, `'a${'ж'.repeat(1022)}':1`);
  assert.equal(fieldWords([`${long}1 ${long}2`, '', '', '', '']).words, `'p${long.slice(1)}':1,2`);
});

test('words have the same numbers after a million different ones', () => {
  const expected = documentWords('one two one');
  assert.deepEqual(expected, { words: "'one':1,3 'two':2", tokens: 3 });
  for (let i = 0; i < 5; i++) {
    const many = Array.from({ length: 200_000 }, (_, n) => `w${i}x${n}`);
    assert.equal(documentWords(many.join(' ')).tokens, many.length);
    assert.deepEqual(documentWords('one two one'), expected);
    assert.equal(fieldWords(['parsers', '', '', '', '']).words, "'pparser':1");
  }
});

test('the words of a field have its letter, and positions of their own', () => {
  assert.deepEqual(fieldWords(['Fix the parsers', 'Parsed it', '', 'npm test', '']), {
    words: "'pfix':1 'pthe':2 'pparser':3 'apars':1 'ait':2 'cnpm':1 'ctest':2",
    tokens: [3, 2, 0, 2, 0],
  });
});
