import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packLines, reduceLines, unpackLines } from '../../../src/library/index/row-writer.ts';
import { countUsage, totalUsage, type UsageLine } from '../../../src/session/usage/usage.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

const compaction = {
  inputTokens: 1,
  outputTokens: 20,
  cacheReadTokens: 300,
  cacheWrite5mTokens: 4000,
  cacheWrite1hTokens: 50_000,
};
const ids = fc.constantFrom(undefined, 'm1', 'm2', 'm3');

/** Lines of one file, crowded onto few ids, so that every way of meeting occurs. */
const lines: fc.Arbitrary<UsageLine[]> = fc
  .array(
    fc.record({
      messageId: ids,
      requestId: fc.constantFrom(undefined, 'r1', 'r2'),
      isSidechain: fc.boolean(),
      isCopy: fc.boolean(),
      uuid: fc.constantFrom(undefined, 'u1', 'u2'),
      stopReason: fc.constantFrom(undefined, 'end_turn'),
      model: fc.constantFrom(undefined, 'claude-opus-4-6', '<synthetic>'),
      time: fc.constantFrom(Number.NaN, 0, 1_772_360_000_123),
      output: fc.nat(4),
      fast: fc.boolean(),
      usOnly: fc.boolean(),
      batch: fc.boolean(),
      compactions: fc.array(fc.constantFrom(compaction, { ...compaction, inputTokens: 2 }), { maxLength: 2 }),
    }),
    { maxLength: 12 },
  )
  .map((all) =>
    all.map(({ output, fast, usOnly, batch, compactions, ...fields }, i) => ({
      ...fields,
      file: 'main',
      line: i + 1,
      sessionId: 's',
      usage: {
        inputTokens: 10,
        outputTokens: output,
        cacheReadTokens: 3,
        cacheWrite5mTokens: 2,
        cacheWrite1hTokens: 1,
        webSearches: 0,
        fast,
        usOnly,
        batch,
        compactions,
      },
    })),
  );

test('the lines that are kept count the same as all of them', () => {
  fc.assert(
    fc.property(lines, (all) => {
      const outputs = (list: readonly UsageLine[]): number[] =>
        countUsage(list).messages.map((message) => message.usage.outputTokens);
      const kept = reduceLines(all);
      assert.deepEqual(outputs(kept), outputs(all));
      assert.deepEqual(totalUsage(countUsage(kept).messages), totalUsage(countUsage(all).messages));
    }),
    { numRuns: fuzzRuns(2000) },
  );
});

test('lines read in two parts count the same as lines read at once', () => {
  fc.assert(
    fc.property(lines, fc.nat(12), (all, cut) => {
      const parts = [...reduceLines(all.slice(0, cut)), ...reduceLines(all.slice(cut))];
      assert.deepEqual(totalUsage(countUsage(parts).messages), totalUsage(countUsage(all).messages));
    }),
    { numRuns: fuzzRuns(2000) },
  );
});

test('a packed line comes back, but for what no count needs', () => {
  fc.assert(
    fc.property(lines, (all) => {
      const back = unpackLines({ file: 'main', sessionId: 's', rows: packLines(all) });
      assert.deepEqual(
        back,
        all.map((line) => ({
          ...line,
          stopReason: line.stopReason === undefined ? undefined : 'yes',
          uuid: line.messageId === undefined ? line.uuid : undefined,
        })),
      );
    }),
  );
});
