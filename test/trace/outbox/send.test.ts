// The sender and its server: what is taken is gone, what is refused is parked with the reason, what failed waits as long
// as it was asked to, and no answer makes it lose or double anything.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { readStatus, reportDestination } from '../../../src/trace/outbox/delivery-status.ts';
import {
  listBatches,
  moveBatch,
  openBatch,
  releaseBatch,
  spoolBatch,
  unparkBatches,
} from '../../../src/trace/outbox/outbox.ts';
import { postBatch } from '../../../src/trace/outbox/post.ts';
import { isSending, needsSender, type SendOptions, sendOutbox } from '../../../src/trace/outbox/send.ts';
import type { TraceContext } from '../../../src/trace/session/context.ts';
import { traceSession } from '../../../src/trace/session/trace-session.ts';
import { sessionText } from '../../support/session-text.ts';
import { writeTree } from '../../support/temp-folder.ts';
import { contextFor, homeFor, runOf, toolTurn, traceEnv } from '../../support/trace-kit.ts';
import { type Mood, repeated, startReceiver } from '../../support/trace-receiver.ts';
import { waitFor } from '../../support/wait.ts';

async function spooled(context: TestContext, url: string, turns = 1): Promise<TraceContext> {
  const home = homeFor(context);
  const tracer = contextFor(
    traceEnv(home, url, { CLEW_TRACE_HEADERS: 'authorization=Bearer%20verysecretkey', CLEW_TRACE_REDACT: 'off' }),
  );
  for (let i = 0; i < turns; i++) {
    writeTree(home, { [`p/s${i}.jsonl`]: sessionText(toolTurn(`${i}`), { sessionId: `s${i}` }) });
    await traceSession(runOf(path.join(home, 'p', `s${i}.jsonl`)), tracer);
  }
  return tracer;
}

function send(tracer: TraceContext, more: Partial<SendOptions> = {}) {
  const { places, config } = tracer;
  const endMs = Date.now() + 20_000;
  return sendOutbox({ places, destinations: config.destinations, endMs, retryBaseMs: 1, ...more });
}

test('what the server takes is counted and deleted, with the headers that were asked for', async (context) => {
  const receiver = await startReceiver(context);
  const tracer = await spooled(context, receiver.url, 2);
  assert.deepEqual(await send(tracer), { sentSpans: 8, parkedBatches: 0, waitingBatches: 0, isBusy: false });
  assert.equal(receiver.spans.length, 8);
  assert.deepEqual(repeated(receiver.spans), {});
  const headers = receiver.requests[0]?.headers;
  assert.equal(headers?.authorization, 'Bearer verysecretkey');
  assert.equal(headers?.['content-encoding'], 'gzip');
  assert.equal(headers?.['x-langfuse-ingestion-version'], '4');
  assert.deepEqual(readdirSync(path.join(tracer.places.folder, 'outbox', 'default')), []);
  assert.equal(readStatus(tracer.places, 'default').sentSpans, 8);
});

test('a batch that is refused is parked with the reason, and retry puts it back', async (context) => {
  let mood: Mood = '400';
  const receiver = await startReceiver(context, { mood: () => mood });
  const tracer = await spooled(context, receiver.url);
  assert.deepEqual(await send(tracer), { sentSpans: 0, parkedBatches: 1, waitingBatches: 0, isBusy: false });
  const { parked } = reportDestination(tracer.places, 'default', Date.now());
  assert.deepEqual(
    parked.map(({ reason, spans }) => ({ reason, spans })),
    [{ reason: '400 malformed spans', spans: 4 }],
  );
  mood = 'fine';
  assert.equal(unparkBatches(tracer.places, 'default'), 1);
  assert.equal((await send(tracer)).sentSpans, 4);
  assert.deepEqual(reportDestination(tracer.places, 'default', Date.now()).parked, []);
});

test('a server that is down costs nothing but time: all is delivered when it is back', async (context) => {
  const gone = await startReceiver(context);
  await gone.close();
  const tracer = await spooled(context, gone.url, 2);
  const once = new AbortController();
  const onStep = (step: string): void => (step === 'batch done' ? once.abort() : undefined);
  const report = await send(tracer, { signal: once.signal, onStep });
  assert.deepEqual(report, { sentSpans: 0, parkedBatches: 0, waitingBatches: 2, isBusy: false });
  const status = readStatus(tracer.places, 'default');
  assert.match(status.lastError ?? '', /ECONNREFUSED/);
  assert.ok(status.failures > 0);
  assert.equal(status.uncertainBatches, 0);
  const back = await startReceiver(context, { port: Number(new URL(gone.url).port) });
  assert.equal((await send(tracer, { isUrgent: true })).sentSpans, 8);
  assert.deepEqual(repeated(back.spans), {});
});

test('a destination that is down keeps nothing from the others, also not what is spooled in the meantime', async (context) => {
  const [gone, up] = [await startReceiver(context), await startReceiver(context)];
  await gone.close();
  const home = homeFor(context);
  const destinations = [{ name: 'up', endpoint: up.url, profile: 'genai', format: 'json' }];
  writeTree(home, { 'clew/trace.json': JSON.stringify({ destinations }) });
  const tracer = contextFor(traceEnv(home, gone.url, { CLEW_TRACE_REDACT: 'off' }));
  const spool = async (name: string): Promise<void> => {
    writeTree(home, { [`p/${name}.jsonl`]: sessionText(toolTurn(name), { sessionId: name }) });
    await traceSession(runOf(path.join(home, 'p', `${name}.jsonl`)), tracer);
  };
  await spool('s0');
  const { places, config } = tracer;
  const stop = new AbortController();
  const patient = send(tracer, { retryBaseMs: 60_000, patienceMs: 600_000, endMs: Infinity, signal: stop.signal });
  await waitFor(() => !isSending(places, 'up') && readStatus(places, 'default').failures > 0);
  assert.equal(up.spans.length, 4);
  await spool('s1');
  assert.ok(isSending(places, 'default') && needsSender(places, config.destinations));
  const second = await send(tracer);
  assert.deepEqual(second, { sentSpans: 4, parkedBatches: 0, waitingBatches: 2, isBusy: true });
  assert.ok(!needsSender(places, config.destinations));
  stop.abort();
  assert.equal((await patient).sentSpans, 4);
  assert.deepEqual(repeated(up.spans), {});
});

test('patience is for a server that takes nothing: as long as it does, all is sent', async (context) => {
  const receiver = await startReceiver(context);
  const tracer = await spooled(context, receiver.url, 4);
  const { places, config } = tracer;
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  // Each batch takes more than half of the patience, so that all four take more than twice as long.
  const onStep = (step: string): void => (step === 'before sending' ? context.mock.timers.tick(600) : undefined);
  const { sentSpans } = await sendOutbox({ places, destinations: config.destinations, patienceMs: 1_000, onStep });
  assert.equal(sentSpans, 16);
});

test('Retry-After is kept to, by this sender and by the next', async (context) => {
  const receiver = await startReceiver(context, { mood: () => '429', retryAfter: '100' });
  const tracer = await spooled(context, receiver.url);
  const before = Date.now();
  await send(tracer);
  await send(tracer);
  assert.equal(receiver.requests.length, 1);
  const { retryAtMs, lastError } = readStatus(tracer.places, 'default');
  assert.ok(retryAtMs >= before + 100_000);
  assert.equal(lastError, '429 too many');
  // `flush` asks at once, and once.
  await send(tracer, { isUrgent: true });
  assert.equal(receiver.requests.length, 2);
});

test('a batch that its server cannot digest does not keep the others from it', async (context) => {
  let count = 0;
  const receiver = await startReceiver(context, { mood: () => (count++ === 0 ? '500' : 'fine') });
  const tracer = await spooled(context, receiver.url, 3);
  await send(tracer);
  assert.equal(receiver.spans.length, 12);
  const sessions = receiver.spans.map(({ attributes }) => attributes['session.id']);
  assert.deepEqual([...new Set(sessions)], ['s1', 's2', 's0']);
});

test('rejected spans of a batch are counted and reported, and the batch is not sent again', async (context) => {
  const receiver = await startReceiver(context, { mood: () => 'partial' });
  const tracer = await spooled(context, receiver.url);
  await send(tracer);
  await send(tracer);
  assert.equal(receiver.requests.length, 1);
  const { rejectedSpans, lastError } = readStatus(tracer.places, 'default');
  assert.equal(rejectedSpans, 1);
  assert.equal(lastError, 'the server accepted a batch but rejected 1 spans: one is odd');
  assert.match(readFileSync(tracer.places.log, 'utf8'), /rejected 1 spans/);
});

test('a server that never answers is given up on in time, and asked again later', async (context) => {
  let mood: Mood = 'slow';
  const receiver = await startReceiver(context, { mood: () => mood, slowMs: 60_000 });
  const tracer = await spooled(context, receiver.url);
  const once = new AbortController();
  const onStep = (step: string): void => (step === 'batch done' ? once.abort() : undefined);
  const report = await send(tracer, { timeoutMs: 50, signal: once.signal, onStep });
  assert.deepEqual([report.sentSpans, report.waitingBatches], [0, 1]);
  assert.match(readStatus(tracer.places, 'default').lastError ?? '', /no answer within 50 ms/);
  mood = 'fine';
  assert.equal((await send(tracer)).sentSpans, 4);
});

test('what is spooled while a sender is at work is sent by that sender, because it starts no other', async (context) => {
  const receiver = await startReceiver(context);
  const tracer = await spooled(context, receiver.url);
  const { places } = tracer;
  const [first = ''] = listBatches(places, 'default', 'ready');
  const batch = openBatch(places, 'default', first, 'ready');
  assert.ok(batch !== undefined);
  const onStep = (step: string): void => {
    if (step !== 'acknowledged' || receiver.requests.length > 1) return;
    const name = spoolBatch(places, { ...batch.info, createdMs: batch.info.createdMs + 1 }, batch.body, 'other');
    releaseBatch(places, 'default', name, 'other');
  };
  assert.equal((await send(tracer, { onStep })).sentSpans, 8);
  assert.equal(receiver.requests.length, 2);
});

test('two senders at once send each batch once', async (context) => {
  const receiver = await startReceiver(context, { mood: () => 'slow', slowMs: 20 });
  const tracer = await spooled(context, receiver.url, 2);
  const reports = await Promise.all([send(tracer), send(tracer)]);
  assert.equal(reports.filter(({ isBusy }) => isBusy).length, 1);
  assert.deepEqual(repeated(receiver.spans), {});
  assert.equal(receiver.spans.length, 8);
});

test('an answer that repeats the key does not bring it into the status or the log', async (context) => {
  const receiver = await startReceiver(context, { mood: () => '500' });
  const tracer = await spooled(context, receiver.url);
  const [destination] = tracer.config.destinations;
  assert.ok(destination);
  const echo = { ...destination, headers: { authorization: 'out of order' } };
  const batch = {
    info: { contentType: 'application/json', contentEncoding: undefined } as never,
    body: Buffer.from('{}'),
  };
  const outcome = await postBatch(echo, batch, { timeoutMs: 5000, nowMs: 0 });
  assert.deepEqual(outcome, {
    kind: 'later',
    message: '500 ***',
    retryAfterMs: undefined,
    isOfBatch: true,
    isUncertain: false,
  });
  await send(tracer, { endMs: Date.now() + 50 });
  const entries = readdirSync(tracer.places.folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  assert.ok(files.length > 2);
  for (const file of files) assert.doesNotMatch(readFileSync(file, 'latin1'), /verysecretkey/);
});

test('what a killed sender left in the middle of a request is sent again, and status says that it may be there twice', async (context) => {
  const receiver = await startReceiver(context);
  const tracer = await spooled(context, receiver.url, 2);
  const { places } = tracer;
  const [first = '', second = ''] = listBatches(places, 'default', 'ready');
  moveBatch(places, 'default', first, 'ready', 'sending');
  // This one was taken, and only its deletion is missing.
  moveBatch(places, 'default', second, 'ready', 'acked');
  await send(tracer);
  assert.equal(receiver.spans.length, 4);
  const { sentSpans, uncertainBatches } = readStatus(places, 'default');
  assert.deepEqual([sentSpans, uncertainBatches], [8, 1]);
  assert.match(readFileSync(places.log, 'utf8'), /is sent again: a sender ended before it had the answer\n$/);
});

test('a batch counts as on its way only before its last byte: until then no server can have taken it', async (context) => {
  const receiver = await startReceiver(context);
  const tracer = await spooled(context, receiver.url);
  const seen: unknown[] = [];
  const stages = ['ready', 'sending', 'acked'] as const;
  const onStep = (step: string): void => {
    const stage = stages.filter((each) => listBatches(tracer.places, 'default', each).length > 0);
    const isBefore = /byte|before sending/.test(step);
    seen.push(isBefore ? [step, stage, receiver.spans.length] : [step, stage]);
  };
  assert.equal((await send(tracer, { onStep })).sentSpans, 4);
  assert.deepEqual(seen, [
    ['before sending', ['ready'], 0],
    ['all but one byte sent', ['ready'], 0],
    ['before the last byte', ['sending'], 0],
    ['acknowledged', ['acked']],
    ['before deletion', ['acked']],
    ['batch done', []],
  ]);
  assert.equal(readStatus(tracer.places, 'default').uncertainBatches, 0);
});

test('a server that takes a batch and loses its answer gets it again, byte for byte, and status counts it', async (context) => {
  const moods: Mood[] = ['taken', '504', '500', 'fine'];
  const receiver = await startReceiver(context, { mood: () => moods.shift() ?? 'fine' });
  const tracer = await spooled(context, receiver.url);
  assert.equal((await send(tracer)).sentSpans, 4);
  // Whoever counts by id has each once.
  assert.deepEqual(Object.values(repeated(receiver.spans)), [3, 3, 3, 3]);
  assert.equal(new Set(receiver.bodies.map(String)).size, 1);
  const { uncertainBatches, sentSpans } = readStatus(tracer.places, 'default');
  assert.deepEqual({ uncertainBatches, sentSpans }, { uncertainBatches: 2, sentSpans: 4 });
});

test('pauses double from one second to five minutes, half of them by chance', async (context) => {
  const receiver = await startReceiver(context, { mood: () => '500' });
  const tracer = await spooled(context, receiver.url);
  const now = Date.UTC(2026, 10, 15);
  context.mock.timers.enable({ apis: ['Date'], now });
  const pauseAfterFailure = async (more: Partial<SendOptions>): Promise<number> => {
    const once = new AbortController();
    const onStep = (step: string): void => (step === 'batch done' ? once.abort() : undefined);
    const { places, config } = tracer;
    const options = { places, destinations: config.destinations, isUrgent: true, signal: once.signal, onStep };
    await sendOutbox({ ...options, random: () => 0, ...more });
    return readStatus(places, 'default').retryAtMs - now;
  };
  const pauses: number[] = [];
  for (let i = 0; i < 4; i++) pauses.push(await pauseAfterFailure({}));
  assert.deepEqual(pauses, [500, 1000, 2000, 4000]);
  // The fifth and the sixth failure, and a sender that would start with longer pauses.
  assert.equal(await pauseAfterFailure({ random: () => 1 }), 16_000);
  assert.equal(await pauseAfterFailure({ retryBaseMs: 60_000 }), 150_000);
  assert.equal(readStatus(tracer.places, 'default').failures, 6);
});

test('a batch that was counted before its sender was killed is not counted again', async (context) => {
  const receiver = await startReceiver(context);
  const tracer = await spooled(context, receiver.url);
  const { places } = tracer;
  const killed = new Error('killed');
  const onStep = (step: string): void => {
    if (step === 'before deletion') throw killed;
  };
  await assert.rejects(send(tracer, { onStep }), killed);
  assert.equal(listBatches(places, 'default', 'acked').length, 1);
  await send(tracer);
  const { sentSpans, sentBatches } = readStatus(places, 'default');
  assert.deepEqual([sentSpans, sentBatches, receiver.requests.length], [4, 1, 1]);
});
