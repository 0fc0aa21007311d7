// Code points and words → what the full text of SQLite makes of them. The store must split and stem exactly as the local
// index does, so SQLite itself is asked, once for each page of code points and each word.
import { type Database, insertMany, openDatabase } from '../../library/index/index.ts';

const pageSize = 256;
/** What a code point is in a word: a separator, a mark that only continues one, or the code point that it is folded to. */
export const separator: number = -1;
/** Added to the folded code point, or to 0 if nothing is left of it. */
export const continues: number = 1 << 24;

/** Opened on first use, and kept: an empty database in memory. */
class SqliteWords {
  readonly #database: Database = openDatabase(':memory:');
  readonly #pages = new Map<number, Int32Array>();

  constructor() {
    this.#database.exec(`
      CREATE VIRTUAL TABLE plain USING fts5 (text, content = '', tokenize = "unicode61 remove_diacritics 2");
      CREATE VIRTUAL TABLE plain_words USING fts5vocab (plain, instance);
      CREATE VIRTUAL TABLE stems USING fts5 (text, content = '', tokenize = "porter unicode61 remove_diacritics 2");
      CREATE VIRTUAL TABLE stem_words USING fts5vocab (stems, instance);`);
  }

  /** By the low byte of the code point. */
  pageOf(codePoint: number): Int32Array {
    const number = codePoint >> 8;
    const known = this.#pages.get(number);
    if (known !== undefined) return known;
    const page = this.#readPage(number * pageSize);
    this.#pages.set(number, page);
    return page;
  }

  #readPage(first: number): Int32Array {
    const page = new Int32Array(pageSize).fill(separator);
    const chars = Array.from(page, (_, i) => first + i).filter((each) => each > 0 && (each < 0xd800 || each > 0xdfff));
    // Alone: whether a word may begin with it. Between two letters: whether it continues a word, and as what.
    const rows = chars.flatMap((each) => {
      const [char, id] = [String.fromCodePoint(each), (each - first) * 2 + 1];
      return [[id, char] as const, [id + 1, `x${char}x`] as const];
    });
    const starts = new Set<number>();
    for (const [id, word] of this.#tokenize('plain', 'plain_words', rows)) {
      const at = (id - 1) >> 1;
      if (id % 2 === 1) starts.add(at);
      else if (word !== 'x') page[at] = word.slice(1, -1).codePointAt(0) ?? 0;
    }
    for (const [at, folded] of page.entries())
      if (folded !== separator && !starts.has(at)) page[at] = folded + continues;
    return page;
  }

  /** Words as the tokenizer `unicode61` returns them → their stems. */
  stemsOf(words: readonly string[]): readonly string[] {
    const stems = [...words];
    const rows = words.map((word, i) => [i + 1, word] as const);
    for (const [id, stem] of this.#tokenize('stems', 'stem_words', rows)) stems[id - 1] = stem;
    return stems;
  }

  /** The words of each row. SQLite packs them into one text: rows that cross the binding one by one are slow. */
  #tokenize(
    table: string,
    vocabulary: string,
    rows: readonly (readonly [id: number, text: string])[],
  ): readonly (readonly [id: number, word: string])[] {
    insertMany(this.#database, `INSERT INTO ${table} (rowid, text)`, 2, rows);
    const found = this.#database
      .prepare(`SELECT json_group_array(doc) AS ids, json_group_array(term) AS words FROM ${vocabulary}`)
      .get();
    this.#database.exec(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`);
    const ids = JSON.parse(String(found?.ids)) as readonly number[];
    const words = JSON.parse(String(found?.words)) as readonly string[];
    return ids.map((id, i) => [id, words[i] as string] as const); // as many words as ids
  }
}

let opened: SqliteWords | undefined;

export function sqliteWords(): SqliteWords {
  opened ??= new SqliteWords();
  return opened;
}
