// What the ledger says of small sessions whose counts are written by hand.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject, JsonValue } from '../../src/base/json/json.ts';
import { type ContextOptions, contextLedger } from '../../src/context/ledger/ledger.ts';
import type { ContextLedger, ContextSlice, SliceKind } from '../../src/context/wire/ledger.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

const id = '11111111-1111-4111-a111-111111111111';
/** About 400 tokens. */
const words = 'word '.repeat(330);

test('the first count holds the system prompt, the next one the answer and the result between them', async (context) => {
  const ledger = await ledgerOf(context, [user('go'), ...readCall(10_000, 100), answer('done', 10_500)]);
  assert.deepEqual([ledger.tokens, ledger.apiTokens, ledger.request?.line], [10_500, 10_500, 4]);
  const calls = slice(ledger, 'calls', 'Read');
  assert.deepEqual([calls.tokens, calls.basis, calls.lines], [100, 'exact', [[2, 2]]]);
  const files = slice(ledger, 'files', 'Read');
  assert.deepEqual([files.tokens, files.basis, files.lines], [400, 'anchored', [[3, 3]]]);
  const system = slice(ledger, 'system');
  assert.deepEqual([system.isRecorded, system.lines], [false, [[2, 2]]]);
  assert.equal(system.tokens + slice(ledger, 'prompts').tokens, 10_000);
  assert.equal(total(ledger), 10_500);
});

test('the answer itself is not part of the context of its request', async (context) => {
  const ledger = await ledgerOf(context, [user('go'), answer('done', 10_000)]);
  assert.equal(
    ledger.slices.find(({ kind }) => kind === 'answers'),
    undefined,
  );
  assert.equal(ledger.request?.outputTokens, 50);
});

test('text that was counted but not written down has a slice of its own, on the line of the count', async (context) => {
  const ledger = await ledgerOf(context, [user('go'), ...readCall(10_000, 100), answer('done', 15_000)]);
  const missing = slice(ledger, 'unrecorded');
  assert.ok(Math.abs(missing.tokens - 4_500) < 50, String(missing.tokens));
  assert.deepEqual([missing.isRecorded, missing.lines, missing.free], [false, [[4, 4]], null]);
  assert.equal(total(ledger), 15_000);
});

test('what a tool search loads counts as definitions of tools, and of an MCP server by its name', async (context) => {
  for (const [tool, kind, name] of [
    ['WebFetch', 'tools', 'loaded by a search'],
    ['mcp__github__search', 'mcp', 'github'],
  ] as const) {
    const ledger = await ledgerOf(context, [
      user('go'),
      answer([toolUse('t', 'ToolSearch', { query: 'x' })], 10_000, { output_tokens: 60 }),
      user([toolResult('t', [{ type: 'tool_reference', tool_name: tool }])]),
      answer('done', 13_000),
    ]);
    assert.ok(slice(ledger, kind, name).tokens > 2_800);
  }
});

test('thinking of an earlier turn leaves the context of old models and clients, and stays for others', async (context) => {
  const thinking = { type: 'thinking', thinking: 'hm', signature: 'x' };
  for (const [model, version, kept] of [
    ['claude-sonnet-4-5-20250929', '2.0.28', 0],
    ['claude-sonnet-4-5-20250929', '2.0.42', 800],
    ['claude-opus-5-5', '2.0.28', 800],
  ] as const) {
    const ledger = await ledgerOf(context, [
      user('go', { version }),
      { ...answer([thinking], 10_000, { output_tokens: 800 }, model), version },
      user(words, { version }),
      { ...answer('done', 10_400 + kept, {}, model), version },
    ]);
    const what = `${model} ${version}`;
    assert.equal(slice(ledger, 'thinking').tokens, kept, what);
    assert.deepEqual(ledger.turns.at(-1)?.drops, kept === 0 ? ['thinking'] : [], what);
    assert.equal(ledger.slices.filter(({ kind }) => kind === 'unrecorded').length, 0, what);
    assert.equal(total(ledger), 10_400 + kept);
  }
});

test('a count that falls without a compaction clears the oldest output first', async (context) => {
  const ledger = await ledgerOf(context, [
    user('go'),
    ...readCall(10_000, 100, 'a'),
    ...readCall(10_500, 100, 'b'),
    answer('done', 10_700),
  ]);
  assert.equal(total(ledger), 10_700);
  assert.deepEqual(ledger.turns[0]?.drops, ['cleared']);
  assert.ok(slice(ledger, 'files', 'Read').tokens < 520);
  assert.equal(slice(ledger, 'calls', 'Read').tokens, 200);
  assert.ok(slice(ledger, 'system').tokens > 9_900);
});

test('a count that cannot be true is not used, and the ledger says why', async (context) => {
  const same = await ledgerOf(context, [user('go'), ...readCall(7_146, 100), answer('done', 7_146)]);
  assert.equal(same.basis, 'estimated');
  assert.match(same.problem ?? '', /count of 7146 tokens does not fit: it is the same as before/);
  assert.equal(same.apiTokens, 7_146);
  assert.ok(Math.abs(same.tokens - 7_646) < 60 && total(same) === same.tokens, String(same.tokens));
  assert.equal(slice(same, 'files', 'Read').basis, 'estimated');
  const small = await ledgerOf(context, [user(words.repeat(10)), answer('done', 500)]);
  assert.match(small.problem ?? '', /does not fit: the text alone has about \d+$/);
  assert.ok(small.tokens > 3_500);
});

test('a session without a count is estimated from its lines', async (context) => {
  const ledger = await ledgerOf(context, [user(words), answer('done', 0)]);
  assert.deepEqual([ledger.request, ledger.apiTokens, ledger.basis], [null, null, 'estimated']);
  assert.ok(Math.abs(slice(ledger, 'prompts').tokens - 400) < 40);
});

test('a compaction leaves the system prompt, its summary and the lines it kept', async (context) => {
  const boundary = {
    type: 'system',
    subtype: 'compact_boundary',
    parentUuid: null,
    logicalParentUuid: uuid(4),
    compactMetadata: { trigger: 'auto', preservedMessages: { anchorUuid: uuid(6), uuids: [uuid(1)] } },
  };
  const ledger = await ledgerOf(context, [
    user('go'),
    ...readCall(10_000, 100),
    answer('done', 10_500),
    boundary,
    user(words, { isCompactSummary: true }),
    user('on'),
    answer('well', 10_405),
  ]);
  assert.deepEqual(ledger.turns.at(-1)?.drops, ['compaction']);
  assert.deepEqual(slice(ledger, 'summary').lines, [[6, 6]]);
  assert.ok(Math.abs(slice(ledger, 'system').tokens - 9_997) < 10, String(slice(ledger, 'system').tokens));
  assert.ok(Math.abs(slice(ledger, 'summary').tokens - 400) < 40);
  assert.equal(
    ledger.slices.find(({ kind }) => kind === 'files' || kind === 'calls'),
    undefined,
  );
  assert.deepEqual(slice(ledger, 'prompts').lines, [
    [1, 1],
    [7, 7],
  ]);
  assert.equal(total(ledger), 10_405);
});

test('what a compaction removed names no command', async (context) => {
  const lines = [
    user('go'),
    ...readCall(10_000, 100),
    answer('done', 10_500),
    { type: 'system', subtype: 'compact_boundary', parentUuid: null, logicalParentUuid: uuid(4) },
    user(words, { isCompactSummary: true }),
    user('on'),
    answer('well', 10_405),
  ];
  const before = await ledgerOf(context, lines.slice(0, 4));
  assert.deepEqual(slice(before, 'files', 'Read').free, { command: `clew strip ${id} --tools Read`, tokens: 500 });
  assert.deepEqual(slice(before, 'calls', 'Read').free, slice(before, 'files', 'Read').free);
  const after = await ledgerOf(context, lines, { turn: 1 });
  assert.equal(slice(after, 'files', 'Read').tokens, 400);
  assert.equal(slice(after, 'files', 'Read').free, null);
});

test('a snapshot of the system prompt divides it from the tools and from each MCP server', async (context) => {
  const tool = (name: string, times: number): JsonObject => ({
    name,
    description: 'word '.repeat(times),
    schema: { name, description: 'word '.repeat(times), input_schema: { type: 'object' } },
  });
  const snapshot = {
    type: 'attachment',
    attachment: {
      type: 'prompt_snapshot',
      systemPrompt: ['word '.repeat(1_000)],
      tools: [tool('Bash', 2_000), tool('mcp__github__search', 500), tool('mcp__github__read', 500)],
    },
  };
  const ledger = await ledgerOf(context, [user('go'), snapshot, answer('done', 4_800)]);
  const [system, tools, mcp] = [slice(ledger, 'system'), slice(ledger, 'tools'), slice(ledger, 'mcp', 'github')];
  assert.ok(Math.abs(tools.tokens / system.tokens - 2) < 0.1, `${tools.tokens} ${system.tokens}`);
  assert.ok(Math.abs(mcp.tokens / system.tokens - 1) < 0.1, `${mcp.tokens} ${system.tokens}`);
  for (const each of [system, tools, mcp]) assert.deepEqual([each.lines, each.isRecorded], [[[2, 2]], true]);
  assert.equal(
    ledger.slices.find(({ kind }) => kind === 'silent'),
    undefined,
  );
  assert.equal(total(ledger), 4_800);
});

test('text counts more for the tokenizer of Opus 4.7 and later', async (context) => {
  const count = async (model: string): Promise<number> => {
    const ledger = await ledgerOf(context, [user(words), answer('done', 50_000, {}, model)]);
    return slice(ledger, 'prompts').tokens;
  };
  const old = await count('claude-opus-4-6');
  assert.ok(Math.abs((await count('claude-opus-4-7')) / old - 1.36) < 0.01);
  assert.equal(await count('us.anthropic.claude-sonnet-4-5-20250929-v1:0'), old);
});

test('attachments, reminders, images and lines that are not sent have kinds of their own', async (context) => {
  const reminder = '<system-reminder>\n# claudeMd\nContents of /w/CLAUDE.md (project instructions):\nBe kind.';
  const attached = (type: string, more: JsonObject = {}): JsonObject => ({
    type: 'attachment',
    attachment: { type, ...more },
    rendered: [{ content: `<system-reminder>${words}</system-reminder>` }],
  });
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
  const ledger = await ledgerOf(context, [
    user([{ type: 'text', text: reminder }, { type: 'text', text: 'go' }, image]),
    attached('skill_listing'),
    attached('mcp_instructions_delta'),
    attached('nested_memory'),
    attached('total_tokens_reminder'),
    attached('file', { filename: '/w/a.ts' }),
    { type: 'system', subtype: 'turn_duration', durationMs: 5 },
    { type: 'system', subtype: 'local_command', content: '<local-command-stdout>out</local-command-stdout>' },
    answer('done', 30_000),
  ]);
  const lines = Object.fromEntries(ledger.slices.map((each) => [`${each.kind} ${each.name ?? ''}`.trim(), each.lines]));
  const { system, ...rest } = lines;
  assert.deepEqual(system, [[9, 9]]);
  assert.deepEqual(rest, {
    images: [[1, 1]],
    prompts: [[1, 1]],
    instructions: [
      [1, 1],
      [4, 4],
    ],
    skills: [[2, 2]],
    mcp: [[3, 3]],
    reminders: [[5, 5]],
    'files attached': [[6, 6]],
    silent: [[7, 7]],
    'output local command': [[8, 8]],
  });
  assert.equal(slice(ledger, 'images').free?.command, `clew strip ${id} --images`);
  assert.equal(slice(ledger, 'silent').tokens, 0);
});

test('results of parallel calls count for their own tools, also off the branch', async (context) => {
  const message = { id: 'msg_parallel', usage: { input_tokens: 10_000, output_tokens: 120 } };
  const ledger = await ledgerOf(context, [
    user('go'),
    assistant([toolUse('a', 'Bash', { command: 'x' })], { message }),
    assistant([toolUse('b', 'Grep', { pattern: 'x' })], { message }),
    user([toolResult('b', words)], { parentUuid: uuid(3) }),
    user([toolResult('a', words)], { parentUuid: uuid(2) }),
    assistant('done', { parentUuid: uuid(4), message: { usage: { input_tokens: 10_920, output_tokens: 5 } } }),
  ]);
  const output = [slice(ledger, 'output', 'Bash'), slice(ledger, 'output', 'Grep')];
  assert.deepEqual(
    output.map(({ tokens, lines }) => [tokens, lines]),
    [
      [400, [[5, 5]]],
      [400, [[4, 4]]],
    ],
  );
  assert.equal(total(ledger), 10_920);
});

test('another branch has the lines before its fork, and names no command', async (context) => {
  const ledger = await ledgerOf(
    context,
    [
      user(words),
      ...readCall(10_000, 100),
      answer('one', 10_500),
      user('left'),
      answer('two', 10_600),
      user('right', { parentUuid: uuid(4) }),
      answer('three', 10_560),
    ],
    { branch: 2 },
  );
  assert.deepEqual([ledger.branch, ledger.request?.line, ledger.tokens], [2, 6, 10_600]);
  assert.deepEqual(slice(ledger, 'prompts').lines, [
    [1, 1],
    [5, 5],
  ]);
  assert.equal(slice(ledger, 'files', 'Read').tokens, 400);
  assert.deepEqual([...new Set(ledger.slices.map(({ free }) => free))], [null]);
});

test('a name that a list of tools cannot hold names no command', async (context) => {
  for (const [name, command] of [
    ["it's", `clew strip ${id} --tools 'it'\\''s'`],
    ['a,b', null],
    ['mcp__*', null],
    ['--in-place', null],
  ] as const) {
    const ledger = await ledgerOf(context, [
      user('go'),
      answer([toolUse('t', name, {})], 10_000),
      user([toolResult('t', words)]),
      answer('done', 10_450),
    ]);
    assert.equal(slice(ledger, 'output', name).free?.command ?? null, command, name);
  }
});

async function ledgerOf(
  context: TestContext,
  lines: readonly JsonObject[],
  options: ContextOptions = {},
): Promise<ContextLedger> {
  const folder = temporaryFolder(context);
  writeTree(folder, { [`${id}.jsonl`]: sessionText(lines, { sessionId: id }) });
  return contextLedger(await loadSession(path.join(folder, `${id}.jsonl`)), options);
}

function answer(content: JsonValue, count: number, usage: JsonObject = {}, model = 'claude-sonnet-4-5'): JsonObject {
  return assistant(content, {
    message: { model, usage: { input_tokens: 0, cache_read_input_tokens: count, output_tokens: 50, ...usage } },
  });
}

/** A call of Read and its result of about 400 tokens. */
function readCall(count: number, output: number, call = 't'): readonly JsonObject[] {
  return [
    answer([toolUse(call, 'Read', { file_path: '/w/a.ts' })], count, { output_tokens: output }),
    user([toolResult(call, words)]),
  ];
}

/** Of the line with this number. */
function uuid(line: number): string {
  return `00000000-0000-4000-8000-${String(line).padStart(12, '0')}`;
}

function slice(ledger: ContextLedger, kind: SliceKind, name: string | null = null): ContextSlice {
  const found = ledger.slices.find((each) => each.kind === kind && each.name === name);
  assert.ok(found !== undefined, `${kind} ${name}`);
  return found;
}

function total({ slices }: ContextLedger): number {
  return slices.reduce((sum, { tokens }) => sum + tokens, 0);
}
