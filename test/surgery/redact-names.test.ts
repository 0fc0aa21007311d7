// Secrets in names that a client or the API takes literally: names of tools, of files in the side folder, ids of agents.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { loadSession } from '../../src/session/load/session.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import { type Bench, benchWith, contentsOf, undoLast } from '../support/surgery-kit.ts';
import { writeTree } from '../support/temp-folder.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';
import { redactBench } from './redact-kit.ts';

const token = `gh${'p_'}${'a1B2c3D4e5F6'.repeat(3)}`;
const second = `gh${'p_'}${'z9Y8x7W6v5U4'.repeat(3)}`;
const tool = `mcp__mail__send-${token}`;

function withTool(name: string): string {
  const call = { type: 'tool_use', id: 'toolu_1', name, input: { command: `curl -H ${token}` } };
  return transcript()
    .user('hi')
    .call('toolu_1', { message: { content: [call] } })
    .result('toolu_1', { toolUseResult: { toolName: name, text: `${name} said ${token}` } })
    .attachment('deferred_tools_delta', [`now there is ${name}`], {
      attachment: { type: 'deferred_tools_delta', addedNames: [name], addedLines: [name] },
    })
    .assistant('done')
    .text();
}

test('a secret in the name of a tool becomes a name that the API accepts, the same wherever the tool is named', async (t) => {
  const bench = benchWith(t, sessionId, withTool(tool));
  const { outcome, secrets } = await redactBench(bench, { isInPlace: true });
  assert.equal(outcome.isWritten, true);
  const safe = 'mcp__mail__send-redacted-github-token-1';
  const expected = withTool(tool).replaceAll(tool, safe).replaceAll(token, '[redacted:github-token:1]');
  assert.equal(readFileSync(bench.main, 'utf8'), expected);
  assert.deepEqual(
    secrets.map(({ kind, count }) => [kind, count]),
    [['github-token', withTool(tool).split(token).length - 1]],
  );
  const request = requestMessages(await loadSession(bench.main));
  assert.ok('messages' in request);
  const names = request.messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : [])),
  );
  assert.deepEqual(names, [safe]);
});

test('a name that would be longer than the API allows is only the placeholder, and two such names stay apart', async (t) => {
  // A password of eleven characters is shorter than its placeholder.
  const password = ['k9Zq', 'r7Lm2xT'].join('');
  const long = (end: string): string => `mcp__${'a'.repeat(128 - 17 - end.length)}_${password}${end}`;
  const names = [long('_'), long('-')];
  assert.deepEqual(
    names.map((name) => name.length),
    [128, 128],
  );
  const content = names.map((name, i) => ({ type: 'tool_use', id: `toolu_${i}`, name, input: {} }));
  const text = transcript()
    .user(`DB_PASSWORD=${password}`)
    .assistant('', { message: { content } })
    .result(['toolu_0', 'toolu_1'])
    .text();
  const bench = benchWith(t, sessionId, text);
  await redactBench(bench, { isInPlace: true });
  const after = readFileSync(bench.main, 'utf8');
  assert.ok(!after.includes(password));
  assert.deepEqual(
    [...after.matchAll(/"name":"([^"]*)"/g)].map(([, name]) => name),
    ['redacted-env-secret-1', 'redacted-env-secret-1-2'],
  );
});

const agentText = transcript({ isSidechain: true, agentId: second }).user('look').assistant('seen').text();

function withFiles(t: Parameters<typeof benchWith>[0]): Bench {
  const file = `${sessionId}/tool-results/${token}.txt`;
  const text = transcript()
    .user('hi')
    .call('toolu_1')
    .result('toolu_1', {
      message: {
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: `see /p/${file} and ${token}` }],
      },
      toolUseResult: { persistedOutputPath: `/p/${file}`, agentId: second },
    })
    .assistant(`agentId: ${second}`)
    .text();
  const bench = benchWith(t, sessionId, text, {
    [file]: 'a long output\n',
    [`${sessionId}/subagents/agent-${second}.jsonl`]: agentText,
    [`${sessionId}/subagents/agent-${second}.meta.json`]: '{"agentType":"general-purpose"}',
  });
  writeTree(bench.root, { [`todos/${sessionId}-agent-${second}.json`]: '[]' });
  return bench;
}

const safeFile = 'redacted-github-token-1';
const safeAgent = 'redacted-github-token-2';

/** The expected library, written by hand: names first, then the rest of the values. */
function renamed(text: string, id: string): string {
  return text
    .replaceAll(`${token}.txt`, `${safeFile}.txt`)
    .replaceAll(second, safeAgent)
    .replaceAll(token, '[redacted:github-token:1]')
    .replaceAll(sessionId, id);
}

test('files of the side folder whose name holds a secret get another one, and so does every reference', async (t) => {
  const bench = withFiles(t);
  const before = contentsOf(bench.root);
  const { outcome } = await redactBench(bench, { isInPlace: true });
  assert.equal(outcome.isWritten, true);
  const expected = [...before].map(([name, text]): [string, string] => [
    renamed(name, sessionId),
    renamed(text, sessionId),
  ]);
  assert.deepEqual([...contentsOf(bench.root)].sort(), expected.sort());
  const { files } = await loadSession(bench.main);
  assert.deepEqual(
    files.agents.map(({ agentId, metaPath }) => [agentId, metaPath !== undefined]),
    [[safeAgent, true]],
  );
  await undoLast(bench);
  assert.deepEqual([...contentsOf(bench.root)].sort(), [...before].sort());
});

test('a secret that is only in the name of a file is found, and what is said of it names the new file', async (t) => {
  const old = `${sessionId}/tool-results/${token}.txt`;
  const bench = benchWith(t, sessionId, transcript().user('hi').assistant('ok').text(), { [old]: 'output' });
  const { outcome, secrets } = await redactBench(bench, { isInPlace: true });
  assert.equal(outcome.isWritten, true);
  const now = `${sessionId}/tool-results/redacted-github-token-1.txt`;
  assert.deepEqual([...contentsOf(bench.folder).keys()].sort(), [`${sessionId}.jsonl`, now].sort());
  assert.deepEqual(
    secrets.map(({ count, places }) => [count, places.map(({ file, line }) => [file, line])]),
    [[1, [[path.join(bench.folder, now), 0]]]],
  );
});

test('a new session gets the other names, and the original keeps its own', async (t) => {
  const bench = withFiles(t);
  const before = contentsOf(bench.folder);
  const { outcome } = await redactBench(bench);
  const side = path.join(bench.folder, outcome.to.sessionId);
  assert.deepEqual([...contentsOf(side).keys()].sort(), [
    `subagents/agent-${safeAgent}.jsonl`,
    `subagents/agent-${safeAgent}.meta.json`,
    `tool-results/${safeFile}.txt`,
  ]);
  for (const [name, text] of before) assert.equal(readFileSync(path.join(bench.folder, name), 'latin1'), text, name);
  assert.ok(existsSync(outcome.to.path));
});
