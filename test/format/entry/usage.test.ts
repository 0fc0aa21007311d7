import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { asObject, isObject, type JsonObject } from '../../../src/base/json/json.ts';
import { addUsage, billedTokens, noUsage, readUsage, windowTokensOf } from '../../../src/format/entry/usage.ts';
import { scannedUsage } from '../../../src/format/scan/scan.ts';
import { walkRecord } from '../../../src/format/scan/spans.ts';
import { corpusValues } from '../../support/corpus-values.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';
import { jsonValue } from '../../support/json-text.ts';

const written = (value: Parameters<typeof readUsage>[0]): (number | undefined)[] => {
  const usage = readUsage(value);
  return [usage?.cacheWrite5mTokens, usage?.cacheWrite1hTokens];
};

test('all numbers of a usage are read', () => {
  assert.deepEqual(
    readUsage({
      input_tokens: 1,
      output_tokens: 2,
      cache_read_input_tokens: 3,
      cache_creation_input_tokens: 9,
      cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 },
      server_tool_use: { web_search_requests: 6, web_fetch_requests: 7 },
      speed: 'fast',
      service_tier: 'standard',
      inference_geo: 'not_available',
      iterations: [{ type: 'message', input_tokens: 1, output_tokens: 2 }],
    }),
    {
      inputTokens: 1,
      outputTokens: 2,
      cacheReadTokens: 3,
      cacheWrite5mTokens: 4,
      cacheWrite1hTokens: 5,
      webSearches: 6,
      fast: true,
      usOnly: false,
      batch: false,
      compactions: [],
    },
  );
});

const compacting = {
  input_tokens: 20,
  output_tokens: 30,
  inference_geo: 'us',
  service_tier: 'batch',
  iterations: [
    {
      type: 'compaction',
      input_tokens: 180_000,
      output_tokens: 3_500,
      cache_read_input_tokens: 7,
      cache_creation_input_tokens: 9,
      cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 },
    },
    { type: 'message', input_tokens: 20, output_tokens: 30 },
    'noise',
  ],
};

test('where a message ran, whether in a batch, and what the API compacted for it are read', () => {
  const { usOnly, batch, compactions } = readUsage(compacting) ?? noUsage;
  assert.deepEqual(
    { usOnly, batch, compactions },
    {
      usOnly: true,
      batch: true,
      compactions: [
        {
          inputTokens: 180_000,
          outputTokens: 3_500,
          cacheReadTokens: 7,
          cacheWrite5mTokens: 4,
          cacheWrite1hTokens: 5,
        },
      ],
    },
  );
});

test('compactions are billed with their message, and take none of the window', () => {
  const usage = readUsage(compacting) ?? noUsage;
  assert.deepEqual(billedTokens(usage), {
    inputTokens: 180_020,
    outputTokens: 3_530,
    cacheReadTokens: 7,
    cacheWrite5mTokens: 4,
    cacheWrite1hTokens: 5,
  });
  assert.equal(windowTokensOf(usage), 50);
});

test('the scanner reads from bytes what the parser reads from an object', () => {
  const usages: readonly JsonObject[] = [
    compacting,
    { ...compacting, inference_geo: 'global', service_tier: 'standard', speed: 'fast', iterations: [] },
    { inference_geo: null, service_tier: 7, iterations: null },
    { inference_geo: '', iterations: [{ type: 'message', input_tokens: 5 }], output_tokens: 1 },
    { iterations: { type: 'compaction', input_tokens: 5 } },
    { iterations: [{ type: 'compaction' }] },
  ];
  for (const usage of usages) {
    const spelled = JSON.stringify({ type: 'assistant', message: { role: 'assistant', usage } });
    for (const text of [
      spelled,
      spelled.replaceAll('compaction', 'compac\\u0074ion').replaceAll('"us"', '"\\u0075s"'),
    ]) {
      const bytes = Buffer.from(text);
      assert.ok(walkRecord(bytes));
      assert.deepEqual(scannedUsage(bytes), readUsage(usage), text);
    }
  }
});

test('a usage without numbers counts nothing, a value that is not an object is not a usage', () => {
  assert.deepEqual(readUsage({}), noUsage);
  assert.deepEqual(
    readUsage({
      input_tokens: '5',
      output_tokens: -1,
      cache_read_input_tokens: null,
      cache_creation: 7,
      server_tool_use: [],
      speed: 'standard',
    }),
    noUsage,
  );
  for (const value of [undefined, null, 1, 'x', true, [], [{ input_tokens: 1 }]]) {
    assert.equal(readUsage(value), undefined);
  }
});

test('cache writes without a split are 5-minute writes, and the flat number fills what the split leaves open', () => {
  assert.deepEqual(
    [
      written({ cache_creation_input_tokens: 8 }),
      written({ cache_creation_input_tokens: 8, cache_creation: { ephemeral_1h_input_tokens: 3 } }),
      written({ cache_creation_input_tokens: 2, cache_creation: { ephemeral_1h_input_tokens: 3 } }),
      written({
        cache_creation_input_tokens: 8,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      }),
      written({ cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 } }),
      written({
        cache_creation_input_tokens: 5,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 5 },
      }),
    ],
    [
      [8, 0],
      [5, 3],
      [0, 3],
      [8, 0],
      [4, 5],
      [0, 5],
    ],
  );
});

const usageKeys = fc.constantFrom(
  ...['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'cache_creation'],
  ...['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens', 'server_tool_use', 'web_search_requests', 'speed'],
);
const looseUsage = fc.dictionary(usageKeys, fc.oneof(jsonValue, fc.dictionary(usageKeys, jsonValue), fc.nat()));

test('whatever a usage holds, its counts are whole numbers from 0 up', () => {
  fc.assert(
    fc.property(looseUsage, (value) => {
      const { fast, usOnly, batch, compactions, ...counts } = readUsage(value) ?? noUsage;
      assert.deepEqual([fast, usOnly, batch, compactions], [value.speed === 'fast', false, false, []]);
      for (const count of Object.values(counts)) assert.ok(Number.isInteger(count) && count >= 0, String(count));
    }),
    { numRuns: fuzzRuns(1000) },
  );
});

test('usages add up number by number, in any order, and no usage adds nothing', () => {
  const small = fc.record({ input_tokens: fc.nat(), output_tokens: fc.nat(), cache_creation_input_tokens: fc.nat() });
  fc.assert(
    fc.property(small, small, (left, right) => {
      const [a, b] = [readUsage(left) ?? noUsage, readUsage({ ...right, speed: 'fast' }) ?? noUsage];
      assert.deepEqual(addUsage(a, b), addUsage(b, a));
      assert.deepEqual(addUsage(a, noUsage), a);
      assert.deepEqual(addUsage(a, b), {
        inputTokens: left.input_tokens + right.input_tokens,
        outputTokens: left.output_tokens + right.output_tokens,
        cacheReadTokens: 0,
        cacheWrite5mTokens: left.cache_creation_input_tokens + right.cache_creation_input_tokens,
        cacheWrite1hTokens: 0,
        webSearches: 0,
        fast: true,
        usOnly: false,
        batch: false,
        compactions: [],
      });
    }),
  );
});

test('in real usages the two kinds of cache writes add up to the flat number', () => {
  let seen = 0;
  for (const value of corpusValues('real', 'public')) {
    const usage = asObject(isObject(value) ? asObject(value.message)?.usage : undefined);
    if (typeof usage?.cache_creation_input_tokens !== 'number') continue;
    const { cacheWrite5mTokens, cacheWrite1hTokens } = readUsage(usage) ?? noUsage;
    assert.equal(cacheWrite5mTokens + cacheWrite1hTokens, usage.cache_creation_input_tokens);
    seen++;
  }
  assert.ok(seen > 1000);
});
