// The tables of the full text. The index holds no text: FTS5 keeps only which words stand where, a row says in which
// line of which transcript a document is, and what is shown is read again from there.
import type { Database } from './database.ts';

export const textTables = `
-- One row per document: what one line says in one capacity. Its id is the rowid in document_text.
CREATE TABLE documents (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  line INTEGER NOT NULL,
  -- Of the line in its file, without the newline.
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  kind TEXT NOT NULL,
  -- Counts the documents of one kind in one line, from 0.
  part INTEGER NOT NULL,
  time INTEGER,
  tool TEXT
);
CREATE INDEX documents_by_file ON documents (file, offset);
CREATE VIRTUAL TABLE document_text USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
);
-- A larger buffer and rarer merges: a fifth less time for a first run, no difference that a search could feel.
INSERT INTO document_text (document_text, rank) VALUES ('hashsize', 33554432);
INSERT INTO document_text (document_text, rank) VALUES ('automerge', 16);
-- Documents from the queue of prompts, by the hash of their text: they go when the prompt itself is read.
CREATE TABLE queued_documents (
  file INTEGER NOT NULL,
  hash TEXT NOT NULL,
  document INTEGER NOT NULL,
  PRIMARY KEY (file, hash, document)
) WITHOUT ROWID;
`;

/** Takes the documents of a file out of the index. */
export function forgetDocuments(database: Database, file: number): void {
  database.prepare('DELETE FROM document_text WHERE rowid IN (SELECT id FROM documents WHERE file = ?)').run(file);
  database.prepare('DELETE FROM documents WHERE file = ?').run(file);
  database.prepare('DELETE FROM queued_documents WHERE file = ?').run(file);
}
