// What messages cost, against prices that were written down by hand from the published tables and from what the real
// client counted (client-prices.json).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { noUsage, type Usage } from '../../src/format/entry/usage.ts';
import { bundledPrices, PriceList } from '../../src/models/price-list.ts';
import { projectRoot } from '../support/paths.ts';

const list = new PriceList(bundledPrices);
const million = 1_000_000;
const november = Date.parse('2026-11-15T12:00:00Z');

/** Micro-dollars. */
function cost(model: string | undefined, fields: Partial<Usage>, day: string | number = november): number | undefined {
  const time = typeof day === 'number' ? day : Date.parse(day);
  return list.costOf(model, { ...noUsage, ...fields }, time);
}

/** Dollars per million tokens today: input, output, cache read, 5-minute and 1-hour write. */
const published: Readonly<Record<string, readonly [number, number, number, number, number]>> = {
  'claude-fable-5-2': [8, 40, 0.2, 10, 16],
  'claude-mythos-5-2': [8, 40, 0.2, 10, 16],
  'claude-opus-5-5': [4, 20, 0.2, 5, 8],
  'claude-sonnet-5-5': [2, 10, 0.1, 2.5, 4],
  'claude-fable-5-1': [10, 50, 0.25, 12.5, 20],
  'claude-mythos-5-1': [10, 50, 0.25, 12.5, 20],
  'claude-opus-5': [5, 25, 0.5, 6.25, 10],
  'claude-sonnet-5': [2, 10, 0.2, 2.5, 4],
  'claude-fable-5': [10, 50, 1, 12.5, 20],
  'claude-mythos-5': [10, 50, 1, 12.5, 20],
  'claude-opus-4-8': [5, 25, 0.5, 6.25, 10],
  'claude-opus-4-7': [5, 25, 0.5, 6.25, 10],
  'claude-opus-4-6': [5, 25, 0.5, 6.25, 10],
  'claude-sonnet-4-6': [3, 15, 0.3, 3.75, 6],
  'claude-opus-4-5': [5, 25, 0.5, 6.25, 10],
  'claude-haiku-4-5': [1, 5, 0.1, 1.25, 2],
  'claude-sonnet-4-5': [3, 15, 0.3, 3.75, 6],
  'claude-opus-4-1': [15, 75, 1.5, 18.75, 30],
  'claude-opus-4': [15, 75, 1.5, 18.75, 30],
  'claude-sonnet-4': [3, 15, 0.3, 3.75, 6],
  'claude-3-7-sonnet-latest': [3, 15, 0.3, 3.75, 6],
  'claude-3-5-haiku-20241022': [0.8, 4, 0.08, 1, 1.6],
  'claude-3-5-sonnet-20240620': [3, 15, 0.3, 3.75, 6],
  'claude-3-opus-20240229': [15, 75, 1.5, 18.75, 30],
  'claude-3-sonnet-20240229': [3, 15, 0.3, 3.75, 6],
  'claude-3-haiku-20240307': [0.25, 1.25, 0.03, 0.3, 0.5],
};
const kinds = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWrite5mTokens', 'cacheWrite1hTokens'] as const;
// Below every band for long prompts.
const tenThousand = 10_000;

test('every model has its published prices', () => {
  const found = Object.keys(published).map((model) => [
    model,
    kinds.map((kind) => (cost(model, { [kind]: tenThousand }) ?? Number.NaN) / tenThousand),
  ]);
  assert.deepEqual(Object.fromEntries(found), published);
});

interface ClientPrices {
  readonly models: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

test('every price is the one that Claude Code 2.1.325 counts with, but for what is listed here', () => {
  const file = path.join(projectRoot, 'test/models/client-prices.json');
  const { models } = JSON.parse(readFileSync(file, 'utf8')) as ClientPrices;
  const asked: Readonly<Record<string, (model: string) => number | undefined>> = {
    input: (model) => perToken(model, { inputTokens: tenThousand }),
    output: (model) => perToken(model, { outputTokens: tenThousand }),
    read: (model) => perToken(model, { cacheReadTokens: tenThousand }),
    w5: (model) => perToken(model, { cacheWrite5mTokens: tenThousand }),
    w1: (model) => perToken(model, { cacheWrite1hTokens: tenThousand }),
    fastIn: (model) => perToken(model, { inputTokens: tenThousand, fast: true }),
    geoIn: (model) => perToken(model, { inputTokens: tenThousand, usOnly: true }),
    longIn: (model) => dollars(cost(model, { inputTokens: 300_000 }), 0.3),
    longOut: (model) => dollars(cost(model, { inputTokens: 300_000, outputTokens: tenThousand }), 1),
    web: (model) => dollars(cost(model, { webSearches: 1000 }), 1),
  };
  const different: Record<string, readonly (number | undefined)[]> = {};
  let cells = 0;
  for (const [model, row] of Object.entries(models)) {
    for (const [kind, price] of Object.entries(row)) {
      const ask = asked[kind];
      assert.ok(ask !== undefined, kind);
      cells++;
      if (ask(model) !== price) different[`${model} ${kind}`] = [price, ask(model)];
    }
  }
  assert.equal(cells, 160);
  assert.deepEqual(different, {
    // No fast mode is offered or priced for these; the client counts its usual price, Clew says that it does not know.
    'claude-fable-5-1 fastIn': [10, undefined],
    'claude-fable-5 fastIn': [10, undefined],
    'claude-opus-4-5-20251101 fastIn': [5, undefined],
    'claude-sonnet-5-5 fastIn': [2, undefined],
    'claude-sonnet-5 fastIn': [2, undefined],
    'claude-sonnet-4-6 fastIn': [3, undefined],
    'claude-sonnet-4-5-20250929 fastIn': [3, undefined],
    'claude-haiku-5-5 fastIn': [0.1, undefined],
    'claude-haiku-4-5-20251001 fastIn': [1, undefined],
    // The band of the beta for a million tokens, which the client leaves out.
    'claude-sonnet-4-5-20250929 longIn': [3, 6],
    'claude-sonnet-4-5-20250929 longOut': [1.05, 2.025],
  });
});

function perToken(model: string, fields: Partial<Usage>): number | undefined {
  return dollars(cost(model, fields), tenThousand / million);
}

/** Micro-dollars for so many million tokens, in dollars per million. */
function dollars(micros: number | undefined, millions: number): number | undefined {
  return micros === undefined ? undefined : Number((micros / million / millions).toPrecision(12));
}

test('a message that ran in the US only costs 1.1 times as much: $26.62 and not $24.20', () => {
  const each = { inputTokens: million, outputTokens: million, cacheReadTokens: million };
  assert.equal(cost('claude-opus-5-5', each), 24_200_000);
  assert.equal(cost('claude-opus-5-5', { ...each, usOnly: true }), 26_620_000);
  assert.equal(cost('claude-opus-5-5', { ...each, usOnly: true, fast: true }), 53_240_000);
});

test('a message of a batch costs half, and searches of the web cost what they always do', () => {
  const each = { inputTokens: million, outputTokens: million };
  assert.equal(cost('claude-opus-5-5', { ...each, batch: true }), 12_000_000);
  assert.equal(cost('claude-opus-5-5', { ...each, batch: true, usOnly: true }), 13_200_000);
  assert.equal(cost('claude-opus-5-5', { ...each, batch: true, usOnly: true, webSearches: 3 }), 13_230_000);
});

test('Haiku 5.5: a prompt of more than 100,000 tokens has the second price for the whole request', () => {
  const answer = { outputTokens: 1000 };
  assert.equal(cost('claude-haiku-5-5', { ...answer, inputTokens: 100_000 }), 10_500);
  // 100,001 × 0.50 + 1,000 × 2.50.
  assert.equal(cost('claude-haiku-5-5', { ...answer, inputTokens: 100_001 }), 52_501);
  // Reads and writes of the cache are part of the prompt: 0.5 + 100,000 × 0.05.
  assert.equal(cost('claude-haiku-5-5', { inputTokens: 1, cacheReadTokens: 100_000 }), 5001);
  assert.equal(cost('claude-haiku-5-5', { inputTokens: 1, cacheWrite5mTokens: 100_000 }), 62_501);
  assert.equal(cost('claude-haiku-5-5', { inputTokens: 1, cacheWrite1hTokens: 100_000 }), 100_001);
  // The answer is not.
  assert.equal(cost('claude-haiku-5-5', { inputTokens: 1000, outputTokens: 120_000 }), 60_100);
});

test('Sonnet 5.5: cache reads cost half from 7 October 2026 on, by the day of the message in UTC', () => {
  const reads = { cacheReadTokens: million };
  const days = [
    '2026-09-28T00:00:00Z',
    '2026-10-06T23:59:59.999Z',
    '2026-10-07T00:00:00Z',
    '2026-10-06T23:30:00-02:00',
  ];
  assert.deepEqual(
    days.map((day) => cost('claude-sonnet-5-5', reads, day)),
    [200_000, 200_000, 100_000, 100_000],
  );
});

test('Opus 4.6 and Sonnet 4.6 had a price for long prompts until 12 March 2026', () => {
  const long = { inputTokens: 200_001, outputTokens: 1000 };
  const days = ['2026-03-12T12:00:00Z', '2026-03-13T12:00:00Z'];
  assert.deepEqual(
    days.map((day) => cost('claude-opus-4-6', long, day)),
    [2_000_010 + 37_500, 1_000_005 + 25_000],
  );
  assert.deepEqual(
    days.map((day) => cost('claude-sonnet-4-6', long, day)),
    [1_200_006 + 22_500, 600_003 + 15_000],
  );
});

test('before the first day the first price counts, without a time the latest', () => {
  const reads = { cacheReadTokens: million };
  assert.equal(cost('claude-sonnet-5-5', reads, '2026-01-01'), 200_000);
  assert.equal(cost('claude-sonnet-5-5', reads, Number.NaN), 100_000);
});

test('after the last day of a price, and between two, there is none', () => {
  const rates = { input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 };
  const prices = [
    { ...rates, from: '2026-01-01', to: '2026-01-31' },
    { ...rates, from: '2026-03-01', to: '2026-03-31' },
  ];
  const own = new PriceList({ ...bundledPrices, models: [{ id: 'claude-zeta-9', aliases: [], prices }] });
  const days = ['2026-01-31T23:59:59Z', '2026-02-01', '2026-02-28T23:59:59Z', '2026-03-01', '2026-04-01'];
  assert.deepEqual(
    days.map((day) => own.costOf('claude-zeta-9', { ...noUsage, inputTokens: 5 }, Date.parse(day))),
    [5, undefined, undefined, 5, undefined],
  );
});

test('a price that is not given is not known, unless no token needs it', () => {
  const model = { id: 'claude-zeta-9', aliases: [], prices: [{ input: 1, output: 2 }] };
  const own = new PriceList({ ...bundledPrices, models: [model] });
  const ask = (fields: Partial<Usage>): number | undefined =>
    own.costOf('claude-zeta-9', { ...noUsage, ...fields }, november);
  assert.equal(ask({ inputTokens: 3, outputTokens: 4 }), 11);
  assert.equal(ask({ inputTokens: 3, cacheReadTokens: 1 }), undefined);
  assert.equal(ask({ cacheWrite1hTokens: 1 }), undefined);
});

test('a compaction by the API is billed in addition to its message, each with the price of its own prompt', () => {
  const compaction = {
    inputTokens: 180_000,
    outputTokens: 3500,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
  };
  const message = { inputTokens: 1000, outputTokens: 100, compactions: [compaction] };
  assert.equal(cost('claude-opus-5-5', message), 4000 + 2000 + 720_000 + 70_000);
  // The compaction is above the band, the message below: 100 + 50 + 90,000 + 8,750.
  assert.equal(cost('claude-haiku-5-5', message), 98_900);
  assert.equal(cost('claude-opus-5-5', { ...message, usOnly: true }), 875_600);
});

test('a message is rounded once, not token by token', () => {
  // 0.3 + 3.75 micro-dollars, and not 0 + 4.
  assert.equal(cost('claude-sonnet-4-5', { cacheReadTokens: 1, cacheWrite5mTokens: 1 }), 4);
  assert.equal(cost('claude-sonnet-4-5', { cacheReadTokens: 1 }), 0);
  assert.equal(cost('claude-sonnet-4-5', { cacheReadTokens: 5 }), 2);
  assert.equal(cost('claude-sonnet-4-5', { webSearches: 3 }), 30_000);
  assert.equal(cost('claude-sonnet-4-5', {}), 0);
});

test('fast mode has its own prices, and is unpriced where none are known', () => {
  const fast = { outputTokens: 1000, fast: true };
  assert.equal(cost('claude-opus-4-6', { outputTokens: 1000 }), 25_000);
  assert.equal(cost('claude-opus-4-6', fast), 150_000);
  assert.equal(cost('claude-opus-5', fast), 50_000);
  assert.equal(cost('claude-fable-5-2', fast), 80_000);
  assert.equal(cost('claude-sonnet-4-5', fast), undefined);
});

test('a model is found by every name it goes by', () => {
  const names = [
    'claude-sonnet-4-5',
    'claude-sonnet-4-5-20250929',
    'claude-sonnet-4-5-20991231',
    'claude-sonnet-4-5@20250929',
    'claude-sonnet-4-5[1m]',
    'claude-sonnet-4-5-20250929[1m]',
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'global.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]',
    'anthropic.claude-sonnet-4-5-20250929-v1:0',
    'anthropic/claude-sonnet-4.5',
    'openrouter/anthropic/claude-sonnet-4.5:thinking',
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'vertex_ai/claude-sonnet-4-5@20250929',
    'claude-sonnet-4-5-latest',
    'Claude-Sonnet-4-5',
  ];
  assert.deepEqual(
    names.filter((name) => list.modelOf(name)?.id !== 'claude-sonnet-4-5-20250929'),
    [],
  );
  const others = ['claude-opus-4', 'claude-opus-4-5-20251101', 'claude-3-5-sonnet', 'claude-3-5-sonnet-20240620'];
  assert.deepEqual(
    others.map((name) => list.modelOf(name)?.id),
    ['claude-opus-4-20250514', 'claude-opus-4-5-20251101', 'claude-3-5-sonnet-20241022', 'claude-3-5-sonnet-20240620'],
  );
});

test('a name that is none of these has no price, however alike it looks', () => {
  const names = ['claude-zeta-9', 'claude-opus-4-99', 'claude-opus', 'claude', '', 'gpt-5', 'constructor', '__proto__'];
  assert.deepEqual(
    [...names, undefined].map((name) => cost(name, { outputTokens: 5 })),
    [...names, undefined].map(() => undefined),
  );
});

test('the context window is that of the model, or a million where the name says so', () => {
  assert.deepEqual(
    ['claude-sonnet-4-5', 'claude-sonnet-4-5[1m]', 'claude-opus-4-6', 'claude-zeta-9'].map((name) =>
      list.contextTokensOf(name),
    ),
    [200_000, 1_000_000, 1_000_000, undefined],
  );
});
