// A hundred random command lines; fuzz.slow.test.ts runs two thousand, and some as processes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeHostilePlace } from '../support/hostile-place.ts';
import { fuzzInThread } from './fuzz-kit.ts';

test('a hundred random command lines change nothing around and print only text', (context) => {
  assert.deepEqual(fuzzInThread(makeHostilePlace(context), 2026, 100), []);
});
