// Whatever a tracer was doing when it was killed, and however its server behaves: each span arrives exactly once. The
// tracers are processes that kill themselves between two steps; the receiver counts and removes no doubles.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { sessionText } from '../support/session-text.ts';
import { writeTree } from '../support/temp-folder.ts';
import { homeFor, runOf, runTracer, toolTurn, traceEnv } from '../support/trace-kit.ts';
import { type Mood, repeated, startReceiver } from '../support/trace-receiver.ts';

const crashes = process.env.CLEW_LONG === '1' ? 500 : 60;

test(`a tracer that is killed at ${crashes} steps delivers each span exactly once to a server that fails`, async (context) => {
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
        sendMs: 30_000,
      });
      if (steps === undefined) {
        killed++;
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
  for (const { spans } of [receiver, second]) {
    assert.deepEqual(repeated(spans), {});
    assert.deepEqual(idsOf(spans), idsOf(perfect.spans));
  }
  assert.equal(perfect.spans.length, 4 * (stages + Math.ceil(stages / 3)));
  context.diagnostic(
    `${killed} kills at ${seen.size} different steps, ${stages} stages, ${receiver.requests.length + second.requests.length} requests`,
  );
});

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
