// The tables of the exchanges: a prompt with the answers to it and what was done for it, as one text in fields, so that a
// search ranks whole exchanges and not single lines. The text itself is not kept.
import type { Database } from './database.ts';

export const exchangeTables = `
-- One row per segment of an exchange: its lines up to a number of bytes, so that an append reads little again. A sub-agent's transcript is one exchange, which belongs to the one that started it.
CREATE TABLE exchanges (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  -- The line of the prompt; 0 for lines before the first prompt, and in a sub-agent's transcript.
  line INTEGER NOT NULL,
  -- Of the first line of the segment, and after its last one.
  offset INTEGER NOT NULL,
  first_line INTEGER NOT NULL,
  end_offset INTEGER NOT NULL,
  time INTEGER
);
CREATE UNIQUE INDEX exchanges_by_file ON exchanges (file, line, offset);
-- The rowid is 8 * the id of the segment + the number of the field: each field has a length of its own, which the BM25 of
-- FTS5 knows for whole rows only.
CREATE VIRTUAL TABLE exchange_text USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2"
);
INSERT INTO exchange_text (exchange_text, rank) VALUES ('hashsize', 16777216);
INSERT INTO exchange_text (exchange_text, rank) VALUES ('automerge', 16);
-- The titles of sessions, by the line that has them.
CREATE TABLE titles (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  line INTEGER NOT NULL
);
CREATE INDEX titles_by_file ON titles (file);
CREATE VIRTUAL TABLE title_text USING fts5 (
  title, content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2"
);
`;

/** Rows of `exchange_text` for one segment. */
export const rowsPerSegment: number = 8;

export function forgetSegment(database: Database, id: number): void {
  const first = id * rowsPerSegment;
  database.prepare('DELETE FROM exchange_text WHERE rowid >= ? AND rowid < ?').run(first, first + rowsPerSegment);
  database.prepare('DELETE FROM exchanges WHERE id = ?').run(id);
}

/** Removes the exchanges of a file from the index. */
export function forgetExchanges(database: Database, file: number): void {
  const ids = database.prepare('SELECT id FROM exchanges WHERE file = ?').all(file);
  for (const { id } of ids) forgetSegment(database, Number(id));
  database.prepare('DELETE FROM title_text WHERE rowid IN (SELECT id FROM titles WHERE file = ?)').run(file);
  database.prepare('DELETE FROM titles WHERE file = ?').run(file);
}
