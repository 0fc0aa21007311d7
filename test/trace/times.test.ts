// When spans begin and end: a generation from the line that caused it to its own last line, a call from its line to its
// result. The clock of the machine is in none of them. All corpora are checked in times.slow.test.ts.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { runHook } from '../../src/trace/hook/hook.ts';
import { sendOutbox } from '../../src/trace/outbox/send.ts';
import { noAgents } from '../../src/trace/read/agents.ts';
import type { TraceSpan } from '../../src/trace/span/span.ts';
import { writeTree } from '../support/temp-folder.ts';
import { contextFor, homeFor, traceEnv } from '../support/trace-kit.ts';
import { type ReceivedSpan, startReceiver } from '../support/trace-receiver.ts';
import { startTime, text, toolResult, toolUse, transcript } from '../support/transcript-builder.ts';
import { allSpansOf, spansOf, spansOfRuns, writeSession } from './trace-kit.ts';

/** Line n is written at second n - 1, unless a line says otherwise. */
test('a generation lasts from the prompt or result before it to its last line, a call from its line to its result', (context) => {
  const session = transcript()
    .user('go') // 0
    .assistant([text('I look')]) // 1
    .assistant([toolUse('t1')], { message: { id: 'm1' } }) // 2
    .assistant([toolUse('t2')], { message: { id: 'm1' } }) // 3
    .result('t2') // 4
    .result('t1') // 5
    .assistant('done'); // 6
  assert.deepEqual(rows(spansIn(context, session.text())), [
    'turn 0 6',
    'generation m1 0 3',
    'tool t1 2 5',
    'tool t2 3 4',
    'generation m2 5 6',
  ]);
});

test('a response without a prompt or result before it begins where the one before it ended', (context) => {
  const session = transcript()
    .user('go') // 0
    .assistant('cut off', { message: { stop_reason: 'max_tokens' } }) // 1
    .assistant('and on') // 2
    .after(0)
    .assistant('at the same moment'); // 2
  assert.deepEqual(rows(spansIn(context, session.text())), [
    'turn 0 2',
    'generation m1 0 1',
    'generation m2 1 2',
    'generation m3 0 2',
  ]);
});

test('a line that the client injects causes the response after it', (context) => {
  const session = transcript()
    .user('go') // 0
    .assistant('done') // 1
    .after(60_000)
    .user('Stop hook feedback: not yet', { isMeta: true }) // 61
    .assistant('now'); // 62
  assert.deepEqual(rows(spansIn(context, session.text())), ['turn 0 62', 'generation m1 0 1', 'generation m2 61 62']);
});

test('lines of an agent in the main transcript cause none of its generations (1.0.x)', (context) => {
  const side = { isSidechain: true };
  const session = transcript()
    .user('go') // 0
    .assistant([toolUse('t1', 'Task', { prompt: 'Count' })]) // 1
    .user('Count', side) // 2
    .assistant('two', side) // 3
    .from('a1')
    .assistant('meanwhile') // 4
    .result('t1'); // 5
  assert.deepEqual(rows(spansIn(context, session.text())), [
    'turn 0 5',
    'generation m1 0 1',
    'tool t1 1 5',
    'generation m3 1 4',
    'subagent 2 3',
    'generation m2 2 3',
  ]);
});

test('what caused a response is known when a Stop came between the two', (context) => {
  const session = transcript()
    .user('go') // 0
    .call('t1') // 1
    .result('t1') // 2
    .assistant('done') // 3
    .user('hook feedback', { isMeta: true }) // 4
    .assistant('more'); // 5
  const lines = session.text().split(/(?<=\n)/);
  const bytes = (count: number): number => Buffer.byteLength(lines.slice(0, count).join(''));
  const file = writeSession(context, { 'main.jsonl': session.text() });
  const copy = path.join(path.dirname(file), 'copy.jsonl');
  for (const cut of [3, 5]) {
    const runs = [
      { bytes: bytes(cut), options: { isFinal: true } },
      { bytes: bytes(6), options: { isOver: true } },
    ];
    const spans = rows(spansOfRuns(file, copy, runs, noAgents));
    assert.deepEqual(
      spans.filter((row) => row.startsWith('generation')),
      ['generation m1 0 1', 'generation m2 2 3', 'generation m3 4 5'],
      `a Stop after line ${cut}`,
    );
  }
});

test('where the client wrote when it sent a request, the response begins there (2.1.300)', (context) => {
  const session = transcript()
    .user('go') // 0
    .entry({ type: 'api-request', id: 'q1', timestamp: at(0.6), params: {} })
    .assistant('a', { requestRef: 'q1' }) // 1
    .user('and') // 2
    .entry({ type: 'api-request', id: 'q2', timestamp: at(2.7), params: {} })
    .assistant('b', { requestRef: 'of another file' }); // 3
  assert.deepEqual(rows(spansIn(context, session.text())), [
    'turn 0 1',
    'generation m1 0.6 1',
    'turn 2 3',
    'generation m2 2 3',
  ]);
});

test('clocks that run backwards make no span that ends before it starts', (context) => {
  const session = transcript()
    .user('go') // 0
    .call('t1', { timestamp: at(-5) })
    .result('t1', { timestamp: at(-9) });
  assert.deepEqual(rows(spansIn(context, session.text())), ['turn 0 0', 'generation m1 -5 -5', 'tool t1 -5 -5']);
});

test('calls that the API answers last from the line of the call to that of the answer', (context) => {
  const session = transcript()
    .user('go') // 0
    .assistant([{ type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }]) // 1
    .assistant([{ type: 'web_search_tool_result', tool_use_id: 's1', content: [] }], { message: { id: 'm1' } }); // 2
  assert.deepEqual(rows(spansIn(context, session.text())), ['turn 0 2', 'generation m1 0 2', 'tool s1 1 2']);
});

test('Esc: the answer that was broken off does not last until the next prompt', (context) => {
  const session = transcript()
    .user('go') // 0
    .assistant([text('I begin'), toolUse('t1')]) // 1
    .user([toolResult('t1', 'rejected', { is_error: true })]) // 2
    .user([text('[Request interrupted by user for tool use]')]) // 3
    .after(3_600_000)
    .user('an hour later') // 3603
    .assistant('yes'); // 3604
  assert.deepEqual(rows(spansIn(context, session.text())), [
    'turn 0 2',
    'generation m1 0 1',
    'tool t1 1 2',
    'turn 3603 3604',
    'generation m2 3603 3604',
  ]);
});

test('a background agent has the times of its own lines, though its call came back at once', async (context) => {
  const launched = { toolUseResult: { isAsync: true, status: 'async_launched', agentId: 'bg' } };
  const main = transcript()
    .user('go') // 0
    .assistant([toolUse('t1', 'Task', { prompt: 'Count' })]) // 1
    .result('t1', launched) // 2
    .assistant('it runs') // 3
    .after(600_000)
    .user('<task-notification>\n<task-id>bg</task-id>\n</task-notification>') // 603
    .assistant('noted'); // 604
  const agent = transcript({ isSidechain: true, agentId: 'bg' })
    .user('Count', { timestamp: at(2.5) })
    .assistant([toolUse('w1')], { message: { id: 'a1' }, timestamp: at(10) })
    .result('w1', { timestamp: at(590) })
    .assistant('two', { message: { id: 'a2' }, timestamp: at(600) });
  const file = writeSession(context, { 'main.jsonl': main.text(), 'main/subagents/agent-bg.jsonl': agent.text() });
  assert.deepEqual(rows(await allSpansOf(file)), [
    'turn 0 604',
    'generation m1 0 1',
    'tool t1 1 2',
    'generation m2 2 3',
    'generation m3 603 604',
    'subagent 2.5 600',
    'generation a1 2.5 10',
    'tool w1 10 590',
    'generation a2 590 600',
  ]);
});

test('a Stop on a transcript of January, resumed a day later: every span has the times of its lines', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const env = traceEnv(home, receiver.url);
  const session = transcript()
    .user('go') // 0
    .call('t1') // 1
    .after(2_000)
    .result('t1') // 3
    .assistant('done'); // 4
  writeTree(home, { 'p/s.jsonl': session.text() });
  const file = path.join(home, 'p', 's.jsonl');
  const stop = async (): Promise<void> => {
    const input = JSON.stringify({ hook_event_name: 'Stop', transcript_path: file });
    await runHook(input, { env, startSender: () => {} });
    const { places, config } = contextFor(env);
    await sendOutbox({ places, destinations: config.destinations });
  };
  await stop();
  const before = session.text();
  session.after(86_400_000).user('next day').assistant('yes'); // 86404, 86405
  appendFileSync(file, session.text().slice(before.length));
  await stop();
  assert.deepEqual(receiver.spans.map(receivedRow), [
    'Turn 1 0 4',
    'claude-opus-4-5-20251101 0 1',
    'Read 1 3',
    'claude-opus-4-5-20251101 3 4',
    'Turn 2 86404 86405',
    'claude-opus-4-5-20251101 86404 86405',
  ]);
});

test('lines without times have the time of another line of their trace, in the live hook too', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const env = traceEnv(home, receiver.url);
  const untimed = { timestamp: undefined };
  const session = transcript().user('go').assistant('a', untimed).user('two', untimed).assistant('b', untimed);
  writeTree(home, { 'p/s.jsonl': session.text() });
  const input = JSON.stringify({ hook_event_name: 'Stop', transcript_path: path.join(home, 'p', 's.jsonl') });
  await runHook(input, { env, startSender: () => {} });
  const { places, config } = contextFor(env);
  await sendOutbox({ places, destinations: config.destinations });
  assert.deepEqual(receiver.spans.map(receivedRow), [
    'Turn 1 0 0',
    'claude-opus-4-5-20251101 0 0',
    'Turn 2 0 0',
    'claude-opus-4-5-20251101 0 0',
  ]);
});

function spansIn(context: TestContext, content: string): readonly TraceSpan[] {
  return spansOf(writeSession(context, { 'main.jsonl': content }));
}

/** Kind, id, and start and end in seconds after the first line. */
function rows(spans: readonly TraceSpan[]): readonly string[] {
  return spans.map(({ detail, startMs, endMs }) => {
    const id = detail.kind === 'generation' ? detail.messageId : detail.kind === 'tool' ? detail.toolUseId : undefined;
    return [detail.kind, ...(id === undefined ? [] : [id]), seconds(startMs), seconds(endMs)].join(' ');
  });
}

function receivedRow({ name, startMs, endMs }: ReceivedSpan): string {
  return `${name} ${seconds(startMs)} ${seconds(endMs)}`;
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? '-' : `${(ms - startTime) / 1000}`;
}

function at(second: number): string {
  return new Date(startTime + second * 1000).toISOString();
}
