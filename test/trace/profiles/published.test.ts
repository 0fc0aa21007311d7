// What each profile sends, against the lists that the servers publish (published.ts): present where the transcript has the
// value, of the published type, not empty, and under no name that a published namespace does not have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toWire as toGenai } from '../../../src/trace/profiles/genai.ts';
import { toWire as toLangfuse } from '../../../src/trace/profiles/langfuse.ts';
import { toWire as toOpeninference } from '../../../src/trace/profiles/openinference.ts';
import type { ProfileOptions } from '../../../src/trace/profiles/profile.ts';
import type { TraceSpan, WireAttribute, WireSpan } from '../../../src/trace/span/span.ts';
import { text, toolResult, toolUse, transcript } from '../../support/transcript-builder.ts';
import { allSpansOf, corpusTranscripts, writeSession } from '../trace-kit.ts';
import {
  type AttributeType,
  claudeCode,
  compactionEvent,
  genai,
  langfuse,
  openinference,
  type PublishedMapping,
} from './published.ts';

const profiles = [
  ['langfuse', toLangfuse, langfuse],
  ['genai', toGenai, genai],
  ['openinference', toOpeninference, openinference],
] as const;

const options: ProfileOptions = {
  mode: 'full',
  redact: (content) => content,
  nowMs: 0,
  isBackfill: true,
  userId: 'kim',
  environment: 'ci',
  tags: ['a'],
  costOf: () => 0.5,
};

const usage = {
  input_tokens: 3,
  output_tokens: 4,
  cache_read_input_tokens: 5,
  cache_creation_input_tokens: 6,
  cache_creation: { ephemeral_5m_input_tokens: 6, ephemeral_1h_input_tokens: 0 },
  speed: 'fast',
  service_tier: 'standard',
};
const answer = (id: string) => ({ requestId: `req_${id}`, message: { id: `msg_${id}`, usage } });

/** A session that has a value for every attribute of the lists. */
const main = transcript({ gitBranch: 'main', slug: 'brave-otter', promptId: 'p1' })
  .user('<command-name>/review</command-name>\n<command-args>all</command-args>')
  .assistant([text('I look'), toolUse('toolu_1', 'Skill', { skill: 'greet' })], answer('a'))
  .result('toolu_1')
  .assistant([text('and ask'), toolUse('toolu_2', 'Task', { prompt: 'Count', subagent_type: 'helper' })], answer('b'))
  .user([toolResult('toolu_2', 'two')], { toolUseResult: { agentId: 'a1' } })
  .boundary({ trigger: 'auto', preTokens: 1000 })
  .assistant([text('once more'), toolUse('toolu_3')], answer('c'))
  .user([toolResult('toolu_3', 'no such file', { is_error: true })])
  .assistant('done', answer('d'));
const agent = transcript({ isSidechain: true, agentId: 'a1' })
  .user('Count')
  .assistant([text('I count'), toolUse('toolu_4')], answer('e'))
  .result('toolu_4')
  .assistant('two', answer('f'));

test('every span has the published attributes that the transcript has a value for', async (context) => {
  const spans = await allSpansOf(
    writeSession(context, { 'main.jsonl': main.text(), 'main/subagents/agent-a1.jsonl': agent.text() }),
  );
  const counts = new Map<string, number>();
  for (const { kind } of spans) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  assert.deepEqual(Object.fromEntries(counts), { turn: 1, generation: 6, tool: 4, subagent: 1 });
  for (const [name, toWire, mapping] of profiles) {
    const wire = toWire(spans, options).spans;
    for (const [i, span] of spans.entries()) {
      const failed = span.error === undefined ? [] : mapping.failedTool;
      for (const key of [...mapping.all, ...mapping[span.kind], ...failed]) {
        const value = wire[i]?.attributes.find((each) => each.key === key)?.value;
        assert.ok(value !== undefined, `${name}: ${span.kind} ${wire[i]?.name} has no ${key}`);
        assert.ok(String(value) !== '', `${name}: ${key} of ${wire[i]?.name} is empty`);
      }
    }
    checkNames(wire, mapping, name);
  }
});

test('the client’s own names are on the spans that Claude Code has them on', async (context) => {
  const spans = await allSpansOf(
    writeSession(context, { 'main.jsonl': main.text(), 'main/subagents/agent-a1.jsonl': agent.text() }),
  );
  const expected = (span: TraceSpan): Readonly<Record<string, unknown>> => {
    const { detail } = span;
    return {
      'prompt.id': 'p1',
      ...(detail.kind === 'generation' ? { request_id: detail.messageId?.replace('msg_', 'req_') } : {}),
      ...(detail.kind === 'tool' ? { tool_use_id: detail.toolUseId } : {}),
      ...('agentId' in detail && detail.agentId !== undefined ? { agent_id: 'a1' } : {}),
      ...(detail.kind === 'tool' && detail.name === 'Skill' ? { skill_name: 'greet' } : {}),
      ...(detail.kind === 'turn' ? { command_name: 'review' } : {}),
    };
  };
  for (const [name, toWire] of profiles)
    for (const [i, { attributes }] of toWire(spans, options).spans.entries()) {
      const own = attributes.filter(({ key }) => Object.hasOwn(claudeCode, key));
      const span = spans[i];
      assert.ok(span !== undefined);
      assert.deepEqual(Object.fromEntries(own.map(({ key, value }) => [key, value])), expected(span), name);
    }
});

test('a compaction is the event that Claude Code calls so, with its attributes', async (context) => {
  const spans = await allSpansOf(writeSession(context, { 'main.jsonl': main.text() }));
  for (const [name, toWire] of profiles) {
    const events = toWire(spans, options).spans.flatMap(({ events: each }) =>
      each.filter((event) => event.name !== 'exception'),
    );
    assert.deepEqual(
      events.map((event) => [event.name, event.attributes.map(({ key, value }) => [key, typeOf(value)])]),
      [['claude_code.compaction', Object.entries(compactionEvent)]],
      name,
    );
  }
});

test('no session of the corpora makes a name or a type that is not published', async () => {
  let spanCount = 0;
  // All of them take 12 s.
  const step = process.env.CLEW_LONG === '1' ? 1 : 12;
  for (const file of corpusTranscripts().filter((_, i) => i % step === 0)) {
    const spans = await allSpansOf(file);
    spanCount += spans.length;
    for (const [name, toWire, mapping] of profiles)
      checkNames(toWire(spans, options).spans, mapping, `${name}: ${file}`);
  }
  assert.ok(spanCount > 2000 / step, `only ${spanCount} spans`);
});

function checkNames(wire: readonly WireSpan[], { types, namespaces }: PublishedMapping, where: string): void {
  for (const { attributes } of wire)
    for (const { key, value } of attributes) {
      const type = types[key] ?? types[generalName(key)] ?? claudeCode[key];
      if (type === undefined) assert.doesNotMatch(key, namespaces, where);
      else assert.ok(isOf(value, type), `${where}: ${key} is not a ${type}: ${String(value).slice(0, 200)}`);
    }
}

/** Indexes and names of our own as `*`. */
function generalName(key: string): string {
  return key.replace(/\.\d+(?=\.)/g, '.*').replace(/^(langfuse\.(?:trace|observation)\.metadata)\..*/, '$1.*');
}

function typeOf(value: WireAttribute['value']): AttributeType {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'double';
  return typeof value === 'boolean' ? 'bool' : 'string[]';
}

function isOf(value: WireAttribute['value'], type: AttributeType): boolean {
  if (type !== 'json') return typeOf(value) === type;
  if (typeof value !== 'string') return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
