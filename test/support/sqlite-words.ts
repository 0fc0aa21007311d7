// Texts → their words as the full text of SQLite has them: the expected value of what splits words without SQLite.
import { insertMany, openDatabase } from '../../src/library/index/index.ts';

export const plain = 'unicode61 remove_diacritics 2';
export const porter: string = `porter ${plain}`;

/** The words of each text in their order, as SQLite splits it. */
export function sqliteWordsOf(texts: readonly string[], tokenizer: string): readonly (readonly string[])[] {
  const database = openDatabase(':memory:');
  database.exec(`CREATE VIRTUAL TABLE t USING fts5 (x, content = '', tokenize = "${tokenizer}");
    CREATE VIRTUAL TABLE v USING fts5vocab (t, instance);`);
  insertMany(
    database,
    'INSERT INTO t (rowid, x)',
    2,
    texts.map((text, i) => [i, text]),
  );
  const words: string[][] = texts.map(() => []);
  for (const { doc, offset, term } of database.prepare('SELECT doc, "offset", term FROM v').all())
    (words[Number(doc)] as string[])[Number(offset)] = String(term);
  database.close();
  return words;
}

/** What a `tsvector` says, as a list of words. */
export function wordsIn(vector: string): readonly string[] {
  const words: string[] = [];
  for (const [, word, positions] of vector.matchAll(/'([^']*)':([\d,]+)/g))
    for (const position of String(positions).split(',')) words[Number(position) - 1] = String(word);
  return words;
}
