// Expressions and BM25 against those of SQLite, for random texts and queries.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertMany, openDatabase } from '../../../src/library/index/index.ts';
import { parseExpression, phrasesOf, queryText } from '../../../src/team/search/expression.ts';
import { bm25, matches, positionsIn, rarityOf } from '../../../src/team/search/found-words.ts';
import { documentWords, plainWords } from '../../../src/team/words/index.ts';

/** As PostgreSQL marks the words that it was asked for. */
function markedWords(text: string): string {
  return documentWords(text).words.replace(/(?<=[:,])\d+/g, '$&A');
}

function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const vocabulary = ['lamp', 'lamps', 'light', 'lighthouse', 'sea', 'see', 'fog', 'foghorn', '灯', '台'];

test('texts match an expression, and are as relevant, as SQLite finds', () => {
  const random = randomNumbers(7);
  const word = (): string => vocabulary[random(vocabulary.length)] as string;
  const texts = Array.from({ length: 300 }, () => Array.from({ length: 1 + random(25) }, word).join(' '));
  const database = openDatabase(':memory:');
  database.exec(`CREATE VIRTUAL TABLE t USING fts5 (x, content = '', tokenize = "unicode61 remove_diacritics 2")`);
  insertMany(
    database,
    'INSERT INTO t (rowid, x)',
    2,
    texts.map((text, i) => [i, text]),
  );
  const phrase = (): string => {
    const words = Array.from({ length: 1 + random(3) }, word).join(' ');
    return `"${random(3) === 0 ? words.slice(0, -1) : words}"${random(3) === 0 ? ' *' : ''}`;
  };
  const expression = (): string => {
    switch (random(7)) {
      case 0:
        return `${phrase()} AND ${phrase()}`;
      case 1:
        return `(${phrase()} AND ${phrase()}) NOT (${phrase()} OR ${phrase()})`;
      case 2:
        return `(${phrase()} OR ${phrase()})`;
      case 3:
        return `"${word()}" + "${word()}"`;
      case 4:
        return `NEAR("${word()}" "${word()}", ${random(9)})`;
      case 5:
        return `${phrase()} OR ${phrase()} OR ${phrase()}`;
      default:
        return phrase();
    }
  };
  const lengths = texts.map((text) => documentWords(text).tokens);
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / texts.length;
  const vectors = texts.map((text) => positionsIn(markedWords(text)));
  const kinds = new Set<string>();
  let found = 0;
  for (let i = 0; i < 400; i++) {
    const match = expression();
    const rows = database.prepare('SELECT rowid AS id, rank AS score FROM t WHERE t MATCH ? ORDER BY rowid').all(match);
    const parsed = parseExpression(match, plainWords);
    kinds.add(parsed.kind);
    const ids = texts.flatMap((_, id) => (matches(parsed, vectors[id] as (typeof vectors)[number]) ? [id] : []));
    assert.deepEqual(
      ids,
      rows.map(({ id }) => Number(id)),
      match,
    );
    found += ids.length;
    if (parsed.kind === 'near') continue;
    const phrases = phrasesOf(parsed);
    const rarities = phrases.map((each) =>
      rarityOf(texts.length, vectors.filter((words) => matches(each, words)).length),
    );
    for (const { id, score } of rows) {
      // SQLite does not count the phrases that must not be there.
      const own = bm25(phrases, vectors[Number(id)] as (typeof vectors)[number], lengths[Number(id)] as number, {
        rarities,
        averageLength,
      });
      assert.ok(Math.abs(own - Number(score)) < 1e-9 * Math.max(1, Math.abs(own)), `${match}: ${own} and ${score}`);
    }
  }
  assert.deepEqual([...kinds].sort(), ['and', 'near', 'not', 'or', 'phrase']);
  assert.ok(found > 5000, String(found));
  database.close();
});

test('an expression becomes a tsquery', () => {
  const textOf = (match: string, letter?: string): string => queryText(parseExpression(match, plainWords), letter);
  assert.equal(textOf('"read file"'), "('read' <-> 'file')");
  assert.equal(textOf('"read" AND "fil" *'), "(('read') & ('fil':*))");
  assert.equal(textOf('("a" AND "b") NOT ("c" OR "d e")'), "((('a') & ('b')) & !(('c') | ('d' <-> 'e')))");
  assert.equal(textOf('NEAR("a" "b", 8)', 'p'), "(('pa') & ('pb'))");
  assert.equal(textOf('"a b" + "c"', 'a'), "('aa' <-> 'ab' <-> 'ac')");
  // A phrase without words matches nothing, as in SQLite.
  assert.equal(textOf('"-"'), "'nothing at all'");
  assert.throws(() => textOf('"a" "b"'), /unexpected "b"/);
});
