// Two instances and 200 senders: whatever happens to an instance, to the database or to the trace server, each span arrives
// exactly once, with the attributes of its person.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import {
  type CountingReceiver,
  type GatewayStore,
  sendAsCrowd,
  startCountingReceiver,
  startGatewayProcess,
  startGatewayStore,
  untilForwarded,
} from '../../support/gateway-kit.ts';
import { noPostgres } from '../../support/postgres.ts';
import { type RunningClew, startClew } from '../../support/running-clew.ts';
import type { GatewayTask } from './gateway-process.ts';

const people = Array.from({ length: 20 }, (_, i) => `person ${i}`);
const crowd = { senders: 200, requests: 2, spansOfRequest: 5 };

function taskFor(store: GatewayStore, receiver: CountingReceiver, more: Partial<GatewayTask> = {}): GatewayTask {
  const destinations = [{ name: 'one', endpoint: receiver.url, format: 'json' }];
  return { store: store.addressOf('gate'), destinations, leaseMs: 2_000, ...more };
}

/** None lost, and none of another person. Returns the ids that came more than once. */
function checkSpans(receiver: CountingReceiver, sent: ReadonlyMap<string, string>): readonly string[] {
  const counts = new Map<string, number>();
  for (const { spanId, attributes } of receiver.spans) {
    counts.set(spanId, (counts.get(spanId) ?? 0) + 1);
    assert.equal(attributes['clew.person'], sent.get(spanId));
    assert.equal(attributes['user.id'], sent.get(spanId));
    assert.deepEqual(attributes['clew.groups'], ['all', `of ${sent.get(spanId)}`]);
  }
  assert.deepEqual([...counts.keys()].sort(), [...sent.keys()].sort());
  return [...counts].filter(([, count]) => count > 1).map(([id]) => id);
}

function counters({ server }: GatewayStore): { readonly sent: number; readonly uncertain: number } {
  const [sent = '', uncertain = ''] = server
    .run('SELECT sent_spans, uncertain_batches FROM clew.gateway_destinations')
    .trim()
    .split('|');
  return { sent: Number(sent), uncertain: Number(uncertain) };
}

const steps = ['before sending', 'all but one byte sent', 'before the last byte', 'batch done'];

test(
  'an instance is killed before the last byte of a request or after its answer is stored: each span arrives exactly once',
  { skip: noPostgres },
  async (context) => {
    const store = await startGatewayStore(context, people);
    for (const [i, step] of steps.entries()) {
      store.server.run('TRUNCATE clew.gateway_spans, clew.gateway_destinations');
      const receiver = await startCountingReceiver(context);
      // One request at a time: no other one is on its way at the kill.
      const task = taskFor(store, receiver, { forwardedAtOnce: 1 });
      const first = await startGatewayProcess(context, { ...task, killAt: [step, 10 + i] });
      const second = await startGatewayProcess(context, task);
      const killed = once(first.process, 'close');
      const sent = await sendAsCrowd(crowd, store, () => [first.url, second.url]);
      assert.deepEqual(await killed, [null, 'SIGKILL'], step);
      await untilForwarded(store);
      assert.deepEqual(checkSpans(receiver, sent), [], step);
      await second.stop();
    }
  },
);

test(
  'the command is killed at any moment: its requests are finished, and each span arrives exactly once',
  { skip: noPostgres },
  async (context) => {
    const store = await startGatewayStore(context, people);
    let onTheirWay = 0;
    const kills = process.env.CLEW_LONG === '1' ? 20 : 3;
    for (let kill = 0; kill < kills; kill++) {
      store.server.run('TRUNCATE clew.gateway_spans, clew.gateway_destinations');
      // Slow enough that requests are on their way at the kill.
      const receiver = await startCountingReceiver(context, (nth) => ({ status: 200, delayMs: 40 * (nth % 4) }));
      const args = ['team', 'gateway', '--to', store.addressOf('gate'), '--forward', receiver.url];
      const gateways = [0, 1].map(() => startClew(context, [...args, '--listen', '127.0.0.1:0']));
      const urls: string[] = [];
      for (const each of gateways) {
        const [url = ''] = /http:\S+:\d+/.exec(await each.prints(/listening at http:\S+:\d+;/)) ?? [];
        urls.push(url);
      }
      const [first, second] = gateways as [RunningClew, RunningClew];
      const sent = await sendAsCrowd(
        crowd,
        store,
        () => urls,
        (accepted) => {
          if (accepted !== Math.floor(60 + (300 * kill) / kills)) return;
          process.kill(first.pid, 'SIGKILL');
          onTheirWay += receiver.unanswered();
        },
      );
      assert.deepEqual(await first.ended, [null, 'SIGKILL']);
      await untilForwarded(store);
      assert.deepEqual(checkSpans(receiver, sent), []);
      assert.deepEqual(counters(store), { sent: sent.size, uncertain: 0 });
      assert.deepEqual(await second.end('SIGTERM'), [0, null]);
    }
    assert.ok(onTheirWay >= kills, `${onTheirWay} requests without an answer at the kills`);
  },
);

test(
  'an instance is killed between the answer and its transaction: the batch comes twice, with the same bytes, and is counted',
  { skip: noPostgres },
  async (context) => {
    const store = await startGatewayStore(context, people);
    const receiver = await startCountingReceiver(context);
    const task = taskFor(store, receiver, { forwardedAtOnce: 1 });
    const first = await startGatewayProcess(context, { ...task, killAt: ['accepted', 5] });
    const second = await startGatewayProcess(context, task);
    const sent = await sendAsCrowd(crowd, store, () => [first.url, second.url]);
    await untilForwarded(store);
    const twice = checkSpans(receiver, sent);
    assert.equal(twice.length, crowd.spansOfRequest);
    const bodies = receiver.bodies.map((body) => body.toString('latin1'));
    assert.equal(bodies.length - new Set(bodies).size, 1);
    assert.equal(counters(store).uncertain, 1);
    await second.stop();
  },
);

test(
  'the database is restarted as after a crash, twice: each span arrives exactly once',
  { skip: noPostgres },
  async (context) => {
    const store = await startGatewayStore(context, people);
    const receiver = await startCountingReceiver(context, (nth) => ({ status: 200, delayMs: nth % 5 }));
    // The default.
    const task = taskFor(store, receiver, { leaseMs: 30_000 });
    const [first, second] = [await startGatewayProcess(context, task), await startGatewayProcess(context, task)];
    const restarts: number[] = [];
    const sent = await sendAsCrowd(
      crowd,
      store,
      () => [first.url, second.url],
      (accepted) => {
        if (accepted !== 100 && accepted !== 250) return;
        store.server.stop('immediate');
        store.server.start();
        restarts.push(accepted);
      },
    );
    assert.deepEqual(restarts, [100, 250]);
    await untilForwarded(store);
    assert.deepEqual(checkSpans(receiver, sent), []);
    assert.deepEqual(counters(store), { sent: sent.size, uncertain: 0 });
    await first.stop();
    await second.stop();
  },
);

test('a server that answers after 25 seconds gets each span once', { skip: noPostgres }, async (context) => {
  const store = await startGatewayStore(context, people);
  const receiver = await startCountingReceiver(context, () => ({ status: 200, delayMs: 25_000 }));
  const task = taskFor(store, receiver, { leaseMs: 1_000 });
  const [first, second] = [await startGatewayProcess(context, task), await startGatewayProcess(context, task)];
  const small = { senders: 8, requests: 1, spansOfRequest: 5 };
  const sent = await sendAsCrowd(small, store, () => [first.url, second.url]);
  await untilForwarded(store);
  assert.deepEqual(checkSpans(receiver, sent), []);
  assert.equal(receiver.statuses.length, 8);
  await first.stop();
  await second.stop();
});

test(
  'a server that is overloaded or out of order gets each span once, and no request before the time it asked for',
  { skip: noPostgres },
  async (context: TestContext) => {
    const store = await startGatewayStore(context, people);
    const times: number[] = [];
    const receiver = await startCountingReceiver(context, (nth) => {
      times.push(Date.now());
      if (nth === 20) return { status: 429, headers: { 'retry-after': '3' } };
      return { status: nth % 9 === 4 ? 503 : 200 };
    });
    const task = taskFor(store, receiver, { forwardedAtOnce: 1 });
    const only = await startGatewayProcess(context, task);
    const sent = await sendAsCrowd(crowd, store, () => [only.url]);
    await untilForwarded(store);
    assert.deepEqual(checkSpans(receiver, sent), []);
    assert.ok(receiver.statuses.filter((status) => status === 503).length > 5);
    assert.ok((times[21] ?? 0) - (times[20] ?? 0) >= 2_900);
    assert.deepEqual(counters(store), { sent: sent.size, uncertain: 0 });
    await only.stop();
  },
);
