import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { joinParts, PackedRows, rowBytes } from '../../../src/library/rows/packed-rows.ts';
import { packPart, RowWriter, textBytesOf } from '../../../src/library/rows/row-writer.ts';
import type { UsageLine } from '../../../src/session/usage/usage.ts';
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

/** Packed by hand: the key of an id is its number. */
function pack(list: readonly UsageLine[]): PackedRows {
  const models = ['', 'claude-opus-4-6'];
  const rows = list.length * rowBytes;
  const heap = list.reduce((sum, line) => sum + textBytesOf(line), 0);
  const memory = Buffer.alloc(rows + heap);
  const writer = new RowWriter(memory, 0, rows, rows);
  for (const line of list) writer.add(line, Math.max(0, models.indexOf(line.model ?? '')), 7n);
  return new PackedRows(packPart(memory.subarray(0, rows), memory.subarray(rows, writer.heapEnd)));
}

const names = { file: 'main', sessionId: 's', models: ['', 'claude-opus-4-6'] };

function unpack(rows: PackedRows): UsageLine[] {
  const back: UsageLine[] = [];
  rows.unpack(names, back);
  return back;
}

const kept = (line: UsageLine): UsageLine => ({
  ...line,
  stopReason: line.stopReason === undefined ? undefined : 'yes',
  uuid: line.messageId === undefined ? line.uuid : undefined,
});

test('a packed line comes back, but for what no count needs', () => {
  fc.assert(
    fc.property(lines, (all) => {
      assert.deepEqual(unpack(pack(all)), all.map(kept));
    }),
    { numRuns: fuzzRuns(2000) },
  );
});

test('parts that are joined have the lines of both', () => {
  fc.assert(
    fc.property(lines, fc.nat(12), (all, cut) => {
      const joined = joinParts([pack(all.slice(0, cut)), pack(all.slice(cut))]);
      assert.equal(joined.length % 8, 0);
      assert.deepEqual(unpack(new PackedRows(joined)), all.map(kept));
    }),
    { numRuns: fuzzRuns(2000) },
  );
});

test('bytes whose lengths do not fit are not a part', () => {
  const part = Buffer.alloc(8 + rowBytes);
  part.writeUInt32LE(2 * rowBytes, 0);
  assert.throws(() => new PackedRows(part), RangeError);
  part.writeUInt32LE(rowBytes, 0);
  part.writeUInt32LE(1, 4);
  assert.throws(() => new PackedRows(part), RangeError);
  part.writeUInt32LE(0, 4);
  assert.equal(new PackedRows(part).count, 1);
});
