// The parts of a session in the page: visible parts are loaded once, distant ones are dropped.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TurnView } from '../../../src/export/wire/view.ts';
import { PartsStore } from '../../../src/web/app/session/source/parts-store.ts';
import type { SessionSource } from '../../../src/web/app/session/source/source.ts';
import { waitFor } from '../../support/wait.ts';

interface Asked {
  readonly source: SessionSource;
  readonly ranges: (readonly [number, number])[];
}

/** Parts of a million characters each; the part `broken` fails. */
function partsSource(chars: number, broken = -1): Asked {
  const ranges: (readonly [number, number])[] = [];
  const view = (part: number): TurnView => {
    const place = { line: part, record: part, uuid: null };
    const items = [
      { kind: 'text', place, at: null, model: null, text: { text: 'x'.repeat(chars), more: 0, at: null } },
    ] as const;
    return { part, turn: 1, isFirst: false, isLast: false, prompt: null, items };
  };
  const parts = async (_branch: number, from: number, to: number): Promise<readonly TurnView[]> => {
    ranges.push([from, to]);
    if (from <= broken && broken < to) throw new Error('no luck');
    return Array.from({ length: to - from }, (_, i) => view(from + i));
  };
  return { source: { parts } as unknown as SessionSource, ranges }; // the store uses nothing else
}

const all = Array.from({ length: 1000 }, (_, part) => part);

test('the visible parts and a margin are loaded, each range once', async () => {
  const { source, ranges } = partsSource(10);
  const store = new PartsStore(source, 1, 100);
  store.want(all, 12, 14);
  store.want(all, 12, 14);
  await waitFor(() => store.get(17) !== undefined && store.get(8) !== undefined);
  assert.deepEqual(ranges, [
    [12, 18],
    [8, 12],
  ]);
});

test('distant parts are dropped first, visible ones never', async () => {
  const { source } = partsSource(1_000_000);
  const store = new PartsStore(source, 1, 1000);
  for (const from of [0, 100, 500]) {
    store.want(all, from, from + 3);
    await waitFor(() => [0, 1, 2].every((i) => store.get(from + i) !== undefined));
  }
  await waitFor(() => store.get(506) !== undefined);
  const held = Array.from({ length: 1000 }, (_, part) => part).filter((part) => store.get(part) !== undefined);
  assert.ok(held.length <= 12, `${held.length} parts are held`);
  assert.deepEqual(
    [0, 500, 501, 502].map((part) => held.includes(part)),
    [false, true, true, true],
  );
});

test('a part that fails to load shows why, and can be retried', async () => {
  const { source, ranges } = partsSource(10, 2);
  const store = new PartsStore(source, 1, 6);
  store.want(all, 0, 3);
  await waitFor(() => store.failure(2) !== undefined);
  assert.deepEqual([store.failure(2), store.get(2), ranges.length], ['no luck', undefined, 1]);
  store.retry(2);
  await waitFor(() => ranges.length === 2);
});

test('a changed part stays visible until its new version arrives', async () => {
  const { source, ranges } = partsSource(10);
  const store = new PartsStore(source, 1, 2);
  store.want(all, 0, 2);
  await waitFor(() => store.get(1) !== undefined);
  store.grow(3, 1);
  assert.notEqual(store.get(1), undefined);
  store.want(all, 0, 3);
  await waitFor(() => store.get(2) !== undefined);
  assert.deepEqual(ranges, [
    [0, 2],
    [1, 3],
  ]);
});

test('of a view that leaves parts out, only its own parts are asked for', async () => {
  const { source, ranges } = partsSource(10);
  const store = new PartsStore(source, 1, 100);
  store.want([5, 17, 60, 95], 0, 2);
  await waitFor(() => [5, 17, 60, 95].every((part) => store.get(part) !== undefined));
  assert.deepEqual(
    ranges.map(([from]) => from),
    [5, 17, 60, 95],
  );
});
