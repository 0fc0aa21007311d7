// Files of prices: the user's own, tables that are newer than Clew, and those that cannot be used.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { UserError } from '../../../src/base/errors/errors.ts';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { loadPrices } from '../../../src/library/usage/prices.ts';
import { bundledPrices, PriceList, type Prices } from '../../../src/models/price-list.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

const now = Date.parse('2026-11-15');

function rowOf(prices: Prices, model: string, time: number = now): object | undefined {
  return new PriceList(prices).rowOf(model, time);
}

/** What is loaded with this as the file in Clew's state folder. */
function loadKept(context: TestContext, content: JsonObject | string): { prices: Prices; file: string } {
  const folder = temporaryFolder(context);
  const file = path.join(folder, 'prices.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return { prices: loadPrices({ CLEW_HOME: folder }), file };
}

const zeta = { id: 'claude-zeta-9', prices: [{ from: '2030-01-01', input: 1, output: 2 }] };

test('without files the bundled prices count', (context) => {
  assert.equal(loadPrices({ CLEW_HOME: path.join(temporaryFolder(context), 'none') }), bundledPrices);
});

test('flat prices are laid over the bundled ones, and named in the version', (context) => {
  const { prices, file } = loadKept(context, {
    version: '2030-01',
    webSearchPerThousand: 20,
    models: {
      'claude-zeta-9': { input: 1, output: 2 },
      'claude-sonnet-4-5': { output: 16 },
      'claude-opus-4-6': { input: 4, output: 20, cacheRead: 0.3 },
    },
  });
  assert.deepEqual([prices.version, prices.files], [`${bundledPrices.version} + 2030-01`, [file]]);
  assert.equal(prices.rules.webSearchPerThousand, 20);
  assert.deepEqual(rowOf(prices, 'claude-zeta-9'), {
    input: 1,
    output: 2,
    cacheRead: 0.1,
    cacheWrite5m: 1.25,
    cacheWrite1h: 2,
  });
  assert.equal(new PriceList(prices).contextTokensOf('claude-zeta-9'), 200_000);
  // A field that is not given stays as it is, under every name of the model.
  assert.deepEqual(rowOf(prices, 'claude-sonnet-4-5-20250929'), {
    from: '2025-09-29',
    input: 3,
    output: 16,
    cacheRead: 0.3,
    cacheWrite5m: 3.75,
    cacheWrite1h: 6,
  });
  assert.deepEqual(rowOf(prices, 'claude-opus-4-6', Date.parse('2026-02-10')), {
    input: 4,
    output: 20,
    cacheRead: 0.3,
    cacheWrite5m: 5,
    cacheWrite1h: 8,
    fast: { input: 30, output: 150, cacheRead: 3, cacheWrite5m: 37.5, cacheWrite1h: 60 },
  });
  assert.deepEqual(rowOf(prices, 'claude-opus-4-8'), rowOf(bundledPrices, 'claude-opus-4-8'));
  assert.deepEqual(prices.assumedReads, ['claude-zeta-9']);
  assert.notEqual(prices.fingerprint, bundledPrices.fingerprint);
});

test('a newer table is used, and models that it does not list keep their bundled prices', (context) => {
  const { prices } = loadKept(context, {
    version: '2030-01-02',
    rules: { inferenceGeoUs: { multiplier: 1.2 } },
    models: [zeta, { id: 'claude-sonnet-4-5', prices: [{ input: 7, output: 8 }] }],
  });
  assert.deepEqual([prices.version, prices.day, prices.notices], ['2030-01-02', '2030-01-02', []]);
  assert.deepEqual(prices.rules, {
    inferenceGeoUs: { multiplier: 1.2 },
    batch: { multiplier: 0.5 },
    webSearchPerThousand: 10,
  });
  assert.deepEqual(rowOf(prices, 'claude-zeta-9'), zeta.prices[0]);
  assert.deepEqual(rowOf(prices, 'claude-sonnet-4-5-20250929'), { input: 7, output: 8 });
  assert.deepEqual(rowOf(prices, 'claude-opus-4-8'), rowOf(bundledPrices, 'claude-opus-4-8'));
});

test('a table that is older than the bundled one is named and not used', (context) => {
  const { prices, file } = loadKept(context, { version: '2026-01-01', models: [zeta] });
  assert.equal(prices.models, bundledPrices.models);
  assert.deepEqual(prices.notices, [
    `${file} is of 2026-01-01, older than the prices of 2026-11-15 that come with Clew; the prices of 2026-11-15 are used; delete it, or run \`clew prices update FILE\``,
  ]);
});

test('a file in the state folder that cannot be used is named with the reason, and the bundled prices count', (context) => {
  const row = { input: 1, output: 2 };
  const table = (prices: readonly JsonObject[]): JsonObject => ({
    version: '2030-01-01',
    models: [{ id: 'm', prices }],
  });
  const cases: readonly (readonly [JsonObject | string, string])[] = [
    ['not json', 'it is not JSON'],
    ['[]', 'it is not a JSON object'],
    ['{}', 'there is no "models" in it'],
    [{ models: { m: { input: '3' } } }, '"m" has no price for input and output'],
    [{ models: [zeta] }, '"version" is not a day such as 2026-11-15'],
    [{ version: '2030-02-31', models: [zeta] }, '"version" is not a day such as 2026-11-15'],
    [{ version: '2030-01-01', models: [] }, '"models" is empty'],
    [{ version: '2030-01-01', models: [{ prices: [row] }] }, 'model 1 has no "id"'],
    [{ version: '2030-01-01', models: [zeta, zeta] }, '"claude-zeta-9" is listed twice'],
    [{ version: '2030-01-01', models: [zeta], rules: { batch: 0.5 } }, 'rules.batch.multiplier is missing'],
    [table([]), '"m" has no "prices"'],
    [table([{ output: 1 }]), '"m", price 1: "input" is missing'],
    [table([{ input: '1', output: 1 }]), '"m", price 1: "input" is not a number from 0 up'],
    [table([{ input: 1, output: -1 }]), '"m", price 1: "output" is not a number from 0 up'],
    [table([{ ...row, cacheRead: 1e9 }]), '"m", price 1: "cacheRead" is larger than 100000'],
    [table([{ ...row, from: 'May' }]), '"m", price 1: "from" is not a day such as 2026-11-15'],
    [table([{ ...row, from: '2030-02-01', to: '2030-01-01' }]), '"m", price 1: "to" is before "from"'],
    [table([row, row]), '"m", price 2: it begins before price 1 ends'],
    [
      table([
        { ...row, to: '2030-01-05' },
        { ...row, from: '2030-01-05' },
      ]),
      '"m", price 2: it begins before price 1 ends',
    ],
    [table([{ ...row, fast: 2 }]), '"m", price 1: "fast" is not an object'],
    [table([{ ...row, longPrompt: row }]), '"m", price 1: "overPromptTokens" is missing'],
  ];
  for (const [content, problem] of cases) {
    const { prices, file } = loadKept(context, content);
    assert.equal(prices.models, bundledPrices.models);
    assert.deepEqual(prices.notices, [
      `${file} cannot be used: ${problem}; the prices of 2026-11-15 are used; delete it, or run \`clew prices update FILE\``,
    ]);
  }
});

test('a file that CLEW_PRICES names and that cannot be used is an error of one line', (context) => {
  const folder = temporaryFolder(context);
  const file = path.join(folder, 'p.json');
  const attempt = (text: string): void => {
    writeFileSync(file, text);
    loadPrices({ CLEW_PRICES: file, CLEW_HOME: folder });
  };
  const isUserError = (error: unknown): boolean => error instanceof UserError && !error.message.includes('\n');
  assert.throws(() => attempt('not json'), isUserError);
  assert.throws(() => attempt('{"models": []}'), isUserError);
  assert.throws(() => attempt('{"models": {"m": {"input": "3"}}}'), isUserError);
  assert.throws(() => loadPrices({ CLEW_PRICES: path.join(folder, 'missing.json'), CLEW_HOME: folder }), isUserError);
});

test('CLEW_PRICES is laid over a table in the state folder, and takes the place of flat prices there', (context) => {
  const folder = temporaryFolder(context);
  const named = path.join(folder, 'own.json');
  writeFileSync(named, JSON.stringify({ version: 'mine', models: { 'claude-eta-9': { input: 1, output: 1 } } }));
  const env = { CLEW_HOME: folder, CLEW_PRICES: named };
  const load = (kept: JsonObject): Prices => {
    writeFileSync(path.join(folder, 'prices.json'), JSON.stringify(kept));
    return loadPrices(env);
  };
  const overTable = load({ version: '2030-01-01', models: [zeta] });
  assert.equal(overTable.version, '2030-01-01 + mine');
  assert.ok(rowOf(overTable, 'claude-zeta-9') !== undefined && rowOf(overTable, 'claude-eta-9') !== undefined);
  const instead = load({ models: { 'claude-zeta-9': { input: 1, output: 2 } } });
  assert.equal(instead.version, '2026-11-15 + mine');
  assert.equal(rowOf(instead, 'claude-zeta-9'), undefined);
});
