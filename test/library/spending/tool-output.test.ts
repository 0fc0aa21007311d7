// What the output of tools costs, computed by hand: Opus 4.5 costs $5 per million tokens of input, $6.25 to write them to
// the cache, $0.50 to read them from it.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { toolSpending } from '../../../src/library/spending/tool-output.ts';
import { bundledPrices, PriceList } from '../../../src/models/price-list.ts';
import { loadTranscript } from '../../../src/session/transcript/transcript.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import {
  type Fields,
  sessionId,
  type TranscriptBuilder,
  toolResult,
  toolUse,
  transcript,
} from '../../support/transcript-builder.ts';

const model = 'claude-opus-4-5-20251101';

interface Counts {
  readonly input?: number;
  readonly read?: number;
  readonly write?: number;
  readonly output?: number;
}

function answer({ input = 0, read = 0, write = 0, output = 0 }: Counts, of = model): Fields {
  const usage = {
    input_tokens: input,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write,
    output_tokens: output,
  };
  return { message: { model: of, usage } };
}

const long = 'x'.repeat(4_000);

function spendingOf(
  context: TestContext,
  builder: TranscriptBuilder,
  isCounted: (id: string) => boolean = () => true,
): readonly unknown[] {
  const file = path.join(temporaryFolder(context), `${sessionId}.jsonl`);
  builder.write(file);
  const prices = new PriceList(bundledPrices);
  const found = toolSpending(loadTranscript(file), { prices, isCounted, dayOf: () => 'day' });
  return found.map((sum) => [
    sum.tool,
    sum.results,
    Math.round(sum.addedTokens),
    Math.round(sum.rereadTokens),
    Math.round(sum.addedMicroUsd),
    Math.round(sum.rereadMicroUsd),
    Math.round(sum.unpricedTokens),
  ]);
}

test('a result costs a write to the cache once, and a read with every later request', (context) => {
  const builder = transcript()
    .user('go')
    .assistant([toolUse('c1', 'Bash')], answer({ write: 1_000, output: 100 }))
    .user([toolResult('c1', long)])
    .assistant('one', answer({ read: 1_000, write: 500, output: 50 }))
    .user('and now')
    .assistant('two', answer({ read: 1_500, write: 100, output: 10 }))
    .user('and then')
    .assistant('three', answer({ read: 1_600, write: 50, output: 10 }));
  // 1,500 − 1,000 − 100 tokens came with the result, all of them beyond the 1,000 that were read from the cache.
  assert.deepEqual(spendingOf(context, builder), [['Bash', 1, 400, 800, 400 * 6.25, 2 * 400 * 0.5, 0]]);
});

test('without a cache a result costs input every time', (context) => {
  const builder = transcript()
    .user('go')
    .assistant([toolUse('c1', 'Bash')], answer({ input: 1_000, output: 100 }))
    .user([toolResult('c1', long)])
    .assistant('one', answer({ input: 1_500, output: 50 }))
    .user('and now')
    .assistant('two', answer({ input: 1_600 }));
  assert.deepEqual(spendingOf(context, builder), [['Bash', 1, 400, 400, 2_000, 2_000, 0]]);
});

test('results of parallel calls share what came between by their size, each is at most half a token per byte', (context) => {
  const builder = transcript()
    .user('go')
    .assistant([toolUse('c1', 'Read'), toolUse('c2', 'Grep')], answer({ write: 1_000, output: 100 }))
    .user([toolResult('c1', 'y'.repeat(3_000))], { toolUseResult: { file: 'z'.repeat(50_000) } })
    .user([toolResult('c2', 'y'.repeat(800))])
    .assistant('one', answer({ read: 1_000, write: 900, output: 50 }));
  const bytes = builder.entries.slice(2, 4).map(({ message }) => JSON.stringify(message).length);
  const [first = 0, second = 0] = bytes;
  const share = (own: number): number => (800 * own) / (first + second);
  assert.deepEqual(spendingOf(context, builder), [
    ['Grep', 1, Math.round(share(second)), 0, Math.round(share(second) * 6.25), 0, 0],
    ['Read', 1, Math.round(share(first)), 0, Math.round(share(first) * 6.25), 0, 0],
  ]);
  const small = transcript()
    .user('go')
    .assistant([toolUse('c1', 'Edit')], answer({ write: 1_000, output: 100 }))
    .user([toolResult('c1', 'ok')])
    .assistant('one', answer({ read: 1_000, write: 9_000 }));
  const most = JSON.stringify(small.entries[2]?.message).length / 2;
  assert.deepEqual(spendingOf(context, small), [['Edit', 1, Math.round(most), 0, Math.round(most * 6.25), 0, 0]]);
});

test('after a compaction nothing is read again, nor after the user went back', (context) => {
  const start = (): TranscriptBuilder =>
    transcript()
      .user('go')
      .assistant([toolUse('c1', 'Bash')], answer({ write: 1_000, output: 100 }))
      .user([toolResult('c1', long)])
      .assistant('one', answer({ read: 1_000, write: 500, output: 50 }));
  const compacted = start()
    .boundary({ trigger: 'auto' })
    .summary('it')
    .assistant('two', answer({ read: 1_400, write: 500 }));
  assert.deepEqual(spendingOf(context, compacted), [['Bash', 1, 400, 0, 2_500, 0, 0]]);
  const back = start()
    .user('other')
    .assistant('two', answer({ read: 900, write: 100 }));
  assert.deepEqual(spendingOf(context, back), [['Bash', 1, 400, 0, 2_500, 0, 0]]);
});

test('a copy is charged where it came from, and its results still cost the requests after it', (context) => {
  const builder = transcript()
    .user('go')
    .assistant([toolUse('c1', 'Bash')], answer({ write: 1_000, output: 100 }))
    .user([toolResult('c1', long)])
    .assistant('one', answer({ read: 1_000, write: 500, output: 50 }))
    .user('and now')
    .assistant('two', answer({ read: 1_500, write: 100 }));
  assert.deepEqual(
    spendingOf(context, builder, (id) => id === 'm3'),
    [['Bash', 0, 0, 400, 0, 200, 0]],
  );
});

test('the lines of a message are one request, also with a result between them', (context) => {
  const fields = (id: string, counts: Counts): Fields => {
    const { message } = answer(counts);
    return { message: { ...message, id } };
  };
  const builder = transcript()
    .user('go')
    .assistant([toolUse('c1', 'Read')], fields('m', { write: 1_000, output: 2 }))
    .user([toolResult('c1', long)])
    .assistant([toolUse('c2', 'Read')], fields('m', { write: 1_000, output: 100 }))
    .user([toolResult('c2', long)])
    .assistant('one', fields('n', { read: 1_000, write: 900 }));
  assert.deepEqual(spendingOf(context, builder), [['Read', 2, 800, 0, 5_000, 0, 0]]);
});

test('tokens of a model without a price are counted apart', (context) => {
  const builder = transcript()
    .user('go')
    .assistant([toolUse('c1', 'Bash')], answer({ write: 1_000, output: 100 }, 'no-such-model'))
    .user([toolResult('c1', long)])
    .assistant('one', answer({ read: 1_000, write: 500 }, 'no-such-model'));
  assert.deepEqual(spendingOf(context, builder), [['Bash', 1, 400, 0, 0, 0, 400]]);
});
