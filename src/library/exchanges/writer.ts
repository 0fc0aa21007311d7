// Segments of exchanges → rows of the index, in the transaction that also moves the offset of their file.
import { type Database, forgetSegment, insertMany, rowsPerSegment, type SqlValue } from '../index/index.ts';
import { allFields, type ExchangeBuilder, type Field, type Segment, type SegmentStart } from './builder.ts';
import { searchable } from './searchable.ts';

/** The last segment of a file, which an append continues. */
export function openSegment(database: Database, file: number): SegmentStart | undefined {
  const row = database
    .prepare('SELECT line, offset, first_line FROM exchanges WHERE file = ? ORDER BY line DESC, offset DESC LIMIT 1')
    .get(file);
  if (row === undefined) return undefined;
  return { line: Number(row.line), offset: Number(row.offset), firstLine: Number(row.first_line) };
}

/** The lines after `line` that begin an exchange; none in a sub-agent's transcript. */
export function exchangeStarts(database: Database, file: number): ReadonlySet<number> {
  const rows = database
    .prepare(
      `SELECT p.line, p.time FROM prompts p JOIN files f ON f.id = p.file
       WHERE p.file = ? AND f.agent_id IS NULL ORDER BY p.line`,
    )
    .all(file);
  const starts = new Set<number>();
  let last: { readonly line: number; readonly time: SqlValue | undefined } | undefined;
  for (const row of rows) {
    const line = Number(row.line);
    // Some clients write the blocks of a prompt as lines of their own, with the same time.
    const continues = last !== undefined && line === last.line + 1 && row.time === last.time && row.time !== null;
    last = { line, time: row.time };
    if (!continues) starts.add(line);
  }
  return starts;
}

/** Collects the segments of a transaction and writes them with few statements. */
export class ExchangeWriter {
  readonly #database: Database;
  readonly #rows: SqlValue[][] = [];
  readonly #texts: SqlValue[][] = [];
  readonly #titles: SqlValue[][] = [];
  readonly #titleTexts: SqlValue[][] = [];
  #nextId: number;
  #nextTitle: number;

  constructor(database: Database) {
    this.#database = database;
    const next = (table: string): number =>
      1 + Number(database.prepare(`SELECT max(id) AS last FROM ${table}`).get()?.last ?? 0);
    this.#nextId = next('exchanges');
    this.#nextTitle = next('titles');
  }

  /** `titlesAfter`: the line up to which the titles are known. */
  add(file: number, { segments, titles }: ExchangeBuilder, titlesAfter: number): void {
    const [first] = segments;
    if (first !== undefined) this.#forgetFrom(file, first);
    for (const segment of segments) this.#addSegment(file, segment);
    for (const { line, text } of titles) {
      if (line <= titlesAfter) continue;
      const id = this.#nextTitle++;
      this.#titles.push([id, file, line]);
      this.#titleTexts.push([id, searchable(text)]);
    }
  }

  finish(): void {
    insertMany(this.#database, 'INSERT INTO exchanges', 7, this.#rows);
    insertMany(this.#database, 'INSERT INTO exchange_text (rowid, text)', 2, this.#texts);
    insertMany(this.#database, 'INSERT INTO titles', 3, this.#titles);
    insertMany(this.#database, 'INSERT INTO title_text (rowid, title)', 2, this.#titleTexts);
  }

  /** The segment was written when it was shorter. */
  #forgetFrom(file: number, { line, offset }: Segment): void {
    const known = this.#database
      .prepare('SELECT id FROM exchanges WHERE file = ? AND line = ? AND offset = ?')
      .get(file, line, offset)?.id;
    if (typeof known === 'number') forgetSegment(this.#database, known);
  }

  #addSegment(file: number, segment: Segment): void {
    const { line, offset, firstLine, endOffset, time, prompt, answer, files, commands, errors } = segment;
    const id = this.#nextId++;
    this.#rows.push([id, file, line, offset, firstLine, endOffset, Number.isFinite(time) ? time : null]);
    const texts: Readonly<Record<Field, Iterable<string>>> = { prompt, answer, files, commands, errors };
    for (const [number, field] of allFields.entries()) {
      const text = [...texts[field]].join('\n');
      if (text !== '') this.#texts.push([id * rowsPerSegment + number, searchable(text)]);
    }
  }
}
