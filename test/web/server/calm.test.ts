// What may be done later is done when nobody waits, and not before; but not never.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilCalm } from '../../../src/web/server/calm.ts';

const { signal } = new AbortController();

/** How often it was looked whether somebody waits. */
async function countLooks(isBusyAt: (look: number) => boolean, most = 1_000, ended = signal): Promise<number> {
  let looks = 0;
  await untilCalm(() => isBusyAt(looks++), { signal: ended, quietMs: 3, mostMs: most, lookMs: 1 });
  return looks;
}

test('it is calm after three quiet looks in a row, however often somebody came in between', async () => {
  assert.deepEqual(
    [
      await countLooks(() => false),
      await countLooks((look) => look < 7),
      await countLooks((look) => look % 3 === 2 && look < 9),
    ],
    [3, 10, 12],
  );
});

test('somebody who waits for ever does not put it off for ever', async () => {
  assert.equal(await countLooks(() => true, 20), 20);
});

test('a server that stops is not waited for', async () => {
  assert.equal(await countLooks(() => true, 1_000, AbortSignal.abort()), 0);
});
