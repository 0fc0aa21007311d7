// Whatever a tracer was doing when it was killed, and however its server behaves: each span arrives exactly once. The
// tracers are processes that kill themselves between two steps; the receiver counts and removes no doubles.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { readStatus } from '../../src/trace/outbox/delivery-status.ts';
import { listBatches, openBatch } from '../../src/trace/outbox/outbox.ts';
import type { SessionRun } from '../../src/trace/session/trace-session.ts';
import { tracePlaces } from '../../src/trace/state/places.ts';
import { sessionText } from '../support/session-text.ts';
import { writeTree } from '../support/temp-folder.ts';
import { homeFor, runOf, runTracer, toolTurn, traceEnv } from '../support/trace-kit.ts';
import { type Mood, repeated, startReceiver } from '../support/trace-receiver.ts';
import type { TracerTask } from './tracer.ts';

const crashes = process.env.CLEW_LONG === '1' ? 500 : 25;
const names = ['default', 'second'];
const mostSteps = { trace: 20, send: 8, both: 30 };
const sending = { runs: [], isSender: true, sendMs: 30_000 } as const;

test(`${crashes} kills of tracers and of senders, one for each destination at once: each span arrives exactly once`, (context) =>
  killAndCount(context, async ({ env, runs, chance }) => {
    const kills: Killed[] = [];
    const run = async (most: keyof typeof mostSteps, task: Partial<TracerTask>): Promise<void> => {
      const killAtStep = chance(mostSteps[most]);
      const { steps } = await runTracer(env, { ...sending, isSender: false, ...task, killAtStep });
      if (steps === undefined) kills.push({ step: `${most} ${killAtStep}`, onTheirWay: [] });
      else mostSteps[most] = Math.max(steps, 6);
    };
    await run('trace', { runs });
    await Promise.all(names.map((only) => run('send', { only, isSender: true })));
    return kills;
  }));

// As `flush` and `backfill` send: a step of one destination falls into the middle of a request to another, where nobody
// can know what the server did (docs/tracing.md, "The one gap").
test(`${crashes} kills of a process that sends to all at once: only a batch that was on its way can come twice, and is counted`, (context) =>
  killAndCount(context, async ({ env, runs, chance }) => {
    const killAtStep = chance(mostSteps.both);
    const { steps } = await runTracer(env, { ...sending, runs, killAtStep });
    if (steps === undefined) return [{ step: `both ${killAtStep}`, onTheirWay: idsOnTheirWay(env) }];
    mostSteps.both = Math.max(steps, 12);
    return [];
  }));

interface Killed {
  readonly step: string;
  /** What may come twice because of it. */
  readonly onTheirWay: readonly string[];
}

interface Round {
  readonly env: Record<string, string>;
  readonly runs: readonly SessionRun[];
  /** From 1 to one more than `most`, which means never. */
  readonly chance: (most: number) => number;
}

async function killAndCount(
  context: TestContext,
  attempt: (round: Round) => Promise<readonly Killed[]>,
): Promise<void> {
  const random = seeded(20261115);
  const moods: readonly Mood[] = ['fine', 'fine', 'fine', '500', '429', 'cut', 'cut early', 'slow', 'partial'];
  const mood = (): Mood => moods[Math.floor(random() * moods.length)] ?? 'fine';
  const receiver = await startReceiver(context, { mood, slowMs: 20 });
  const second = await startReceiver(context, { mood, slowMs: 20 });
  const home = homeFor(context);
  const env = traceEnv(home, receiver.url);
  const [one, two] = [path.join(home, 'p', 'one.jsonl'), path.join(home, 'p', 'two.jsonl')];
  const runs = [runOf(one), runOf(two)];
  const destinations = [
    { name: 'second', endpoint: second.url, profile: 'genai', format: 'json', content: 'metadata' },
  ];
  writeTree(home, { 'p/one.jsonl': '', 'p/two.jsonl': '', 'clew/trace.json': JSON.stringify({ destinations }) });
  const chance = (most: number): number => 1 + Math.floor(random() * (most + 1));
  const kills: Killed[] = [];
  let stages = 0;
  for (; kills.length < crashes; stages++) {
    const turn = toolTurn(`c${stages}`);
    const text = sessionText(turn, { sessionId: 'one', startMinute: stages });
    appendFileSync(one, text);
    // The second session is a fork that holds every turn of the first, and every third one of its own.
    appendFileSync(two, text.replaceAll('"sessionId":"one"', '"sessionId":"two"'));
    if (stages % 3 === 0)
      appendFileSync(two, sessionText(toolTurn(`d${stages}`), { sessionId: 'two', startMinute: stages }));
    for (let tries = 0; tries < 3; tries++) {
      const killed = await attempt({ env, runs, chance });
      kills.push(...killed);
      if (killed.length === 0) break;
    }
  }
  await runTracer(env, { ...sending, runs, sendMs: 60_000 });
  const perfect = await startReceiver(context);
  await runTracer(traceEnv(homeFor(context), perfect.url), { ...sending, runs });
  assert.equal(perfect.spans.length, 4 * (stages + Math.ceil(stages / 3)));
  const mayBeDoubled = new Set(kills.flatMap(({ onTheirWay }) => onTheirWay));
  let [uncertain, twice] = [0, 0];
  for (const [i, { spans, bodies }] of [receiver, second].entries()) {
    const name = names[i] ?? '';
    assert.deepEqual([...new Set(idsOf(spans))], idsOf(perfect.spans));
    const doubled = Object.keys(repeated(spans));
    assert.deepEqual(
      doubled.filter((id) => !mayBeDoubled.has(`${name} ${id}`)),
      [],
    );
    const doubledBodies = bodies.length - new Set(bodies.map((body) => body.toString('latin1'))).size;
    const { uncertainBatches } = readStatus(tracePlaces(env), name);
    assert.ok(doubledBodies <= uncertainBatches);
    twice += doubledBodies;
    uncertain += uncertainBatches;
  }
  const [steps, requests] = [
    new Set(kills.map(({ step }) => step)).size,
    receiver.requests.length + second.requests.length,
  ];
  context.diagnostic(
    `${kills.length} kills at ${steps} different steps, ${stages} stages, ${requests} requests, ${uncertain} batches on their way, ${twice} came twice`,
  );
}

function idsOnTheirWay(env: NodeJS.ProcessEnv): readonly string[] {
  const places = tracePlaces(env);
  return names.flatMap((name) =>
    listBatches(places, name, 'sending')
      .flatMap((batch) => openBatch(places, name, batch, 'sending')?.info.spanIds ?? [])
      .map((id) => `${name} ${id}`),
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
