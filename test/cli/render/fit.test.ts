import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitWidths } from '../../../src/cli/render/wrap.ts';

test('what fits stays, and the widest give first', () => {
  assert.deepEqual(fitWidths([5, 10, 3], 18), [5, 10, 3]);
  assert.deepEqual(fitWidths([5, 10, 3], 15), [5, 7, 3]);
  assert.deepEqual(fitWidths([5, 10, 3], 10), [4, 3, 3]);
  assert.deepEqual(fitWidths([0, 4], 0), [0, 1]);
});
