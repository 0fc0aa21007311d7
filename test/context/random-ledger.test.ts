// Random sessions with random counts, most of them impossible: whatever a transcript holds, no slice is negative, all of
// them add up, and the numbers of each turn do too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../src/base/json/json.ts';
import { contextLedger } from '../../src/context/ledger/ledger.ts';
import type { ContextLedger } from '../../src/context/wire/ledger.ts';
import type { Session } from '../../src/session/load/session.ts';
import { randomTranscript } from '../support/random-transcript.ts';
import { text, toolResult, toolUse, transcript } from '../support/transcript-builder.ts';

interface Wanted {
  readonly count: number;
  readonly output: number;
  readonly model: string;
  readonly isPartial: boolean;
  readonly words: number;
}

const models = ['claude-sonnet-4-5-20250929', 'claude-opus-4-7', 'claude-opus-5-5', 'unknown', '<synthetic>'];
const counts = fc.array(
  fc.record<Wanted>({
    count: fc.oneof(fc.constantFrom(0, 1, 7_146, 20_000), fc.nat(40_000), fc.constant(Number.MAX_SAFE_INTEGER)),
    output: fc.oneof(fc.constantFrom(0, 1), fc.nat(30_000)),
    model: fc.constantFrom(...models),
    isPartial: fc.boolean(),
    words: fc.nat(300),
  }),
  { minLength: 30, maxLength: 30 },
);

test('whatever is counted, the slices are never negative and add up', () => {
  let anchored = 0;
  fc.assert(
    fc.property(randomTranscript, counts, (builder, wanted) => {
      const counted = transcript();
      for (const [i, entry] of builder.entries.entries()) counted.entry(withCount(entry, wanted[i % wanted.length]));
      const session = counted.session();
      for (const ledger of ledgersOf(session)) {
        checkSums(ledger);
        if (ledger.basis === 'anchored') anchored++;
      }
    }),
    { numRuns: 150, endOnFailure: true },
  );
  assert.ok(anchored > 0);
});

test('a thousand counts that fall, rise and change the model take one pass', () => {
  const builder = transcript().user('go');
  for (let i = 0; i < 1_000; i++) {
    const message = {
      model: models[i % 3] ?? '',
      usage: { input_tokens: 50_000 + ((i * 7_919) % 20_000), output_tokens: 40 },
    };
    builder.assistant([toolUse(`t${i}`, 'Bash')], { message }).user([toolResult(`t${i}`, 'word '.repeat(20))]);
  }
  const ledger = contextLedger(builder.session());
  checkSums(ledger);
  assert.equal(ledger.basis, 'anchored');
  // Each of the 1,000 results is named, except that of the last call, which no request has sent.
  assert.equal(ledger.slices.find(({ kind }) => kind === 'output')?.lineCount, 999);
});

function withCount(entry: JsonObject, wanted: Wanted | undefined): JsonObject {
  if (entry.type !== 'assistant' || wanted === undefined) return entry;
  const { count, output, model, isPartial, words } = wanted;
  const own = entry.message as JsonObject;
  const content = [...(own.content as JsonObject[]), text('word '.repeat(words))];
  const usage = { input_tokens: count, output_tokens: output };
  return { ...entry, message: { ...own, content, model, usage, stop_reason: isPartial ? null : 'end_turn' } };
}

function ledgersOf(session: Session): readonly ContextLedger[] {
  return session.branches.flatMap((_, i) => {
    const last = contextLedger(session, { branch: i + 1 });
    return [last, ...last.turns.map(({ turn }) => contextLedger(session, { branch: i + 1, turn }))];
  });
}

function checkSums(ledger: ContextLedger): void {
  let sum = 0;
  for (const slice of ledger.slices) {
    assert.ok(Number.isSafeInteger(slice.tokens) && slice.tokens >= 0, `${slice.kind} ${slice.tokens}`);
    assert.ok(slice.lineCount > 0 && slice.lines.length > 0, slice.kind);
    if (slice.free !== null) assert.ok(slice.free.tokens > 0);
    sum += slice.tokens;
  }
  assert.equal(sum, ledger.tokens);
  if (ledger.basis === 'anchored') assert.equal(ledger.tokens, ledger.apiTokens);
  for (const { tokens, kinds } of ledger.turns) {
    const all = Object.values(kinds);
    assert.ok(all.every((each) => Number.isSafeInteger(each) && each >= 0));
    assert.equal(
      all.reduce((total, each) => total + each, 0),
      tokens ?? 0,
    );
  }
}
