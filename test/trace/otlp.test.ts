// The bytes that leave: read by implementations that are not ours, in both encodings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeResponse, encodeJson, encodeProtobuf, splitBatches } from '../../src/trace/otlp.ts';
import { toWire as toGenai } from '../../src/trace/profiles/genai.ts';
import { toWire as toLangfuse } from '../../src/trace/profiles/langfuse.ts';
import { toWire as toOpeninference } from '../../src/trace/profiles/openinference.ts';
import type { Wire, WireAttribute, WireSpan } from '../../src/trace/span.ts';
import { asRead, exportRequest, jsonAsRead, readOfficially } from './otlp-reader.ts';
import { officialType, post, startReceiver } from './otlp-receiver.ts';
import { all } from './sample-spans.ts';

const profiles = [toLangfuse, toGenai, toOpeninference];
const options = { mode: 'full', redact: (text: string) => text, nowMs: 1_800_000_000_000 } as const;

test('the official definitions read every field that was sent, in both encodings alike', () => {
  for (const toWire of profiles) {
    const wire = toWire(all, options);
    const fromProtobuf = readOfficially(encodeProtobuf(wire));
    assert.deepEqual(fromProtobuf, JSON.parse(JSON.stringify(expected(wire))));
    assert.deepEqual(jsonAsRead(encodeJson(wire)), fromProtobuf);
  }
});

test('the official encoder writes the same bytes, so that nothing we send is unknown to it', () => {
  for (const toWire of profiles) {
    const bytes = encodeProtobuf(toWire(all, options));
    assert.deepEqual(Buffer.from(exportRequest.encode(exportRequest.decode(bytes)).finish()), bytes);
  }
});

test('any names, texts, numbers and times arrive as they were', () => {
  fc.assert(
    fc.property(fc.array(anySpan, { maxLength: 4 }), (spans) => {
      const wire = { resource: [], scope: { name: 'x', version: '1' }, spans };
      const bytes = encodeProtobuf(wire);
      assert.deepEqual(readOfficially(bytes), JSON.parse(JSON.stringify(expected(wire))));
      assert.deepEqual(Buffer.from(exportRequest.encode(exportRequest.decode(bytes)).finish()), bytes);
      assert.deepEqual(jsonAsRead(encodeJson(wire)), readOfficially(bytes));
    }),
    { numRuns: 60 },
  );
});

test('a receiver on loopback takes protobuf and JSON, and reads the same from both', async (context) => {
  const receiver = await startReceiver();
  context.after(() => receiver.close());
  const wire = toLangfuse(all, options);
  const url = new URL('/v1/traces', receiver.url).href;
  const answers = [
    await post(url, encodeProtobuf(wire), { 'content-type': 'application/x-protobuf' }),
    await post(url, encodeJson(wire), { 'content-type': 'application/json' }),
  ];
  assert.deepEqual(
    answers.map(({ status, contentType, body }) => [status, decodeResponse(body, contentType)]),
    answers.map(() => [200, undefined]),
  );
  const wanted = JSON.parse(JSON.stringify(expected(wire))) as object;
  assert.deepEqual(receiver.received.map(asRead), [wanted, wanted]);
});

test('batches keep all spans in order and stay below the size', () => {
  const [first] = toLangfuse(all, options).spans;
  assert.ok(first !== undefined);
  const spans = Array.from({ length: 40 }, (_, i) => ({
    ...first,
    name: `n${i}`,
    attributes: [{ key: 'k', value: 'x'.repeat(i * 100) }],
  }));
  const wire = { ...toLangfuse(all, options), spans };
  const batches = splitBatches(wire, 10_000);
  assert.deepEqual(
    batches.flatMap((batch) => batch.spans),
    spans,
  );
  assert.ok(batches.length > 5 && batches.every((batch) => encodeProtobuf(batch).length <= 10_000 + 500));
  const large = { ...wire, spans: [{ ...first, attributes: [{ key: 'k', value: 'x'.repeat(30_000) }] }, first] };
  assert.deepEqual(
    splitBatches(large, 10_000).map((batch) => batch.spans.length),
    [1, 1],
  );
  assert.deepEqual(splitBatches({ ...wire, spans: [] }), []);
});

test('a partial success is read from both encodings, and anything else says nothing', () => {
  const response = officialType('ExportTraceServiceResponse');
  const partial = { partialSuccess: { rejectedSpans: 3, errorMessage: 'too old' } };
  const said = { rejectedSpans: 3, errorMessage: 'too old' };
  const bytes = Buffer.from(response.encode(response.fromObject(partial)).finish());
  assert.deepEqual(decodeResponse(bytes, 'application/x-protobuf'), said);
  assert.deepEqual(decodeResponse(Buffer.from(JSON.stringify(partial)), 'application/json'), said);
  assert.deepEqual(
    decodeResponse(Buffer.from('{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}'), undefined),
    said,
  );
  const silent = [
    '',
    '{}',
    '{"partialSuccess":{}}',
    '{"partialSuccess":null}',
    '<html>',
    '\u0000\u00ff',
    '{"partialSuccess":{"rejectedSpans":"x"}}',
  ];
  for (const type of ['application/json', 'application/x-protobuf', undefined]) {
    assert.deepEqual(
      silent.map((body) => decodeResponse(Buffer.from(body), type)),
      silent.map(() => undefined),
    );
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (body) => {
      decodeResponse(Buffer.from(body), 'application/x-protobuf');
    }),
  );
});

const anyText = fc.string({ unit: 'grapheme', maxLength: 20 });
const anyValue: fc.Arbitrary<WireAttribute['value']> = fc.oneof(
  anyText,
  fc.boolean(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
  fc.array(anyText, { maxLength: 3 }),
);
const anyAttributes = fc.array(fc.record({ key: anyText, value: anyValue }), { maxLength: 4 });
const anyTime = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });
const anyId = (digits: number): fc.Arbitrary<string> => fc.stringMatching(new RegExp(`^[0-9a-f]{${digits - 1}}1$`));
const anySpan: fc.Arbitrary<WireSpan> = fc.record({
  traceId: anyId(32),
  spanId: anyId(16),
  parentSpanId: fc.option(anyId(16), { nil: undefined }),
  name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
  kind: fc.constantFrom(1 as const, 3 as const),
  startNs: anyTime,
  endNs: anyTime,
  attributes: anyAttributes,
  events: fc.array(fc.record({ name: anyText, timeNs: anyTime, attributes: anyAttributes }), { maxLength: 2 }),
  status: fc.oneof(
    fc.constant({ code: 0 as const, message: undefined }),
    fc.record({ code: fc.constant(2 as const), message: anyText.filter((text) => text !== '') }),
  ),
});

/** What a request says, in one form for all readers: hex ids, decimal times, no defaults. */
function expected(wire: Wire): object {
  return {
    resource: wire.resource.map(plainAttribute),
    scope: wire.scope,
    spans: wire.spans.map((span) => ({
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId ?? '',
      name: span.name,
      kind: span.kind,
      start: String(span.startNs),
      end: String(span.endNs),
      attributes: span.attributes.map(plainAttribute),
      events: span.events.map(({ name, timeNs, attributes }) => [name, String(timeNs), attributes.map(plainAttribute)]),
      status: [span.status.code, span.status.message ?? ''],
    })),
  };
}

function plainAttribute({ key, value }: WireAttribute): unknown[] {
  if (typeof value === 'bigint') return [key, 'int', String(value)];
  if (typeof value === 'object') return [key, 'array', value];
  return [key, { string: 'string', boolean: 'bool', number: 'double' }[typeof value as 'string'], value];
}
