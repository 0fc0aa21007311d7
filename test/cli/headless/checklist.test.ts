// The checklist for clients in seed 003, section 12: one run of `clew -p` with tools, a sub-agent and a second process
// that resumes it; each test is one section of the list. docs/agent.md maps every box to its tests.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { asObject, isArray, isObject, type JsonObject } from '../../../src/base/json/json.ts';
import { isUuid } from '../../../src/base/text/human.ts';
import {
  calls,
  type HeadlessKit,
  messagesOf,
  says,
  startHeadless,
  testModel,
  textsOf,
} from '../../support/headless-kit.ts';
import { filesBelow } from '../../support/paths.ts';

interface Checked {
  readonly kit: HeadlessKit;
  readonly id: string;
  readonly lines: readonly JsonObject[];
  /** User, assistant and system lines. */
  readonly chain: readonly JsonObject[];
  readonly agent: readonly JsonObject[];
}

test('the checklist of seed 003, section 12', async (t) => {
  const checked = await runAll(t);
  const { kit, id, lines, chain, agent } = checked;
  const ofType = (type: string) => lines.filter((line) => line.type === type);
  const blocks = (line: JsonObject): readonly JsonObject[] => {
    const content = asObject(line.message)?.content;
    return isArray(content) ? content.filter(isObject) : [];
  };

  await t.test('12.1: id, path, slug and working directory', () => {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const folder = kit.cwd.replace(/[^A-Za-z0-9]/g, '-');
    assert.deepEqual(kit.transcripts(), [path.join(kit.root, 'projects', folder, `${id}.jsonl`)]);
    for (const { cwd, gitBranch, version, slug, sessionId } of chain) {
      assert.deepEqual([cwd, gitBranch, version, sessionId], [kit.cwd, 'lamp', '2.1.45', id]);
      assert.match(String(slug), /^[a-z]+-[a-z]+-[a-z]+$/);
    }
  });

  await t.test('12.2: one line per message, a linear chain of uuids, ascending times, file snapshots', () => {
    let before: JsonObject | undefined;
    for (const line of chain) {
      assert.ok(isUuid(String(line.uuid)));
      assert.equal(line.parentUuid, before?.uuid ?? null);
      assert.match(String(line.timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.ok(before === undefined || String(line.timestamp) >= String(before.timestamp));
      before = line;
    }
    const snapshots = ofType('file-history-snapshot');
    assert.ok(snapshots.some((line) => JSON.stringify(line).includes('a.txt')));
    assert.equal(readFileSync(kit.transcripts()[0] ?? '', 'utf8').split('\n').length, lines.length + 1);
  });

  await t.test('12.3: roles, tools, one line per block, one request id, and the stop reason tool_use', () => {
    for (const body of kit.bodies()) {
      assert.ok(messagesOf(body).every(({ role }) => role === 'user' || role === 'assistant'));
      assert.ok(isArray(body.tools) && body.tools.length > 5);
    }
    const first = ofType('assistant').filter((line) => asObject(line.message)?.id === 'msg_first');
    assert.deepEqual(
      first.map((line) => blocks(line).map(({ type }) => type)),
      [['text'], ['tool_use'], ['tool_use']],
    );
    assert.equal(new Set(first.map(({ requestId }) => requestId)).size, 1);
    assert.deepEqual(
      first.map((line) => asObject(line.message)?.stop_reason),
      [null, null, 'tool_use'],
    );
    assert.ok(first.every((line) => asObject(line.message)?.model === testModel));
  });

  await t.test('12.4: parallel calls and their results in order, with the data for a screen', () => {
    const made = ofType('assistant')
      .flatMap(blocks)
      .filter(({ type }) => type === 'tool_use');
    const results = ofType('user').flatMap((line) =>
      blocks(line).flatMap((block) => (block.type === 'tool_result' ? [{ line, block }] : [])),
    );
    assert.deepEqual(
      made.map(({ name }) => name),
      ['Read', 'Bash', 'Edit', 'Write', 'Glob', 'Grep', 'Task'],
    );
    assert.deepEqual(
      results.map(({ block }) => block.tool_use_id),
      made.map(({ id: callId }) => callId),
    );
    const stored = results.map(({ line }) => Object.keys(asObject(line.toolUseResult) ?? {}));
    const wanted = ['file', 'stdout', 'structuredPatch', 'content', 'filenames', 'mode', 'agentId'];
    assert.ok(
      stored.every((keys, i) => keys.includes(wanted[i] ?? '')),
      JSON.stringify(stored),
    );
    assert.equal(readFileSync(path.join(kit.cwd, 'a.txt'), 'utf8'), 'two\n');
  });

  await t.test('12.5: a sub-agent has its own file, and its report comes back with its totals', () => {
    assert.ok(agent.length >= 4 && agent.every(({ isSidechain }) => isSidechain === true));
    const [agentId] = new Set(agent.map((line) => line.agentId));
    assert.match(String(agentId), /^[0-9a-f]+$/);
    const [file = ''] = agentFiles(kit);
    assert.ok(file.endsWith(`/${id}/subagents/agent-${agentId}.jsonl`));
    const stored = ofType('user')
      .map((line) => asObject(line.toolUseResult))
      .find((each) => each?.agentId === agentId);
    assert.deepEqual([stored?.status, stored?.totalToolUseCount], ['completed', 1]);
    assert.ok(Number(stored?.totalTokens) > 0 && Number(stored?.totalDurationMs) >= 0);
  });

  await t.test('12.7: the duration of a turn is written after it', () => {
    const ends = lines.filter(({ subtype }) => subtype === 'turn_duration');
    assert.deepEqual([ends.length, ends.every(({ durationMs }) => Number(durationMs) > 0)], [2, true]);
  });

  await t.test('12.8: another process reads it back: the chain, its end, blocks of one answer in one message', () => {
    const last = kit.bodies().at(-1);
    assert.deepEqual(textsOf(last), ['go', 'I look.', 'All done.', 'and now?']);
    const [, answer] = messagesOf(last);
    const content = isArray(answer?.content) ? answer.content.map((block) => asObject(block)?.type) : [];
    assert.deepEqual(content, ['text', 'tool_use', 'tool_use']);
  });
});

async function runAll(t: TestContext): Promise<Checked> {
  const task = { description: 'look', prompt: 'Look', subagent_type: 'general-purpose' };
  const first = calls(['Read', { file_path: 'a.txt' }], ['Bash', { command: 'echo hi' }]).blocks;
  const rounds = [
    { id: 'msg_first', blocks: [{ type: 'text', text: 'I look.' }, ...first] },
    calls(
      ['Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }],
      ['Write', { file_path: 'b.txt', content: 'new' }],
      ['Glob', { pattern: '*.txt' }],
      ['Grep', { pattern: 'two' }],
    ),
    calls(['Task', task]),
    says('All done.'),
    says('Nothing more.'),
  ];
  let round = 0;
  const kit = await startHeadless(
    t,
    ({ body }) => {
      const isAgent = textsOf(asObject(body))[0] === 'Look';
      if (isAgent) return messagesOf(body).length === 1 ? calls(['Bash', { command: 'echo seen' }]) : says('blue');
      return rounds[round++] ?? says('too much');
    },
    { files: { 'project/a.txt': 'one\n', 'project/.git/HEAD': 'ref: refs/heads/lamp\n' } },
  );
  const json = ['--output-format', 'json', '--dangerously-skip-permissions'];
  const { result } = await kit.print(['-p', 'go', ...json]);
  await kit.print(['-p', 'and now?', '--resume', String(result.session_id), ...json]);
  const lines = linesOf(kit.transcripts()[0] ?? '');
  const chain = lines.filter(({ type }) => type === 'user' || type === 'assistant' || type === 'system');
  return { kit, id: String(result.session_id), lines, chain, agent: linesOf(agentFiles(kit)[0] ?? '') };
}

function agentFiles(kit: HeadlessKit): readonly string[] {
  return filesBelow(kit.root, '.jsonl').filter((file) => file.includes('/subagents/'));
}

function linesOf(file: string): readonly JsonObject[] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
}
