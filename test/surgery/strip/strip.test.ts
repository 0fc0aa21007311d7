// Stripping builder sessions, option by option: what is removed, what is repaired, and what never changes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { isObject, type JsonObject, parseJson } from '../../../src/base/json/json.ts';
import { usageLinesOf } from '../../../src/session/facts/session-usage.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { countUsage, totalUsage } from '../../../src/session/usage/usage.ts';
import { type Outcome, operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { planStrip } from '../../../src/surgery/strip/strip.ts';
import type { StripOptions } from '../../../src/surgery/strip/strip-options.ts';
import { asBefore, benchWith } from '../../support/surgery-kit.ts';
import { tinyImage } from '../../support/tiny-images.ts';
import {
  sessionId,
  type TranscriptBuilder,
  text,
  thinking,
  toolResult,
  toolUse,
  transcript,
} from '../../support/transcript-builder.ts';

test('a call goes with its result, and what hung on them hangs on the line before', async (context) => {
  const built = transcript()
    .user('one')
    .assistant('let me look', { message: { id: 'm' } })
    .call('toolu_1', { message: { id: 'm' } })
    .result('toolu_1', { toolUseResult: { stdout: 'out' } })
    .assistant('done')
    .lastPrompt('a3');
  const { after, outcome } = await strip(context, built, { tools: [] });
  assert.deepEqual(chain(after), ['u1 <- null', 'a1 <- u1', 'a3 <- a1', 'last-prompt a3']);
  assert.deepEqual(
    outcome.dropped.map(({ line, uuid, reason }) => ({ line, uuid, reason })),
    [
      { line: 3, uuid: 'a2', reason: 'a tool call' },
      { line: 4, uuid: 'r1', reason: 'the result of a tool call' },
    ],
  );
});

test('of parallel calls only the named tool is removed, and the other results stay reachable', async (context) => {
  const built = transcript()
    .user('one')
    .assistant([toolUse('toolu_1', 'Bash')], { message: { id: 'm' } })
    .assistant([toolUse('toolu_2', 'mcp__db__query')], { message: { id: 'm' } })
    .from('a1')
    .result('toolu_1')
    .from('a2')
    .result('toolu_2')
    .from('r1')
    .assistant('done');
  const { after, sent } = await strip(context, built, { tools: ['Bash'] });
  assert.deepEqual(chain(after), ['u1 <- null', 'a2 <- u1', 'r2 <- a2', 'a3 <- r2']);
  assert.deepEqual(sent, ['one', 'toolu_2', 'toolu_2', 'done']);
  const other = await strip(context, built, { tools: ['mcp__*'] });
  assert.deepEqual(other.sent, ['one', 'toolu_1', 'toolu_1', 'done']);
});

test('a line with other content stays without its call; a typed text with a result stays', async (context) => {
  const built = transcript()
    .user('one')
    .assistant([text('look'), toolUse('toolu_1')])
    .user([toolResult('toolu_1'), text('and hurry')], { toolUseResult: 'out', sourceToolAssistantUUID: 'a1' })
    .assistant('done');
  const { after } = await strip(context, built, { tools: [] });
  const [, call, result] = built.entries;
  assert.deepEqual(after.slice(1, 3), [
    { ...renamed(call), message: { ...messageOf(call), content: [text('look')] } },
    withoutKeys({ ...renamed(result), message: { role: 'user', content: [text('and hurry')] } }, [
      'toolUseResult',
      'sourceToolAssistantUUID',
    ]),
  ]);
});

test('thinking goes with the call it led to, and stays unaltered before a text', async (context) => {
  const built = transcript()
    .user('one')
    .assistant([thinking('hm')], { message: { id: 'answer 1' } })
    .assistant([toolUse('toolu_1')], { message: { id: 'answer 1' } })
    .result('toolu_1')
    .assistant([thinking('so'), text('first'), toolUse('toolu_2')], { message: { id: 'answer 2' } })
    .result('toolu_2')
    .assistant([thinking('a'), toolUse('toolu_3'), thinking('b'), text('last')], { message: { id: 'answer 3' } })
    .result('toolu_3')
    .assistant([text('said'), thinking('then'), toolUse('toolu_4')], { message: { id: 'answer 4' } })
    .result('toolu_4')
    .assistant('done');
  const { after } = await strip(context, built, { tools: [] });
  assert.deepEqual(
    after.map((entry) => messageOf(entry).content),
    ['one', [thinking('so'), text('first')], [text('last')], [text('said')], [text('done')]],
  );
});

test('a call that was never answered goes with its line, as a resume leaves it out', async (context) => {
  const built = transcript()
    .user('one')
    .assistant([text('never sent'), toolUse('toolu_1')])
    .user('two')
    .assistant('done');
  const { sent, outcome } = await strip(context, built, { tools: [] });
  assert.deepEqual(sent, ['one\n', 'two', 'done']);
  assert.equal(outcome.dropped.length, 1);
});

test('snapshots, pins, sources and preserved history follow what is left', async (context) => {
  const built = transcript()
    .user('one')
    .call('toolu_1')
    .result('toolu_1')
    .assistant('done')
    .boundary({
      preservedSegment: { headUuid: 'a1', anchorUuid: 'u2', tailUuid: 'a2' },
      preservedMessages: { anchorUuid: 'u2', uuids: ['a1', 'r1', 'a2'], allUuids: ['a1', 'r1', 'a2'] },
    })
    .summary('in short')
    .aside('file-history-snapshot', { messageId: 'r1', snapshot: { messageId: 'r1', trackedFileBackups: {} } })
    .aside('file-history-delta', { messageId: 'a1', snapshotMessageId: 'u1' })
    .aside('summary', { summary: 'title', leafUuid: 'r1' });
  const { after } = await strip(context, built, { tools: [] });
  const boundary = after.find(({ subtype }) => subtype === 'compact_boundary');
  assert.deepEqual(boundary?.compactMetadata, {
    preservedSegment: { headUuid: 'a2', anchorUuid: 'u2', tailUuid: 'a2' },
    preservedMessages: { anchorUuid: 'u2', uuids: ['a2'], allUuids: ['a2'] },
  });
  const asides = after.filter(({ uuid }) => uuid === undefined);
  assert.doesNotMatch(JSON.stringify(asides), /"(r1|a1)"/);
  assert.deepEqual(
    asides.map(({ messageId, leafUuid }) => messageId ?? leafUuid),
    ['u2', 'u2', 'u2'],
  );
});

test('a result is shortened in the message and in toolUseResult, with a reference to the original', async (context) => {
  const built = transcript()
    .user('one')
    .call('toolu_1')
    .user([toolResult('toolu_1', 'x'.repeat(500))], { toolUseResult: { stdout: 'x'.repeat(500), stderr: '' } })
    .assistant('done');
  const { after } = await strip(context, built, { truncateResults: 10 });
  const cut = `xxxxxxxxxx\n[clew: 490 of 500 characters cut; all of it is in session ${sessionId}, line 3]`;
  assert.deepEqual(
    { content: messageOf(after[2]).content, twin: after[2]?.toolUseResult },
    { content: [toolResult('toolu_1', cut)], twin: { stdout: cut, stderr: '' } },
  );
  await assert.rejects(
    strip(context, built, { truncateResults: 450 }),
    /nothing to strip in/,
    'the note would be longer',
  );
});

test('inputs are cut only when asked for', async (context) => {
  const input = { file_path: '/a', content: 'é'.repeat(300) };
  const built = transcript()
    .user('one')
    .assistant([toolUse('toolu_1', 'Write', input)])
    .result('toolu_1')
    .assistant('done');
  const { after } = await strip(context, built, { truncateInputs: 5 });
  const content = `ééééé\n[clew: 295 of 300 characters cut; all of it is in session ${sessionId}, line 2]`;
  assert.deepEqual(messageOf(after[1]).content, [toolUse('toolu_1', 'Write', { file_path: '/a', content })]);
});

test('images become a text, in prompts, in results and in their twins', async (context) => {
  const data = tinyImage('png', 40, 30).toString('base64');
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
  const file = { base64: data, type: 'image/png', originalSize: 29 };
  const built = transcript()
    .user([text('look'), image])
    .call('toolu_1')
    .user([toolResult('toolu_1', [image])], { toolUseResult: { type: 'image', file } })
    .assistant('done');
  const { after } = await strip(context, built, { images: true });
  const note = (line: number): string =>
    `[clew: image image/png, 40×30 pixels, 29 B, taken out; it is in session ${sessionId}, line ${line}]`;
  const twin = { filePath: '', content: note(3), numLines: 1, startLine: 1, totalLines: 1 };
  assert.deepEqual(
    [messageOf(after[0]).content, messageOf(after[2]).content, after[2]?.toolUseResult],
    [[text('look'), text(note(1))], [toolResult('toolu_1', [text(note(3))])], { type: 'text', file: twin }],
  );
});

test('progress and bookkeeping go, and the chain closes over them', async (context) => {
  const built = transcript()
    .user('one')
    .attachment('prompt_snapshot')
    .progress()
    .assistant('done')
    .aside('api-request', { id: 'x' })
    .aside('cost-state', {});
  const { after, outcome } = await strip(context, built, { progress: true, bookkeeping: true });
  assert.deepEqual(chain(after), ['u1 <- null', 'a1 <- u1']);
  assert.deepEqual(
    after[1],
    { ...renamed(built.entries[3]), parentUuid: 'u1' },
    'its usage stays: no context was lost',
  );
  assert.deepEqual(outcome.notes, []);
});

test('lines after the limit do not change, in turns and in time', async (context) => {
  const built = transcript();
  for (const turn of ['1', '2', '3']) built.user(turn).call(`toolu_${turn}`).result(`toolu_${turn}`).assistant('done');
  const last = Date.parse('2026-01-03T10:00:08.000Z');
  for (const limit of [{ keepLast: 1 }, { olderThanTurns: 1 }, { olderThanTime: last }]) {
    const { after, outcome } = await strip(context, built, { tools: [], ...limit });
    assert.deepEqual(
      outcome.dropped.map(({ uuid }) => uuid),
      ['a1', 'r1', 'a3', 'r2'],
    );
    const [, , , , ...kept] = after;
    assert.deepEqual(kept.slice(0, 3), built.entries.slice(8, 11).map(renamed));
  }
});

test('a call whose result is after the limit stays', async (context) => {
  const built = transcript()
    .user('one')
    .call('toolu_0')
    .result('toolu_0')
    .call('toolu_1')
    .user('two')
    .result('toolu_1')
    .assistant('done');
  const { outcome } = await strip(context, built, { tools: [], keepLast: 1 });
  assert.deepEqual(
    outcome.dropped.map(({ uuid }) => uuid),
    ['a1', 'r1'],
  );
});

test('sub-agents are stripped only when asked for', async (context) => {
  const agent = transcript({ isSidechain: true, agentId: 'abc1234' }).user('task').call('toolu_9').result('toolu_9');
  agent.assistant('agent done');
  const built = transcript().user('one').call('toolu_1').result('toolu_1').assistant('done');
  const name = `${sessionId}/subagents/agent-abc1234.jsonl`;
  const bench = benchWith(context, sessionId, built.text(), { [name]: agent.text() });
  const source = await loadSource(bench.main);
  const agentLines = async (agents: boolean): Promise<number> => {
    const { to } = await operate(planStrip(source, { tools: [], agents }), [source], { env: bench.env });
    return entriesOf(to.path.replace('.jsonl', '/subagents/agent-abc1234.jsonl')).length;
  };
  assert.deepEqual([await agentLines(false), await agentLines(true)], [4, 2]);
});

test('the usage of the last answer is zero in a clone that shrank, and tokens still count once', async (context) => {
  const usage = {
    input_tokens: 9,
    cache_read_input_tokens: 190_000,
    output_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 3 },
  };
  const built = transcript().user('one').call('toolu_1').result('toolu_1').assistant('done', { message: { usage } });
  const bench = benchWith(context, sessionId, built.text());
  const source = await loadSource(bench.main);
  const { to, notes } = await operate(planStrip(source, { tools: [] }), [source], { env: bench.env });
  const zero = {
    input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0 },
  };
  assert.deepEqual(messageOf(entriesOf(to.path).at(-1)).usage, zero);
  assert.deepEqual(notes, [
    'the usage of the last answer is set to 0, so that clients do not consider the context full',
  ]);
  const clone = await loadSession(to.path);
  const count = (...lines: Parameters<typeof countUsage>[0][]): unknown =>
    totalUsage(countUsage(lines.flatMap((each) => [...each])).messages);
  const alone = count(usageLinesOf(source.session));
  assert.deepEqual(count(usageLinesOf(source.session), usageLinesOf(clone)), alone);
  assert.deepEqual(count(usageLinesOf(clone), usageLinesOf(source.session)), alone);
});

test('in place the session keeps its id, its other lines byte for byte, and a way back', async (context) => {
  const built = transcript().user('one').call('toolu_1').result('toolu_1').assistant('done');
  const bench = benchWith(context, sessionId, built.text());
  const source = await loadSource(bench.main);
  const outcome = await operate(planStrip(source, { tools: [], isInPlace: true }), [source], { env: bench.env });
  assert.equal(outcome.to.path, bench.main);
  const [first] = readFileSync(bench.main, 'utf8').split('\n');
  assert.equal(first, built.text().split('\n')[0]);
  assert.ok(outcome.id !== undefined);
});

test('what cannot be done is refused in one line', async (context) => {
  const calls = transcript()
    .user([toolResult('toolu_0')])
    .call('toolu_1')
    .result('toolu_1');
  await assert.rejects(strip(context, calls, { tools: [] }), /nothing of the conversation would remain/);
  await assert.rejects(strip(context, transcript().user('one'), { images: true }), /nothing to strip in/);
  await assert.rejects(strip(context, transcript().user('one'), {}), /nothing to strip was chosen/);
});

interface StripRun {
  readonly after: JsonObject[];
  readonly outcome: Outcome;
  readonly sent: readonly string[];
}

async function strip(context: TestContext, built: TranscriptBuilder, options: StripOptions): Promise<StripRun> {
  const bench = benchWith(context, sessionId, built.text());
  const source = await loadSource(bench.main);
  const outcome = await operate(planStrip(source, options), [source], { env: bench.env });
  const request = requestMessages(await loadSession(outcome.to.path));
  assert.ok('messages' in request);
  const sent = request.messages.flatMap(({ content }) =>
    content.map((block) => String(block.text ?? block.id ?? block.tool_use_id)),
  );
  const after = entriesOf(outcome.to.path).map((entry) => asBefore(entry, sessionId));
  return { after, outcome, sent };
}

/** An entry as the clone would hold it untouched. */
function renamed(entry: JsonObject | undefined): JsonObject {
  return entry ?? {};
}

function withoutKeys(entry: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !keys.includes(key)));
}

function messageOf(entry: JsonObject | undefined): JsonObject {
  return isObject(entry?.message) ? entry.message : {};
}

function chain(entries: readonly JsonObject[]): string[] {
  return entries.map(({ uuid, parentUuid, type, leafUuid }) =>
    uuid === undefined ? `${type} ${leafUuid}` : `${uuid} <- ${parentUuid}`,
  );
}

function entriesOf(file: string): JsonObject[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n').map(parseJson).filter(isObject);
}
