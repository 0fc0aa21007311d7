// Rows of one export and month of sessions, in any order → the files of their tables. Memory holds a row group of each open
// file, and at most a fixed number of characters in all of them together.
import { type Row, TableWriter } from '../../export/parquet/index.ts';
import { type DataFile, dataFileName, type LakeMonth } from './lake-files.ts';
import { commonColumns, type LakeTableName, lakeTables } from './lake-tables.ts';
import type { LakeFile, LakeStorage } from './storage/index.ts';

export interface LakeLimits {
  readonly rowsPerGroup: number;
  /** Characters that wait in all files together. */
  readonly waitingChars: number;
  /** A larger file is ended, and another one begun. */
  readonly fileBytes: number;
}

export const lakeLimits: LakeLimits = {
  rowsPerGroup: 100_000,
  waitingChars: 32 * 1024 * 1024,
  fileBytes: 256 * 1024 * 1024,
};

export interface WrittenFile {
  readonly table: LakeTableName;
  readonly month: LakeMonth;
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
}

export class MonthWriter {
  readonly #storage: LakeStorage;
  readonly #unit: Pick<DataFile, 'version' | 'sessionMonth'>;
  readonly #limits: LakeLimits;
  readonly #open = new Map<string, OpenFile>();
  readonly #numbers = new Map<string, number>();
  readonly #written: WrittenFile[] = [];
  #waitingChars = 0;

  constructor(storage: LakeStorage, unit: Pick<DataFile, 'version' | 'sessionMonth'>, limits: LakeLimits = lakeLimits) {
    this.#storage = storage;
    this.#unit = unit;
    this.#limits = limits;
  }

  async add(table: LakeTableName, month: LakeMonth, row: Row): Promise<void> {
    const file = this.#fileFor(table, month);
    this.#waitingChars += file.writer.add(row);
    if (file.writer.waitingRows >= this.#limits.rowsPerGroup) await this.#writeGroup(file);
    else if (this.#waitingChars > this.#limits.waitingChars) await this.#writeGroup(this.#heaviest());
  }

  async finish(): Promise<readonly WrittenFile[]> {
    for (const file of [...this.#open.values()]) await this.#finish(file);
    return this.#written;
  }

  async abandon(): Promise<void> {
    for (const { file } of this.#open.values()) await file.abandon();
  }

  #fileFor(table: LakeTableName, month: LakeMonth): OpenFile {
    const key = `${table} ${month}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const nth = this.#numbers.get(key) ?? 0;
    this.#numbers.set(key, nth + 1);
    const path = dataFileName(table, month, this.#unit, nth);
    const opened: OpenFile = {
      key,
      table,
      month,
      path,
      file: this.#storage.create(path),
      writer: new TableWriter([...commonColumns, ...lakeTables[table].columns]),
      bytes: 0,
    };
    this.#open.set(key, opened);
    return opened;
  }

  #heaviest(): OpenFile {
    return [...this.#open.values()].reduce((a, b) => (b.writer.waitingChars > a.writer.waitingChars ? b : a));
  }

  async #writeGroup(open: OpenFile): Promise<void> {
    this.#waitingChars -= open.writer.waitingChars;
    await write(open, open.writer.takeGroup());
    if (open.bytes >= this.#limits.fileBytes) await this.#finish(open);
  }

  async #finish(open: OpenFile): Promise<void> {
    this.#waitingChars -= open.writer.waitingChars;
    await write(open, open.writer.finish());
    if (!(await open.file.finish())) throw new Error(`${open.path} exists: no other export has its version`);
    this.#open.delete(open.key);
    const { table, month, path, bytes } = open;
    this.#written.push({ table, month, path, rows: open.writer.rows, bytes });
  }
}

interface OpenFile {
  readonly key: string;
  readonly table: LakeTableName;
  readonly month: LakeMonth;
  readonly path: string;
  readonly file: LakeFile;
  readonly writer: TableWriter;
  bytes: number;
}

async function write(open: OpenFile, bytes: Uint8Array): Promise<void> {
  open.bytes += bytes.length;
  await open.file.write(bytes);
}
