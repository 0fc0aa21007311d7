import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { UserError } from '../../src/base/errors.ts';
import { noUsage, type Usage } from '../../src/format/usage.ts';
import { bundledPrices, loadPrices, PriceList } from '../../src/library/prices.ts';
import { projectRoot } from '../support/paths.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const list = new PriceList(bundledPrices);
const usage = (fields: Partial<Usage>): Usage => ({ ...noUsage, ...fields });

test('the bundled prices and contexts are those of the dated source', () => {
  const source = JSON.parse(readFileSync(path.join(projectRoot, 'test/corpus/prices.json'), 'utf8'));
  const rows = Object.entries(bundledPrices.models).map(([name, row]) => [
    name,
    { ...row, contextTokens: list.contextTokensOf(name) },
  ]);
  assert.deepEqual(Object.fromEntries(rows), source.models);
  assert.equal(bundledPrices.webSearchPerThousand, source.webSearchPerThousand);
});

test('each kind of token has its own price, in whole micro-dollars', () => {
  const million = 1_000_000;
  const cost = (fields: Partial<Usage>): number | undefined => list.costOf('claude-sonnet-4-5', usage(fields));
  assert.deepEqual(
    [
      cost({ inputTokens: million }),
      cost({ outputTokens: million }),
      cost({ cacheReadTokens: million }),
      cost({ cacheWrite5mTokens: million }),
      cost({ cacheWrite1hTokens: million }),
      cost({ webSearches: 3 }),
      cost({}),
    ],
    [3_000_000, 15_000_000, 300_000, 3_750_000, 6_000_000, 30_000, 0],
  );
});

test('a message is rounded once, not token by token', () => {
  // 0.3 + 3.75 micro-dollars, and not 0 + 4.
  assert.equal(list.costOf('claude-sonnet-4-5', usage({ cacheReadTokens: 1, cacheWrite5mTokens: 1 })), 4);
  assert.equal(list.costOf('claude-sonnet-4-5', usage({ cacheReadTokens: 1 })), 0);
  assert.equal(list.costOf('claude-sonnet-4-5', usage({ cacheReadTokens: 5 })), 2);
});

test('fast mode has its own prices, and is unpriced where none are known', () => {
  const fast = usage({ outputTokens: 1000, fast: true });
  assert.equal(list.costOf('claude-opus-4-6', usage({ outputTokens: 1000 })), 25_000);
  assert.equal(list.costOf('claude-opus-4-6', fast), 150_000);
  assert.equal(list.costOf('claude-sonnet-4-5', fast), undefined);
});

test('a model is found by every name it goes by', () => {
  const sonnet = bundledPrices.models['claude-sonnet-4-5'];
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
    names.filter((name) => list.rowOf(name) !== sonnet && JSON.stringify(list.rowOf(name)) !== JSON.stringify(sonnet)),
    [],
  );
  assert.equal(list.rowOf('claude-opus-4')?.output, 75);
  assert.equal(list.rowOf('claude-opus-4-5-20251101')?.output, 25);
  assert.equal(list.rowOf('claude-3-5-sonnet')?.input, 3);
});

test('a name that is none of these has no price, however alike it looks', () => {
  const names = ['claude-zeta-9', 'claude-opus-4-99', 'claude-opus', 'claude', '', 'gpt-5', 'constructor', '__proto__'];
  assert.deepEqual(
    names.map((name) => list.costOf(name, usage({ outputTokens: 5 }))),
    names.map(() => undefined),
  );
  assert.equal(list.costOf(undefined, usage({ outputTokens: 5 })), undefined);
});

test('the context window is that of the model, or a million where the name says so', () => {
  assert.deepEqual(
    ['claude-sonnet-4-5', 'claude-sonnet-4-5[1m]', 'claude-opus-4-6', 'claude-zeta-9'].map((name) =>
      list.contextTokensOf(name),
    ),
    [200_000, 1_000_000, 1_000_000, undefined],
  );
});

test('a file of prices is laid over the bundled ones, and named in the version', (context) => {
  const folder = temporaryFolder(context);
  const given = {
    version: '2030-01',
    webSearchPerThousand: 20,
    models: {
      'claude-zeta-9': { input: 1, output: 2 },
      'claude-sonnet-4-5': { output: 16 },
    },
  };
  writeFileSync(path.join(folder, 'prices.json'), JSON.stringify(given));
  const prices = loadPrices({ CLEW_HOME: folder });
  assert.equal(prices.version, `${bundledPrices.version} + 2030-01`);
  assert.equal(prices.webSearchPerThousand, 20);
  assert.deepEqual(prices.models['claude-zeta-9'], {
    input: 1,
    output: 2,
    cacheRead: 0.1,
    cacheWrite5m: 1.25,
    cacheWrite1h: 2,
    contextTokens: 200_000,
  });
  assert.deepEqual(prices.models['claude-sonnet-4-5'], {
    ...bundledPrices.models['claude-sonnet-4-5'],
    output: 16,
  });
  assert.deepEqual(prices.models['claude-opus-4-6'], bundledPrices.models['claude-opus-4-6']);
  assert.deepEqual(loadPrices({ CLEW_HOME: path.join(folder, 'none') }), bundledPrices);
});

test('a file of prices that cannot be used is an error of one line', (context) => {
  const folder = temporaryFolder(context);
  const file = path.join(folder, 'p.json');
  const attempt = (text: string): void => {
    writeFileSync(file, text);
    loadPrices({ CLEW_PRICES: file });
  };
  const isUserError = (error: unknown): boolean => error instanceof UserError && !error.message.includes('\n');
  assert.throws(() => attempt('not json'), isUserError);
  assert.throws(() => attempt('{"models": []}'), isUserError);
  assert.throws(() => attempt('{"models": {"m": {"input": "3"}}}'), isUserError);
  assert.throws(() => loadPrices({ CLEW_PRICES: path.join(folder, 'missing.json') }), isUserError);
});
