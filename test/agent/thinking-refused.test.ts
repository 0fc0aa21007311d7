// When the API refuses the thinking of a request, the agent sends it once more without thinking, and the session records that for
// every client; what the API reports about thinking is recorded too.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ScriptedReply } from '../../src/api/server/script.ts';
import { asObject, isArray, type JsonObject } from '../../src/base/json/json.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import { type AgentKit, startAgent } from '../support/agent-kit.ts';
import { assertSame, calls, says } from '../support/agent-talk.ts';

const refusals = [
  'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
  'messages.1.content.0: Invalid `signature` in `thinking` block',
  'messages.3.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
  'messages.1.content.0: Invalid `data` in `redacted_thinking` block',
];
const error = (status: number, message: string) => ({ status, type: 'invalid_request_error', message });
const thinks = (name: string): ScriptedReply => ({
  blocks: [
    { type: 'thinking', thinking: name },
    { type: 'text', text: `said ${name}` },
  ],
});
const hasThinking = (body: JsonObject | undefined): boolean => JSON.stringify(body?.messages).includes('"thinking"');

function linesOf({ agent }: AgentKit): JsonObject[] {
  const lines = readFileSync(agent.state.file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as JsonObject);
}

for (const [status, message] of [...refusals.map((text) => [400, text] as const), [429, refusals[0] ?? ''] as const]) {
  test(`${status} "${message.slice(0, 70)}": once more without thinking, and a mark before the answer`, async (t) => {
    const kit = await startAgent(t, [thinks('a'), error(status, message), thinks('b'), thinks('c')]);
    await kit.agent.prompt('one');
    const ended = await kit.agent.prompt('two');
    assert.deepEqual([ended.outcome, ended.text], ['success', 'said b']);
    assert.deepEqual(kit.bodies().map(hasThinking), [false, true, false]);
    const lines = linesOf(kit);
    const mark = lines.findIndex(({ attachment }) => asObject(attachment)?.type === 'thinking_stripped');
    const answer = lines.findIndex(({ message: said }) => JSON.stringify(said ?? {}).includes('"b"'));
    assert.deepEqual(lines[mark]?.attachment, { type: 'thinking_stripped', scope: 'all' });
    assert.ok(mark > 0 && answer > mark);
    // What comes after the mark is kept, in this run and in the file.
    await kit.agent.prompt('three');
    assert.match(JSON.stringify(kit.bodies()[3]?.messages), /"thinking":"b"/);
    assert.doesNotMatch(JSON.stringify(kit.bodies()[3]?.messages), /"thinking":"a"/);
    await assertSame(kit);
    const notices = kit.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
    assert.deepEqual(notices, [
      'the API refused the reasoning of earlier answers, so the session continues without it',
    ]);
  });
}

test('a second refusal is shown to the user and leaves no mark, and other errors are not retried', async (t) => {
  const budget = 'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`.';
  const [first = ''] = refusals;
  const script = [thinks('a'), error(400, first), error(400, first), error(400, budget), says('fine')];
  const kit = await startAgent(t, script);
  await kit.agent.prompt('one');
  const twice = await kit.agent.prompt('two');
  assert.deepEqual([twice.outcome, twice.error?.message], ['error_during_execution', first]);
  const other = await kit.agent.prompt('three');
  assert.deepEqual([other.outcome, other.error?.message], ['error_during_execution', budget]);
  assert.equal(kit.bodies().length, 4);
  assert.doesNotMatch(JSON.stringify(linesOf(kit)), /thinking_stripped/);
});

test('the summary of a compaction is requested without thinking if that is refused', async (t) => {
  const kit = await startAgent(t, [thinks('a'), error(400, refusals[0] ?? ''), says('SUMMARY'), thinks('b')]);
  await kit.agent.prompt('one');
  await kit.agent.compact();
  await kit.agent.prompt('two');
  assert.deepEqual(kit.bodies().map(hasThinking), [false, true, false, false]);
  assert.match(JSON.stringify(kit.bodies()[3]?.messages), /SUMMARY/);
});

test('what the API reports about a block is written once, and a broken prefix is a warning', async (t) => {
  const reported = { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'prefix_binding_mismatch' };
  const unknown = { type: 'something_new', path: 'messages.1.content.0', reason: 'x' };
  const [call] = calls(['Bash', { command: 'true' }]).blocks;
  assert.ok(call !== undefined);
  const kit = await startAgent(t, [
    thinks('a'),
    { blocks: [call], inputTransformations: [unknown, reported] },
    { ...thinks('b'), inputTransformations: [reported] },
  ]);
  await kit.agent.prompt('one');
  await kit.agent.prompt('two');
  const notes = linesOf(kit).filter(({ type }) => type === 'clew-thinking-drop');
  assert.deepEqual(
    notes.map(({ entries, model, uuid }) => [entries, model, uuid]),
    [[[reported], 'claude-opus-5-5', undefined]],
  );
  const warnings = kit.events.flatMap((event) =>
    event.type === 'notice' && event.level === 'warn' ? [event.text] : [],
  );
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /^1 thinking block no longer fits its conversation/);
  const sent = requestMessages(await loadSession(kit.agent.state.file));
  assert.ok(!('refused' in sent) && isArray(sent.messages));
});
