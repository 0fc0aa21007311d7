// A receiver that really takes 25 seconds for its answer, with the default settings: each span arrives once.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { readStatus } from '../../src/trace/outbox/delivery-status.ts';
import { traceSession } from '../../src/trace/session/trace-session.ts';
import { startClew } from '../support/running-clew.ts';
import { sessionText } from '../support/session-text.ts';
import { writeTree } from '../support/temp-folder.ts';
import { contextFor, homeFor, runOf, toolTurn, traceEnv } from '../support/trace-kit.ts';
import { repeated, startReceiver } from '../support/trace-receiver.ts';

test('a receiver that answers after 25 seconds gets each span once', async (context) => {
  const receiver = await startReceiver(context, { mood: () => 'slow', slowMs: 25_000 });
  const home = homeFor(context);
  const turns = [...toolTurn('a'), ...toolTurn('b')];
  writeTree(home, { 'p/s.jsonl': sessionText(turns, { sessionId: 's' }) });
  const env = traceEnv(home, receiver.url);
  const tracer = contextFor(env);
  await traceSession(runOf(path.join(home, 'p', 's.jsonl')), tracer);
  const report = await startClew(context, ['trace', 'flush', '--json'], env).prints(/\n\}\n/);
  assert.match(report, /"sentSpans": 8/);
  assert.deepEqual([receiver.requests.length, receiver.spans.length, repeated(receiver.spans)], [1, 8, {}]);
  assert.equal(readStatus(tracer.places, 'default').uncertainBatches, 0);
});
