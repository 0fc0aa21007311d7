import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './eventually.ts';

test('an assertion is repeated until it passes, and its value returned', async () => {
  let reads = 0;
  const read = async (): Promise<number> => ++reads;
  const value = await eventually(async () => {
    const seen = await read();
    assert.equal(seen, 3);
    return `seen: ${seen}`;
  });
  assert.deepEqual([value, reads], ['seen: 3', 3]);
});

test('an assertion that never passes fails with its last error, which says where and what', async () => {
  let reads = 0;
  const read = async (): Promise<readonly number[]> => [++reads];
  const failing = async (): Promise<void> => {
    await eventually(async () => assert.deepEqual(await read(), ['a list']), 100);
  };
  await assert.rejects(failing(), (error) => {
    assert.ok(error instanceof assert.AssertionError);
    assert.ok(reads > 1);
    assert.deepEqual([error.actual, error.expected], [[reads], ['a list']]);
    assert.match(error.message, /\+ actual - expected/);
    assert.match(error.stack ?? '', /at async failing \(/);
    return true;
  });
});
