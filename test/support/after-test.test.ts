import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterTest } from './after-test.ts';

test('what was registered last ends first, also after a failure, which is reported', async () => {
  const hooks: (() => unknown)[] = [];
  const context = { after: (end: () => unknown) => void hooks.push(end) };
  const order: string[] = [];
  afterTest(context, () => order.push('folder'));
  afterTest(context, () => {
    throw new Error('the server does not close');
  });
  afterTest(context, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    order.push('client');
  });
  assert.equal(hooks.length, 1);
  await assert.rejects(async () => hooks[0]?.(), /the server does not close/);
  assert.deepEqual(order, ['client', 'folder']);
});
