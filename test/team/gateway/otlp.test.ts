// What the gateway reads and writes of OTLP, compared with the official definitions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  decodeJson,
  decodeProtobuf,
  definitions,
  encodeProtobuf,
  OtlpError,
} from '../../../src/team/gateway/otlp/index.ts';
import { officialType } from '../../trace/otlp-receiver.ts';

const official = officialType('ExportTraceServiceRequest');

const scalarNames: Readonly<Record<string, string>> = { bytes: 'bytes', id: 'bytes' };

test('every field has the number, the name and the type of the official definitions, and none is missing', () => {
  for (const { name, fields } of Object.values(definitions)) {
    if (name === 'RpcStatus') continue; // of googleapis, below
    const type = official.root.lookupType(name);
    const wanted = type.fieldsArray.map((field) => [
      field.id,
      field.name,
      field.repeated,
      field.resolve().resolvedType === null
        ? field.type
        : 'values' in (field.resolvedType ?? {})
          ? 'enum'
          : field.resolvedType?.name,
    ]);
    const own = fields.map(({ number, name: field, isRepeated, scalar, message }) => [
      number,
      field,
      isRepeated,
      message ?? scalarNames[scalar ?? ''] ?? scalar,
    ]);
    assert.deepEqual(
      own,
      wanted.sort(([a], [b]) => Number(a) - Number(b)),
      name,
    );
  }
});

test('an error has the fields of google.rpc.Status', () => {
  assert.equal(encodeProtobuf('RpcStatus', { code: 3, message: 'no' }).toString('hex'), '080312026e6f');
});

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const long = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const count = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const idOf = (length: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => Buffer.from(bytes).toString('hex'));
const { value: anyValue } = fc.letrec<{ value: object; pair: object }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.record({ stringValue: text }),
    fc.record({ boolValue: fc.boolean() }),
    fc.record({ intValue: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String) }),
    fc.record({ doubleValue: fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)) }),
    fc.record({ bytesValue: fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64')) }),
    fc.record({ arrayValue: fc.record({ values: fc.array(tie('value'), { minLength: 1, maxLength: 3 }) }) }),
    fc.record({ kvlistValue: fc.record({ values: fc.array(tie('pair'), { minLength: 1, maxLength: 3 }) }) }),
  ),
  pair: fc.record({ key: text, value: tie('value') }),
}));
const attributes = fc.array(fc.record({ key: text, value: anyValue }), { minLength: 1, maxLength: 3 });
const span = fc.record({
  traceId: idOf(16),
  spanId: idOf(8),
  traceState: text,
  parentSpanId: idOf(8),
  name: text,
  kind: fc.integer({ min: 0, max: 5 }),
  startTimeUnixNano: long,
  endTimeUnixNano: long,
  attributes,
  droppedAttributesCount: count,
  events: fc.array(fc.record({ timeUnixNano: long, name: text, attributes, droppedAttributesCount: count }), {
    minLength: 1,
    maxLength: 2,
  }),
  droppedEventsCount: count,
  links: fc.array(fc.record({ traceId: idOf(16), spanId: idOf(8), traceState: text, attributes, flags: count }), {
    minLength: 1,
    maxLength: 2,
  }),
  droppedLinksCount: count,
  status: fc.record({ message: text, code: fc.integer({ min: 0, max: 2 }) }),
  flags: count,
});
const request = fc.record({
  resourceSpans: fc.array(
    fc.record({
      resource: fc.record({ attributes, droppedAttributesCount: count }),
      scopeSpans: fc.array(
        fc.record({
          scope: fc.record({ name: text, version: text, attributes, droppedAttributesCount: count }),
          spans: fc.array(span, { minLength: 1, maxLength: 2 }),
          schemaUrl: text,
        }),
        { minLength: 1, maxLength: 2 },
      ),
      schemaUrl: text,
    }),
    { minLength: 1, maxLength: 2 },
  ),
});

/** The bytes of the official encoder for JSON of OTLP, whose ids are in hexadecimal digits. */
function officialBytes(json: string): Buffer {
  const value = JSON.parse(json, (key, each) =>
    /^(?:trace|span|parentSpan)Id$/.test(key) ? Buffer.from(each, 'hex') : each,
  );
  return Buffer.from(official.encode(official.fromObject(value)).finish());
}

test('a request that the official encoder writes is read, and written so that the official decoder reads the same', () => {
  fc.assert(
    fc.property(request, (value) => {
      const json = JSON.stringify(value);
      const bytes = officialBytes(json);
      const read = decodeProtobuf(bytes);
      const again = encodeProtobuf('ExportTraceServiceRequest', read);
      const options = { longs: String, bytes: String, enums: Number, defaults: true };
      assert.deepEqual(
        official.toObject(official.decode(again), options),
        official.toObject(official.decode(bytes), options),
      );
      const fromJson = encodeProtobuf('ExportTraceServiceRequest', decodeJson(Buffer.from(json)));
      assert.deepEqual(
        official.toObject(official.decode(fromJson), options),
        official.toObject(official.decode(bytes), options),
      );
    }),
    { numRuns: 60, examples: [[zeroAsText]] },
  );
});

/** The text "0", which is not the default of a text. */
const zeroAsText = {
  resourceSpans: [
    {
      resource: { attributes: [{ key: '0', value: { stringValue: '0' } }], droppedAttributesCount: 0 },
      scopeSpans: [],
      schemaUrl: '0',
    },
  ],
};

test('damaged protobuf is refused or read, never with another error, and in bounded time', () => {
  fc.assert(
    fc.property(request, fc.nat(), fc.nat({ max: 255 }), (value, at, byte) => {
      const bytes = officialBytes(JSON.stringify(value));
      bytes[at % bytes.length] = byte;
      try {
        encodeProtobuf(
          'ExportTraceServiceRequest',
          decodeProtobuf(bytes.subarray(0, at % 3 === 0 ? at % bytes.length : undefined)),
        );
      } catch (error) {
        assert.ok(error instanceof OtlpError, String(error));
      }
    }),
    { numRuns: 200 },
  );
});

test('JSON of another shape is refused with the place, and without its content', () => {
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [[], /^the request is not an object$/],
    [{ resourceSpans: {} }, /^resourceSpans is not a list$/],
    [
      { resourceSpans: [{ scopeSpans: [{ spans: [{ name: 7 }] }] }] },
      /^resourceSpans\[0\]\.scopeSpans\[0\]\.spans\[0\]\.name is not a text$/,
    ],
    [
      { resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: 'secret' }] }] }] },
      /traceId is not an id in hexadecimal digits$/,
    ],
    [
      { resourceSpans: [{ scopeSpans: [{ spans: [{ startTimeUnixNano: '18446744073709551616' }] }] }] },
      /is not a time/,
    ],
    [
      { resourceSpans: [{ scopeSpans: [{ spans: [{ kind: 'SPAN_KIND_CLIENT' }] }] }] },
      /kind is not a number of its list$/,
    ],
    [
      { resourceSpans: [{ resource: { attributes: [{ value: { stringValue: 'a', intValue: 1 } }] } }] },
      /has two values$/,
    ],
  ];
  for (const [value, message] of wrong)
    assert.throws(() => decodeJson(Buffer.from(JSON.stringify(value))), { name: 'Error', message });
});

test('nesting and empty messages do not fill the memory', () => {
  let deep = Buffer.alloc(0);
  // AnyValue in ArrayValue in AnyValue …
  for (let i = 0; i < 3000; i++)
    deep = Buffer.concat([Buffer.from([i % 2 === 0 ? 0x0a : 0x2a]), varint(deep.length), deep]);
  const wrap = (bytes: Buffer, field: number): Buffer =>
    Buffer.concat([Buffer.from([field]), varint(bytes.length), bytes]);
  const attribute = wrap(wrap(wrap(wrap(deep, 0x12), 0x0a), 0x0a), 0x0a);
  assert.throws(() => decodeProtobuf(attribute), /nested too deep/);
  assert.throws(() => decodeProtobuf(Buffer.from('0a00'.repeat(1_000_001), 'hex')), /too many parts/);
});

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
