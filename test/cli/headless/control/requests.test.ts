// Requests that change how the model thinks, and those that Clew cannot carry out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Script } from '../../../../src/api/server/script.ts';
import { asObject, isArray, isObject, type JsonObject } from '../../../../src/base/json/json.ts';
import { calls, says } from '../../../support/agent-talk.ts';
import { startHost } from '../../../support/fake-host.ts';

test('the budget of thinking and the effort change for the next request', async (t) => {
  const agent = { model: 'claude-sonnet-4-5-20250929' };
  const host = startHost(t, [says('one'), says('two'), says('three'), says('four')], { agent });
  const thinkingOfLast = () => asObject(asObject(host.kit().bodies().at(-1))?.thinking);
  await host.prompt('go');
  const thinkingAtFirst = thinkingOfLast();
  assert.deepEqual(await host.request('set_max_thinking_tokens', { max_thinking_tokens: 2048 }), {});
  await host.prompt('again');
  assert.equal(thinkingOfLast()?.budget_tokens, 2048);
  assert.deepEqual(await host.request('set_max_thinking_tokens', { max_thinking_tokens: 0 }), {});
  await host.prompt('and again');
  assert.notEqual(thinkingOfLast()?.type, 'enabled');
  assert.deepEqual(await host.request('set_max_thinking_tokens', { max_thinking_tokens: null }), {});
  await host.prompt('with the default');
  assert.deepEqual(thinkingOfLast(), thinkingAtFirst);
  assert.deepEqual(await host.request('apply_flag_settings', { settings: { effortLevel: 'low' } }), {});
  assert.equal(host.kit().agent.state.effort, undefined, 'this model takes no effort');
  host.kit().agent.setModel('claude-opus-5-5');
  assert.equal(host.kit().agent.state.effort, 'low');
  await host.request('apply_flag_settings', { settings: { effortLevel: null } });
  assert.equal(host.kit().agent.state.effort, 'medium');
});

test('the display of thinking is that of the start, until a request names another one', async (t) => {
  const answers = ['one', 'two', 'three', 'four'].map((text) => says(text));
  const host = startHost(t, answers, { thinkingDisplay: 'summarized', agent: { thinking: { display: 'summarized' } } });
  const displayAfter = async (more: JsonObject) => {
    assert.deepEqual(await host.request('set_max_thinking_tokens', { max_thinking_tokens: null, ...more }), {});
    await host.prompt('go');
    return asObject(asObject(host.kit().bodies().at(-1))?.thinking)?.display;
  };
  assert.deepEqual(
    [
      await displayAfter({}),
      await displayAfter({ thinking_display: 'omitted' }),
      await displayAfter({ thinking_display: 'summarized' }),
      await displayAfter({ thinking_display: null }),
    ],
    ['summarized', 'omitted', 'summarized', 'omitted'],
  );
});

test('the commands of a program are those of the files and those of clew -p, each once', async (t) => {
  const files = { 'project/.claude/commands/cost.md': '---\ndescription: mine\n---\nCount.' };
  const host = startHost(t, [says('one')], { agent: { files } });
  const answer = await host.request('initialize', {});
  const commands = isObject(answer) && isArray(answer.commands) ? answer.commands.filter(isObject) : [];
  assert.deepEqual(
    commands.map(({ name, builtin }) => `${name}${builtin === true ? '' : ' (file)'}`),
    ['cost (file)', 'clear', 'compact', 'context', 'usage', 'model', 'effort', 'init'],
  );
});

test('a program stops commands and sub-agents in the background', async (t) => {
  const run = { command: 'sleep 60', description: 'wait', run_in_background: true };
  const work = { description: 'look', prompt: 'SUB', subagent_type: 'general-purpose', run_in_background: true };
  let main = 0;
  const answer: Script = ({ body }) => {
    if (!JSON.stringify(body).includes('MAIN')) return calls(['Bash', { command: 'sleep 60', description: 'wait' }]);
    return main++ === 0 ? calls(['Bash', run], ['Agent', work]) : says('done');
  };
  const host = startHost(t, answer, { agent: { mode: 'bypassPermissions' } });
  await host.prompt('MAIN');
  const { agent, events } = host.kit();
  const ids = agent.state.backgroundTasks.map(({ id }) => id);
  assert.equal(ids.length, 2);
  for (const id of [...ids, ...ids]) assert.deepEqual(await host.request('stop_task', { task_id: id }), {});
  await agent.idle();
  const ended = events.flatMap((event) => (event.type === 'task-ended' ? [`${event.task.kind} ${event.status}`] : []));
  assert.deepEqual(ended.sort(), ['agent killed', 'shell killed']);
  // The end of the sub-agent is reported to the model in a turn, as the client does.
  assert.equal(main, 3);
});

test('a request that Clew cannot carry out is an error, never an empty success', async (t) => {
  const host = startHost(t, [says('one')]);
  await host.prompt('go');
  const refused = [
    ['set_max_thinking_tokens', { max_thinking_tokens: '5' }],
    ['set_max_thinking_tokens', { max_thinking_tokens: 1.5 }],
    ['set_max_thinking_tokens', {}],
    ['set_max_thinking_tokens', { max_thinking_tokens: 0, thinking_display: 'highlights' }],
    ['apply_flag_settings', { settings: { effortLevel: 'huge' } }],
    ['apply_flag_settings', { settings: { fastMode: true } }],
    ['stop_task', { task_id: 'b1' }],
    ['get_settings', {}],
    ['reload_plugins', {}],
    ['no_such_request', {}],
  ] as const;
  for (const [subtype, body] of refused)
    assert.equal(typeof (await host.request(subtype, body)), 'string', `${subtype} ${JSON.stringify(body)}`);
});
