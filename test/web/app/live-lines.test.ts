// Lines of live sessions: heard twice they are shown once, and an old page does not grow without end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addLines } from '../../../src/web/app/live/live-lines.ts';
import type { LiveLine } from '../../../src/web/wire.ts';

function line(number: number, text = `line ${number}`): LiveLine {
  return { line: number, agentId: null, time: null, kind: 'text', tool: null, text };
}

test('what was asked for and what was told are one list, in order', () => {
  const asked = addLines(new Map(), 'a', [line(1), line(2)]);
  const told = addLines(asked, 'a', [line(2), line(3), line(3, 'its second block')]);
  assert.deepEqual(told.get('a'), [line(1), line(2), line(3), line(3, 'its second block')]);
  assert.equal(addLines(told, 'a', [line(3)]), told);
  assert.deepEqual(addLines(told, 'b', [line(1)]).get('a'), told.get('a'));
});

test('only the newest lines of a session are kept', () => {
  const all = Array.from({ length: 500 }, (_, i) => line(i + 1));
  assert.deepEqual(addLines(new Map(), 'a', all).get('a'), all.slice(-200));
});
