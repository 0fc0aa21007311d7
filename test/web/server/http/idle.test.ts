// Background work waits until the server is idle, but not forever.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilIdle } from '../../../../src/web/server/http/idle.ts';

const { signal } = new AbortController();

/** The number of polls. */
async function countPolls(isBusyAt: (poll: number) => boolean, maxMs = 1_000, ended = signal): Promise<number> {
  let polls = 0;
  await untilIdle(() => isBusyAt(polls++), { signal: ended, quietMs: 3, maxMs, pollMs: 1 });
  return polls;
}

test('the server is idle after three quiet polls in a row', async () => {
  assert.deepEqual(
    [
      await countPolls(() => false),
      await countPolls((poll) => poll < 7),
      await countPolls((poll) => poll % 3 === 2 && poll < 9),
    ],
    [3, 10, 12],
  );
});

test('a server that is always busy delays the work only for a limited time', async () => {
  assert.equal(await countPolls(() => true, 20), 20);
});

test('a server that stops ends the wait', async () => {
  assert.equal(await countPolls(() => true, 1_000, AbortSignal.abort()), 0);
});
