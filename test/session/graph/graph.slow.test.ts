// A very long cycle.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildGraph } from '../../../src/session/graph/graph.ts';
import { transcript } from '../../support/transcript-builder.ts';

test('a cycle of a hundred and fifty thousand lines is cut like any other', () => {
  const builder = transcript();
  const length = 150_000;
  for (let i = 0; i < length; i++)
    builder.entry({ type: 'system', uuid: `n${i}`, parentUuid: `n${(i + length - 1) % length}` });
  const { diagnostics: found } = buildGraph(builder.transcript().nodes);
  assert.deepEqual(
    found.map(({ code, line }) => [code, line]),
    [['G-cycle', 1]],
  );
});
