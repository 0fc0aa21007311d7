// Whatever a tracer was doing when it was killed, and however its server behaves: each span arrives exactly once. The
// tracers are processes that kill themselves between two steps; the receiver counts and removes no doubles.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { readStatus } from '../../src/trace/delivery-status.ts';
import { listBatches, openBatch } from '../../src/trace/outbox.ts';
import { tracePlaces } from '../../src/trace/places.ts';
import { sessionText } from '../support/session-text.ts';
import { writeTree } from '../support/temp-folder.ts';
import { homeFor, runOf, runTracer, toolTurn, traceEnv } from '../support/trace-kit.ts';
import { type Mood, repeated, startReceiver } from '../support/trace-receiver.ts';

const crashes = process.env.CLEW_LONG === '1' ? 500 : 25;

test(`a tracer that is killed at ${crashes} steps delivers each span exactly once to servers that fail`, (context) =>
  killAndCount(context, true));

// All destinations at once, as the product sends: a step of one falls into the middle of a request to another, where
// nobody can know what the server did (docs/tracing.md, "The one gap").
test(`sending to all at once, killed at ${crashes} steps, only a batch that was on its way can come twice, and is counted`, (context) =>
  killAndCount(context, false));

async function killAndCount(context: TestContext, isOneByOne: boolean): Promise<void> {
  const random = seeded(20261115);
  const moods: readonly Mood[] = ['fine', 'fine', 'fine', '500', '429', 'cut', 'cut early', 'slow', 'partial'];
  const mood = (): Mood => moods[Math.floor(random() * moods.length)] ?? 'fine';
  const receiver = await startReceiver(context, { mood, slowMs: 20 });
  const second = await startReceiver(context, { mood, slowMs: 20 });
  const home = homeFor(context);
  const env = traceEnv(home, receiver.url);
  const [one, two] = [path.join(home, 'p', 'one.jsonl'), path.join(home, 'p', 'two.jsonl')];
  const destinations = [
    { name: 'second', endpoint: second.url, profile: 'genai', format: 'json', content: 'metadata' },
  ];
  writeTree(home, { 'p/one.jsonl': '', 'p/two.jsonl': '', 'clew/trace.json': JSON.stringify({ destinations }) });
  const seen = new Set<number>();
  const names = ['default', 'second'];
  const onTheirWay = new Set<string>();
  let [killed, stages, mostSteps] = [0, 0, 30];
  while (killed < crashes) {
    const turn = toolTurn(`c${stages}`);
    const text = sessionText(turn, { sessionId: 'one', startMinute: stages });
    appendFileSync(one, text);
    // The second session is a fork that holds every turn of the first, and every third one of its own.
    appendFileSync(two, text.replaceAll('"sessionId":"one"', '"sessionId":"two"'));
    if (stages % 3 === 0)
      appendFileSync(two, sessionText(toolTurn(`d${stages}`), { sessionId: 'two', startMinute: stages }));
    for (let tries = 0; tries < 6; tries++) {
      const killAtStep = 1 + Math.floor(random() * (mostSteps + 1));
      const { steps } = await runTracer(env, {
        runs: [runOf(one), runOf(two)],
        killAtStep,
        isSender: true,
        isOneByOne,
        sendMs: 30_000,
      });
      if (steps === undefined) {
        killed++;
        for (const name of names) for (const id of spansOnTheirWay(env, name)) onTheirWay.add(`${name} ${id}`);
        seen.add(killAtStep);
      } else {
        mostSteps = Math.max(steps, 12);
        break;
      }
    }
    stages++;
  }
  await runTracer(env, { runs: [runOf(one), runOf(two)], isSender: true, sendMs: 60_000 });
  const perfect = await startReceiver(context);
  const expectedHome = homeFor(context);
  const expectedEnv = traceEnv(expectedHome, perfect.url);
  await runTracer(expectedEnv, { runs: [runOf(one), runOf(two)], isSender: true, sendMs: 30_000 });
  let [uncertain, twice] = [0, 0];
  for (const [i, { spans, bodies }] of [receiver, second].entries()) {
    const name = names[i] ?? '';
    const doubled = Object.keys(repeated(spans));
    assert.deepEqual([...new Set(idsOf(spans))], idsOf(perfect.spans));
    assert.deepEqual(isOneByOne ? doubled : doubled.filter((id) => !onTheirWay.has(`${name} ${id}`)), []);
    const doubledBodies = bodies.length - new Set(bodies.map((body) => body.toString('latin1'))).size;
    const { uncertainBatches } = readStatus(tracePlaces(env), name);
    assert.ok(doubledBodies <= uncertainBatches);
    twice += doubledBodies;
    uncertain += uncertainBatches;
  }
  assert.equal(perfect.spans.length, 4 * (stages + Math.ceil(stages / 3)));
  context.diagnostic(
    `${killed} kills at ${seen.size} different steps, ${stages} stages, ${receiver.requests.length + second.requests.length} requests, ${uncertain} batches on their way, ${twice} came twice`,
  );
}

function spansOnTheirWay(env: NodeJS.ProcessEnv, name: string): readonly string[] {
  const places = tracePlaces(env);
  return listBatches(places, name, 'sending').flatMap(
    (batch) => openBatch(places, name, batch, 'sending')?.info.spanIds ?? [],
  );
}

function idsOf(spans: readonly { readonly traceId: string; readonly spanId: string }[]): readonly string[] {
  return spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`).sort();
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
