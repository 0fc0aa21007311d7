// A selection of sessions: single ones, ranges in either direction, and sessions that disappear.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rangeOf, Selection } from '../../../src/web/app/library/select/selection.ts';

const rows = ['a', 'b', 'c', 'd'].map((key) => ({ key }));
const keys = (found: readonly { readonly key: string }[]) => found.map(({ key }) => key);
const subject = (key: string) => ({ key });

test('a range has both ends, in either direction', () => {
  assert.deepEqual(keys(rangeOf(rows, 'b', 'd')), ['b', 'c', 'd']);
  assert.deepEqual(keys(rangeOf(rows, 'd', 'b')), ['b', 'c', 'd']);
  assert.deepEqual(keys(rangeOf(rows, 'a', 'a')), ['a']);
});

test('a range from a session that is no longer in the list is only its end', () => {
  assert.deepEqual(keys(rangeOf(rows, 'gone', 'c')), ['c']);
  assert.deepEqual(keys(rangeOf(rows, 'a', 'gone')), []);
});

test('a second click removes; sessions that disappear are not selected any more', () => {
  const selection = new Selection<{ readonly key: string }>();
  let heard = 0;
  selection.subscribe(() => heard++);
  selection.toggle(subject('a'));
  selection.add([subject('b'), subject('c')], 'c');
  assert.deepEqual([keys(selection.all()), selection.anchor], [['a', 'b', 'c'], 'c']);
  selection.toggle(subject('b'));
  selection.remove(['a', 'unknown']);
  assert.deepEqual([keys(selection.all()), selection.has('a'), selection.has('c')], [['c'], false, true]);
  selection.remove(['unknown']);
  assert.equal(heard, 4);
});
