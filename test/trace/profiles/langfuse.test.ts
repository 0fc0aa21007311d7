// TRACING §3.1, attribute by attribute, beyond what seed 002's example has (test/trace/seed-example.test.ts).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { version } from '../../../src/base/version/version.ts';
import { toWire } from '../../../src/trace/profiles/langfuse.ts';
import { all, failedTool, generation, generationDetail, subagent, turn, withPicture } from '../sample-spans.ts';
import { spanValues, valuesOf } from './wire-values.ts';

const options = { mode: 'full', redact: (text: string) => text, nowMs: 0 } as const;

test('the sender is named so that Langfuse leaves the metadata alone', () => {
  const wire = toWire(all, options);
  assert.deepEqual(wire.scope, { name: 'langfuse-sdk-clew', version });
  assert.deepEqual(valuesOf(wire.resource), {
    'service.name': 'claude-code',
    'service.version': '2.1.45',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'clew',
    'telemetry.sdk.version': version,
  });
});

test('a turn carries the trace, where it happened, and whatever the user adds', () => {
  const added = { userId: 'kim', environment: 'ci', release: '1.2.3', tags: ['claude-code', 'skill:x'] };
  assert.deepEqual(spanValues(toWire([turn], { ...options, ...added })), {
    name: 'Turn 3',
    kind: 1,
    'langfuse.observation.type': 'agent',
    'langfuse.trace.name': 'Turn 3',
    'langfuse.trace.input': '{"role":"user","content":"look at it"}',
    'langfuse.trace.output': '{"role":"assistant","content":"it is fine"}',
    'langfuse.trace.metadata.source': 'claude-code',
    'langfuse.trace.metadata.turn_number': '3',
    'langfuse.trace.metadata.version': '2.1.45',
    'langfuse.trace.metadata.slug': 'brave-otter',
    'langfuse.trace.metadata.cwd': '/home/dev/widgets',
    'langfuse.trace.metadata.git_branch': 'main',
    'langfuse.trace.metadata.command_name': 'review',
    'langfuse.trace.metadata.session_id': 'sess1',
    'langfuse.internal.is_app_root': true,
    'session.id': 'sess1',
    'user.id': 'kim',
    'langfuse.environment': 'ci',
    'langfuse.release': '1.2.3',
    'langfuse.trace.tags': ['claude-code', 'skill:x'],
    'langfuse.observation.input': '{"role":"user","content":"look at it"}',
    'langfuse.observation.output': '{"role":"assistant","content":"it is fine"}',
    'langfuse.observation.metadata.prompt_id': 'p1',
    'prompt.id': 'p1',
    command_name: 'review',
  });
});

test('a generation has its usage with cache writes by lifetime, and speed and tier as parameters', () => {
  assert.deepEqual(spanValues(toWire([withPicture], options)), {
    name: 'claude-x',
    kind: 1,
    'langfuse.observation.type': 'generation',
    'langfuse.trace.name': 'Turn 3',
    'session.id': 'sess1',
    'langfuse.release': '2.1.45',
    'langfuse.observation.model.name': 'claude-x',
    'langfuse.observation.model.parameters': '{"speed":"fast","service_tier":"standard"}',
    'langfuse.observation.input': `{"role":"user","content":[{"type":"text","text":"look at it"},{"type":"image","media_type":"image/png","bytes":3,"sha256":"${'f'.repeat(64)}"}]}`,
    'langfuse.observation.output':
      '{"role":"assistant","content":"I look","tool_calls":[{"id":"t1","type":"function","function":{"name":"Read","arguments":"{\\"file_path\\":\\"/a\\"}"}}]}',
    'langfuse.observation.usage_details':
      '{"input":100,"output":50,"cache_read_input_tokens":20,"input_cache_creation_5m":30,"input_cache_creation_1h":10}',
    'langfuse.observation.metadata.tool_count': '1',
    'langfuse.observation.metadata.request_id': 'r1',
    'langfuse.observation.metadata.message_id': 'm1',
    'langfuse.observation.metadata.stop_reason': 'tool_use',
    'langfuse.observation.metadata.thinking': 'hm',
    'langfuse.observation.metadata.prompt_id': 'p1',
    'prompt.id': 'p1',
    request_id: 'r1',
  });
});

test('cache writes without a lifetime go by the flat key, and never by both', () => {
  const flat = {
    ...generationDetail.usage,
    cacheWrite5mTokens: undefined,
    cacheWrite1hTokens: undefined,
    cacheWriteTokens: 40,
  };
  const detail = {
    ...generationDetail,
    usage: {
      ...flat,
      inputTokens: 1,
      outputTokens: 2,
      cacheReadTokens: undefined,
      speed: undefined,
      serviceTier: undefined,
    },
  };
  const sent = spanValues(toWire([{ ...generation, detail }], options));
  assert.equal(sent['langfuse.observation.usage_details'], '{"input":1,"output":2,"cache_creation_input_tokens":40}');
  assert.equal(sent['langfuse.observation.model.parameters'], undefined);
});

test('an error has a level, a status and what was said of it', () => {
  assert.deepEqual(spanValues(toWire([failedTool], options)), {
    name: 'mcp__db__ask',
    kind: 1,
    status: [2, 'no such file'],
    'langfuse.observation.type': 'tool',
    'langfuse.trace.name': 'Turn 3',
    'session.id': 'sess1',
    'langfuse.release': '2.1.45',
    'langfuse.observation.input': '{}',
    'langfuse.observation.output': 'no such file',
    'langfuse.observation.metadata.tool_name': 'mcp__db__ask',
    'langfuse.observation.metadata.tool_id': 't2',
    'langfuse.observation.metadata.prompt_id': 'p1',
    'prompt.id': 'p1',
    tool_use_id: 't2',
    'langfuse.observation.level': 'ERROR',
    'langfuse.observation.status_message': 'no such file',
  });
});

test('a sub-agent is an agent below its tool, and without a tool the root of a trace', () => {
  const below = spanValues(toWire([subagent], options));
  assert.deepEqual(below, {
    name: 'Subagent: helper',
    kind: 1,
    'langfuse.observation.type': 'agent',
    'langfuse.trace.name': 'Turn 3',
    'session.id': 'sess1',
    'langfuse.release': '2.1.45',
    'langfuse.observation.input': '{"role":"user","content":"count"}',
    'langfuse.observation.output': '{"role":"assistant","content":"two"}',
    'langfuse.observation.metadata.agent_id': 'a1',
    'langfuse.observation.metadata.prompt_id': 'p1',
    'prompt.id': 'p1',
    agent_id: 'a1',
  });
  const root = { ...subagent, parentSpanId: undefined, traceName: 'Subagent: helper' };
  const alone = spanValues(toWire([root], options));
  assert.deepEqual(
    [
      alone['langfuse.trace.name'],
      alone['langfuse.internal.is_app_root'],
      alone['langfuse.trace.metadata.turn_number'],
    ],
    ['Subagent: helper', true, undefined],
  );
});

test('a missing time is now in the live hook, and that of its trace in a backfill', () => {
  const nowMs = Date.parse('2030-01-01T00:00:00Z');
  const sent = (isBackfill: boolean) => {
    const [, tool, open] = toWire([turn, { ...failedTool, ...unknown }, { ...failedTool, endMs: undefined }], {
      ...options,
      nowMs,
      isBackfill,
    }).spans;
    return [tool, open].map((span) =>
      [span?.startNs, span?.endNs].map((ns) => new Date(Number(ns) / 1e6).toISOString()),
    );
  };
  const unknown = { startMs: undefined, endMs: undefined };
  const [start, called, now] = ['2026-01-03T10:00:00.000Z', '2026-01-03T10:00:01.000Z', '2030-01-01T00:00:00.000Z'];
  assert.deepEqual(sent(true), [
    [start, start],
    [called, called],
  ]);
  assert.deepEqual(sent(false), [
    [now, now],
    [called, now],
  ]);
});
