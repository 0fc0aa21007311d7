// What is in an index, in a form that two indexes can be compared by.

import type { Database } from '../../src/library/database.ts';
import { updateRows } from '../../src/library/indexer.ts';
import { openIndex } from '../../src/library/schema.ts';
import { type TextReport, updateText } from '../../src/library/text-indexer.ts';

/** An index that is current for the root. */
export function currentIndex(folder: string, root: string): Database {
  const database = openIndex({ folder });
  update(database, root);
  return database;
}

export function update(database: Database, root: string): TextReport {
  updateRows(database, { roots: [root] });
  return updateText(database, { roots: [root] });
}

/** Every document, and for some words the documents that have them, by place: ids may differ. */
export function contentOf(database: Database): object {
  database.exec("INSERT INTO document_text (document_text) VALUES ('integrity-check')");
  const place = "f.path || ' ' || d.line || ' ' || d.kind || ' ' || d.part";
  const documents = database
    .prepare(
      `SELECT ${place} AS place, d.offset, d.length, d.time, d.tool FROM documents d JOIN files f ON f.id = d.file ORDER BY 1`,
    )
    .all()
    .map((row) => [row.place, row.offset, row.length, row.time, row.tool].join(' '));
  const words = ['lamp', 'keeper', 'const', 'session', '霧'].map((word) =>
    database
      .prepare(
        `SELECT ${place} AS place FROM document_text JOIN documents d ON d.id = document_text.rowid
         JOIN files f ON f.id = d.file WHERE document_text MATCH ? ORDER BY 1`,
      )
      .all(`"${word}"`)
      .map((row) => String(row.place)),
  );
  const indexed = Number(database.prepare('SELECT count(*) AS count FROM document_text_docsize').get()?.count);
  return { documents, words, indexed };
}
