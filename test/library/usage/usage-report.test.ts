import assert from 'node:assert/strict';
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { isObject, type JsonObject, parseJson } from '../../../src/base/json/json.ts';
import { createCalendar } from '../../../src/library/usage/calendar.ts';
import { cellsOf, makeCells } from '../../../src/library/usage/cells.ts';
import { findReceipts } from '../../../src/library/usage/receipts.ts';
import { makeReport, passes, reportKinds, sumUp, type UsageReport } from '../../../src/library/usage/report.ts';
import { bundledPrices, PriceList, type Prices } from '../../../src/models/price-list.ts';
import { corpusFolder } from '../../support/corpus.ts';
import { edgeCases } from '../../support/edge-cases.ts';
import { filesBelow, projectRoot } from '../../support/paths.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import {
  answerLine,
  makeLibrary,
  openLibrary,
  session1,
  session2,
  type TestLibrary,
} from '../../support/usage-library.ts';

const calendar = createCalendar('UTC');
const main = `-w-p/${session1}.jsonl`;

function report(library: TestLibrary, kind: (typeof reportKinds)[number] = 'daily'): UsageReport {
  return makeReport(makeCells(library.count()), { kind, calendar, nowMs: 0 });
}

function totalOf(rows: UsageReport['rows'], field: 'outputTokens' | 'messages' | 'inputTokens'): number {
  return rows.reduce((sum, row) => sum + row[field], 0);
}

for (const [name, { files, output, dropped }] of Object.entries(edgeCases)) {
  test(`${name}: every report has ${output} output tokens, and a receipt for each line`, (context) => {
    const library = makeLibrary(context, files);
    for (const kind of reportKinds) {
      const { rows, totals } = report(library, kind);
      assert.deepEqual([kind, totals.outputTokens, totalOf(rows, 'outputTokens')], [kind, output, output]);
    }
    assert.deepEqual(reasons(library), dropped);
  });
}

test('the cases of the counting cases come out the same', (context) => {
  const folder = path.join(corpusFolder, 'counting');
  const results = Object.keys(edgeCases).map((name) => {
    const library = openLibrary(context, path.join(folder, name));
    const outputs = new Set(reportKinds.map((kind) => report(library, kind).totals.outputTokens));
    return [name, [...outputs], reasons(library)];
  });
  const right = Object.entries(edgeCases).map(([name, { output, dropped }]) => [name, [output], dropped]);
  assert.deepEqual(results, right);
});

test('a million tokens written for an hour cost twelve dollars on Sonnet 4.5, twice the price of a short prompt', (context) => {
  // $12 per million written for an hour and $6 per million of input, above 200,000 tokens of prompt.
  const { totals } = report(makeLibrary(context, edgeCases['9_cache_1h']?.files ?? {}));
  assert.deepEqual(totals, {
    inputTokens: 10,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 1_000_000,
    costMicroUsd: 12_000_060,
    messages: 1,
    unpricedMessages: 0,
    unpricedTokens: 0,
    outputIsLowerBound: false,
  });
});

test('a model without a price is listed, and its rows have no cost', (context) => {
  const lines = [
    answerLine({ id: 'a', output: 400, model: 'claude-zeta-9' }),
    answerLine({ id: 'b', output: 100, time: '2026-03-02T10:00:00.000Z' }),
    answerLine({ id: 'c', output: 100, time: '2026-03-02T10:00:00.000Z', model: 'claude-zeta-9' }),
  ];
  const { rows, totals, unpricedModels, unpriced } = report(makeLibrary(context, { [main]: lines }));
  assert.deepEqual(
    rows.map(({ key, costMicroUsd, unpricedMessages }) => [key, costMicroUsd, unpricedMessages]),
    [
      ['2026-03-01', undefined, 1],
      ['2026-03-02', 1530, 1],
    ],
  );
  assert.deepEqual([totals.costMicroUsd, totals.unpricedMessages, unpricedModels], [1530, 2, ['claude-zeta-9']]);
  assert.equal(totals.unpricedTokens, 520);
  assert.deepEqual(unpriced, [{ model: 'claude-zeta-9', messages: 2, tokens: 520 }]);
});

test('messages of one model and quarter of an hour are priced one by one', (context) => {
  const at = (time: string, usage: JsonObject, id: string): string =>
    answerLine({ id, model: 'claude-haiku-5-5', input: 0, time, usage });
  const long = { cache_read_input_tokens: 100_001 };
  const lines = [
    at('2026-11-01T10:00:00.000Z', { cache_read_input_tokens: 100_000 }, 'short'),
    at('2026-11-01T10:01:00.000Z', long, 'long'),
    at('2026-11-01T10:02:00.000Z', { ...long, inference_geo: 'us' }, 'us'),
    at('2026-11-01T10:03:00.000Z', { ...long, service_tier: 'batch' }, 'batch'),
    at('2026-11-01T10:04:00.000Z', { ...long, speed: 'fast' }, 'fast'),
  ];
  const library = makeLibrary(context, { [main]: lines });
  assert.deepEqual(
    library.count().map(({ costMicroUsd }) => costMicroUsd),
    [1000, 5000, 5500, 2500, undefined],
  );
  const { totals, unpriced } = report(library);
  assert.equal(totals.costMicroUsd, 14_000);
  assert.deepEqual(unpriced, [{ model: 'claude-haiku-5-5 (fast)', messages: 1, tokens: 100_001 }]);
});

test('a message before and one after a change of price have the price of their day', (context) => {
  const usage = { cache_read_input_tokens: 1_000_000 };
  const at = (id: string, time: string): string =>
    answerLine({ id, model: 'claude-sonnet-5-5', input: 0, usage, time });
  const lines = [at('before', '2026-10-06T23:59:00.000Z'), at('after', '2026-10-07T00:01:00.000Z')];
  const { rows } = report(makeLibrary(context, { [main]: lines }));
  assert.deepEqual(
    rows.map(({ key, costMicroUsd }) => [key, costMicroUsd]),
    [
      ['2026-10-06', 200_000],
      ['2026-10-07', 100_000],
    ],
  );
});

test('of one quarter of an hour, messages with and without a price stay apart', (context) => {
  const lines = [answerLine({ id: 'a', output: 10 }), answerLine({ id: 'b', usage: { cache_read_input_tokens: 7 } })];
  const library = makeLibrary(context, { [main]: lines });
  // Reads have no price here.
  const model = { id: 'claude-sonnet-4-5', aliases: [], prices: [{ input: 1, output: 1 }] };
  const cells = makeCells(library.count(new PriceList({ ...bundledPrices, models: [model] })));
  const { costMicroUsd, unpricedMessages, unpricedTokens } = sumUp(cells);
  assert.deepEqual(
    { costMicroUsd, unpricedMessages, unpricedTokens },
    { costMicroUsd: 20, unpricedMessages: 1, unpricedTokens: 17 },
  );
});

test('a fork counts in the session that began first, whatever its name', (context) => {
  const shared1 = { id: 'a', output: 400 };
  const library = makeLibrary(context, {
    // Named before the original, but begun after it.
    [`-w-p/${session1}.jsonl`]: [
      answerLine({ ...shared1, time: '2026-03-01T10:00:01.000Z' }),
      answerLine({ id: 'b', output: 100, time: '2026-03-01T12:00:00.000Z' }),
    ],
    [`-w-p/${session2}.jsonl`]: [answerLine({ ...shared1, sessionId: session2 })],
  });
  assert.deepEqual(
    report(library, 'session').rows.map(({ key, outputTokens }) => [key, outputTokens]),
    [
      [session2, 400],
      [session1, 100],
    ],
  );
});

test('output without a stop reason is a lower bound, in its row and in the totals', (context) => {
  const lines = [
    answerLine({ id: 'a', output: 3, stop: null }),
    answerLine({ id: 'b', output: 9, time: '2026-03-02T10:00:00.000Z' }),
  ];
  const { rows, totals } = report(makeLibrary(context, { [main]: lines }));
  assert.deepEqual(
    rows.map((row) => row.outputIsLowerBound),
    [true, false],
  );
  assert.equal(totals.outputIsLowerBound, true);
});

test('what the client made itself counts nowhere and has a receipt', (context) => {
  const library = makeLibrary(context, {
    [main]: [answerLine({ id: 's', model: '<synthetic>' }), answerLine({ id: 'a', output: 5 })],
  });
  const { totals, unpricedModels } = report(library);
  assert.deepEqual([totals.messages, totals.outputTokens, unpricedModels], [1, 5, []]);
  assert.deepEqual(reasons(library), ['synthetic']);
});

test('days are filtered where they are counted, both ends included', (context) => {
  const lines = ['2026-03-01T23:30:00.000Z', '2026-03-02T12:00:00.000Z', '2026-03-03T00:30:00.000Z', 'never'].map(
    (time, i) => answerLine({ id: `m${i}`, output: 10 ** i, time }),
  );
  const cells = makeCells(makeLibrary(context, { [main]: lines }).count());
  const sum = (zone: string, since?: string, until?: string): number =>
    sumUp(cells.filter((cell) => passes({ since, until, calendar: createCalendar(zone) }, cell, cell.session)))
      .outputTokens;
  assert.deepEqual(
    [
      sum('UTC'),
      sum('UTC', '2026-03-02'),
      sum('UTC', undefined, '2026-03-02'),
      sum('UTC', '2026-03-02', '2026-03-02'),
      sum('Europe/Berlin', '2026-03-02', '2026-03-02'),
      sum('America/New_York', '2026-03-02', '2026-03-02'),
    ],
    [1111, 110, 11, 10, 11, 110],
  );
});

test('nothing changed: the second run reads no byte of any transcript', (context) => {
  const library = makeLibrary(context, edgeCases['4_fork_copy']?.files ?? {});
  const before = library.count();
  const { files, filesRead, bytesRead } = library.store.update({ prices: new PriceList(bundledPrices) });
  assert.deepEqual({ files, filesRead, bytesRead }, { files: 2, filesRead: 0, bytesRead: 0 });
  assert.deepEqual(library.count(), before);
});

test('what is kept of a count is what was counted, until anything changes', (context) => {
  const library = makeLibrary(context, {
    [main]: [
      answerLine({ id: 'a', output: 1, stop: null }),
      answerLine({ id: 'b', output: 2, model: 'claude-zeta-9', time: 'never' }),
      answerLine({ id: 'c', output: 3, usage: { speed: 'fast' } }),
    ],
  });
  const cells = (): readonly object[] => cellsOf(library.store);
  const counted = makeCells(library.count());
  assert.deepEqual(cells(), counted);
  appendFileSync(path.join(library.root, 'projects', main), `${answerLine({ id: 'd', output: 4 })}\n`);
  const grown = makeCells(library.count());
  assert.equal(sumUp(grown).outputTokens, 10);
  assert.deepEqual(cells(), grown);
  rmSync(path.join(library.root, 'projects', main));
  library.count();
  assert.deepEqual(cells(), []);
});

test('other prices are another count', (context) => {
  const library = makeLibrary(context, { [main]: [answerLine({ id: 'a', output: 1000 })] });
  const cost = (prices: Prices): number | undefined => {
    library.count(new PriceList(prices));
    return sumUp(cellsOf(library.store)).costMicroUsd;
  };
  const dear = { id: 'claude-sonnet-4-5', aliases: [], prices: [{ input: 0, output: 1000 }] };
  const other = { ...bundledPrices, fingerprint: 'dear', models: [dear] };
  assert.deepEqual([cost(bundledPrices), cost(other), cost(bundledPrices)], [15_030, 1_000_000, 15_030]);
});

test('a session that grows line by line counts as if it had been read at once', (context) => {
  const lines = Array.from({ length: 60 }, (_, i) =>
    answerLine({ id: `m${i >> 2}`, requestId: 'r', output: i % 7, stop: i % 5 === 0 ? 'end_turn' : null }),
  );
  const grown = makeLibrary(context, { [main]: [] });
  const file = path.join(grown.root, 'projects', main);
  for (const line of lines) {
    appendFileSync(file, `${line}\n`);
    grown.count();
  }
  const whole = makeLibrary(context, { [main]: lines });
  assert.deepEqual(report(grown).totals, report(whole).totals);
});

test('a last record without a newline counts, and is not counted again when the newline comes', (context) => {
  const library = makeLibrary(context, { [main]: [answerLine({ id: 'a', output: 1 })] });
  const file = path.join(library.root, 'projects', main);
  appendFileSync(file, answerLine({ output: 10 }));
  assert.equal(report(library).totals.outputTokens, 11);
  appendFileSync(file, `\n${answerLine({ output: 100 })}\n`);
  assert.equal(report(library).totals.outputTokens, 111);
  assert.deepEqual(
    library.count().map(({ line }) => line.line),
    [1, 2, 3],
  );
});

test('a transcript that was rewritten or removed is counted as it is now', (context) => {
  const library = makeLibrary(context, edgeCases['4_fork_copy']?.files ?? {});
  const file = path.join(library.root, 'projects', main);
  assert.equal(report(library).totals.outputTokens, 500);
  writeFileSync(file, `${answerLine({ id: 'new', output: 7 })}\n`);
  assert.equal(report(library).totals.outputTokens, 507);
  cpSync(file, `${file}.bak`);
  rmSync(file);
  assert.equal(report(library).totals.outputTokens, 500);
});

test('what other roots hold is not part of the report', (context) => {
  const library = makeLibrary(context, { [main]: [answerLine({ id: 'a', output: 1 })] });
  const other = makeLibrary(context, { [main]: [answerLine({ id: 'b', output: 10 })] });
  assert.equal(report(other).totals.outputTokens, 10);
  assert.equal(report(library).totals.outputTokens, 1);
});

const corpora = [
  ['the recordings', path.join(projectRoot, 'test/interop/recordings/real')],
  ['the demo', path.join(projectRoot, 'demo/projects')],
  ['the corpus', path.join(corpusFolder, 'corpus')],
] as const;

for (const [name, folder] of corpora) {
  test(`on ${name} the totals are those of a plain recount`, (context) => {
    const root = temporaryFolder(context);
    for (const [i, file] of filesBelow(folder, '.jsonl').entries()) {
      if (path.basename(file).startsWith('agent-') || path.basename(file) === 'journal.jsonl') continue;
      cpSync(file, path.join(root, 'projects', `p${i}`, `${i}-${path.basename(file)}`));
    }
    const library = openLibrary(context, root);
    const { totals } = report(library);
    assert.deepEqual(
      {
        inputTokens: totals.inputTokens,
        outputTokens: totals.outputTokens,
        cacheReadTokens: totals.cacheReadTokens,
        messages: totals.messages,
      },
      recount(filesBelow(path.join(root, 'projects'), '.jsonl')),
    );
    assert.ok(totals.messages > 0);
  });
}

/**
 * Every line through JSON.parse, the largest usage per message id, over all files; an id that two requests of the main
 * conversation claim (hand-made files have such) is two messages. Lines that are not JSON hold none.
 */
function recount(files: readonly string[]): object {
  const byId = new Map<string, JsonObject[]>();
  for (const text of files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .replace(/^\ufeff/, '')
      .split('\n'),
  )) {
    const entry = parseJson(text) as JsonObject | undefined;
    const message = entry?.message as JsonObject | undefined;
    if ((entry?.type ?? message?.role) !== 'assistant' || !isObject(message?.usage)) continue;
    if (message?.model === '<synthetic>') continue;
    const id = String(message?.id ?? entry?.uuid ?? `unnamed ${byId.size}`);
    byId.set(id, [...(byId.get(id) ?? []), entry as JsonObject]);
  }
  const largest = [...byId.values()].flatMap((entries) => {
    const requests = new Set(
      entries.flatMap(({ isSidechain, requestId }) => (isSidechain === true ? [] : (requestId ?? []))),
    );
    return requests.size < 2
      ? [largestUsage(entries)]
      : [...requests].map((request) => largestUsage(entries.filter((entry) => entry.requestId === request)));
  });
  const sum = (field: string): number => largest.reduce((total, usage) => total + Number(usage[field] ?? 0), 0);
  return {
    inputTokens: sum('input_tokens'),
    outputTokens: sum('output_tokens'),
    cacheReadTokens: sum('cache_read_input_tokens'),
    messages: largest.length,
  };
}

function largestUsage(entries: readonly JsonObject[]): JsonObject {
  const usages = entries.map((entry) => (entry.message as JsonObject).usage as JsonObject);
  return usages.reduce((best, usage) => (Number(usage.output_tokens) >= Number(best.output_tokens) ? usage : best));
}

function reasons(library: TestLibrary): string[] {
  const messages = library.count();
  const { receipts, synthetic } = findReceipts(library.store, messages, {
    prices: new PriceList(bundledPrices),
    isWanted: () => true,
  });
  // The lines that were read again count what the index says.
  assert.deepEqual(
    receipts.map(({ message }) => [message.line.line, message.usage, message.costMicroUsd]),
    messages.map(({ line, usage, costMicroUsd }) => [line.line, usage, costMicroUsd]),
  );
  return [...receipts.flatMap(({ dropped }) => dropped), ...synthetic].map(({ reason }) => reason);
}
