// Flags, variables, settings and /effort in a whole agent, and how a change of the effort reaches the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asObject, isArray, type JsonObject } from '../../../src/base/json/json.ts';
import { agentEnv, startAgent } from '../../support/agent-kit.ts';

const ok = { blocks: [{ type: 'text', text: 'ok' }] };
const call = { blocks: [{ type: 'tool_use', name: 'Glob', input: { pattern: '*.none' } }] };

/** The effort of the request, and of each message that changes it, by the index of that message. */
function effortsOf({ output_config, messages }: JsonObject): unknown {
  const changes = (isArray(messages) ? messages : []).flatMap((message, i) => {
    const { role, content, output_config: config } = asObject(message) ?? {};
    if (config === undefined) return [];
    assert.deepEqual([role, content], ['system', []]);
    return [[i, asObject(config)?.effort]];
  });
  return [asObject(output_config)?.effort, ...changes];
}

test('a new effort is a message after the prompt, and the same one after a resume', async (t) => {
  const first = await startAgent(t, [ok, call, ok, ok]);
  await first.agent.prompt('one');
  assert.equal(first.agent.state.effort, 'medium');
  first.agent.setEffort('high');
  assert.equal(first.agent.state.effort, 'high');
  await first.agent.prompt('two');
  await first.agent.prompt('three');
  await first.agent.close('exit');
  assert.deepEqual(first.bodies().map(effortsOf), [
    ['medium'],
    ['medium', [3, 'high']],
    ['medium', [3, 'high']],
    ['medium', [3, 'high']],
  ]);
  const [, second, third] = first.bodies();
  assert.deepEqual((third?.messages as JsonObject[]).slice(0, 3), stripped(second).slice(0, 3));

  const { folder } = first;
  const session = { kind: 'resume', session: first.agent.state.sessionId } as const;
  const again = await startAgent(t, [ok, ok], { folder, session });
  await again.agent.prompt('four');
  again.agent.setEffort('low');
  await again.agent.prompt('five');
  assert.deepEqual(again.bodies().map(effortsOf), [
    ['medium', [3, 'high'], [10, 'medium']],
    ['medium', [3, 'high'], [10, 'medium'], [13, 'low']],
  ]);
});

function stripped(body: JsonObject | undefined): JsonObject[] {
  return JSON.parse(
    JSON.stringify(body?.messages).replaceAll(',"cache_control":{"type":"ephemeral"}', ''),
  ) as JsonObject[];
}

test('a model that takes no such message gets the new effort in the request', async (t) => {
  const { agent, bodies } = await startAgent(t, [ok, ok], { model: 'claude-opus-4-8' });
  await agent.prompt('one');
  agent.setEffort('low');
  await agent.prompt('two');
  assert.deepEqual(bodies().map(effortsOf), [['high'], ['low']]);
});

test('a change while a turn runs begins with the next prompt', async (t) => {
  const kit = await startAgent(t, [call, ok, ok], {
    onEvent: (event) => {
      if (event.type === 'call') kit.agent.setEffort('max');
    },
  });
  await kit.agent.prompt('one');
  await kit.agent.prompt('two');
  assert.deepEqual(kit.bodies().map(effortsOf), [['medium'], ['medium'], ['medium', [5, 'max']]]);
});

test('the flag wins over the settings of the user, the variable over both; a model of its own has its own setting', async (t) => {
  const settings = (value: object) => ({ files: { 'claude/settings.json': JSON.stringify(value) } });
  const model = 'claude-opus-4-8';
  const cases = [
    [{ model, ...settings({ effortLevel: 'low' }) }, 'low'],
    [{ model, effort: 'max', ...settings({ effortLevel: 'low' }) }, 'max'],
    [settings({ effortLevel: 'low' }), 'medium'],
    [settings({ modelSettings: { 'claude-opus-5-5': { effortLevel: 'low' } } }), 'low'],
    [settings({ env: { CLAUDE_CODE_EFFORT_LEVEL: 'xhigh' } }), 'xhigh'],
    [{ effort: 'high', ...settings({ maxEffortLevel: 'low' }) }, 'low'],
  ] as const;
  for (const [options, effort] of cases) {
    const { agent, bodies } = await startAgent(t, [ok], options);
    await agent.prompt('one');
    assert.deepEqual(bodies().map(effortsOf), [[effort]], JSON.stringify(options));
    await agent.close('exit');
  }
});

test('a folder without trust does not choose the effort', async (t) => {
  const files = {
    'project/.claude/settings.json': JSON.stringify({ effortLevel: 'max', alwaysThinkingEnabled: false }),
  };
  const { agent, bodies } = await startAgent(t, [ok], { model: 'claude-opus-4-8', files, isProjectTrusted: false });
  await agent.prompt('one');
  assert.deepEqual(
    bodies().map(({ thinking, output_config }) => [asObject(thinking)?.type, output_config]),
    [['adaptive', { effort: 'high' }]],
  );
});

test('thinking is switched off and on again', async (t) => {
  const { agent, bodies } = await startAgent(t, [ok, ok, ok], { model: 'claude-sonnet-5', thinking: { kind: 'off' } });
  await agent.prompt('one');
  agent.setThinking({ display: 'summarized' });
  await agent.prompt('two');
  agent.setThinking(undefined);
  await agent.prompt('three');
  assert.deepEqual(
    bodies().map(({ thinking }) => thinking),
    [{ type: 'disabled' }, { type: 'adaptive', display: 'summarized' }, { type: 'adaptive', display: 'omitted' }],
  );
});

test('thinking without its text is stored, sent back with its signature, and never repaired', async (t) => {
  const omitted = { type: 'thinking', thinking: '', signature: 'c2lnbmF0dXJl' };
  const script = [{ blocks: [omitted, { type: 'text', text: 'done' }] }, ok];
  const first = await startAgent(t, script);
  await first.agent.prompt('one');
  await first.agent.prompt('two');
  await first.agent.close('exit');
  const session = { kind: 'resume', session: first.agent.state.sessionId } as const;
  const again = await startAgent(t, [ok], { folder: first.folder, session });
  await again.agent.prompt('three');
  for (const body of [first.bodies()[1], again.bodies()[0]]) {
    const answer = (body?.messages as JsonObject[])[1]?.content as JsonObject[];
    assert.deepEqual(answer[0], omitted);
  }
});

test('MAX_THINKING_TOKENS and CLAUDE_CODE_MAX_OUTPUT_TOKENS of the environment are used', async (t) => {
  const settings = { env: { MAX_THINKING_TOKENS: '2000', CLAUDE_CODE_MAX_OUTPUT_TOKENS: '9000' } };
  const { agent, bodies } = await startAgent(t, [ok], {
    model: 'claude-haiku-4-5',
    files: { 'claude/settings.json': JSON.stringify(settings) },
  });
  await agent.prompt('one');
  const [body] = bodies();
  assert.deepEqual(
    [body?.max_tokens, body?.thinking],
    [9000, { type: 'enabled', budget_tokens: 2000, display: 'omitted' }],
  );
  assert.ok(agentEnv('', '').MAX_THINKING_TOKENS === undefined);
});
