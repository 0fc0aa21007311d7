import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identifierParts } from '../../../src/library/exchanges/searchable.ts';

test('the parts of identifiers follow, each identifier once', () => {
  assert.equal(
    identifierParts('getUserById(x) getHTTPServer2 TS2345 getUserById plain snake_case v2 Ab ID5x mixed9Case'),
    'get User By Id\nget HTTP Server 2\nTS 2345\nmixed 9 Case',
  );
});

test('an identifier is a whole word of 3 to 60 ASCII letters and digits, with at most 8 parts', () => {
  const expectedParts = (text: string): string => {
    const words = [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(([word]) => word);
    const wanted = words.filter((word) => /^[A-Za-z][A-Za-z0-9]{2,59}$/.test(word));
    return [...new Set(wanted)].filter((word) => /[a-z0-9][A-Z]|^[A-Za-z]+\d+$|[A-Z]{2}[a-z]/.test(word)).join(' ');
  };
  let state = 3;
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const alphabet = [...'aabbXYZ019_ .\n-éżŁ日٣𝐀𝟘🙂\ud800\udc00²', 'getUser', 'HTTPServer', 'TS2345', 'x'.repeat(58)];
  let found = 0;
  for (let i = 0; i < 20_000; i++) {
    const text = Array.from({ length: 1 + random(10) }, () => alphabet[random(alphabet.length)]).join('');
    const expected = expectedParts(text);
    const parts = identifierParts(text);
    // Without more than eight parts, which no line has.
    const joined = parts.split('\n').map((line) => line.replaceAll(' ', ''));
    const few = expected.split(' ').filter((word) => joined.includes(word));
    assert.equal(joined.join(' '), few.join(' '), JSON.stringify(text));
    const long = expected.split(' ').filter((word) => word !== '' && !joined.includes(word));
    for (const word of long)
      assert.ok((word.match(/[a-z0-9][A-Z]|[A-Z][A-Z][a-z]|[A-Za-z]\d/g) ?? []).length > 7, word);
    if (parts !== '') found++;
  }
  assert.ok(found > 2000, String(found));
});
