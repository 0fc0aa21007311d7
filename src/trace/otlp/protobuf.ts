// The part of protobuf that OTLP needs: varints, 64-bit values, doubles, bytes. Sizes are known before writing, so a
// message is one buffer.

export interface Piece {
  readonly size: number;
  readonly write: (out: Buffer, at: number) => number;
}

export function message(pieces: readonly Piece[]): Piece {
  const size = pieces.reduce((sum, piece) => sum + piece.size, 0);
  return {
    size,
    write: (out, at) => {
      let next = at;
      for (const piece of pieces) next = piece.write(out, next);
      return next;
    },
  };
}

export function nested(field: number, inner: Piece): Piece {
  const size = varintSize(field << 3) + varintSize(inner.size) + inner.size;
  return {
    size,
    write: (out, at) => inner.write(out, writeVarint(out, writeVarint(out, at, tag(field, 2)), inner.size)),
  };
}

export function text(field: number, value: string): Piece {
  const length = Buffer.byteLength(value);
  return nested(field, { size: length, write: (out, at) => at + out.write(value, at, length, 'utf8') });
}

export function bytes(field: number, value: Buffer): Piece {
  return nested(field, { size: value.length, write: (out, at) => at + value.copy(out, at) });
}

/** For counts and enums that are not negative. */
export function unsigned(field: number, value: number): Piece {
  const size = varintSize(field << 3) + varintSize(value);
  return { size, write: (out, at) => writeVarint(out, writeVarint(out, at, tag(field, 0)), value) };
}

/** int64; negative numbers take ten bytes. */
export function integer(field: number, value: bigint): Piece {
  const parts: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 0x7fn; rest >>= 7n) parts.push(Number(rest & 0x7fn) | 0x80);
  parts.push(Number(rest));
  return {
    size: varintSize(field << 3) + parts.length,
    write: (out, at) => {
      const start = writeVarint(out, at, tag(field, 0));
      out.set(parts, start);
      return start + parts.length;
    },
  };
}

export function fixed64(field: number, value: bigint): Piece {
  return {
    size: varintSize(field << 3) + 8,
    write: (out, at) => out.writeBigUInt64LE(value, writeVarint(out, at, tag(field, 1))),
  };
}

export function double(field: number, value: number): Piece {
  return {
    size: varintSize(field << 3) + 8,
    write: (out, at) => out.writeDoubleLE(value, writeVarint(out, at, tag(field, 1))),
  };
}

export function toBuffer(piece: Piece): Buffer {
  const out = Buffer.allocUnsafe(piece.size);
  piece.write(out, 0);
  return out;
}

export interface Field {
  readonly number: number;
  /** Of a varint. */
  readonly value: bigint;
  /** Of everything that has a length. */
  readonly bytes: Buffer;
}

/** `undefined` if the bytes are not a message. */
export function readFields(input: Buffer): readonly Field[] | undefined {
  const fields: Field[] = [];
  const none = Buffer.alloc(0);
  for (let at = 0; at < input.length; ) {
    const key = readVarint(input, at);
    if (key === undefined) return undefined;
    const number = Number(key.value >> 3n);
    const kind = Number(key.value & 7n);
    const value = kind === 0 || kind === 2 ? readVarint(input, key.end) : undefined;
    if ((kind === 0 || kind === 2) && value === undefined) return undefined;
    const start = value?.end ?? key.end;
    const length = kind === 2 ? Number(value?.value ?? 0n) : kind === 1 ? 8 : kind === 5 ? 4 : 0;
    if (kind === 3 || kind === 4 || kind > 5 || number === 0 || start + length > input.length) return undefined;
    fields.push({
      number,
      value: kind === 0 ? (value?.value ?? 0n) : 0n,
      bytes: kind === 2 ? input.subarray(start, start + length) : none,
    });
    at = start + length;
  }
  return fields;
}

function readVarint(input: Buffer, start: number): { readonly value: bigint; readonly end: number } | undefined {
  let value = 0n;
  for (let i = 0; i < 10; i++) {
    const byte = input[start + i];
    if (byte === undefined) return undefined;
    value |= BigInt(byte & 0x7f) << BigInt(7 * i);
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: start + i + 1 };
  }
  return undefined;
}

function tag(field: number, kind: 0 | 1 | 2): number {
  return (field << 3) | kind;
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) size++;
  return size;
}

function writeVarint(out: Buffer, at: number, value: number): number {
  let rest = value;
  let next = at;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) out[next++] = (rest % 128) | 0x80;
  out[next++] = rest;
  return next;
}
