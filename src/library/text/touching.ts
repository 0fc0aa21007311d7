// The transcripts whose calls touched or named a file: for a reader that wants these calls and nothing else.
import type { Database, Row } from '../index/index.ts';

/** A transcript with calls of interest, and the main transcript of its session. */
export interface TouchingTranscript {
  readonly path: string;
  readonly main: string;
}

/** Transcripts with a call of one of these tools, not known to have failed, on a file whose path ends with a name. */
export function transcriptsTouching(
  database: Database,
  names: readonly string[],
  tools: readonly string[],
): readonly TouchingTranscript[] {
  const found = names.flatMap((name) =>
    database
      .prepare(
        `SELECT DISTINCT f.path AS path, s.path AS main
         FROM tool_calls c JOIN files f ON f.id = c.file JOIN sessions s ON s.id = f.session
         WHERE (c.touched = ? OR substr(c.touched, ?) = ?) AND coalesce(c.is_error, 0) = 0
           AND c.name IN (SELECT value FROM json_each(?))`,
      )
      .all(name, -(name.length + 1), `/${name}`, JSON.stringify(tools)),
  );
  return distinctTranscripts(found);
}

/** Transcripts with a call of one of these tools whose input has all words of a text next to each other. */
export function transcriptsNaming(
  database: Database,
  text: string,
  tools: readonly string[],
): readonly TouchingTranscript[] {
  const words = text.replaceAll('"', ' ').trim();
  if (!/[\p{L}\p{N}]/u.test(words)) return [];
  const found = database
    .prepare(
      `SELECT DISTINCT f.path AS path, s.path AS main
       FROM document_text t JOIN documents d ON d.id = t.rowid JOIN files f ON f.id = d.file
       JOIN sessions s ON s.id = f.session
       WHERE document_text MATCH ? AND d.kind = 'tool-input' AND d.tool IN (SELECT value FROM json_each(?))`,
    )
    .all(`"${words}"`, JSON.stringify(tools));
  return distinctTranscripts(found);
}

/** Whether any session says a word that begins with this, such as the hash of a commit. */
export function isNamedAnywhere(database: Database, start: string): boolean {
  if (!/^[\p{L}\p{N}]+$/u.test(start)) return false;
  return (
    database.prepare('SELECT 1 FROM document_text WHERE document_text MATCH ? LIMIT 1').get(`"${start}"*`) !== undefined
  );
}

function distinctTranscripts(rows: readonly Row[]): readonly TouchingTranscript[] {
  const found = rows.map((row): [string, TouchingTranscript] => [
    String(row.path),
    { path: String(row.path), main: String(row.main) },
  ]);
  return [...new Map(found).values()];
}
