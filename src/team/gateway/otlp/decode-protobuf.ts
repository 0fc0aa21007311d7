// The bytes of an OTLP trace request in protobuf → the request. Fields without a definition are dropped.
import { definitions, type FieldDefinition, type MessageDefinition, type ScalarType } from './definitions.ts';
import { mostDepth, mostParts, OtlpError, type TraceRequest } from './model.ts';

export function decodeProtobuf(input: Buffer): TraceRequest {
  return new Reader(input).message(definitions.ExportTraceServiceRequest, {}, input.length, 0) as TraceRequest;
}

type Message = Record<string, unknown>;

const wireTypes: Readonly<Record<ScalarType, number>> = {
  string: 2,
  bytes: 2,
  id: 2,
  bool: 0,
  int64: 0,
  uint32: 0,
  enum: 0,
  double: 1,
  fixed64: 1,
  fixed32: 5,
};

class Reader {
  readonly #input: Buffer;
  #at = 0;
  #parts = 0;

  constructor(input: Buffer) {
    this.#input = input;
  }

  /** Reads fields into the message: a message that occurs twice is merged. */
  message(definition: MessageDefinition, into: Message, end: number, depth: number): Message {
    if (depth > mostDepth) throw new OtlpError('the request is nested too deep');
    if (++this.#parts > mostParts) throw new OtlpError('the request has too many parts', { isTooLarge: true });
    while (this.#at < end) {
      const key = this.#varint(end);
      const field = definition.byNumber[key >>> 3];
      const type = key & 7;
      const isKnown = field !== undefined && type === (field.scalar === undefined ? 2 : wireTypes[field.scalar]);
      if (isKnown) this.#field(definition, field, into, end, depth);
      else this.#skip(type, end);
    }
    return into;
  }

  #field(definition: MessageDefinition, field: FieldDefinition, into: Message, end: number, depth: number): void {
    const { name, message, isRepeated } = field;
    const before = into[name];
    // Of the fields of a oneof, the last one counts.
    if (definition.isOneof) for (const other of Object.keys(into)) delete into[other];
    let value: unknown;
    if (message === undefined) value = this.#scalar(field.scalar ?? 'string', end);
    else {
      const length = this.#length(end);
      const old = isRepeated || before === undefined ? {} : (before as Message);
      value = this.message(definitions[message], old, this.#at + length, depth + 1);
    }
    if (!isRepeated) into[name] = value;
    else if (before === undefined) into[name] = [value];
    else (before as unknown[]).push(value);
  }

  #scalar(type: ScalarType, end: number): unknown {
    switch (type) {
      case 'string':
      case 'bytes':
      case 'id': {
        const length = this.#length(end);
        const start = this.#at;
        this.#at += length;
        return this.#input.toString(type === 'string' ? 'utf8' : type === 'id' ? 'hex' : 'base64', start, this.#at);
      }
      case 'bool':
        return this.#long(end) !== 0n;
      case 'int64':
        return String(BigInt.asIntN(64, this.#long(end)));
      case 'uint32':
        return Number(BigInt.asUintN(32, this.#long(end)));
      case 'enum':
        return Number(BigInt.asIntN(32, this.#long(end)));
      case 'fixed32':
        this.#need(4, end);
        return this.#input.readUInt32LE(this.#at - 4);
      case 'fixed64':
        this.#need(8, end);
        return String(this.#input.readBigUInt64LE(this.#at - 8));
      case 'double': {
        this.#need(8, end);
        const value = this.#input.readDoubleLE(this.#at - 8);
        return Number.isFinite(value) ? value : String(value);
      }
    }
  }

  #skip(type: number, end: number): void {
    if (type === 0) this.#long(end);
    else if (type === 1) this.#need(8, end);
    else if (type === 5) this.#need(4, end);
    else if (type === 2) {
      // Evaluated first: it moves the position.
      const length = this.#length(end);
      this.#at += length;
    } else throw new OtlpError('the request is not protobuf');
  }

  /** Moves past so many bytes. */
  #need(length: number, end: number): void {
    if (this.#at + length > end) throw new OtlpError('the request is cut off');
    this.#at += length;
  }

  #length(end: number): number {
    const length = this.#varint(end);
    if (length > end - this.#at) throw new OtlpError('the request is cut off');
    return length;
  }

  /** Of at most 32 bits. */
  #varint(end: number): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (this.#at >= end) throw new OtlpError('the request is cut off');
      const byte = this.#input[this.#at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value > 0xffff_ffff ? this.#refuse() : value;
    }
    return this.#refuse();
  }

  #long(end: number): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.#at >= end) throw new OtlpError('the request is cut off');
      const byte = this.#input[this.#at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    return this.#refuse();
  }

  #refuse(): never {
    throw new OtlpError('the request is not protobuf');
  }
}
