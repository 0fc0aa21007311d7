// Rows of all tables, in any order → Parquet files `<table>/month=<yyyy-mm>/part-0.parquet`. Rows wait in memory until
// there are enough for a row group, or until all tables together hold too much.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { makeFolderSync } from '../../base/files/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { version } from '../../base/version/index.ts';
import { type Cell, type Column, type Row, rowTime, type TableName, tables } from './tables.ts';

export interface DatasetLimits {
  readonly rowsPerGroup: number;
  /** Characters that may wait in all tables together. */
  readonly waitingChars: number;
}

export const datasetLimits: DatasetLimits = { rowsPerGroup: 20_000, waitingChars: 32 * 1024 * 1024 };

export interface WrittenPart {
  readonly table: TableName;
  readonly month: string;
  readonly rows: number;
}

export class Dataset {
  readonly #folder: string;
  readonly #limits: DatasetLimits;
  readonly #parts = new Map<string, Part>();
  #waitingChars = 0;

  constructor(folder: string, limits: DatasetLimits = datasetLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  add(table: TableName, row: Row): void {
    const part = this.#partFor(table, monthOf(row[rowTime[table]]));
    this.#waitingChars += part.add(row);
    if (part.waitingRows >= this.#limits.rowsPerGroup) this.#write(part);
    else if (this.#waitingChars > this.#limits.waitingChars) this.#write(this.#heaviest());
  }

  /** Every table has at least one file, so that a query over it finds its columns. */
  finish(): readonly WrittenPart[] {
    for (const table of Object.keys(tables) as TableName[]) {
      if (![...this.#parts.values()].some((part) => part.table === table)) this.#partFor(table, noMonth);
    }
    const parts = [...this.#parts.values()];
    for (const part of parts) part.finish();
    return parts.map(({ table, month, rows }) => ({ table, month, rows }));
  }

  /** After a failure: the files stay as they are, but are no longer held open. */
  abandon(): void {
    for (const part of this.#parts.values()) part.close();
  }

  #partFor(table: TableName, month: string): Part {
    const key = `${table}/month=${month}`;
    const known = this.#parts.get(key);
    if (known !== undefined) return known;
    const part = new Part(path.join(this.#folder, key, 'part-0.parquet'), table, month);
    this.#parts.set(key, part);
    return part;
  }

  #heaviest(): Part {
    return [...this.#parts.values()].reduce((a, b) => (b.waitingChars > a.waitingChars ? b : a));
  }

  #write(part: Part): void {
    this.#waitingChars -= part.waitingChars;
    part.writeGroup();
  }
}

const noMonth = 'unknown';

function monthOf(time: Cell): string {
  return isTime(time) ? new Date(time).toISOString().slice(0, 7) : noMonth;
}

/** Years of four digits: anything else is a broken clock, not a month of a folder. */
function isTime(value: Cell): value is number {
  return typeof value === 'number' && value >= 0 && value < 253_402_300_800_000;
}

class Part {
  readonly table: TableName;
  readonly month: string;
  rows = 0;
  waitingChars = 0;
  readonly #file: number;
  readonly #bytes: ByteWriter;
  readonly #writer: ParquetWriter;
  #waiting: unknown[][];

  constructor(file: string, table: TableName, month: string) {
    this.table = table;
    this.month = month;
    makeFolderSync(path.dirname(file), 0o777);
    this.#file = openSync(file, 'wx', 0o600);
    this.#bytes = new ByteWriter();
    const columns = tables[table];
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: [{ name: 'root', num_children: columns.length }, ...columns.map(schemaOf)],
      // They would hold the least and the greatest text of each group, whole.
      statistics: false,
      kvMetadata: [{ key: 'clew', value: version }],
    });
    this.#waiting = columns.map(() => []);
  }

  get waitingRows(): number {
    return this.#waiting[0]?.length ?? 0;
  }

  /** About how many characters it takes in memory. */
  add(row: Row): number {
    let chars = 0;
    for (const [i, column] of tables[this.table].entries()) {
      const value = fitted(row[column.name], column);
      chars += typeof value === 'string' ? value.length : 8;
      this.#waiting[i]?.push(value);
    }
    this.waitingChars += chars;
    return chars;
  }

  writeGroup(): void {
    const rows = this.waitingRows;
    if (rows === 0) return;
    const columnData = tables[this.table].map(({ name }, i) => ({ name, data: this.#waiting[i] ?? [] }));
    this.#writer.write({ columnData, rowGroupSize: rows });
    this.rows += rows;
    this.#waiting = tables[this.table].map(() => []);
    this.waitingChars = 0;
    this.#flush();
  }

  finish(): void {
    this.writeGroup();
    this.#writer.finish();
    this.#flush();
    fsyncSync(this.#file);
    this.close();
  }

  close(): void {
    closeSync(this.#file);
  }

  #flush(): void {
    writeSync(this.#file, new Uint8Array(this.#bytes.buffer, 0, this.#bytes.index));
    this.#bytes.index = 0;
  }
}

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

function schemaOf({ name, type }: Column): SchemaElement {
  const nullable = { name, repetition_type: 'OPTIONAL' } as const;
  switch (type) {
    case 'STRING':
    case 'JSON':
      return { ...nullable, type: 'BYTE_ARRAY', converted_type: 'UTF8' };
    case 'TIMESTAMP':
      return { ...nullable, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' };
    case 'INT64':
    case 'BOOLEAN':
      return { ...nullable, type };
    default:
      return type satisfies never;
  }
}

/** A value that does not fit its column is null: a transcript may hold anything anywhere. */
function fitted(cell: Cell, { type }: Column): unknown {
  if (cell === null || cell === undefined) return null;
  switch (type) {
    case 'STRING':
      return typeof cell === 'string' ? cell.toWellFormed() : null;
    case 'JSON':
      return jsonText(cell);
    case 'TIMESTAMP':
      return isTime(cell) ? new Date(cell) : null;
    case 'INT64':
      return typeof cell === 'number' && Number.isFinite(cell) ? BigInt(Math.round(cell)) : null;
    case 'BOOLEAN':
      return typeof cell === 'boolean' ? cell : null;
    default:
      return type satisfies never;
  }
}
