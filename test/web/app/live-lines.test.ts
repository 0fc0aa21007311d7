// Lines of live sessions: duplicates are shown once, and the list is bounded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addLines } from '../../../src/web/app/live/live-lines.ts';
import type { LiveLine } from '../../../src/web/wire/wire.ts';

function line(number: number, text = `line ${number}`): LiveLine {
  return { line: number, agentId: null, time: null, kind: 'text', tool: null, text };
}

test('the first answer and later events form one list, in order', () => {
  const asked = addLines(new Map(), 'a', [line(1), line(2)]);
  const merged = addLines(asked, 'a', [line(2), line(3), line(3, 'its second block')]);
  assert.deepEqual(merged.get('a'), [line(1), line(2), line(3), line(3, 'its second block')]);
  assert.equal(addLines(merged, 'a', [line(3)]), merged);
  assert.deepEqual(addLines(merged, 'b', [line(1)]).get('a'), merged.get('a'));
});

test('only the newest lines of a session are kept', () => {
  const all = Array.from({ length: 500 }, (_, i) => line(i + 1));
  assert.deepEqual(addLines(new Map(), 'a', all).get('a'), all.slice(-200));
});
