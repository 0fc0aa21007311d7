// A message of an OTLP trace request → its bytes in protobuf. Values that are the default are left out, as the official
// encoders do, except in a oneof.
import {
  definitions,
  type FieldDefinition,
  type MessageDefinition,
  type MessageName,
  type ScalarType,
} from './definitions.ts';

/** `message`: a value of `model.ts`. */
export function encodeProtobuf(name: MessageName, message: object): Buffer {
  const writer = new Writer();
  writer.message(definitions[name], message as Message);
  return writer.bytes();
}

type Message = Readonly<Record<string, unknown>>;

class Writer {
  #out = Buffer.allocUnsafe(1024);
  #at = 0;

  bytes(): Buffer {
    return Buffer.from(this.#out.subarray(0, this.#at));
  }

  message({ fields, isOneof }: MessageDefinition, message: Message): void {
    for (const field of fields) {
      const value = message[field.name];
      if (value === undefined) continue;
      if (!field.isRepeated) this.#field(field, value, isOneof);
      else for (const each of value as readonly unknown[]) this.#field(field, each, true);
    }
  }

  #field({ number, scalar, message }: FieldDefinition, value: unknown, keepsDefault: boolean): void {
    if (message !== undefined) {
      this.#varint((number << 3) | 2);
      this.#nested(() => this.message(definitions[message], value as Message));
    } else if (scalar !== undefined && (keepsDefault || !isDefault(scalar, value))) this.#scalar(number, scalar, value);
  }

  /** The length of a message is known only after it is written: it moves to make room. */
  #nested(write: () => void): void {
    const start = this.#at;
    this.#grow(1);
    this.#at++;
    write();
    const length = this.#at - start - 1;
    const more = varintSize(length) - 1;
    if (more > 0) {
      this.#grow(more);
      this.#out.copyWithin(start + 1 + more, start + 1, this.#at);
    }
    this.#at = start;
    this.#varint(length);
    this.#at += length;
  }

  #scalar(number: number, type: ScalarType, value: unknown): void {
    switch (type) {
      case 'string':
        this.#text(number, String(value), 'utf8');
        return;
      case 'bytes':
        this.#text(number, String(value), 'base64');
        return;
      case 'id':
        this.#text(number, String(value), 'hex');
        return;
      case 'bool':
        this.#varint(number << 3);
        this.#varint(value === true ? 1 : 0);
        return;
      case 'uint32':
        this.#varint(number << 3);
        this.#varint(Number(value));
        return;
      case 'int64':
      case 'enum':
        this.#varint(number << 3);
        this.#long(BigInt.asUintN(64, BigInt(value as string | number)));
        return;
      case 'fixed32':
        this.#varint((number << 3) | 5);
        this.#grow(4);
        this.#at = this.#out.writeUInt32LE(Number(value), this.#at);
        return;
      case 'fixed64':
        this.#varint((number << 3) | 1);
        this.#grow(8);
        this.#at = this.#out.writeBigUInt64LE(BigInt(value as string), this.#at);
        return;
      case 'double':
        this.#varint((number << 3) | 1);
        this.#grow(8);
        this.#at = this.#out.writeDoubleLE(Number(value), this.#at);
    }
  }

  #text(number: number, text: string, encoding: 'utf8' | 'base64' | 'hex'): void {
    const length = Buffer.byteLength(text, encoding);
    this.#varint((number << 3) | 2);
    this.#varint(length);
    this.#grow(length);
    this.#out.write(text, this.#at, length, encoding);
    this.#at += length;
  }

  #varint(value: number): void {
    this.#grow(10);
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.#out[this.#at++] = (rest % 128) | 0x80;
    this.#out[this.#at++] = rest;
  }

  #long(value: bigint): void {
    this.#grow(10);
    let rest = value;
    for (; rest > 0x7fn; rest >>= 7n) this.#out[this.#at++] = Number(rest & 0x7fn) | 0x80;
    this.#out[this.#at++] = Number(rest);
  }

  #grow(length: number): void {
    if (this.#at + length <= this.#out.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#out.length, this.#at + length));
    // All of it: a message that makes room for its length has bytes after the position.
    this.#out.copy(larger);
    this.#out = larger;
  }
}

/** Integers of 64 bits are texts here; a text "0" is not the default of a text. */
function isDefault(type: ScalarType, value: unknown): boolean {
  if (type === 'string' || type === 'bytes' || type === 'id') return value === '';
  return value === false || value === 0 || value === '0';
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) size++;
  return size;
}
