// An exchange of the index → the texts of its lines, in the order of the file. This works where a session has no graph that
// leads to the exchange: its main transcript is gone, its lines name no parents, or the exchange is a sub-agent's.
import path from 'node:path';
import { readLineBatches } from '../../store/index.ts';
import type { Database, Row } from '../index/index.ts';
import { type LineText, textsOfLine } from '../text/index.ts';

/** How an exchange of a session is named. */
export type ExchangeName =
  /** The start of the uuid of its prompt, in small letters. */
  | { readonly uuid: string }
  /** A line of the main transcript. */
  | { readonly line: number }
  /** The file name of a sub-agent's transcript, without its ending, in small letters. */
  | { readonly transcript: string };

/** The texts of the exchange, or of the first one without a name; `undefined` if the session has no such exchange. */
export function exchangeTexts(
  database: Database,
  session: number,
  name: ExchangeName | undefined,
): Iterable<LineText> | undefined {
  const found = findExchange(database, session, name);
  if (found === undefined) return undefined;
  const range = database
    .prepare(
      'SELECT min(offset) AS start, min(first_line) AS line, max(end_offset) AS end FROM exchanges WHERE file = ? AND line = ?',
    )
    .get(Number(found.file), Number(found.line));
  const [offset, number, end] = [Number(range?.start), Number(range?.line), Number(range?.end)];
  return textsBetween(String(found.path), { offset, number }, end);
}

function findExchange(database: Database, session: number, name: ExchangeName | undefined): Row | undefined {
  const select = (where: string, ...values: readonly (string | number)[]): readonly Row[] =>
    database
      .prepare(
        `SELECT DISTINCT e.file, e.line, f.path, f.agent_id FROM exchanges e JOIN files f ON f.id = e.file
         WHERE f.session = ?${where} ORDER BY f.agent_id IS NOT NULL, f.path, e.line`,
      )
      .all(session, ...values);
  if (name === undefined) return select('')[0];
  if ('transcript' in name)
    return select(' AND f.agent_id IS NOT NULL').find(
      (row) => path.basename(String(row.path), '.jsonl').toLowerCase() === name.transcript,
    );
  if ('line' in name) return select(' AND f.agent_id IS NULL AND e.line <= ?', name.line).at(-1);
  const isPrompt =
    'EXISTS (SELECT 1 FROM prompts p WHERE p.file = e.file AND p.line = e.line AND substr(lower(p.uuid), 1, ?) = ?)';
  return select(` AND ${isPrompt}`, name.uuid.length, name.uuid)[0];
}

function* textsBetween(file: string, from: { offset: number; number: number }, end: number): Generator<LineText> {
  for (const batch of readLineBatches(file, { from })) {
    for (const line of batch) {
      if (line.offset >= end) return;
      if (line.bytes.length === line.length) yield* textsOfLine(line.bytes);
    }
  }
}
