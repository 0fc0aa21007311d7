// The palette finds names by a few of their letters, and never offers what does not match.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bestMatches, matchScore, stillMatching } from '../../../src/web/app/palette/match.ts';

const named = (...names: readonly string[]) => names.map((name) => ({ id: `session ${name.length}`, name }));
const found = (typed: string, ...names: readonly string[]) =>
  bestMatches(typed, named(...names)).map(({ name }) => name);

test('the beginning of a name comes before that of a word, and both before letters inside', () => {
  assert.deepEqual(found('re', 'Archive', 'To the recent one', 'Rename'), ['Rename', 'To the recent one']);
  assert.deepEqual(found('ar', 'Star', 'Find archive', 'Archive'), ['Archive', 'Find archive', 'Star']);
});

test('letters may be left out, but not swapped, and not in short words', () => {
  assert.deepEqual(found('renm', 'Rename', 'Remove'), ['Rename']);
  assert.equal(matchScore('emanr', 'Rename'), undefined);
  assert.equal(matchScore('rm', 'Rename'), undefined);
});

test('every word must match, in any order', () => {
  assert.deepEqual(found('turn next', 'next turn', 'previous turn'), ['next turn']);
});

test('of two equal matches the shorter name comes first; without a text the order stays', () => {
  assert.deepEqual(found('live', 'Live sessions', 'Live'), ['Live', 'Live sessions']);
  assert.deepEqual(found(' ', 'b', 'a'), ['b', 'a']);
});

test('sessions of an earlier text stay only if they match the new one', () => {
  const entries = [
    { id: 'session 5d374d1f', name: 'Say hello' },
    { id: 'session d319713f', name: 'Say hello' },
  ];
  assert.deepEqual(stillMatching(entries, '', ''), entries);
  assert.deepEqual(stillMatching(entries, '', 'D319'), [entries[1]]);
  assert.deepEqual(stillMatching(entries, '', 'hello say'), entries);
});
