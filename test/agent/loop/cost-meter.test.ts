// The cost of a run, compared with sums calculated by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentEvent } from '../../../src/agent/contract/event.ts';
import { CostMeter } from '../../../src/agent/loop/cost.ts';
import { bundledPrices } from '../../../src/models/price-list.ts';

/** US dollars per million tokens. */
const models = [
  { id: 'large', aliases: [], prices: [{ input: 10, output: 50, cacheWrite5m: 12, cacheWrite1h: 20, cacheRead: 1 }] },
  { id: 'small', aliases: [], prices: [{ input: 1, output: 5, cacheWrite5m: 2, cacheWrite1h: 3, cacheRead: 0 }] },
];
const agent = { agentId: 'a1', parentCallId: 'toolu_1' };

function newMeter(): CostMeter {
  return new CostMeter({ ...bundledPrices, models });
}

function block(id: string, model: string, input: number, output: number, mark?: typeof agent): AgentEvent {
  return {
    at: new Date(0),
    type: 'block',
    uuid: 'u',
    message: { id, model, requestId: 'r' },
    block: { type: 'text', text: 'x' },
    stopReason: null,
    usage: { input_tokens: input, output_tokens: output },
    ...(mark === undefined ? {} : { agent: mark }),
  };
}

test('the largest usage among the lines of one answer counts, once', () => {
  const meter = newMeter();
  for (const output of [1, 1, 2000]) meter.hear(block('msg_1', 'large', 1000, output));
  meter.hear(block('msg_1', 'large', 1000, 5));
  // 1000 × $10 + 2000 × $50, for a million.
  assert.equal(meter.costMicros, 110_000);
  assert.deepEqual([meter.usage.inputTokens, meter.usage.outputTokens], [1000, 2000]);
});

test('answers, sub-agents and side requests add up, each at the price of its model', () => {
  const meter = newMeter();
  meter.hear(block('msg_1', 'large', 1000, 100));
  meter.hear(block('msg_2', 'small', 2000, 200, agent));
  meter.addSide('small', { input_tokens: 4000, output_tokens: 400 });
  assert.equal(meter.costMicros, 15_000 + 3000 + 6000);
  assert.deepEqual([meter.costOfModel('large'), meter.costOfModel('small')], [15_000, 9000]);
  assert.equal(meter.usage.inputTokens, 7000);
});

test('a model without a price has no cost, and its tokens are reported', () => {
  const meter = newMeter();
  meter.hear(block('msg_1', 'unheard-of', 1000, 100));
  meter.hear(block('msg_2', 'large', 100, 0));
  assert.equal(meter.costMicros, 1000);
  assert.equal(meter.unpricedTokens, 1100);
});

test('an answer has the price of its own day', () => {
  const dated = [
    { to: '1969-12-31', input: 1, output: 1 },
    { from: '1970-01-01', to: '1970-01-31', input: 2, output: 2 },
    { from: '1970-02-01', input: 3, output: 3 },
  ];
  const meter = new CostMeter({ ...bundledPrices, models: [{ id: 'large', aliases: [], prices: dated }] });
  meter.hear(block('msg_1', 'large', 1000, 0));
  assert.equal(meter.costMicros, 2000);
});
