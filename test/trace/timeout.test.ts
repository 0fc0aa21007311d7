// How long a sender waits for an answer: a receiver that needs most of a minute gets each span once. The clock is
// moved by hand; timeout.slow.test.ts waits for real.
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { readStatus } from '../../src/trace/outbox/delivery-status.ts';
import { sendOutbox } from '../../src/trace/outbox/send.ts';
import { traceSession } from '../../src/trace/session/trace-session.ts';
import { sessionText } from '../support/session-text.ts';
import { writeTree } from '../support/temp-folder.ts';
import { contextFor, homeFor, runOf, toolTurn, traceEnv } from '../support/trace-kit.ts';

test('a sender waits 60 seconds for an answer', async (context) => {
  const { answered, lastError } = await sendTo(context, {}, 59_999);
  assert.deepEqual([answered.sentSpans, answered.waitingBatches, lastError], [4, 0, undefined]);
});

test('a sender gives up after 60 seconds', async (context) => {
  const { answered, lastError } = await sendTo(context, {}, 60_000);
  assert.deepEqual([answered.sentSpans, answered.waitingBatches], [0, 1]);
  assert.equal(lastError, 'no answer within 60000 ms');
});

test('OTEL_EXPORTER_OTLP_TIMEOUT says how many milliseconds a sender waits, and the variable for traces wins', async (context) => {
  const one = await sendTo(context, { OTEL_EXPORTER_OTLP_TIMEOUT: '90000' }, 89_999);
  assert.equal(one.answered.sentSpans, 4);
  const both = { OTEL_EXPORTER_OTLP_TIMEOUT: '90000', OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '2000' };
  const two = await sendTo(context, both, 2_000);
  assert.equal(two.lastError, 'no answer within 2000 ms');
});

/** A receiver that answers when `afterMs` have passed on a clock that is moved by hand, unless the sender hung up. */
async function sendTo(context: TestContext, more: Readonly<Record<string, string>>, afterMs: number) {
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      waiting.push(response);
      context.mock.timers.tick(afterMs);
      if (!response.destroyed) response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const home = homeFor(context);
  writeTree(home, { 'p/s.jsonl': sessionText(toolTurn('a'), { sessionId: 's' }) });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { places, config, ...rest } = contextFor(traceEnv(home, url, more));
  await traceSession(runOf(path.join(home, 'p', 's.jsonl')), { places, config, ...rest });
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const once = new AbortController();
  const onStep = (step: string): void => (step === 'batch done' ? once.abort() : undefined);
  const answered = await sendOutbox({ places, destinations: config.destinations, signal: once.signal, onStep });
  context.mock.timers.reset();
  assert.equal(waiting.length, 1, 'the batch was posted once');
  return { answered, lastError: readStatus(places, 'default').lastError };
}
