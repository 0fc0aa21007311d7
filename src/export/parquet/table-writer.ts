// Rows of one table → the bytes of a Parquet file, a row group at a time. The caller decides when a group is large enough, and
// where the bytes go.
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { jsonText } from '../../base/json/index.ts';
import { version } from '../../base/version/index.ts';
import type { Cell, Column, Row } from './tables.ts';

/** Its rows wait in memory until `takeGroup`. */
export class TableWriter {
  /** That are in groups. */
  rows = 0;
  waitingChars = 0;
  readonly #columns: readonly Column[];
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;
  #waiting: unknown[][];

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
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
    for (const [i, column] of this.#columns.entries()) {
      const value = fitted(row[column.name], column);
      chars += typeof value === 'string' ? value.length : 8;
      this.#waiting[i]?.push(value);
    }
    this.waitingChars += chars;
    return chars;
  }

  /** The next bytes of the file, with all waiting rows. */
  takeGroup(): Uint8Array {
    const rows = this.waitingRows;
    if (rows > 0) {
      const columnData = this.#columns.map(({ name }, i) => ({ name, data: this.#waiting[i] ?? [] }));
      this.#writer.write({ columnData, rowGroupSize: rows });
      this.rows += rows;
      this.#waiting = this.#columns.map(() => []);
      this.waitingChars = 0;
    }
    return this.#takeBytes();
  }

  /** The last bytes of the file. */
  finish(): Uint8Array {
    const group = this.takeGroup();
    this.#writer.finish();
    return Buffer.concat([group, this.#takeBytes()]);
  }

  /** A copy: the buffer is used again. */
  #takeBytes(): Uint8Array {
    const bytes = new Uint8Array(this.#bytes.buffer.slice(0, this.#bytes.index));
    this.#bytes.index = 0;
    return bytes;
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
    case 'DOUBLE':
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
    case 'DOUBLE':
      return typeof cell === 'number' && Number.isFinite(cell) ? cell : null;
    case 'BOOLEAN':
      return typeof cell === 'boolean' ? cell : null;
    default:
      return type satisfies never;
  }
}

/** Years of four digits: anything else is a broken clock, not a month of a folder. */
export function isTime(value: Cell): value is number {
  return typeof value === 'number' && value >= 0 && value < 253_402_300_800_000;
}
