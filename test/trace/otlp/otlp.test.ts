// The bytes that leave, headers and compression included: read by implementations that are not ours, by every profile
// and in both encodings.
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer as readAll } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { decodeResponse, encodeJson, encodeProtobuf, splitBatches } from '../../../src/trace/otlp/otlp.ts';
import { sendOutbox } from '../../../src/trace/outbox/send.ts';
import { toWire as toGenai } from '../../../src/trace/profiles/genai.ts';
import { toWire as toLangfuse } from '../../../src/trace/profiles/langfuse.ts';
import { toWire as toOpeninference } from '../../../src/trace/profiles/openinference.ts';
import { traceSession } from '../../../src/trace/session/trace-session.ts';
import type { Wire, WireAttribute, WireSpan } from '../../../src/trace/span/span.ts';
import { writeTree } from '../../support/temp-folder.ts';
import { contextFor, homeFor, runOf, traceEnv } from '../../support/trace-kit.ts';
import { recordings } from '../../support/transcripts.ts';
import { asRead, exportRequest, jsonAsRead, readOfficially } from '../otlp-reader.ts';
import { officialType, post, startReceiver } from '../otlp-receiver.ts';
import { all } from '../sample-spans.ts';
import { allSpansOf } from '../trace-kit.ts';

const profiles = { langfuse: toLangfuse, genai: toGenai, openinference: toOpeninference };
const options = { mode: 'full', redact: (text: string) => text, nowMs: 1_800_000_000_000 } as const;

test('the official definitions read every field that was sent, in both encodings alike', () => {
  for (const toWire of Object.values(profiles)) {
    const wire = toWire(all, options);
    const fromProtobuf = readOfficially(encodeProtobuf(wire));
    assert.deepEqual(fromProtobuf, JSON.parse(JSON.stringify(expected(wire))));
    assert.deepEqual(jsonAsRead(encodeJson(wire)), fromProtobuf);
  }
});

test('the official encoder writes the same bytes, so that nothing we send is unknown to it', () => {
  for (const toWire of Object.values(profiles)) {
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
    { numRuns: 25 },
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

test('what is sent is read alike by others in both encodings, span for span', async (context) => {
  const session = 'real/2.1.45/agent/-home-dev-widgets/497273d2-eb43-4a22-a38d-e8481a13dd2e.jsonl';
  const file = path.join(recordings, session);
  const capture = await startCapture(context);
  const home = homeFor(context);
  const destinations = Object.keys(profiles).flatMap((profile) =>
    ['protobuf', 'json'].map((format) => ({
      name: `${profile}-${format}`,
      profile,
      format,
      endpoint: `${capture.url}/${profile}`,
    })),
  );
  writeTree(home, { 'clew/trace.json': JSON.stringify({ destinations }) });
  const {
    CLEW_TRACE_ENDPOINT: _url,
    CLEW_TRACE_PROFILE: _profile,
    CLEW_TRACE_FORMAT: _format,
    ...env
  } = traceEnv(home, '');
  const { places, config } = contextFor(env);
  await traceSession(runOf(file, 'session'), contextFor(env));
  const wanted = (await allSpansOf(file)).map(({ traceId, spanId }) => `${traceId} ${spanId}`).sort();
  assert.equal((await sendOutbox({ places, destinations: config.destinations })).sentSpans, 6 * wanted.length);
  const receiver = await startReceiver();
  context.after(() => receiver.close());
  for (const profile of Object.keys(profiles)) {
    const requests = capture.requests.filter(({ url }) => url.startsWith(`/${profile}/`));
    const [protobuf, json] = ['application/x-protobuf', 'application/json'].map((type) =>
      requests.find(({ headers }) => headers['content-type'] === type),
    );
    assert.ok(protobuf && json && requests.length === 2);
    const read = readOfficially(protobuf.body);
    assert.deepEqual(read.spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`).sort(), wanted);
    assert.deepEqual(Buffer.from(exportRequest.encode(exportRequest.decode(protobuf.body)).finish()), protobuf.body);
    assert.deepEqual(jsonAsRead(json.body), read);
    for (const { headers, body } of [protobuf, json]) {
      const { status } = await post(new URL('/v1/traces', receiver.url).href, body, {
        'content-type': headers['content-type'] ?? '',
      });
      assert.equal(status, 200);
      assert.deepEqual(asRead(receiver.received.at(-1)), read);
    }
  }
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
    schemaUrls: [wire.schemaUrl ?? '', wire.schemaUrl ?? ''],
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

interface Captured {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Unpacked: the other receiver takes no gzip. */
  readonly body: Buffer;
}

async function startCapture(
  context: TestContext,
): Promise<{ readonly url: string; readonly requests: readonly Captured[] }> {
  const requests: Captured[] = [];
  const server = createServer((request, response) => {
    readAll(request).then((raw) => {
      const { url = '', headers } = request;
      assert.equal(headers['content-encoding'], 'gzip');
      requests.push({ url, headers, body: gunzipSync(raw) });
      response.end();
    }, assert.fail);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
