// Turns → spans: ids, sub-agents, errors, images, and the usage that adds up to what Clew counts.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../src/base/json.ts';
import { loadSession } from '../../src/session/session.ts';
import { sessionUsage } from '../../src/session/usage-lines.ts';
import { findAgentTranscripts } from '../../src/trace/agents.ts';
import type { TraceSpan } from '../../src/trace/span.ts';
import { spanName } from '../../src/trace/span-name.ts';
import { skipWithoutShared } from '../support/paths.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { text, thinking, toolResult, toolUse, transcript } from '../support/transcript-builder.ts';
import { allSpansOf, corpusTranscripts, spansOf } from './trace-kit.ts';

test('ids follow from the ids of the API alone', (context) => {
  const session = transcript().user('go').call('t1').result('t1').assistant('done');
  const copy = transcript({ sessionId: 'other', cwd: '/elsewhere' })
    .user('go')
    .call('t1')
    .result('t1')
    .assistant('done');
  const spans = spansIn(context, session.text());
  const traceId = hash('cct1|trace|m1', 32);
  assert.deepEqual(
    spans.map(({ spanId, parentSpanId }) => [spanId, parentSpanId]),
    [
      [hash(`${traceId}|agent`, 16), undefined],
      [hash(`${traceId}|gen|m1`, 16), hash(`${traceId}|agent`, 16)],
      [hash(`${traceId}|tool|t1`, 16), hash(`${traceId}|gen|m1`, 16)],
      [hash(`${traceId}|gen|m2`, 16), hash(`${traceId}|agent`, 16)],
    ],
  );
  assert.ok(spans.every((span) => span.traceId === traceId));
  assert.deepEqual(idsOf(spansIn(context, copy.text())), idsOf(spans));
});

test('without ids of the API the prompt’s uuid names the turn, and without that its session and line', (context) => {
  const nameless = { message: { id: undefined } };
  const byUuid = spansIn(context, transcript().user('go').assistant('a', nameless).text());
  assert.deepEqual(
    byUuid.map((span) => span.spanId),
    [hash(`${hash('cct1|trace|u1', 32)}|agent`, 16), hash(`${hash('cct1|trace|u1', 32)}|gen#0`, 16)],
  );
  const lines = [
    { type: 'summary' },
    { type: 'user', content: 'go' },
    { message: { role: 'assistant', content: 'a' } },
  ];
  const byLine = spansIn(context, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  assert.equal(byLine[0]?.traceId, hash('cct1|trace|main#2', 32));
});

test('a seed makes trace ids predictable, and copies can be kept apart', (context) => {
  const file = write(context, { 'main.jsonl': transcript().user('go').assistant('a').text() });
  assert.equal(spansOf(file, {}, { traceSeed: 'ci-7' })[0]?.traceId, hash('ci-7:1', 32));
  const kept = spansOf(file, { sessionId: 's2' }, { sessionId: 's2', keepForks: true });
  assert.equal(kept[0]?.traceId, hash('cct1|trace|m1|s2', 32));
});

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

test('a sub-agent stands below the call that started it, by meta file, by result or by what it was asked', async (context) => {
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
    const file = write(context, layout);
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

test('a sub-agent of 1.0.x stands in the main transcript and is found by what it was asked', (context) => {
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
  const outline = tree(spansIn(context, session.text()));
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
  const loop = write(context, {
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
  const file = write(context, {
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

test('errors of tools, of the API and by interruption are told apart', (context) => {
  const session = transcript()
    .user('go')
    .call('t1')
    .user([toolResult('t1', 'no such file', { is_error: true })])
    .assistant('API Error: 529', { isApiErrorMessage: true, message: { model: '<synthetic>' } })
    .user('again')
    .call('t2')
    .user([text('[Request interrupted by user]')]);
  const spans = spansIn(context, session.text());
  assert.deepEqual(
    spans.map((span) => [span.kind, span.error, span.errorText]),
    [
      ['turn', 'api_error', 'API Error: 529'],
      ['generation', undefined, undefined],
      ['tool', 'tool_error', 'no such file'],
      ['generation', 'api_error', 'API Error: 529'],
      ['turn', 'interrupted', undefined],
      ['generation', undefined, undefined],
      ['tool', undefined, undefined],
    ],
  );
});

test('images and documents are sent as type, size and hash', (context) => {
  const bytes = Buffer.from('not really a picture');
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') } };
  const placeholder = {
    type: 'image',
    media_type: 'image/png',
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
  const session = transcript()
    .user([text('what is it?'), image])
    .call('t1')
    .user([toolResult('t1', [text('it is'), image])]);
  const [turn, generation, tool] = spansIn(context, session.text());
  const images = (span: TraceSpan | undefined) =>
    span?.detail.kind === 'turn' || span?.detail.kind === 'generation' ? span.detail.images : undefined;
  assert.deepEqual([images(turn), images(generation)], [[placeholder], [placeholder]]);
  assert.deepEqual(tool?.detail.output, [text('it is'), placeholder]);
});

test('calls that the API answers itself are tool spans with the answer from the same message', (context) => {
  const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } };
  const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ title: 'T' }] };
  const [, , tool] = spansIn(
    context,
    transcript()
      .user('go')
      .assistant([search, found, text('found')])
      .text(),
  );
  assert.deepEqual(tool?.detail, {
    kind: 'tool',
    agentId: undefined,
    toolUseId: 's1',
    name: 'web_search',
    isExternal: true,
    input: { query: 'q' },
    output: [{ title: 'T' }],
  });
});

test('thinking is in the spans only on request', (context) => {
  const file = write(context, {
    'main.jsonl': transcript()
      .user('go')
      .assistant([thinking('hm'), text('yes')])
      .text(),
  });
  const thoughts = (withThinking: boolean) =>
    spansOf(file, {}, { withThinking }).flatMap(({ detail }) =>
      detail.kind === 'generation' ? [detail.thinking] : [],
    );
  assert.deepEqual([thoughts(false), thoughts(true)], [[undefined], ['hm']]);
});

test('two responses that go by one id are two generations', (context) => {
  const session = transcript()
    .user('go')
    .assistant('a', { requestId: 'r1' })
    .assistant('b', { requestId: 'r2', message: { id: 'm1' } });
  const spans = spansIn(context, session.text());
  assert.deepEqual(
    spans.slice(1).map(({ detail }) => detail.output),
    ['a', 'b'],
  );
  assert.equal(new Set(idsOf(spans)).size, 3);
});

test(
  'over the corpora, every span is there once, below one that exists, and tokens add up to the counting rule',
  { skip: skipWithoutShared },
  async () => {
    let counted = 0;
    for (const file of corpusTranscripts()) {
      const session = await loadSession(file);
      // Not main transcripts: all they have is a sub-agent's.
      if (session.transcript.nodes.every((node) => node.isSidechain || node.message === undefined)) continue;
      const spans = await allSpansOf(file);
      const ids = new Set(idsOf(spans));
      assert.equal(ids.size, spans.length, file);
      assert.ok(
        spans.every(({ parentSpanId }) => parentSpanId === undefined || ids.has(parentSpanId)),
        file,
      );
      const expected = sessionUsage(session);
      assert.deepEqual(
        tokensOf(spans),
        [
          expected.inputTokens,
          expected.outputTokens,
          expected.cacheReadTokens,
          expected.cacheWrite5mTokens,
          expected.cacheWrite1hTokens,
        ],
        file,
      );
      counted += expected.messages;
    }
    assert.ok(counted > 1000);
  },
);

function tokensOf(spans: readonly TraceSpan[]): readonly number[] {
  const sum = [0, 0, 0, 0, 0];
  for (const { detail } of spans) {
    const usage = detail.kind === 'generation' ? detail.usage : undefined;
    const written = (usage?.cacheWrite5mTokens ?? 0) + (usage?.cacheWriteTokens ?? 0);
    const own = [usage?.inputTokens, usage?.outputTokens, usage?.cacheReadTokens, written, usage?.cacheWrite1hTokens];
    own.forEach((tokens, i) => {
      sum[i] = (sum[i] ?? 0) + (tokens ?? 0);
    });
  }
  return sum;
}

function tree(spans: readonly TraceSpan[]): readonly string[] {
  const lines = (parent: string | undefined, indent: string): string[] =>
    spans
      .filter((span) => span.parentSpanId === parent)
      .flatMap((span) => [`${indent}${spanName(span)}`, ...lines(span.spanId, `${indent}  `)]);
  return lines(undefined, '');
}

function write(context: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(context);
  writeTree(folder, files);
  return path.join(folder, 'main.jsonl');
}

function spansIn(context: TestContext, content: string): readonly TraceSpan[] {
  return spansOf(write(context, { 'main.jsonl': content }));
}

function idsOf(spans: readonly TraceSpan[]): readonly string[] {
  return spans.map((span) => span.spanId);
}

function hash(content: string, length: number): string {
  return createHash('sha256').update(content).digest('hex').slice(0, length);
}
