// The local index answers what the ranking of exchanges asks.
import { type Database, type Row, rowsPerSegment } from '../index/index.ts';
import { allFields } from './builder.ts';
import { OwnerFinder } from './owners.ts';
import type { ExchangeScope } from './rank.ts';
import type { ExchangeCounts, ExchangeSource, ScoredFields, SegmentRow } from './source.ts';

const segmentColumns = 'e.id, e.file, e.line, e.time, f.session, f.agent_id, f.path';

export class LocalExchanges implements ExchangeSource {
  readonly #database: Database;
  readonly #scope: ExchangeScope;
  readonly #owners: OwnerFinder;

  constructor(database: Database, scope: ExchangeScope, owners: OwnerFinder = new OwnerFinder(database)) {
    this.#database = database;
    this.#scope = scope;
    this.#owners = owners;
  }

  counts(): ExchangeCounts {
    const count = (table: string): number =>
      Math.max(1, Number(this.#database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count));
    return { segments: count('exchanges'), fields: count('exchange_text_docsize') };
  }

  isFrequent(match: string, most: number): boolean {
    const row = this.#database
      .prepare('SELECT count(*) AS count FROM (SELECT 1 FROM exchange_text WHERE exchange_text MATCH ? LIMIT ?)')
      .get(match, most + 1);
    return Number(row?.count ?? 0) > most;
  }

  /** SQLite packs the rows into one text: an object for each of them costs more than finding them. */
  fieldScores(match: string, most: number): ScoredFields {
    const { where, values, fields } = this.#scope;
    const isNarrowed = where !== '';
    const joined = `JOIN exchanges e ON e.id = exchange_text.rowid / ${rowsPerSegment} JOIN files f ON f.id = e.file`;
    const numbers = fields?.map((field) => allFields.indexOf(field)).join(', ');
    const ofFields = numbers === undefined ? '' : ` AND exchange_text.rowid % ${rowsPerSegment} IN (${numbers})`;
    const row = this.#database
      .prepare(
        `SELECT json_group_array(id) AS ids, json_group_array(score) AS scores FROM
           (SELECT exchange_text.rowid AS id, rank AS score FROM exchange_text ${isNarrowed ? joined : ''}
            WHERE exchange_text MATCH ?${ofFields}${where} ORDER BY rank LIMIT ?)`,
      )
      .get(match, ...values, most);
    const ids = JSON.parse(String(row?.ids ?? '[]')) as readonly number[];
    const scores = JSON.parse(String(row?.scores ?? '[]')) as readonly number[];
    const isAll = !isNarrowed && numbers === undefined && ids.length < most;
    const found = isAll ? ids.length : this.#countRows(match);
    return { ids, scores, found };
  }

  #countRows(match: string): number {
    const row = this.#database
      .prepare('SELECT count(*) AS count FROM exchange_text WHERE exchange_text MATCH ?')
      .get(match);
    return Number(row?.count ?? 0);
  }

  segmentsWith(match: string): ReadonlySet<number> {
    const row = this.#database
      .prepare(
        `SELECT json_group_array(DISTINCT rowid / ${rowsPerSegment}) AS list FROM exchange_text
         WHERE exchange_text MATCH ?`,
      )
      .get(match);
    return new Set(JSON.parse(String(row?.list ?? '[]')) as readonly number[]);
  }

  segments(ids: readonly number[]): readonly SegmentRow[] {
    return this.#database
      .prepare(
        `SELECT ${segmentColumns} FROM exchanges e JOIN files f ON f.id = e.file
         WHERE e.id IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify(ids))
      .map((row) => this.#segmentRow(row));
  }

  exchangeKeys(segments: ReadonlySet<number>): ReadonlySet<string> {
    const rows = this.#database
      .prepare('SELECT DISTINCT file, line FROM exchanges WHERE id IN (SELECT value FROM json_each(?))')
      .all(JSON.stringify([...segments]));
    return new Set(rows.map(({ file, line }) => `${file} ${line}`));
  }

  titledSessions(match: string): readonly number[] {
    return this.#database
      .prepare(
        `SELECT DISTINCT f.session FROM title_text JOIN titles t ON t.id = title_text.rowid JOIN files f ON f.id = t.file
         WHERE title_text MATCH ? LIMIT 2000`,
      )
      .all(match)
      .map((row) => Number(row.session));
  }

  firstSegment(session: number): SegmentRow | undefined {
    const { where, values } = this.#scope;
    const row = this.#database
      .prepare(
        `SELECT ${segmentColumns} FROM exchanges e JOIN files f ON f.id = e.file
         WHERE f.session = ? AND f.agent_id IS NULL${where} ORDER BY e.line LIMIT 1`,
      )
      .get(session, ...values);
    return row === undefined ? undefined : this.#segmentRow(row);
  }

  #segmentRow(row: Row): SegmentRow {
    const [id, session, file, line] = [Number(row.id), Number(row.session), Number(row.file), Number(row.line)];
    const agent = row.agent_id === null ? undefined : String(row.agent_id);
    const time = typeof row.time === 'number' ? row.time : Number.NaN;
    const owner = agent === undefined ? undefined : this.#owners.ownerOf({ session, agent, file });
    const path = String(row.path);
    return { id, session, file, path, line, time, ...owner, isOwned: owner !== undefined };
  }
}
