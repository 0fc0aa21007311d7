// A limit in dollars holds for every request of a run, and nothing is sent if its cost cannot be known.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CostMeter } from '../../../src/agent/loop/cost.ts';
import { bundledPrices } from '../../../src/models/price-list.ts';
import { startAgent } from '../../support/agent-kit.ts';
import { calls, says } from '../../support/headless-kit.ts';

const unknown = 'model-of-nobody-1';

test('a limit with a model that has no price is refused before anything is sent, and says what to do', async (t) => {
  const refusal = {
    name: 'UserError',
    message: `no price is known for ${unknown}, so --max-budget-usd cannot be enforced; add --price INPUT,OUTPUT (dollars per million tokens), or leave out --max-budget-usd`,
  };
  await assert.rejects(startAgent(t, [says('a')], { model: unknown, maxBudgetUsd: 0.01 }), refusal);
  const kit = await startAgent(t, [says('a')], { maxBudgetUsd: 1 });
  assert.throws(() => kit.agent.setModel(unknown), refusal);
  assert.equal(kit.agent.state.model, 'claude-opus-5-5');
  const free = await startAgent(t, [says('a')], { model: unknown });
  assert.equal((await free.agent.prompt('go')).outcome, 'success');
});

test('a session whose model has no price is not continued under a limit', async (t) => {
  const first = await startAgent(t, [says('a')], { model: unknown });
  await first.agent.prompt('go');
  await first.agent.close('exit');
  await assert.rejects(
    startAgent(t, [says('a')], {
      folder: first.folder,
      session: { kind: 'continue' },
      model: unknown,
      maxBudgetUsd: 1,
    }),
    /no price is known for model-of-nobody-1/,
  );
});

test('the price of the run is used if none is known, at its highest', () => {
  const models = [{ id: 'known', aliases: [], prices: [{ input: 1, output: 1 }] }];
  const meter = new CostMeter({ ...bundledPrices, models }, { input: 2, output: 10 });
  const usage = {
    input_tokens: 1000,
    output_tokens: 100,
    cache_read_input_tokens: 500,
    cache_creation_input_tokens: 400,
    cache_creation: { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 0 },
  };
  meter.addSide(unknown, usage);
  // 1000 × $2 + 100 × $10 + 500 × $2 + 400 × $2.50, for a million.
  assert.deepEqual([meter.costMicros, meter.unpricedTokens, meter.costOfModel(unknown)], [5000, 0, 5000]);
  meter.addSide('known', { input_tokens: 7, output_tokens: 0 });
  assert.equal(meter.costMicros, 5007);
});

test('with a price the limit ends the run: 1,000 tokens at $20 a million are two cents', async (t) => {
  const usage = { input_tokens: 0, output_tokens: 1000 };
  const look = { ...calls(['Read', { file_path: 'a.txt' }]), usage };
  const kit = await startAgent(t, [look, look, look, look, { ...says('end'), usage }], {
    model: unknown,
    price: { input: 1, output: 20 },
    maxBudgetUsd: 0.05,
    files: { 'project/a.txt': 'a' },
  });
  assert.equal((await kit.agent.prompt('go')).outcome, 'error_max_budget_usd');
  assert.equal(kit.bodies().length, 3);
  assert.equal((await kit.agent.prompt('more')).outcome, 'error_max_budget_usd');
  assert.equal(kit.bodies().length, 3);
});

test('sub-agents and side requests of a model without a price are refused under a limit', async (t) => {
  const files = { 'claude/agents/odd.md': `---\nname: odd\ndescription: d\nmodel: ${unknown}\n---\np` };
  const task = calls(['Agent', { subagent_type: 'odd', description: 'look', prompt: 'look' }]);
  const kit = await startAgent(t, [task, says('done')], { files, maxBudgetUsd: 1 });
  assert.equal((await kit.agent.prompt('go')).outcome, 'success');
  assert.deepEqual(
    kit.bodies().map(({ model }) => model),
    ['claude-opus-5-5', 'claude-opus-5-5'],
  );
  assert.match(JSON.stringify(kit.bodies()[1]), /no price is known for model-of-nobody-1/);
});

test('an answer from a model without a price ends the run under a limit', async (t) => {
  const look = { ...calls(['Read', { file_path: 'a.txt' }]), model: unknown };
  const kit = await startAgent(t, [look, look, says('end')], { maxBudgetUsd: 1, files: { 'project/a.txt': 'a' } });
  assert.equal((await kit.agent.prompt('go')).outcome, 'error_max_budget_usd');
  assert.equal(kit.bodies().length, 1);
});

test('an unknown model has no cost and no context window, and a notice says so', async (t) => {
  const kit = await startAgent(t, [says('a')], { model: unknown });
  await kit.agent.prompt('go');
  const { state } = kit.agent;
  assert.deepEqual([state.contextWindow, state.costMicrosOf(unknown)], [undefined, undefined]);
  assert.ok(state.unpricedTokens > 0);
  const notices = kit.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  assert.deepEqual(notices, [
    `no price is known for ${unknown}, so its cost is not counted; clew prices lists the known models`,
  ]);
});
