// An OTLP trace request in JSON → the request, checked. Fields without a definition are dropped.
import { isArray, isObject, type JsonValue, parseJson } from '../../../base/json/index.ts';
import { definitions, type FieldDefinition, type MessageDefinition, type ScalarType } from './definitions.ts';
import { mostDepth, mostParts, OtlpError, type TraceRequest } from './model.ts';

export function decodeJson(input: Buffer): TraceRequest {
  const value = parseJson(input.toString('utf8'));
  if (value === undefined) throw new OtlpError('the request is not JSON');
  const count = { parts: 0 };
  return readMessage(definitions.ExportTraceServiceRequest, value, '', 0, count) as TraceRequest;
}

interface Count {
  parts: number;
}

function readMessage(
  { fields, isOneof }: MessageDefinition,
  value: JsonValue,
  path: string,
  depth: number,
  count: Count,
): Record<string, unknown> {
  if (!isObject(value)) throw new OtlpError(`${path === '' ? 'the request' : path} is not an object`);
  if (depth > mostDepth) throw new OtlpError('the request is nested too deep');
  if (++count.parts > mostParts) throw new OtlpError('the request has too many parts', { isTooLarge: true });
  const message: Record<string, unknown> = {};
  for (const field of fields) {
    const found = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    if (found === undefined || found === null) continue;
    if (isOneof && Object.keys(message).length > 0) throw new OtlpError(`${path} has two values`);
    const here = path === '' ? field.name : `${path}.${field.name}`;
    if (!field.isRepeated) message[field.name] = readValue(field, found, here, depth, count);
    else if (isArray(found))
      message[field.name] = found.map((each, i) => readValue(field, each, `${here}[${i}]`, depth, count));
    else throw new OtlpError(`${here} is not a list`);
  }
  return message;
}

function readValue(field: FieldDefinition, value: JsonValue, path: string, depth: number, count: Count): unknown {
  if (field.message !== undefined) return readMessage(definitions[field.message], value, path, depth + 1, count);
  const { is, read, what } = scalars[field.scalar ?? 'string'];
  if (!is(value)) throw new OtlpError(`${path} is not ${what}`);
  return read(value);
}

interface Scalar {
  readonly is: (value: JsonValue) => boolean;
  readonly read: (value: JsonValue) => unknown;
  readonly what: string;
}

const isText = (value: JsonValue): boolean => typeof value === 'string';
const same = (value: JsonValue): unknown => value;

/** 64 bits are a text or a number. */
function isInteger(least: bigint, most: bigint): (value: JsonValue) => boolean {
  return (value) => {
    const text = typeof value === 'number' && Number.isInteger(value) ? BigInt(value).toString() : value;
    if (typeof text !== 'string' || !/^-?\d{1,20}$/.test(text)) return false;
    const number = BigInt(text);
    return number >= least && number <= most;
  };
}

const isDouble = (value: JsonValue): boolean =>
  typeof value === 'number' ||
  (typeof value === 'string' && /^(?:NaN|-?Infinity|-?\d{1,40}(?:\.\d{1,40})?(?:[eE][-+]?\d{1,3})?)$/.test(value));

function readDouble(value: JsonValue): unknown {
  const number = Number(value);
  return Number.isFinite(number) ? number : String(number);
}

const readLong = (value: JsonValue): string => BigInt(value as string | number).toString();
const unsigned = isInteger(0n, 2n ** 32n - 1n);

const scalars: Readonly<Record<ScalarType, Scalar>> = {
  // A lone surrogate is not UTF-8.
  string: { is: isText, read: (value) => String(value).toWellFormed(), what: 'a text' },
  bool: { is: (value) => typeof value === 'boolean', read: same, what: 'true or false' },
  int64: { is: isInteger(-(2n ** 63n), 2n ** 63n - 1n), read: readLong, what: 'a whole number of 64 bits' },
  double: { is: isDouble, read: readDouble, what: 'a number' },
  bytes: {
    is: (value) => typeof value === 'string' && /^[\w+/-]*={0,2}$/.test(value),
    read: (value) => Buffer.from(String(value), 'base64').toString('base64'),
    what: 'base64',
  },
  id: {
    is: (value) => typeof value === 'string' && /^(?:[0-9a-f]{2})*$/i.test(value),
    read: (value) => String(value).toLowerCase(),
    what: 'an id in hexadecimal digits',
  },
  fixed64: { is: isInteger(0n, 2n ** 64n - 1n), read: readLong, what: 'a time in nanoseconds' },
  fixed32: { is: unsigned, read: Number, what: 'a whole number of 32 bits' },
  uint32: { is: unsigned, read: Number, what: 'a whole number of 32 bits' },
  enum: {
    is: (value) => typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31,
    read: same,
    what: 'a number of its list',
  },
};
