// Libraries for tests of counting: lines with usage in as many files as a test wants, and their index.
import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { JsonObject, JsonValue } from '../../src/base/json/json.ts';
import {
  cellsOf,
  makeCells,
  type PricedMessage,
  pricedMessages,
  type UsageCell,
} from '../../src/library/usage/cells.ts';
import { UsageStore } from '../../src/library/usage/usage-store.ts';
import { bundledPrices, PriceList } from '../../src/models/price-list.ts';
import { temporaryFolder, writeTree } from './temp-folder.ts';

export const session1 = '11111111-1111-4111-a111-111111111111';
export const session2 = '22222222-2222-4222-a222-222222222222';

export interface AnswerFields {
  readonly id?: string | undefined;
  readonly requestId?: string | undefined;
  readonly output?: number;
  readonly input?: number;
  readonly usage?: JsonObject;
  readonly model?: string;
  readonly stop?: string | null;
  readonly time?: string;
  readonly sessionId?: string;
  readonly cwd?: string;
  readonly top?: JsonObject;
}

let uuids = 0;

/** An assistant line with usage: ten tokens in, `output` out. */
export function answerLine(fields: AnswerFields = {}): string {
  const { id, requestId, output = 0, input = 10, usage = {}, stop = 'end_turn', sessionId = session1 } = fields;
  const { model = 'claude-sonnet-4-5-20250929', time = '2026-03-01T10:00:00.000Z', cwd = '/w/p', top = {} } = fields;
  const message: Record<string, JsonValue> = {
    model,
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'x' }],
    stop_reason: stop,
    usage: { input_tokens: input, output_tokens: output, ...usage },
  };
  if (id !== undefined) message.id = id;
  return JSON.stringify({
    parentUuid: null,
    isSidechain: false,
    cwd,
    sessionId,
    version: '2.1.80',
    type: 'assistant',
    message,
    ...(requestId === undefined ? {} : { requestId }),
    uuid: `00000000-0000-4000-a000-${String(++uuids).padStart(12, '0')}`,
    timestamp: time,
    ...top,
  });
}

export interface TestLibrary {
  readonly root: string;
  readonly store: UsageStore;
  /** What is counted now. */
  count(prices?: PriceList): readonly PricedMessage[];
}

/** Files by their path below `projects/`, each a list of lines. */
export function makeLibrary(context: TestContext, files: Readonly<Record<string, readonly string[]>>): TestLibrary {
  const root = temporaryFolder(context);
  writeTree(
    root,
    Object.fromEntries(Object.entries(files).map(([file, lines]) => [`projects/${file}`, `${lines.join('\n')}\n`])),
  );
  return openLibrary(context, root);
}

export function openLibrary(context: TestContext, root: string): TestLibrary {
  const options = { folder: path.join(temporaryFolder(context), 'state'), roots: [root] };
  const store = new UsageStore(options);
  return {
    root,
    store,
    count: (prices = new PriceList(bundledPrices)) => {
      store.update({ prices });
      const messages = pricedMessages(store, prices);
      // What is kept on the disk says the same as the counting rule over all lines.
      assert.deepEqual(sumsOf(cellsOf(store)), sumsOf(makeCells(messages)));
      const again = new UsageStore(options);
      assert.equal(again.update({ prices }).filesRead, 0);
      assert.deepEqual(sumsOf(cellsOf(again)), sumsOf(makeCells(messages)));
      return messages;
    },
  };
}

/** The sums by session, model, price and quarter of an hour, as text; several cells of the same may be one. */
function sumsOf(cells: readonly UsageCell[]): readonly string[] {
  const sums = new Map<string, number[]>();
  for (const cell of cells) {
    const key = [
      cell.session.path,
      cell.session.cwd,
      cell.model,
      cell.isFast,
      cell.time,
      cell.costMicroUsd === undefined,
    ];
    const before = sums.get(key.join(' ')) ?? [0, 0, 0, 0, 0, 0, 0, 0];
    const own = [cell.messages, cell.inputTokens, cell.outputTokens, cell.cacheReadTokens];
    own.push(cell.cacheWrite5mTokens, cell.cacheWrite1hTokens, cell.costMicroUsd ?? 0, Number(cell.outputIsLowerBound));
    sums.set(
      key.join(' '),
      own.map((value, i) => (i === 7 ? Math.max(value, before[i] ?? 0) : value + (before[i] ?? 0))),
    );
  }
  return [...sums].map(([key, values]) => `${key}: ${values.join(' ')}`).sort();
}
