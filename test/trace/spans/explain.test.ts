// The tree of spans for people and programs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainJson, explainLines } from '../../../src/trace/spans/session-spans.ts';
import { all, failedTool, generation, tool, turn } from '../sample-spans.ts';

test('a turn is shown as a tree with times, tokens and errors', () => {
  assert.deepEqual(explainLines(all), [
    'Turn 3                   9.0 s  2026-01-03T10:00:00.000Z',
    '  claude-x               3.0 s  100 in, 50 out, 20 read, 40 written',
    '    Read                 1.0 s',
    '      Subagent: helper  700 ms',
    '    mcp__db__ask         1.0 s  tool_error',
  ]);
});

test('names from a transcript cannot steer a terminal, and a span whose parent was sent before is a root', () => {
  const hostile = {
    ...tool,
    startMs: undefined,
    detail: { ...tool.detail, name: 'x\x1b[31m\ny' } as typeof tool.detail,
  };
  const [line] = explainLines([hostile]);
  assert.ok(line !== undefined && !/[\x00-\x1f]/.test(line) && line.endsWith('no time'));
});

test('as JSON each span has its children inside, and no content', () => {
  const [root] = explainJson([turn, generation, failedTool]);
  const [child] = root?.children ?? [];
  assert.deepEqual(
    { ...root, children: root?.children.length },
    {
      kind: 'turn',
      name: 'Turn 3',
      traceId: turn.traceId,
      spanId: turn.spanId,
      parentSpanId: undefined,
      startTime: '2026-01-03T10:00:00.000Z',
      endTime: '2026-01-03T10:00:09.000Z',
      usage: undefined,
      error: undefined,
      children: 1,
    },
  );
  assert.deepEqual(
    child?.children.map(({ name, error, children }) => [name, error, children]),
    [['mcp__db__ask', 'tool_error', []]],
  );
});
