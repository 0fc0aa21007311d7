// One request with a batch and the answer to it: what each answer means, and what is understood of a server that fails.
import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Destination } from '../../../src/trace/config/destinations.ts';
import type { Batch } from '../../../src/trace/outbox/outbox.ts';
import { failureText, postBatch, retryAfterMs } from '../../../src/trace/outbox/post.ts';
import { contextFor, homeFor, traceEnv } from '../../support/trace-kit.ts';

const patient = { timeoutMs: 60_000, nowMs: 0 } as const;

test('which answers are taken, refused for good or tried again, and after which of them a server may have the batch', async (context) => {
  const server = createHttpServer((request, response) => {
    request.resume().once('end', () => response.writeHead(Number(request.url?.slice(1, 4))).end());
  });
  const destination = await destinationAt(context, server);
  const outcomes = {
    taken: [200, 202, 204],
    refused: [301, 400, 401, 403, 404, 413, 415, 422],
    'later, waits for the server': [408, 429],
    'later, after the other batches': [500, 501, 503],
    'later, after the other batches, may be there': [502, 504],
  };
  for (const [wanted, statuses] of Object.entries(outcomes)) {
    for (const status of statuses) {
      const url = new URL(`/${status}`, destination.url).href;
      const outcome = await postBatch({ ...destination, url }, batchOf(Buffer.from('{}')), patient);
      const when = outcome.kind === 'later' && (outcome.isOfBatch ? 'after the other batches' : 'waits for the server');
      const doubt = outcome.kind === 'later' && outcome.isUncertain && 'may be there';
      assert.equal([outcome.kind, when, doubt].filter((word) => word !== false).join(', '), wanted, `${status}`);
    }
  }
});

test('whoever is stopped before the last byte has sent a request that no server takes for complete', async (context) => {
  const server = createHttpServer();
  const heard = new Promise<readonly [number, boolean]>((resolve) => {
    server.on('request', (request) => {
      let bytes = 0;
      request.on('data', (piece: Buffer) => {
        bytes += piece.length;
      });
      request.on('error', () => {});
      request.on('close', () => resolve([bytes, request.complete]));
    });
  });
  const destination = await destinationAt(context, server);
  const beforeLastByte = (): void => {
    throw new Error('stopped here');
  };
  const outcome = await postBatch(destination, batchOf(Buffer.from('{"a":1}')), { ...patient, beforeLastByte });
  assert.deepEqual(outcome, {
    kind: 'later',
    message: 'stopped here',
    retryAfterMs: undefined,
    isOfBatch: false,
    isUncertain: false,
  });
  assert.deepEqual(await heard, [6, false]);
});

test('an early response of a server is understood, and the rest is not sent', async (context) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('HTTP/1.1 401 Unauthorized\r\ncontent-length: 24\r\n\r\n{"message": "who is it"}');
  });
  // More than the buffers on the way can hold.
  const batch = batchOf(Buffer.alloc(24 * 1024 * 1024));
  const beforeLastByte = (): void => assert.fail('nobody has read so far');
  const outcome = await postBatch(await destinationAt(context, server), batch, { ...patient, beforeLastByte });
  assert.deepEqual(outcome, { kind: 'refused', message: '401 who is it' });
});

test('the error of an unreachable server names all its addresses', () => {
  const refused = (address: string) => new Error(`connect ECONNREFUSED ${address}`);
  const error = new AggregateError([refused('::1:4318'), refused('127.0.0.1:4318')]);
  assert.equal(failureText(error), 'connect ECONNREFUSED ::1:4318; connect ECONNREFUSED 127.0.0.1:4318');
});

test('a date is as good as seconds, and nobody is waited for longer than an hour', () => {
  const now = Date.UTC(2026, 0, 1);
  assert.equal(retryAfterMs('7', now), 7000);
  assert.equal(retryAfterMs(new Date(now + 30_000).toUTCString(), now), 30_000);
  assert.equal(retryAfterMs('999999', now), 3_600_000);
  assert.equal(retryAfterMs('soon', now), undefined);
  assert.equal(retryAfterMs(undefined, now), undefined);
});

async function destinationAt(context: TestContext, server: Server): Promise<Destination> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [destination] = contextFor(traceEnv(homeFor(context), url)).config.destinations;
  assert.ok(destination !== undefined);
  return destination;
}

function batchOf(body: Buffer): Batch {
  return { info: { contentType: 'application/json' } as Batch['info'], body };
}
