// Keywords in a text: each at each place, from left to right, with and without regard to capitals.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Keyword, KeywordScanner } from '../../../src/surgery/secrets/view.ts';

test('every keyword is found at every place, also at both ends and inside another one', () => {
  assert.deepEqual(places(['abc', 'bcd', 'abcd', 'cab'], 'abcdabcabc'), [
    '0 abc 3',
    '0 abcd 4',
    '1 bcd 3',
    '4 abc 3',
    '6 cab 3',
    '7 abc 3',
  ]);
});

test('keywords with the same hash are distinguished, and all of them are found', () => {
  // Five bits a letter: "abc", "!bc" and "ABC" have one hash.
  assert.deepEqual(places(['abc', '!bc', 'ab#'], 'abc !bc ab#'), ['0 abc 3', '4 !bc 3', '8 ab# 3']);
});

test('capitals matter only where the keyword says so', () => {
  const text = 'GHP_ ghp_ Ghp_';
  assert.deepEqual(places(['ghp_'], text), ['0 ghp_ 4', '5 ghp_ 4', '10 ghp_ 4']);
  assert.deepEqual(places(['GhP_'], text), ['0 GhP_ 4', '5 GhP_ 4', '10 GhP_ 4']);
  assert.deepEqual(places(['ghp_'], text, true), ['5 ghp_ 4']);
  assert.deepEqual(places(['GHP_'], text, true), ['0 GHP_ 4']);
});

test('a keyword that the end of the text cuts off is not found, and a short keyword is refused', () => {
  assert.deepEqual(places(['abcd'], 'xxabc'), []);
  assert.deepEqual(places(['abc'], 'ab'), []);
  assert.throws(() => places(['ab'], ''), { message: 'keyword "ab" is too short' });
});

/** The place, the keyword and its length, in the order of the calls; keywords of one place by their length. */
function places(keywords: readonly string[], text: string, exact = false): string[] {
  const list = keywords.map((keyword): Keyword<string> => ({ text: keyword, exact, owner: keyword }));
  const found: string[] = [];
  new KeywordScanner(list).scan(text, (owner, at, length) => found.push(`${at} ${owner} ${length}`));
  return found;
}
