// However the transcripts of the corpora are cut into runs, their spans are those of one run, each exactly once.
// CLEW_LONG=1 tries more.
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { listBatches, openBatch } from '../../src/trace/outbox/outbox.ts';
import { findAgentTranscripts } from '../../src/trace/read/agents.ts';
import { streamTurns } from '../../src/trace/read/cursor.ts';
import { traceSession } from '../../src/trace/session/trace-session.ts';
import { tracePlaces } from '../../src/trace/state/places.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { contextFor, runOf, traceEnv } from '../support/trace-kit.ts';
import { spansIn } from '../support/trace-receiver.ts';
import { corpusTranscripts, type Run, sorted, spansOfRuns } from './trace-kit.ts';

const splits = process.env.CLEW_LONG === '1' ? 2400 : 150;
const maxBytes = 400_000;

test('any cut into runs that wait for the end of a turn gives exactly the spans of one run', async (context) => {
  const copy = path.join(temporaryFolder(context), 'copy.jsonl');
  for (const { file, size, random } of cases(splits)) {
    const agents = await findAgentTranscripts(file);
    const cuts = Array.from({ length: 1 + (random() % 6) }, () => random() % (size + 1)).sort((a, b) => a - b);
    const runs = [...cuts.map((bytes): Run => ({ bytes, options: {} })), { bytes: size, options: { isOver: true } }];
    const whole = spansOfRuns(file, copy, runs.slice(-1), agents);
    assert.deepEqual(sorted(spansOfRuns(file, copy, runs, agents)), sorted(whole), `${file} cut at ${cuts.join()}`);
  }
});

test('runs at the ends of turns give exactly the spans of one run', async (context) => {
  const copy = path.join(temporaryFolder(context), 'copy.jsonl');
  for (const { file, size, random } of cases(Math.ceil(splits / 3))) {
    const agents = await findAgentTranscripts(file);
    const ends = [...streamTurns(file, undefined)].map(({ cursor }) => cursor.offset).filter(() => random() % 2 === 0);
    const runs = [
      ...ends.map((bytes): Run => ({ bytes, options: { isFinal: true } })),
      { bytes: size, options: { isOver: true } },
    ];
    const whole = spansOfRuns(file, copy, runs.slice(-1), agents);
    assert.deepEqual(sorted(spansOfRuns(file, copy, runs, agents)), sorted(whole), `${file} cut at ${ends.join()}`);
  }
});

test('runs that end in the middle of turns still make each span once', async (context) => {
  const copy = path.join(temporaryFolder(context), 'copy.jsonl');
  let tried = 0;
  for (const { file, size, random } of cases(Math.ceil(splits / 3))) {
    // Sub-agents inside the main file (1.0.x) are cut with it, and have no id that would hold the pieces together.
    if (/"isSidechain":\s*true/.test(readFileSync(file, 'utf8'))) continue;
    const agents = await findAgentTranscripts(file);
    const cuts = Array.from({ length: 1 + (random() % 6) }, () => random() % (size + 1)).sort((a, b) => a - b);
    const runs = [
      ...cuts.map((bytes): Run => ({ bytes, options: { isFinal: true } })),
      { bytes: size, options: { isOver: true } },
    ];
    const whole = spansOfRuns(file, copy, runs.slice(-1), agents);
    const cut = spansOfRuns(file, copy, runs, agents);
    assert.deepEqual(cut.map(identity).sort(), whole.map(identity).sort(), `${file} cut at ${cuts.join()}`);
    const tools = (spans: typeof whole) => sorted(spans.filter((span) => span.kind === 'tool'));
    assert.deepEqual(tools(cut), tools(whole), `${file} cut at ${cuts.join()}`);
    tried++;
  }
  assert.ok(tried > splits / 6);
});

test(
  'cut into hook runs, with state, ledger and outbox between them, the bytes spooled hold the same spans',
  {},
  async (context) => {
    // Spans without a time get the clock's.
    context.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 15) });
    for (const { file, size, random } of cases(Math.ceil(splits / 10), '/corpus/real/')) {
      const cuts = Array.from({ length: 1 + (random() % 4) }, () => random() % (size + 1)).sort((a, b) => a - b);
      const whole = await spooledBy(context, file, [size]);
      assert.deepEqual(await spooledBy(context, file, [...cuts, size]), whole, `${file} cut at ${cuts.join()}`);
    }
  },
);

/** The spans in the outbox, as lines, after runs that found so many bytes in the file. */
async function spooledBy(context: TestContext, file: string, sizes: readonly number[]): Promise<readonly string[]> {
  const home = temporaryFolder(context);
  const copy = path.join(home, path.basename(path.dirname(file)), path.basename(file));
  cpSync(path.dirname(file), path.dirname(copy), { recursive: true });
  const content = readFileSync(file);
  const env = traceEnv(home, 'http://127.0.0.1:9', { CLEW_TRACE_REDACT: 'off' });
  truncateSync(copy);
  let written = 0;
  for (const [i, bytes] of sizes.entries()) {
    appendFileSync(copy, content.subarray(written, bytes));
    written = bytes;
    const atEnd = i === sizes.length - 1 ? 'session' : undefined;
    await traceSession({ ...runOf(copy), atEnd }, contextFor(env));
  }
  const places = tracePlaces(env);
  const bodies = listBatches(places, 'default', 'ready').flatMap(
    (name) => openBatch(places, 'default', name, 'ready')?.body ?? [],
  );
  rmSync(home, { recursive: true });
  return bodies
    .flatMap((body) => spansIn(gunzipSync(body)))
    .map((span) => JSON.stringify(span))
    .sort();
}

function identity({
  traceId,
  spanId,
  parentSpanId,
  kind,
  startMs,
}: {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly kind: string;
  readonly startMs: number | undefined;
}): string {
  return [kind, traceId, spanId, parentSpanId, startMs].join();
}

/** Files of the corpora in turn, and numbers that are the same in every run of the test. */
function* cases(count: number, within = ''): Generator<{ file: string; size: number; random: () => number }> {
  const files = corpusTranscripts()
    .filter((file) => file.includes(within))
    .map((file) => ({ file, size: statSync(file).size }))
    .filter(({ size }) => size > 0 && size < maxBytes);
  assert.ok(files.length > 10);
  let seed = 20261115;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed >>> 4;
  };
  for (let i = 0; i < count; i++) {
    const chosen = files[random() % files.length];
    if (chosen !== undefined) yield { ...chosen, random };
  }
}
