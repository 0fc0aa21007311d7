// The pace of the active block and what the cache saved, computed by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noUsage, type Usage } from '../../../src/format/entry/usage.ts';
import { cacheSavings } from '../../../src/library/spending/cache-savings.ts';
import { createCalendar } from '../../../src/library/usage/calendar.ts';
import type { PricedMessage, UsageCell } from '../../../src/library/usage/cells.ts';
import { makeReport, type UsageRow } from '../../../src/library/usage/report.ts';
import { bundledPrices, PriceList } from '../../../src/models/price-list.ts';

const session = { id: 0, sessionId: 's', path: '/s.jsonl', slug: '-s' };

function cell(time: string, outputTokens: number, costMicroUsd: number | undefined): UsageCell {
  return {
    session,
    model: 'm',
    isFast: false,
    time: Date.parse(time),
    messages: 1,
    inputTokens: 1_000,
    outputTokens,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    costMicroUsd,
    outputIsLowerBound: false,
  };
}

function blocks(cells: readonly UsageCell[], now: string): readonly UsageRow[] {
  return makeReport(cells, { kind: 'blocks', calendar: createCalendar('UTC'), nowMs: Date.parse(now) }).rows;
}

test('the active block has a pace since its first message, and what it comes to at its end', () => {
  const cells = [
    cell('2026-03-01T01:00:00Z', 500, 9_000_000),
    cell('2026-03-01T10:30:00Z', 1_000, 2_000_000),
    cell('2026-03-01T11:45:00Z', 3_000, 4_000_000),
  ];
  // Two hours after the first message, three before the end at 15:00: 6 dollars and 6,000 tokens so far.
  const [old, active] = blocks(cells, '2026-03-01T12:30:00Z');
  assert.deepEqual(old?.block, { endsAt: Date.parse('2026-03-01T06:00:00Z'), isActive: false });
  assert.deepEqual(active?.block, {
    endsAt: Date.parse('2026-03-01T15:00:00Z'),
    isActive: true,
    pace: {
      costMicroUsdPerHour: 3_000_000,
      tokensPerHour: 3_000,
      projectedCostMicroUsd: 13_500_000,
      projectedTokens: 13_500,
      remainingMs: 2.5 * 3_600_000,
    },
  });
});

test('a block that has just begun has the pace of a quarter of an hour; without prices it has tokens only', () => {
  const [active] = blocks([cell('2026-03-01T10:00:00Z', 0, undefined)], '2026-03-01T10:01:00Z');
  assert.deepEqual(active?.block?.pace, {
    costMicroUsdPerHour: undefined,
    tokensPerHour: 4_000,
    projectedCostMicroUsd: undefined,
    projectedTokens: Math.round(1_000 + 4_000 * (299 / 60)),
    remainingMs: 299 * 60_000,
  });
});

const prices = new PriceList(bundledPrices);

function message(usage: Partial<Usage>, model = 'claude-opus-4-5-20251101'): PricedMessage {
  const whole = { ...noUsage, ...usage };
  const time = Date.parse('2026-03-01T10:00:00Z');
  return {
    line: { model, time } as PricedMessage['line'], // nothing else is read
    usage: whole,
    isLowerBound: false,
    session,
    costMicroUsd: prices.costOf(model, whole, time),
  };
}

test('the cache saved what its reads would have cost as input, less what its writes cost more', () => {
  const saved = cacheSavings(
    [
      message({ inputTokens: 100, cacheReadTokens: 10_000, cacheWrite5mTokens: 2_000, outputTokens: 5 }),
      message({ cacheWrite1hTokens: 1_000 }),
      message({ cacheReadTokens: 7 }, 'no-such-model'),
    ],
    prices,
  );
  assert.deepEqual(saved, {
    inputTokens: 100,
    cacheReadTokens: 10_007,
    cacheWriteTokens: 3_000,
    // 10,000 × (5 − 0.5) − 2,000 × (6.25 − 5) − 1,000 × (10 − 5)
    savedMicroUsd: 45_000 - 2_500 - 5_000,
    // 12,100 × 5 + 5 × 25 + 1,000 × 5
    uncachedMicroUsd: 60_500 + 125 + 5_000,
    unpricedMessages: 1,
  });
});
