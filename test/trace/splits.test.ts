// However a transcript is cut into runs, its spans are those in the table below, each exactly once. The corpora are cut
// at random in splits.slow.test.ts.
import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { listBatches, openBatch } from '../../src/trace/outbox/outbox.ts';
import { findAgentTranscripts } from '../../src/trace/read/agents.ts';
import { traceSession } from '../../src/trace/session/trace-session.ts';
import type { TraceSpan } from '../../src/trace/span/span.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { contextFor, runOf, traceEnv } from '../support/trace-kit.ts';
import { spansIn } from '../support/trace-receiver.ts';
import { startTime, text, toolUse, transcript } from '../support/transcript-builder.ts';
import { hash, type Run, spansOfRuns } from './trace-kit.ts';

/** Line n is written at second n - 1. */
const main = transcript()
  .user('one')
  .assistant([text('I look')])
  .assistant([toolUse('t1')], { message: { id: 'm1' } })
  .result('t1')
  .assistant([toolUse('t2', 'Task', { prompt: 'Count', subagent_type: 'helper' })])
  .result('t2', { toolUseResult: { isAsync: true, status: 'async_launched', agentId: 'bg' } })
  .assistant('it runs')
  .user('two')
  .assistant('and I wait', { message: { id: 'm3' } }) // still the message before the prompt
  .call('t3')
  .user('injected', { isMeta: true })
  .result('t3')
  .user('<task-notification>\n<task-id>bg</task-id>\n</task-notification>')
  .assistant('noted')
  .user('one')
  .assistant([text('I look')], { message: { id: 'm1' } }) // the history, written again
  .user('three')
  .call('t4');
const lines = main.text().split(/(?<=\n)/);

const agent = transcript({ isSidechain: true, agentId: 'bg' })
  .user('Count', { timestamp: at(5.1) })
  .assistant('two', { message: { id: 'w1' }, timestamp: at(5.2) })
  .text();

const [first, second, third] = ['m1', 'm4', 'm6'].map((key) => hash(`cct1|trace|${key}`, 32));
const sub = `${first}|sub|bg`;

/** Trace, the text that the id is made of, the parent's text, start and end in seconds. */
const table: readonly (readonly [string | undefined, string, string | undefined, number, number?])[] = [
  [first, `${first}|agent`, undefined, 0, 8],
  [first, `${first}|gen|m1`, `${first}|agent`, 0, 2],
  [first, `${first}|tool|t1`, `${first}|gen|m1`, 2, 3],
  [first, `${first}|gen|m2`, `${first}|agent`, 3, 4],
  [first, `${first}|tool|t2`, `${first}|gen|m2`, 4, 5],
  [first, `${first}|gen|m3`, `${first}|agent`, 5, 8],
  [first, sub, `${first}|tool|t2`, 5.1, 5.2],
  [first, `${sub}|gen|w1`, sub, 5.1, 5.2],
  [second, `${second}|agent`, undefined, 7, 13],
  [second, `${second}|gen|m4`, `${second}|agent`, 8, 9],
  [second, `${second}|tool|t3`, `${second}|gen|m4`, 9, 11],
  [second, `${second}|gen|m5`, `${second}|agent`, 12, 13],
  [third, `${third}|agent`, undefined, 16, 17],
  [third, `${third}|gen|m6`, `${third}|agent`, 16, 17],
  [third, `${third}|tool|t4`, `${third}|gen|m6`, 17],
];
const expected = rowsOf(table);

test('a transcript is split at and within every line: two runs without an end make the spans of the table', async (context) => {
  const { file, copy, agents } = await written(context);
  const ends = lines.map((_, i) => sizeOf(i + 1));
  const cuts = ends.flatMap((end, i) => [end - Math.ceil(Buffer.byteLength(lines[i] ?? '') / 2), end - 1, end]);
  assert.equal(cuts.length, 54);
  for (const bytes of cuts) {
    const runs = [{ bytes, options: {} }, over];
    assert.deepEqual(spansOfRuns(file, copy, runs, agents).map(row).sort(), expected, `cut at ${bytes}`);
  }
});

test('a run after every line, and runs at the end of each turn, make the spans of the table', async (context) => {
  const { file, copy, agents } = await written(context);
  const each = lines.map((_, i): Run => ({ bytes: sizeOf(i + 1), options: {} }));
  assert.deepEqual(
    spansOfRuns(file, copy, [...each, over], agents)
      .map(row)
      .sort(),
    expected,
  );
  const stops = [9, 14, 16].map((count): Run => ({ bytes: sizeOf(count), options: { isFinal: true } }));
  assert.deepEqual(
    spansOfRuns(file, copy, [...stops, over], agents)
      .map(row)
      .sort(),
    expected,
  );
});

test('rows that follow a Stop are new children of a turn that keeps the end it had', async (context) => {
  const { file, copy, agents } = await written(context);
  const stop = { bytes: sizeOf(4), options: { isFinal: true } };
  const root = `${first}|agent`;
  const cut = table.map((line) => (line[1] === root ? ([line[0], line[1], line[2], line[3], 3] as const) : line));
  assert.deepEqual(spansOfRuns(file, copy, [stop, over], agents).map(row).sort(), rowsOf(cut));
});

test('through state, ledger and outbox a run after every line spools the spans of the table', async (context) => {
  const home = temporaryFolder(context);
  const env = traceEnv(home, 'http://127.0.0.1:9', { CLEW_TRACE_REDACT: 'off' });
  writeTree(home, { 'p/main.jsonl': '', 'p/main/subagents/agent-bg.jsonl': agent });
  const file = path.join(home, 'p', 'main.jsonl');
  for (const [i, line] of lines.entries()) {
    appendFileSync(file, line);
    await traceSession({ ...runOf(file), atEnd: i === lines.length - 1 ? 'session' : undefined }, contextFor(env));
  }
  const { places } = contextFor(env);
  const spooled = listBatches(places, 'default', 'ready').flatMap((name) => {
    const batch = openBatch(places, 'default', name, 'ready');
    return batch === undefined ? [] : spansIn(gunzipSync(batch.body));
  });
  assert.deepEqual(
    spooled.map(({ traceId, spanId, parentSpanId }) => [traceId, spanId, parentSpanId].join(' ')).sort(),
    expected.map((line) => line.split(' ').slice(0, 3).join(' ')),
  );
});

const over: Run = { bytes: sizeOf(lines.length), options: { isOver: true } };

function sizeOf(count: number): number {
  return Buffer.byteLength(lines.slice(0, count).join(''));
}

async function written(context: TestContext) {
  const folder = temporaryFolder(context);
  const [file, copy] = [path.join(folder, 'main.jsonl'), path.join(folder, 'copy.jsonl')];
  writeTree(folder, { 'main/subagents/agent-bg.jsonl': agent });
  writeFileSync(file, main.text());
  return { file, copy, agents: await findAgentTranscripts(file) };
}

function rowsOf(lines: typeof table): readonly string[] {
  const seconds = (value: number | undefined) => (value === undefined ? '-' : `${value} s`);
  return lines
    .map(([traceId, id, parent, start, end]) =>
      [traceId, hash(id, 16), parent && hash(parent, 16), seconds(start), seconds(end)].join(' '),
    )
    .sort();
}

function row({ traceId, spanId, parentSpanId, startMs, endMs }: TraceSpan): string {
  const seconds = (ms: number | undefined) => (ms === undefined ? '-' : `${(ms - startTime) / 1000} s`);
  return [traceId, spanId, parentSpanId, seconds(startMs), seconds(endMs)].join(' ');
}

function at(seconds: number): string {
  return new Date(startTime + seconds * 1000).toISOString();
}
