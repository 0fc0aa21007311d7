// The agent with a real server on pipes: its tools are called, its images reach the model, and its crash is an outcome.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { asObject, isArray, type JsonObject } from '../../src/base/json/json.ts';
import { startAgent } from '../support/agent-kit.ts';
import { assertSame, calls, messagesOf, results, says } from '../support/agent-talk.ts';
import { isAlive } from '../support/processes.ts';
import { sample } from './mcp/mcp-kit.ts';

const mcpConfig = [JSON.stringify({ mcpServers: { sample: sample() } })];

test('tools of a server are called, and images reach the model and the session', async (t) => {
  const script = [calls(['mcp__sample__echo', { text: 'hello' }], ['mcp__sample__pictures', {}]), says('ok')];
  const kit = await startAgent(t, script, { mcpConfig });
  await kit.agent.prompt('go');
  assert.match(JSON.stringify(kit.bodies()[0]?.system), /Be gentle\./);
  const sent = messagesOf(kit.bodies()[1]).at(-1);
  const content = asObject(sent)?.content;
  const blocks = (isArray(content) ? content : []).flatMap((block) => asObject(block)?.content as JsonObject[]);
  assert.deepEqual(
    blocks.map(({ type }) => type),
    ['text', 'image', 'text', 'text'],
  );
  assert.equal(asObject(blocks[1]?.source)?.media_type, 'image/png');
  await assertSame(kit);
});

test('a server that dies in a call fails the call, and the turn continues', async (t) => {
  const script = [
    calls(['mcp__sample__environment', {}]),
    calls(['mcp__sample__die', {}]),
    calls(['mcp__sample__echo', { text: 'again' }]),
    says('ok'),
  ];
  const kit = await startAgent(t, script, { mcpConfig });
  const ended = await kit.agent.prompt('go');
  const outcomes = results(kit.events);
  assert.deepEqual([ended.outcome, outcomes[0]?.isError, outcomes[1]?.isError], ['success', false, true]);
  assert.match(String(outcomes[1]?.content), /^MCP server sample: /);
  await assertSame(kit);
  const [first] = outcomes[0]?.content as JsonObject[];
  const { pid } = JSON.parse(String(first?.text)) as { readonly pid: number };
  assert.equal(isAlive(pid), false);
});

test('the servers of the user are read from the folder that replaces ~/.claude', async (t) => {
  const files = { 'claude/.claude.json': JSON.stringify({ mcpServers: { mine: sample() } }) };
  const kit = await startAgent(t, [says('ok')], { files });
  await kit.agent.prompt('go');
  assert.deepEqual(
    kit.agent.state.mcpServers.map(({ name, status }) => [name, status]),
    [['mine', 'connected']],
  );
  assert.equal(path.basename(kit.root), 'claude');
});
