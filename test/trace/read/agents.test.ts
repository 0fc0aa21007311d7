// Sub-agents → spans: below the call that started them, wherever their lines are, for each call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { findAgentTranscripts } from '../../../src/trace/read/agents.ts';
import { spanName, type TraceSpan } from '../../../src/trace/span/span.ts';
import { toolUse, transcript } from '../../support/transcript-builder.ts';
import { allSpansOf, hash, spansOf, writeSession } from '../trace-kit.ts';

const request = { description: 'd', prompt: 'Count files', subagent_type: 'helper' };
const asked = (): string =>
  transcript()
    .user('Ask')
    .assistant([toolUse('t1', 'Task', request)])
    .result('t1', from('a1'))
    .assistant('2 files')
    .text();
const from = (agentId: string): JsonObject => ({ toolUseResult: { agentId, status: 'completed' } });
const worker = (agentId: string, id: string): string =>
  transcript({ isSidechain: true, agentId })
    .user('Count files', { timestamp: '2026-01-03T10:00:01.100Z' })
    .assistant([toolUse(`${id}-tool`)], { message: { id }, timestamp: '2026-01-03T10:00:01.200Z' })
    .result(`${id}-tool`, { timestamp: '2026-01-03T10:00:01.300Z' })
    .assistant('two', { message: { id: `${id}-end` }, timestamp: '2026-01-03T10:00:01.400Z' })
    .text();

test('a sub-agent is below the call that started it, found by meta file, result or prompt', async (context) => {
  const nameless = asked().replace('"agentId":"a1",', '');
  const layouts = [
    {
      'main.jsonl': nameless,
      'main/subagents/agent-a1.jsonl': worker('a1', 'w'),
      'main/subagents/agent-a1.meta.json': '{"agentType":"helper","toolUseId":"t1"}',
    },
    { 'main.jsonl': asked(), 'main/subagents/agent-a1.jsonl': worker('a1', 'w') },
    { 'main.jsonl': asked(), 'agent-a1.jsonl': worker('a1', 'w') },
    {
      'main.jsonl': nameless,
      'agent-a1.jsonl': worker('a1', 'w').replaceAll('11111111-1111-4111-a111-111111111111', 'main'),
    },
  ];
  for (const layout of layouts) {
    const file = writeSession(context, layout);
    const spans = spansOf(file, {}, { agents: await findAgentTranscripts(file) });
    assert.deepEqual(tree(spans), [
      'Turn 1',
      '  claude-opus-4-5-20251101',
      '    Task',
      '      Subagent: helper',
      '        claude-opus-4-5-20251101',
      '          Read',
      '        claude-opus-4-5-20251101',
      '  claude-opus-4-5-20251101',
    ]);
    const agent = spans.find((span) => span.kind === 'subagent');
    assert.deepEqual([agent?.detail.input, agent?.detail.output], ['Count files', 'two']);
    const traceId = hash('cct1|trace|m1', 32);
    assert.equal(agent?.spanId, hash(`${traceId}|sub|a1`, 16));
    assert.ok(spans.some((span) => span.spanId === hash(`${traceId}|sub|a1|gen|w`, 16)));
  }
});

test('a sub-agent of 1.0.x is in the main transcript and is found by its prompt', (context) => {
  const side = { isSidechain: true };
  const session = transcript()
    .user('Ask')
    .assistant([toolUse('t1', 'Task', request)])
    .from(null)
    .user('Count files', side)
    .assistant('two', { ...side, message: { id: 'w' } })
    .from('a1')
    .result('t1')
    .assistant('2 files', { message: { id: 'end' } });
  const outline = tree(spansOf(writeSession(context, { 'main.jsonl': session.text() })));
  assert.deepEqual(
    outline.map((line) => line.replace('claude-opus-4-5-20251101', 'model')),
    ['Turn 1', '  model', '    Task', '      Subagent: helper', '        model', '  model'],
  );
});

test('agents that start each other are sent once, and one that is asked again has a span for each time', async (context) => {
  const again = (id: string, agentId: string) =>
    transcript({ agentId })
      .user('x')
      .assistant([toolUse(id, 'Task', request)])
      .result(id, from(agentId))
      .text();
  const loop = writeSession(context, {
    'main.jsonl': asked(),
    'main/subagents/agent-a1.jsonl': again('t2', 'a2').replaceAll('10:00:0', '09:00:0'),
    'main/subagents/agent-a2.jsonl': again('t3', 'a1').replaceAll('10:00:0', '09:00:0'),
  });
  const looped = spansOf(loop, {}, { agents: await findAgentTranscripts(loop) });
  assert.equal(new Set(idsOf(looped)).size, looped.length);
  assert.deepEqual(looped.filter((span) => span.kind === 'subagent').length, 2);

  const twice = transcript()
    .user('Ask')
    .assistant([toolUse('t1', 'Task', request)])
    .result('t1', from('a1'))
    .user('Again')
    .assistant([toolUse('t2', 'Task', request)])
    .result('t2', from('a1'))
    .assistant('done');
  const late = worker('a1', 'v').replaceAll('10:00:01.', '10:00:04.');
  const file = writeSession(context, {
    'main.jsonl': twice.text(),
    'main/subagents/agent-a1.jsonl': worker('a1', 'w') + late,
  });
  const spans = spansOf(file, {}, { agents: await findAgentTranscripts(file) });
  const generations = spans.flatMap(({ detail }) =>
    detail.kind === 'generation' && detail.agentId !== undefined ? [detail.messageId] : [],
  );
  assert.deepEqual(generations, ['w', 'w-end', 'v', 'v-end']);
  assert.equal(new Set(idsOf(spans)).size, spans.length);
});

test('agents that no call started are traces of their own', async (context) => {
  const file = writeSession(context, {
    'main.jsonl': asked(),
    'main/subagents/agent-a1.jsonl': worker('a1', 'w'),
    'main/subagents/agent-warm.jsonl': worker('warm', 'x'),
  });
  const spans = await allSpansOf(file);
  const traceId = hash('cct1|trace|agent|warm', 32);
  assert.deepEqual(
    spans.filter((span) => span.traceId === traceId).map(({ kind, parentSpanId }) => [kind, parentSpanId]),
    [
      ['subagent', undefined],
      ['generation', hash(`${traceId}|sub|warm`, 16)],
      ['tool', hash(`${traceId}|sub|warm|gen|x`, 16)],
      ['generation', hash(`${traceId}|sub|warm`, 16)],
    ],
  );
  assert.equal(new Set(idsOf(spans)).size, spans.length);
});

test('agents whose call is gone, and a transcript of side lines alone, are traces of their own', async (context) => {
  const meta = (toolUseId: string): string => JSON.stringify({ toolUseId, agentType: 'helper' });
  const main = transcript().user('Ask').assistant('nothing to do').text();
  const outer = transcript({ isSidechain: true, agentId: 'outer' })
    .user('Ask on')
    .assistant([toolUse('t2', 'Task', request)], { message: { id: 'o1' } })
    .result('t2');
  const file = writeSession(context, {
    'main.jsonl': main,
    'main/subagents/agent-lost.jsonl': worker('lost', 'w'),
    'main/subagents/agent-lost.meta.json': meta('t-gone'),
    'main/subagents/agent-outer.jsonl': outer.text(),
    'main/subagents/agent-inner.jsonl': worker('inner', 'y'),
    'main/subagents/agent-inner.meta.json': meta('t2'),
  });
  const roots = (spans: readonly TraceSpan[]): unknown =>
    spans.flatMap(({ detail, parentSpanId }) =>
      detail.kind === 'subagent' ? [[detail.agentId, parentSpanId === undefined]] : [],
    );
  assert.deepEqual(roots(await allSpansOf(file)), [
    ['lost', true],
    ['outer', true],
    ['inner', false],
  ]);
  const alone = writeSession(context, { 'main.jsonl': worker('alone', 'z') });
  assert.deepEqual(roots(await allSpansOf(alone)), [['alone', true]]);
});

function tree(spans: readonly TraceSpan[]): readonly string[] {
  const lines = (parent: string | undefined, indent: string): string[] =>
    spans
      .filter((span) => span.parentSpanId === parent)
      .flatMap((span) => [`${indent}${spanName(span)}`, ...lines(span.spanId, `${indent}  `)]);
  return lines(undefined, '');
}

function idsOf(spans: readonly TraceSpan[]): readonly string[] {
  return spans.map((span) => span.spanId);
}
