// Seed 002's own examples: the tree, names, inputs, outputs, timing, usage and metadata of its §7, and every case of §9.
import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { toWire } from '../../src/trace/profiles/langfuse.ts';
import { readTurns } from '../../src/trace/read/cursor.ts';
import type { TraceSpan, Wire } from '../../src/trace/span/span.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { spansOf, writeLines } from './trace-kit.ts';

const options = { mode: 'full', redact: (text: string) => text, nowMs: 2_000_000_000_000 } as const;

const fileRead = [
  { sessionId: 'sess1', type: 'user', content: 'read a file' },
  {
    message: {
      id: 'm1',
      role: 'assistant',
      content: [{ type: 'tool_use', id: 't1', name: 'Read', input: { path: '/' } }],
    },
  },
  { type: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'file data' }] },
  { message: { id: 'm2', role: 'assistant', content: [{ type: 'text', text: 'done' }] } },
];

/** The same with the times, model and usage of §2. */
const timed = [
  { ...fileRead[0], timestamp: '2025-01-15T10:00:00Z' },
  {
    timestamp: '2025-01-15T10:00:05Z',
    message: {
      ...fileRead[1]?.message,
      model: 'claude-sonnet-4-5-20250929',
      usage: { input_tokens: 100, output_tokens: 50, cache_read_input_tokens: 20 },
    },
  },
  { ...fileRead[2], timestamp: '2025-01-15T10:00:10Z' },
  {
    message: {
      ...fileRead[3]?.message,
      timestamp: '2025-01-15T10:00:12Z',
      model: 'claude-sonnet-4-5-20250929',
    },
  },
];

test('the example of §5 is one turn of two generations and a tool call', (context) => {
  const spans = spansOf(writeLines(temporaryFolder(context), fileRead));
  assert.deepEqual(spans.map(outline), [
    ['turn', 'turn', undefined, 'read a file', 'done'],
    ['generation', 'm1', 'turn', 'read a file', ''],
    ['tool', 't1', 'm1', { path: '/' }, 'file data'],
    ['generation', 'm2', 'turn', undefined, 'done'],
  ]);

  function outline(span: TraceSpan): unknown[] {
    const parent = spans.find((each) => each.spanId === span.parentSpanId);
    return [span.kind, nameOf(span), parent && nameOf(parent), span.detail.input, span.detail.output];
  }
  function nameOf({ detail }: TraceSpan): string | undefined {
    if (detail.kind === 'tool') return detail.toolUseId;
    return detail.kind === 'generation' ? detail.messageId : detail.kind;
  }
});

test('with --strict-seed it reaches Langfuse with exactly the names, inputs, outputs, times, usage and metadata of §7', (context) => {
  const file = writeLines(temporaryFolder(context), timed);
  const spans = spansOf(file, { sessionId: 'sess1', strictSeed: true }, { strictSeed: true });
  const wire = toWire(spans, { ...options, strictSeed: true });
  const parents = wire.spans.map(({ parentSpanId }) => wire.spans.findIndex(({ spanId }) => spanId === parentSpanId));
  assert.deepEqual(parents, [-1, 0, 1, 0]);
  assert.deepEqual(wire.spans.map(plain), [
    {
      name: 'Turn 1',
      start: '2025-01-15T10:00:00.000Z',
      end: '2025-01-15T10:00:12.000Z',
      'langfuse.observation.type': 'agent',
      'langfuse.trace.name': 'Turn 1',
      'langfuse.trace.input': '{"role":"user","content":"read a file"}',
      'langfuse.trace.output': '{"role":"assistant","content":"done"}',
      'langfuse.trace.metadata.source': 'claude-code',
      'langfuse.trace.metadata.turn_number': '1',
      'langfuse.trace.metadata.session_id': 'sess1',
      'langfuse.internal.is_app_root': true,
      'session.id': 'sess1',
      'langfuse.observation.input': '{"role":"user","content":"read a file"}',
      'langfuse.observation.output': '{"role":"assistant","content":"done"}',
    },
    {
      name: 'claude-sonnet-4-5-20250929',
      start: '2025-01-15T10:00:05.000Z',
      end: '2025-01-15T10:00:12.000Z',
      'langfuse.observation.type': 'generation',
      'session.id': 'sess1',
      'langfuse.observation.model.name': 'claude-sonnet-4-5-20250929',
      'langfuse.observation.input': '{"role":"user","content":"read a file"}',
      'langfuse.observation.output': '{"role":"assistant","content":""}',
      'langfuse.observation.usage_details': '{"input":100,"output":50,"total":150,"cache_read_input_tokens":20}',
      'langfuse.observation.metadata.tool_count': '1',
      'langfuse.observation.metadata.message_id': 'm1',
    },
    {
      name: 'Read',
      start: '2025-01-15T10:00:05.000Z',
      end: '2025-01-15T10:00:10.000Z',
      'langfuse.observation.type': 'tool',
      'session.id': 'sess1',
      'langfuse.observation.input': '{"path":"/"}',
      'langfuse.observation.output': 'file data',
      'langfuse.observation.metadata.tool_name': 'Read',
      'langfuse.observation.metadata.tool_id': 't1',
    },
    {
      name: 'claude-sonnet-4-5-20250929',
      start: '2025-01-15T10:00:12.000Z',
      end: '2025-01-15T10:00:12.000Z',
      'langfuse.observation.type': 'generation',
      'session.id': 'sess1',
      'langfuse.observation.model.name': 'claude-sonnet-4-5-20250929',
      'langfuse.observation.output': '{"role":"assistant","content":"done"}',
      'langfuse.observation.metadata.tool_count': '0',
      'langfuse.observation.metadata.message_id': 'm2',
    },
  ]);
});

test('live and with --strict-seed the last generation ends now', (context) => {
  const file = writeLines(temporaryFolder(context), timed);
  const nowMs = Date.parse('2025-01-15T10:01:00Z');
  const ends = spansOf(file, { strictSeed: true }, { strictSeed: true, nowMs }).map((span) => [
    span.kind,
    span.endMs && new Date(span.endMs).toISOString(),
  ]);
  assert.deepEqual(ends, [
    ['turn', '2025-01-15T10:00:12.000Z'],
    ['generation', '2025-01-15T10:00:12.000Z'],
    ['tool', '2025-01-15T10:00:10.000Z'],
    ['generation', '2025-01-15T10:01:00.000Z'],
  ]);
});

test('§9 several lines with one id are one generation, with the first line’s time and the last line’s usage', (context) => {
  const part = (text: string, seconds: number, output: number) => ({
    timestamp: `2025-01-15T10:00:0${seconds}Z`,
    message: {
      id: 'm1',
      role: 'assistant',
      model: 'model',
      content: [{ type: 'text', text }],
      usage: { input_tokens: 7, output_tokens: output },
    },
  });
  const lines = [{ type: 'user', content: 'hi' }, part('one', 1, 2), part('two', 2, 40)];
  const [, generation, ...rest] = spansOf(writeLines(temporaryFolder(context), lines));
  assert.deepEqual(rest, []);
  assert.equal(generation?.detail.output, 'one\ntwo');
  assert.equal(generation?.startMs, Date.parse('2025-01-15T10:00:01Z'));
  const usage = generation?.detail.kind === 'generation' ? generation.detail.usage : undefined;
  assert.deepEqual([usage?.inputTokens, usage?.outputTokens, usage?.cacheReadTokens], [7, 40, undefined]);
});

test('§9 without valid timestamps, the times are undefined and the clock is the default', (context) => {
  const lines = fileRead.map((line) => ({ ...line, timestamp: 1736935200 }));
  const spans = spansOf(writeLines(temporaryFolder(context), lines));
  assert.deepEqual(
    spans.map(({ startMs, endMs }) => [startMs, endMs]),
    spans.map(() => [undefined, undefined]),
  );
  const now = new Date(options.nowMs).toISOString();
  assert.deepEqual(
    toWire(spans, options)
      .spans.map(plain)
      .map(({ start, end }) => [start, end]),
    spans.map(() => [now, now]),
  );
});

test('§9 a call without a result has no output, and a result without a call makes no span', (context) => {
  const lines = [
    fileRead[0],
    fileRead[1],
    { type: 'user', content: [{ type: 'tool_result', tool_use_id: 'other', content: 'x' }] },
  ];
  const spans = spansOf(writeLines(temporaryFolder(context), lines as object[]));
  const tools = spans.filter((span) => span.kind === 'tool');
  assert.deepEqual(
    tools.map(({ detail }) => detail.output),
    [undefined],
  );
  const sent = toWire(spans, options)
    .spans.at(-1)
    ?.attributes.map(({ key }) => key);
  assert.ok(sent?.includes('langfuse.observation.input') && !sent.includes('langfuse.observation.output'));
});

test('§8, §9 a prompt without an answer waits before the cursor until the answer comes', (context) => {
  const file = writeLines(temporaryFolder(context), [...fileRead, { type: 'user', content: 'more' }]);
  const first = readTurns(file, undefined, { isFinal: true });
  assert.deepEqual([first.turns.length, first.cursor.line, first.cursor.turnCount], [1, 4, 1]);
  appendFileSync(file, `${JSON.stringify({ message: { id: 'm3', role: 'assistant', content: 'ok' } })}\n`);
  const second = readTurns(file, first.cursor, { isFinal: true });
  assert.deepEqual(
    second.turns.map((turn) => [turn.number, turn.prompt?.text, turn.messages.length]),
    [[2, 'more', 1]],
  );
  assert.deepEqual([second.cursor.line, second.cursor.turnCount], [6, 2]);
});

test('§8, §9 an invalid line is skipped and counted', (context) => {
  const file = path.join(temporaryFolder(context), 'sess1.jsonl');
  writeFileSync(file, fileRead.map((line) => `${JSON.stringify(line)}\nnot { json\n`).join(''));
  const { turns, cursor } = readTurns(file, undefined, { isFinal: true });
  assert.deepEqual([turns.length, cursor.line], [1, 8]);
  assert.equal(turns[0]?.messages.length, 2);
});

test('§9 assistant lines without an id are one message with their neighbours, and sent even when they come first', (context) => {
  const line = (text: string, id?: string) => ({
    message: { role: 'assistant', ...(id === undefined ? {} : { id }), content: text },
  });
  const lines = [{ type: 'user', content: 'hi' }, line('one'), line('two'), line('three', 'm1'), line('four')];
  const file = writeLines(temporaryFolder(context), lines);
  const outputs = (strictSeed: boolean) =>
    spansOf(file, { strictSeed }).flatMap(({ detail }) => (detail.kind === 'generation' ? [detail.output] : []));
  assert.deepEqual(outputs(false), ['one\ntwo', 'three', 'four']);
  assert.deepEqual(outputs(true), ['one\ntwo', 'three\nfour']);
});

test('§9 meta lines of either side are as if they were not there', (context) => {
  const folder = temporaryFolder(context);
  const meta = [
    { type: 'user', content: 'skill scaffolding', isMeta: true },
    { message: { id: 'm9', role: 'assistant', content: 'meta response' }, isMeta: true },
  ];
  const mixed = fileRead.flatMap((line) => [line, ...meta]);
  for (const strictSeed of [false, true]) {
    const plainSpans = spansOf(writeLines(folder, fileRead, 'plain.jsonl'), { strictSeed, sessionId: 's' });
    assert.deepEqual(spansOf(writeLines(folder, mixed, 'mixed.jsonl'), { strictSeed, sessionId: 's' }), plainSpans);
  }
});

test('to the letter, every user line that is not a result starts a turn; otherwise only prompts do', (context) => {
  const answer = (id: string) => ({ message: { id, role: 'assistant', content: id } });
  const notification = '<task-notification>\n<task-id>a1</task-id>\n</task-notification>';
  const lines = [
    { type: 'user', content: 'hi' },
    answer('m1'),
    { type: 'user', content: notification },
    answer('m2'),
    { type: 'user', content: 'This session is being continued', isCompactSummary: true },
    answer('m3'),
  ];
  const file = writeLines(temporaryFolder(context), lines);
  const prompts = (strictSeed: boolean) =>
    readTurns(file, undefined, { isOver: true, strictSeed }).turns.map((turn) => turn.prompt?.text);
  assert.deepEqual(prompts(false), ['hi']);
  assert.deepEqual(prompts(true), ['hi', notification, 'This session is being continued']);
});

test('the wrapper of cc-langfuse, where it is asked for, carries the trace in place of the turn', (context) => {
  const spans = spansOf(writeLines(temporaryFolder(context), timed));
  const [wrapper, turn, ...rest] = toWire(spans, { ...options, wrapperSpan: true }).spans;
  assert.deepEqual([wrapper?.parentSpanId, turn?.parentSpanId, rest.length], [undefined, wrapper?.spanId, 3]);
  const keys = (span: Wire['spans'][number] | undefined) =>
    span?.attributes
      .filter(({ key }) => key.startsWith('langfuse.trace.'))
      .map(({ key }) => key.slice('langfuse.trace.'.length));
  assert.deepEqual(keys(wrapper), [
    'name',
    'input',
    'output',
    'metadata.source',
    'metadata.turn_number',
    'metadata.session_id',
  ]);
  assert.deepEqual(keys(turn), ['name']);
  const [, strictTurn] = toWire(spans, { ...options, strictSeed: true, wrapperSpan: true }).spans;
  assert.deepEqual(keys(strictTurn), []);
});

function plain(span: Wire['spans'][number]): Record<string, unknown> {
  const time = (ns: bigint) => new Date(Number(ns / 1_000_000n)).toISOString();
  const values = Object.fromEntries(span.attributes.map(({ key, value }) => [key, value]));
  return { name: span.name, start: time(span.startNs), end: time(span.endNs), ...values };
}
