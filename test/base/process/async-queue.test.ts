// Values come out in the order they went in, whoever is first: the one who pushes or the one who waits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { AsyncQueue } from '../../../src/base/process/async-queue.ts';

async function all<T>(queue: AsyncQueue<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of queue) values.push(value);
  return values;
}

test('what was pushed before and while a reader waits comes out in order, up to the end', async () => {
  const queue = new AsyncQueue<number>();
  queue.push(1);
  const taken = all(queue);
  queue.push(2);
  await setTimeout(1);
  queue.push(3);
  queue.push(4);
  queue.end();
  queue.push(5);
  assert.deepEqual(await taken, [1, 2, 3, 4]);
});

test('a queue that ends empty gives nothing', async () => {
  const queue = new AsyncQueue<number>();
  const taken = all(queue);
  queue.end();
  assert.deepEqual(await taken, []);
});
