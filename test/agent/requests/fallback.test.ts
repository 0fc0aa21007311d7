// When a turn continues with a fallback model, as client 2.1.325 was seen to decide it: 529 three times, 500, 503, 404 and
// 400 at once, but not 429, 401 or 403.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { ScriptedError, ScriptStep } from '../../../src/api/server/script.ts';
import { asObject, type JsonObject, parseJson } from '../../../src/base/json/json.ts';
import { type AgentKitOptions, startAgent } from '../../support/agent-kit.ts';

const ok = { blocks: [{ type: 'text', text: 'ok' }] };

function failing(status: number, type: string, message = 'not now'): ScriptedError {
  return { status, type, message, headers: { 'retry-after-ms': '1' } };
}

const overloaded = failing(529, 'overloaded_error', 'Overloaded');

async function run(
  t: TestContext,
  answers: Readonly<Record<string, readonly ScriptStep[]>>,
  more: AgentKitOptions = {},
) {
  const asked: Record<string, number> = {};
  const script = ({ body }: { readonly body: unknown }): ScriptStep => {
    const model = String(asObject(body as JsonObject)?.model);
    const at = asked[model] ?? 0;
    asked[model] = at + 1;
    return answers[model]?.[at] ?? ok;
  };
  const kit = await startAgent(t, script, { fallbackModels: ['sonnet'], ...more });
  const models = (): unknown[] => kit.bodies().map(({ model }) => model);
  return { ...kit, models };
}

const [opus, sonnet, haiku] = ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5'];

test('the third overloaded answer switches the model for the rest of the turn only', async (t) => {
  const { agent, models, events } = await run(t, { [opus]: [overloaded, overloaded, overloaded] });
  assert.equal((await agent.prompt('one')).outcome, 'success');
  assert.equal((await agent.prompt('two')).outcome, 'success');
  assert.deepEqual(models(), [opus, opus, opus, sonnet, opus]);
  const switched = events.filter((event) => event.type === 'model-switched');
  assert.deepEqual(
    switched.map(({ trigger, from, to }) => [trigger, from, to]),
    [['overloaded', opus, sonnet]],
  );
  await agent.close('exit');
  const lines = readFileSync(agent.state.file, 'utf8')
    .split('\n')
    .map((line) => asObject(parseJson(line)));
  const note = lines.find((line) => line?.subtype === 'model_fallback');
  assert.deepEqual(
    [note?.type, note?.trigger, note?.originalModel, note?.fallbackModel, typeof note?.uuid],
    ['system', 'overloaded', opus, sonnet, 'string'],
  );
});

test('the models of the list follow one another', async (t) => {
  const busy = [overloaded, overloaded, overloaded];
  const { agent, models } = await run(t, { [opus]: busy, [sonnet]: busy }, { fallbackModels: ['sonnet', 'haiku'] });
  assert.equal((await agent.prompt('one')).outcome, 'success');
  assert.deepEqual(models(), [opus, opus, opus, sonnet, sonnet, sonnet, haiku]);
});

for (const [status, type, trigger] of [
  [500, 'api_error', 'server_error'],
  [503, 'api_error', 'server_error'],
  [404, 'not_found_error', 'model_not_found'],
  [400, 'invalid_request_error', 'last_resort'],
] as const)
  test(`${status} switches at once`, async (t) => {
    const { agent, models, events } = await run(t, { [opus]: [failing(status, type)] });
    assert.equal((await agent.prompt('one')).outcome, 'success');
    assert.deepEqual(models(), [opus, sonnet]);
    const [switched] = events.filter((event) => event.type === 'model-switched');
    assert.equal(switched?.trigger, trigger);
  });

for (const [status, type] of [
  [401, 'authentication_error'],
  [403, 'permission_error'],
] as const)
  test(`${status} ends the turn`, async (t) => {
    const { agent, models } = await run(t, { [opus]: [failing(status, type)] });
    assert.equal((await agent.prompt('one')).outcome, 'error_during_execution');
    assert.deepEqual(models(), [opus]);
  });

test('a rate limit is waited for', async (t) => {
  const { agent, models } = await run(t, { [opus]: Array(4).fill(failing(429, 'rate_limit_error')) });
  assert.equal((await agent.prompt('one')).outcome, 'success');
  assert.deepEqual(models(), [opus, opus, opus, opus, opus]);
});

test('without another model the requests are retried; a list of one name in the settings is used', async (t) => {
  const busy = [overloaded, overloaded, overloaded, overloaded];
  const same = await run(t, { [opus]: busy }, { fallbackModels: ['opus'] });
  assert.equal((await same.agent.prompt('one')).outcome, 'success');
  assert.deepEqual(same.models(), [opus, opus, opus, opus, opus]);
  const set = await startAgent(t, ({ body }) => (asObject(body)?.model === opus ? overloaded : ok), {
    files: { 'claude/settings.json': JSON.stringify({ fallbackModel: ['haiku'] }) },
  });
  assert.equal((await set.agent.prompt('one')).outcome, 'success');
  assert.deepEqual(
    set.bodies().map(({ model }) => model),
    [opus, opus, opus, haiku],
  );
});

test('the fallback model gets the values of its own: output, thinking, effort', async (t) => {
  const { agent, bodies } = await run(
    t,
    { [opus]: [failing(500, 'api_error')] },
    { fallbackModels: ['claude-haiku-4-5'] },
  );
  await agent.prompt('one');
  assert.deepEqual(
    bodies().map(({ max_tokens, thinking, output_config }) => [max_tokens, asObject(thinking)?.type, output_config]),
    [
      [128_000, 'adaptive', { effort: 'medium' }],
      [32_000, 'enabled', undefined],
    ],
  );
});
