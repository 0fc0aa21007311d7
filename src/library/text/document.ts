// A row of the index → the document it stands for, read again from its transcript: the index holds no text.

import { RangeReader } from '../../store/index.ts';
import type { Row, SqlValue } from '../index/index.ts';
import { type LineText, type TextKind, textsOfLine } from './text-extract.ts';

/** Where a document is. */
export interface DocumentRow {
  readonly id: number;
  readonly session: number;
  readonly file: number;
  /** Of the sub-agent whose transcript it is in. */
  readonly agentId: string | undefined;
  /** The transcript that has it: the session's main one, or a sub-agent's. */
  readonly path: string;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly kind: TextKind;
  readonly part: number;
  /** `NaN` where its line has none. */
  readonly time: number;
  readonly tool: string | undefined;
}

/** The columns of `documents d` and `files f` that make a `DocumentRow`. */
export const documentColumns =
  'd.id, f.session, d.file, f.agent_id, f.path, d.line, d.offset, d.length, d.kind, d.part, d.time, d.tool';

export function documentRow(row: Row): DocumentRow {
  return {
    id: Number(row.id),
    session: Number(row.session),
    file: Number(row.file),
    agentId: typeof row.agent_id === 'string' ? row.agent_id : undefined,
    path: String(row.path),
    line: Number(row.line),
    offset: Number(row.offset),
    length: Number(row.length),
    kind: String(row.kind) as TextKind, // written by us
    part: Number(row.part),
    time: timeOf(row.time),
    tool: typeof row.tool === 'string' ? row.tool : undefined,
  };
}

function timeOf(value: SqlValue | undefined): number {
  return typeof value === 'number' ? value : Number.NaN;
}

/** Order of equals that does not depend on when they were indexed. */
export function comparePaths(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Reads documents; adjacent ones in a file, and documents of one line, cost little more than one. */
export class DocumentReader {
  readonly #windowBytes: number | undefined;
  #file: RangeReader | undefined;
  #place = '';
  #texts: readonly LineText[] = [];

  /** `scattered`: no two documents are adjacent, so nothing is read ahead. */
  constructor(order: 'sequential' | 'scattered') {
    this.#windowBytes = order === 'scattered' ? 0 : undefined;
  }

  /** The bytes of its line, fewer if the file has been cut. Valid until the next call. */
  lineOf(row: DocumentRow): Buffer {
    if (this.#file?.path !== row.path) this.#file = new RangeReader(row.path, this.#windowBytes);
    return this.#file.read(row.offset, row.length);
  }

  /** `undefined` where the line is no longer what it was, or the file is gone or unreadable. */
  read(row: DocumentRow): LineText | undefined {
    const place = `${row.offset} ${row.path}`;
    if (place !== this.#place) {
      this.#texts = this.#extract(row);
      this.#place = place;
    }
    return this.#texts.find((text) => text.kind === row.kind && text.part === row.part);
  }

  #extract(row: DocumentRow): readonly LineText[] {
    try {
      return textsOfLine(this.lineOf(row));
    } catch {
      return []; // it was readable when it was indexed; the next update will say what has become of it
    }
  }
}
