// What the sender puts on the wire, headers and compression included, read by implementations that are not ours: a real
// session with sub-agents, by every profile and in both encodings.
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer as readAll } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { sendOutbox } from '../../src/trace/send.ts';
import { traceSession } from '../../src/trace/trace-session.ts';
import { writeTree } from '../support/temp-folder.ts';
import { contextFor, homeFor, runOf, traceEnv } from '../support/trace-kit.ts';
import { recordings } from '../support/transcripts.ts';
import { asRead, exportRequest, jsonAsRead, readOfficially } from './otlp-reader.ts';
import { post, startReceiver } from './otlp-receiver.ts';
import { allSpansOf } from './trace-kit.ts';

const profiles = ['langfuse', 'genai', 'openinference'];
const formats = ['protobuf', 'json'];

test('what is sent is read alike by others in both encodings, span for span', async (context) => {
  const session = 'real/2.1.45/agent/-home-dev-widgets/497273d2-eb43-4a22-a38d-e8481a13dd2e.jsonl';
  const file = path.join(recordings, session);
  const capture = await startCapture(context);
  const home = homeFor(context);
  const destinations = profiles.flatMap((profile) =>
    formats.map((format) => ({
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
  for (const profile of profiles) {
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
