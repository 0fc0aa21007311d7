// A line ⇄ its parts: records as typed entries, everything else (white space, damage) as bytes. Serialising the parts
// gives the line byte for byte; an edit changes only the bytes that it names.
import { parseJson } from '../../base/json/index.ts';
import { asBuffer, type Bytes } from '../../base/node/index.ts';
import { type Edit, editJson } from '../bytes/index.ts';
import { asEntry, type Entry } from '../entry/index.ts';
import { type LineDamage, recoverRecords } from './recover.ts';

/** The bytes of one record and its entry. */
export interface EntryPiece {
  readonly entry: Entry;
  readonly bytes: Bytes;
}

/** Bytes of a line that are not a record. */
export interface RawPiece {
  readonly entry: undefined;
  readonly bytes: Bytes;
}

/** A part of a line: a record or other bytes. */
export type Piece = EntryPiece | RawPiece;

/** A line as its parts, and what is damaged in it. */
export interface ParsedLine {
  readonly pieces: readonly Piece[];
  readonly damage: readonly LineDamage[];
}

/** Parses a line of a transcript into records and other bytes. */
export function parseLine(line: Uint8Array): ParsedLine {
  const bytes = asBuffer(line);
  const whole = parseEntry(bytes);
  if (whole !== undefined) return { pieces: [{ entry: whole, bytes }], damage: [] };
  const { records, damage } = recoverRecords(bytes);
  const pieces: Piece[] = [];
  let done = 0;
  for (const { start, end } of records) {
    const entry = parseEntry(bytes.subarray(start, end));
    if (entry === undefined) continue;
    if (start > done) pieces.push({ entry: undefined, bytes: bytes.subarray(done, start) });
    pieces.push({ entry, bytes: bytes.subarray(start, end) });
    done = end;
  }
  if (done < bytes.length) pieces.push({ entry: undefined, bytes: bytes.subarray(done) });
  return { pieces, damage };
}

/** Returns the bytes of a parsed line: the original bytes wherever nothing was edited. */
export function serialiseLine(line: Pick<ParsedLine, 'pieces'>): Bytes {
  const [only, second] = line.pieces;
  return only !== undefined && second === undefined
    ? only.bytes
    : Buffer.concat(line.pieces.map((piece) => piece.bytes));
}

/** Returns the record with some values set or removed; key order, spacing and every other byte stay. */
export function editEntry(piece: EntryPiece, edits: readonly Edit[]): EntryPiece {
  const bytes = editJson(piece.bytes, edits);
  const entry = parseEntry(bytes);
  if (entry === undefined) throw new TypeError('the edit does not leave a JSON object');
  return { entry, bytes };
}

function parseEntry(bytes: Buffer): Entry | undefined {
  return asEntry(parseJson(bytes.toString('utf8')));
}
