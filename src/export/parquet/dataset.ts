// Rows of all tables, in any order → Parquet files `<table>/month=<yyyy-mm>/part-0.parquet`. Rows wait in memory until
// there are enough for a row group, or until all tables together hold too much.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { makeFolderSync } from '../../base/files/index.ts';
import { isTime, TableWriter } from './table-writer.ts';
import { type Cell, type Row, rowTime, type TableName, tables } from './tables.ts';

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

class Part {
  readonly table: TableName;
  readonly month: string;
  readonly #file: number;
  readonly #writer: TableWriter;

  constructor(file: string, table: TableName, month: string) {
    this.table = table;
    this.month = month;
    makeFolderSync(path.dirname(file), 0o777);
    this.#file = openSync(file, 'wx', 0o600);
    this.#writer = new TableWriter(tables[table]);
  }

  get rows(): number {
    return this.#writer.rows;
  }

  get waitingRows(): number {
    return this.#writer.waitingRows;
  }

  get waitingChars(): number {
    return this.#writer.waitingChars;
  }

  add(row: Row): number {
    return this.#writer.add(row);
  }

  writeGroup(): void {
    writeSync(this.#file, this.#writer.takeGroup());
  }

  finish(): void {
    writeSync(this.#file, this.#writer.finish());
    fsyncSync(this.#file);
    this.close();
  }

  close(): void {
    closeSync(this.#file);
  }
}
