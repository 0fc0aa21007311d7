// What leaves the machine: by mode, redacted, cut to size, whatever a line holds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toWire as toGenai } from '../../../src/trace/profiles/genai.ts';
import { toWire as toLangfuse } from '../../../src/trace/profiles/langfuse.ts';
import { toWire as toOpeninference } from '../../../src/trace/profiles/openinference.ts';
import { jsonContent, textContent, valueContent } from '../../../src/trace/span/content.ts';
import type { TraceSpan, Wire } from '../../../src/trace/span/span.ts';
import { generation, generationDetail, subagent, tool, turn } from '../sample-spans.ts';

const profiles = { langfuse: toLangfuse, genai: toGenai, openinference: toOpeninference };
const keep = (text: string): string => text;

/** Spans in which every content string names its position. */
const marked: readonly TraceSpan[] = [
  {
    ...turn,
    errorText: '~talk~ error',
    error: 'api_error',
    detail: { ...turn.detail, input: '~talk~ in', output: '~talk~ out' } as TraceSpan['detail'],
  },
  {
    ...generation,
    detail: {
      ...generationDetail,
      input: '~talk~ in',
      output: '~talk~ out',
      thinking: '~talk~ think',
      toolCalls: [{ id: 't1', name: 'Read', input: { a: '~tool~ arg' } }],
    },
  },
  {
    ...tool,
    error: 'tool_error',
    errorText: '~tool~ error',
    detail: { ...tool.detail, input: { a: '~tool~ in' }, output: '~tool~ out' } as TraceSpan['detail'],
  },
  { ...subagent, detail: { ...subagent.detail, input: '~tool~ in', output: '~tool~ out' } as TraceSpan['detail'] },
  {
    ...generation,
    detail: {
      ...generationDetail,
      agentId: 'a1',
      input: '~tool~ in',
      output: '~tool~ out',
      thinking: '~tool~ think',
      toolCalls: [],
    },
  },
];

test('in every profile the modes hold back tool content, sub-agents included, or all content', () => {
  for (const [name, toWire] of Object.entries(profiles)) {
    const found = (mode: 'full' | 'no-tool-content' | 'metadata') => {
      const sent = textOf(toWire(marked, { mode, redact: keep, nowMs: 0 }));
      return [sent.includes('~talk~'), sent.includes('~tool~')];
    };
    assert.deepEqual(
      [name, found('full'), found('no-tool-content'), found('metadata')],
      [name, [true, true], [true, false], [false, false]],
    );
  }
});

test('in every profile each content string goes through the redaction', () => {
  const redact = (text: string): string => text.replaceAll(/~talk~|~tool~/g, '***');
  for (const toWire of Object.values(profiles)) {
    const sent = textOf(toWire(marked, { mode: 'full', redact, nowMs: 0 }));
    assert.ok(sent.includes('***') && !/~talk~|~tool~/.test(sent));
  }
});

test('a secret that only its key betrays is redacted in a value', () => {
  const redact = (text: string): string => text.replace(/("password":)"[^"]*"/, '$1"***"');
  const sent = jsonContent({ user: 'kim', password: 'plain words' }, 'tool', { mode: 'full', redact });
  assert.equal(sent, '{"user":"kim","password":"***"}');
});

test('a text is cut after its redaction, with a note of its length', () => {
  const redact = (text: string): string => text.replace('SECRET', '');
  const rules = { mode: 'full', redact, maxChars: 10 } as const;
  assert.equal(textContent('12345678SECRET90abc', 'talk', rules), '1234567890… [cut: 13 characters in all]');
  assert.equal(textContent(`123456789\u{1F600}`, 'talk', rules), '123456789\uFFFD… [cut: 11 characters in all]');
  assert.equal(
    jsonContent({ a: 'x'.repeat(12), b: 1 }, 'talk', { ...rules, maxChars: 11 }),
    `{"a":"${'x'.repeat(11)}… [cu… [cut: 54 characters in all]`,
  );
});

test('half a surrogate pair, deep nesting and odd keys come out as sound JSON', () => {
  const rules = { mode: 'full', redact: keep } as const;
  let deep: unknown = 'end';
  for (let i = 0; i < 20_000; i++) deep = { inner: [deep] };
  const sent =
    jsonContent({ ...(JSON.parse('{"half":"\\ud800","__proto__":{"x":1}}') as object), deep }, 'tool', rules) ?? '';
  const value = JSON.parse(sent) as Record<string, unknown>;
  assert.deepEqual([value.half, Object.keys(value)], ['\uFFFD', ['half', '__proto__', 'deep']]);
  assert.ok(sent.includes('[nested too deep]') && sent.length < 5000);
});

test('a text stays a text, a value becomes JSON, and nothing is left out', () => {
  const rules = { mode: 'full', redact: keep } as const;
  const values = ['plain', { a: 1 }, ['x'], 3, false, null, undefined];
  assert.deepEqual(
    values.map((value) => valueContent(value, 'tool', rules)),
    ['plain', '{"a":1}', '["x"]', '3', 'false', undefined, undefined],
  );
});

function textOf(wire: Wire): string {
  return JSON.stringify(wire, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
