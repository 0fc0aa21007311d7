// Whether new keys of a file are also keys of other files, by hand-written keys of two numbers each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meetsOthers } from '../../../src/library/rows/shared-keys.ts';

const others = [1, 1, 2, 2];
const own = [3, 3, 4, 4];
const many = Array.from({ length: 80 }, (_, i) => 100 + i);

const cases: readonly (readonly [string, readonly number[], boolean])[] = [
  ['nothing new', own, false],
  ['a new key', [...own, 5, 5], false],
  ['a key of another file', [...own, 1, 1], true],
  ['a key of another file after a new one', [...own, 5, 5, 2, 2], true],
  ['a key of the file itself', [...own, 4, 4], true],
  ['a new key twice', [...own, 5, 5, 6, 6, 5, 5], true],
  ['rows without a key', [...own, 0, 0, 0, 0], false],
  ['the halves of two neighbours', [...own, 1, 2], false],
  ['half a key', [...own, 1, 7], false],
  ['another file in its place', [6, 6], false],
  ['another file in its place with its own old key', [3, 3], false],
  ['another file in its place with a key of another file', [2, 2], true],
  ['many new keys', [...own, ...many], false],
  ['many new keys and one of another file', [...own, ...many, 1, 1], true],
];

for (const [name, keys, expected] of cases) {
  test(`${name}: ${expected ? 'shared' : 'not shared'}`, () => {
    const [first, last] = [Uint32Array.from([...others, ...own]), Uint32Array.from([...own, ...others])];
    assert.equal(meetsOthers(Uint32Array.from(keys), first, 4, 8), expected);
    assert.equal(meetsOthers(Uint32Array.from(keys), last, 0, 4), expected);
  });
}

test('a key is found after the same bytes between two other keys', () => {
  const all = Uint32Array.from([9, 2, 3, 9, 2, 3, 7, 7]);
  assert.equal(meetsOthers(Uint32Array.from([7, 7, 2, 3]), all, 6, 8), true);
  assert.equal(meetsOthers(Uint32Array.from([7, 7, 3, 9]), all, 6, 8), true);
  assert.equal(meetsOthers(Uint32Array.from([7, 7, 3, 7]), all, 6, 8), false);
});
