// How long a failed request waits before the next try.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxRetriesOf, retryDelayMs } from '../../../src/agent/loop/retry.ts';
import { overloaded } from '../../support/loop-kit.ts';

test('delays double up to a limit, and jitter only makes them shorter', () => {
  const attempts = [1, 2, 3, 6, 7, 8, 100];
  assert.deepEqual(
    attempts.map((attempt) => retryDelayMs(attempt, overloaded, 0)),
    [500, 1000, 2000, 16_000, 32_000, 32_000, 32_000],
  );
  assert.deepEqual(
    attempts.map((attempt) => retryDelayMs(attempt, overloaded, 1)),
    [375, 750, 1500, 12_000, 24_000, 24_000, 24_000],
  );
});

test('the delay that the API asks for is used, up to a limit', () => {
  const waits = [0, 1.5, 7000, 3_600_000].map((retryAfterMs) => retryDelayMs(3, { ...overloaded, retryAfterMs }, 0));
  assert.deepEqual(waits, [0, 2, 7000, 300_000]);
});

test('the number of retries comes from the environment if it is a number', () => {
  const given = [undefined, '', '0', '25', '-1', 'many', '99999'];
  assert.deepEqual(
    given.map((text) => maxRetriesOf(text === undefined ? {} : { CLEW_MAX_RETRIES: text })),
    [10, 10, 0, 25, 10, 10, 10],
  );
});
