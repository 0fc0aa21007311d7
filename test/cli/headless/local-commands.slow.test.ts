// Slash commands as prompts of `clew -p`: what the program answers itself, and what it leaves to the model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindsOf, says, startHeadless, textsOf } from '../../support/headless-kit.ts';

const stream = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'] as const;
const prompts = (...texts: readonly string[]) =>
  texts.map((content) => `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`).join('');

test('/cost, /context, /model and /help are answered without the model', async (t) => {
  const kit = await startHeadless(t, () => says('one'), { files: { 'project/CLAUDE.md': 'Be brief.' } });
  const { status, messages } = await kit.print([...stream], prompts('hi', '/cost', '/context', '/model opus', '/help'));
  assert.equal(status, 0);
  assert.equal(kit.bodies().length, 1);
  const results = messages.filter(({ type }) => type === 'result');
  const [, cost, context, model, help] = results.map(({ result }) => String(result));
  assert.match(cost ?? '', /^Total cost: +\$\d\.\d{4}\nTotal duration \(API\): /);
  assert.match(context ?? '', /\| Memory files \| .*\n[\s\S]*\| Autocompact buffer \|[\s\S]*CLAUDE\.md \| project \|/);
  assert.match(model ?? '', /^Set model to `claude-opus-[\w-]+` for this session only$/);
  assert.equal(help, "/help isn't available in this environment.");
  assert.deepEqual(
    results.map(({ local_command, num_turns, result_index }) => [local_command, num_turns, result_index]),
    [
      [undefined, 1, 0],
      ['cost', 0, 1],
      ['context', 0, 2],
      ['model', 0, 3],
      [undefined, 0, 4],
    ],
  );
  assert.equal(messages.filter(({ subtype }) => subtype === 'init').length, 5);
  const text = await kit.print(['-p', '/context']);
  assert.match(text.stdout, /^## Context Usage\n\n\*\*Model:\*\* /);
});

test('/effort changes the next request, and /init is the prompt of the chat', async (t) => {
  const kit = await startHeadless(t, () => says('one'));
  const input = prompts('/effort low', 'hi', '/effort banana', '/effort', '/effort auto', '/init');
  const { status, messages } = await kit.print([...stream], input);
  assert.equal(status, 0);
  const results = messages.filter(({ type }) => type === 'result').map(({ result }) => String(result));
  assert.deepEqual(results, [
    'Set effort level to low (this session only)',
    'one',
    'Invalid argument: banana. Valid options are: low, medium, high, xhigh, max, auto',
    'Usage: /effort <low|medium|high|xhigh|max|auto>',
    'Set effort level to high (this session only)',
    'one',
  ]);
  const [first, second] = kit.bodies();
  assert.equal(kit.bodies().length, 2);
  assert.match(JSON.stringify(first), /"output_config":\{"effort":"low"\}/);
  assert.match(JSON.stringify(second), /Write the file CLAUDE\.md for this project/);
});

test('/compact summarises, with or without something to summarise, and /clear begins another session', async (t) => {
  const kit = await startHeadless(t, ({ body }) =>
    says(JSON.stringify(body).includes('summary') ? '<summary>SHORT</summary>' : 'one'),
  );
  const input = prompts('hi', '/compact', 'on', '/clear', 'new', '/cost');
  const { status, messages } = await kit.print([...stream], input);
  assert.equal(status, 0);
  const at = messages.findIndex(({ status: state }) => state === 'compacting');
  assert.deepEqual(kindsOf(messages.slice(at, at + 6)), [
    'system/status',
    'system/status',
    'system/init',
    'system/compact_boundary',
    'user string',
    'user string',
  ]);
  const reset = messages.find(({ type }) => type === 'conversation_reset');
  const ids = [...new Set(messages.filter(({ type }) => type === 'result').map(({ session_id }) => session_id))];
  assert.deepEqual([reset?.session_id, reset?.new_conversation_id], ids);
  assert.deepEqual(textsOf(kit.bodies().at(-1)), ['new']);
  const costs = messages.filter(({ type }) => type === 'result').map(({ total_cost_usd }) => Number(total_cost_usd));
  assert.ok((costs[1] ?? 0) > (costs[0] ?? 0), 'a compaction costs');
  assert.equal(costs[3], 0);
  const empty = await kit.print(['-p', '/compact']);
  assert.deepEqual([empty.status, empty.stdout], [0, 'there is nothing to summarise yet\n']);
});

test('a command of the user wins, and an unknown one is a prompt', async (t) => {
  const kit = await startHeadless(t, () => says('ok'), { files: { 'home/.claude/commands/cost.md': 'MY COST' } });
  await kit.print(['-p', '/cost']);
  await kit.print(['-p', '/nothing-of-this-name x']);
  const sent = kit.bodies().map((body) => JSON.stringify(body.messages));
  assert.match(sent[0] ?? '', /MY COST/);
  assert.match(sent[1] ?? '', /nothing-of-this-name x/);
});
