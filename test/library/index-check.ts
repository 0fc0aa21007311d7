// What is in an index, in a form that two indexes can be compared by.
import type { Database, Row } from '../../src/library/index/database.ts';
import { updateRows } from '../../src/library/index/indexer.ts';
import { openIndex } from '../../src/library/index/schema.ts';
import { type TextReport, updateText } from '../../src/library/search/text-indexer.ts';

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

/** Everything the index knows, by place: ids may differ. */
export function contentOf(database: Database): IndexContent {
  return { ...textOf(database), ...rowsOf(database) };
}

export interface IndexContent {
  readonly documents: readonly string[];
  /** For some words, the documents that have them. */
  readonly words: readonly (readonly string[])[];
  /** Documents in the full text. */
  readonly indexed: number;
  readonly sessions: readonly Row[];
  readonly files: readonly Row[];
  readonly prompts: readonly Row[];
  readonly calls: readonly Row[];
}

function rowsOf(database: Database): Omit<IndexContent, 'documents' | 'words' | 'indexed'> {
  const all = (sql: string): readonly Row[] => database.prepare(sql).all();
  return {
    sessions: all(
      `SELECT path, session_id, slug, root, cwd, first_prompt, started_at, ended_at FROM sessions ORDER BY path`,
    ),
    files: all(
      `SELECT f.path, s.path AS main, agent_id, dev, ino, size, mtime_ms, offset, line, head_hash, tail_hash,
         text_offset, text_line FROM files f JOIN sessions s ON s.id = f.session ORDER BY 1`,
    ),
    prompts: all(
      'SELECT f.path, p.line, uuid, time, kind FROM prompts p LEFT JOIN files f ON f.id = p.file ORDER BY 1, 2',
    ),
    calls: all(
      `SELECT f.path, tool_use_id, c.line, time, name, touched, is_error, c.agent_id
       FROM tool_calls c LEFT JOIN files f ON f.id = c.file ORDER BY 1, 3, 2`,
    ),
  };
}

function textOf(database: Database): Pick<IndexContent, 'documents' | 'words' | 'indexed'> {
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
