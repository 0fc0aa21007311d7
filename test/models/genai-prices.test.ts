// Our prices against another table that is kept by other people: @pydantic/genai-prices 0.1.8, of 23 September 2026.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calcPrice } from '@pydantic/genai-prices';
import { noUsage, type Usage } from '../../src/format/entry/usage.ts';
import { bundledPrices, PriceList } from '../../src/models/price-list.ts';

const list = new PriceList(bundledPrices);
const tokens = 10_000;
/** With a price for long prompts of Opus 4.6, just after Sonnet 5.5 came out, and after its change. */
const days = ['2026-02-20', '2026-09-29', '2026-11-15'];

/** The same usage for us and for them: they count cached tokens as input too. */
const kinds: Readonly<Record<string, readonly [Partial<Usage>, Parameters<typeof calcPrice>[0]]>> = {
  input: [{ inputTokens: tokens }, { input_tokens: tokens }],
  output: [{ outputTokens: tokens }, { output_tokens: tokens }],
  read: [{ cacheReadTokens: tokens }, { input_tokens: tokens, cache_read_tokens: tokens }],
  write: [{ cacheWrite5mTokens: tokens }, { input_tokens: tokens, cache_write_tokens: tokens }],
  write1h: [
    { cacheWrite1hTokens: tokens },
    { input_tokens: tokens, cache_write_tokens: tokens, cache_write_1h_tokens: tokens },
  ],
  long: [
    { inputTokens: 300_000, outputTokens: tokens },
    { input_tokens: 300_000, output_tokens: tokens },
  ],
};

test('every model that both know has the same price on every day, but for what is listed here', () => {
  const unknown = new Set<string>();
  const different: string[] = [];
  let compared = 0;
  for (const { id } of bundledPrices.models) {
    for (const day of days) {
      for (const [kind, [ours, theirs]] of Object.entries(kinds)) {
        const found = calcPrice(theirs, id, { providerId: 'anthropic', timestamp: new Date(day) });
        if (found === null) {
          unknown.add(id);
          continue;
        }
        const own = list.costOf(id, { ...noUsage, ...ours }, Date.parse(day));
        const other = Math.round(found.total_price * 1_000_000);
        compared++;
        if (own !== other) different.push(`${id} ${day} ${kind}: ${own}, they say ${other}`);
      }
    }
  }
  assert.equal(compared, 414);
  assert.deepEqual(
    [...unknown],
    ['claude-fable-5-2', 'claude-mythos-5-2', 'claude-haiku-5-5', 'claude-mythos-5-1', 'claude-mythos-5'],
  );
  assert.deepEqual(different, [
    // Anthropic halved it on 7 October; their table takes the model for Sonnet 5.
    'claude-sonnet-5-5 2026-11-15 read: 1000, they say 2000',
    // They have the price of the beta for a million tokens for Sonnet 4.5, and not for Sonnet 4, which had it too.
    'claude-sonnet-4-20250514 2026-02-20 long: 2025000, they say 1050000',
    'claude-sonnet-4-20250514 2026-09-29 long: 2025000, they say 1050000',
    'claude-sonnet-4-20250514 2026-11-15 long: 2025000, they say 1050000',
  ]);
});
