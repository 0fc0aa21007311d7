// What the next request consists of, by category: estimates, and how the API's count changes them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ContextParts, measureContext } from '../../src/agent/context-usage.ts';

/** A short word and its space have 1.19 tokens (docs/context.md). */
function words(tokens: number): string {
  return 'word '.repeat(Math.round(tokens / 1.19)).trim();
}

const parts: ContextParts = {
  model: 'claude-sonnet-4-5-20250929',
  windowTokens: 200_000,
  bufferTokens: 33_000,
  countedTokens: 0,
  system: [words(1000)],
  tools: [
    { name: 'Read', description: words(500), inputSchema: { type: 'object' } },
    { name: 'mcp__github__search', description: words(300), inputSchema: { type: 'object' } },
  ],
  messages: [{ role: 'user', content: [{ type: 'text', text: words(2000) }] }],
  pending: [],
  memoryFiles: [{ name: '/p/CLAUDE.md', source: 'project', text: words(400) }],
  agents: [{ name: 'a', source: 'user', text: words(100) }],
  skills: [{ name: 's', source: 'user', text: words(50) }],
  serverNotes: [words(30)],
};

const rowsOf = (made: Partial<ContextParts>) => {
  const { categories, usedTokens, basis, windowTokens } = measureContext({ ...parts, ...made });
  const rows = Object.fromEntries(categories.map(({ id, tokens }) => [id, tokens]));
  const sum = categories.reduce((all, { tokens }) => all + tokens, 0);
  return { rows, usedTokens, basis, isWhole: sum === windowTokens };
};

/** The estimate of a text is good to a few tokens. */
function assertNear(found: Readonly<Record<string, number>>, wanted: Readonly<Record<string, number>>): void {
  assert.deepEqual(Object.keys(found), Object.keys(wanted));
  for (const [id, tokens] of Object.entries(wanted))
    assert.ok(Math.abs((found[id] ?? 0) - tokens) <= Math.max(40, tokens * 0.1), `${id}: ${found[id]}, not ${tokens}`);
}

test('without a count every part is estimated once, and the rows add up to the window', () => {
  const { rows, usedTokens, basis, isWhole } = rowsOf({});
  assertNear(rows, {
    system_prompt: 920,
    system_tools: 440,
    mcp_tools: 340,
    mcp_instructions: 30,
    custom_agents: 100,
    memory_files: 400,
    skills: 50,
    messages: 1600,
    free_space: 163_100,
    autocompact_buffer: 33_000,
  });
  assert.deepEqual([basis, isWhole], ['estimated', true]);
  assert.ok(Math.abs(usedTokens - 3880) < 200, String(usedTokens));
});

test('the rows add up to the count of the API, in proportion', () => {
  const plain = rowsOf({});
  const anchored = rowsOf({ countedTokens: Math.round(plain.usedTokens * 1.2) });
  assert.equal(anchored.basis, 'anchored');
  assert.ok(Math.abs(anchored.usedTokens - plain.usedTokens * 1.2) <= 8);
  assert.ok(Math.abs((anchored.rows.system_prompt ?? 0) - (plain.rows.system_prompt ?? 0) * 1.2) <= 1);
});

test('a count far above the estimate is text of the conversation, one far below is not used', () => {
  const plain = rowsOf({});
  const large = rowsOf({ countedTokens: 100_000 });
  assert.deepEqual([large.basis, large.rows.system_tools], ['anchored', plain.rows.system_tools]);
  assert.ok(Math.abs(large.usedTokens - 100_000) <= 8);
  const invented = rowsOf({ countedTokens: 100 });
  assert.deepEqual([invented.basis, invented.usedTokens], ['estimated', plain.usedTokens]);
});

test('what the next prompt adds is counted on top; a full window has neither room nor buffer', () => {
  const counted = rowsOf({}).usedTokens;
  const more = rowsOf({ countedTokens: counted, pending: [{ type: 'text', text: words(500) }] });
  assert.ok(Math.abs(more.usedTokens - counted - 500) <= 50, String(more.usedTokens));
  const full = rowsOf({ windowTokens: 3000 });
  assert.deepEqual([full.rows.free_space, full.rows.autocompact_buffer], [undefined, undefined]);
});

test('lists name tools, servers, files, agents and skills', () => {
  const { systemTools, mcpTools, memoryFiles, agents, skills } = measureContext(parts);
  assert.deepEqual(
    [systemTools, mcpTools, memoryFiles, agents, skills].map((list) => list.map(({ name, source }) => [name, source])),
    [
      [['Read', 'built-in']],
      [['mcp__github__search', 'github']],
      [['/p/CLAUDE.md', 'project']],
      [['a', 'user']],
      [['s', 'user']],
    ],
  );
  assert.equal(mcpTools[0]?.server, 'github');
});
