// The search in WebAssembly against a search of the plainest kind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteSearch } from '../../../src/base/bytes/byte-search.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

/** Where the text, or a \u escape of one of its UTF-16 units, begins. */
function plainPlaces(bytes: Buffer, text: string, to: number): number[] {
  const wanted = Buffer.from(text);
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  return Array.from({ length: to }, (_, at) => at).filter((at) => {
    if (at + wanted.length <= to && bytes.subarray(at, at + wanted.length).equals(wanted)) return true;
    const spelled = /^\\u([0-9a-f]{4})$/i.exec(bytes.toString('latin1', at, at + 6));
    return at + 6 <= to && spelled !== null && units.includes(Number.parseInt(spelled[1] ?? '', 16));
  });
}

function allPlaces(search: ByteSearch, to: number): number[] {
  const places: number[] = [];
  for (let at = search.find(0, to); at < to; at = search.find(at + 1, to)) places.push(at);
  return places;
}

test('finds every place of a text and of its escapes, and no other', () => {
  const pieces = [
    'a',
    'b',
    'ab',
    'é',
    '😀',
    '\\',
    '\\u',
    '\\u0061',
    '\\u0062',
    '\\u00E9',
    '\\ud83d',
    '\\u00',
    '"',
    '\n',
    '\0',
  ];
  const bytes = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => Buffer.from(parts.join('')));
  const text = fc.constantFrom('a', 'ab', 'ba', 'abab', 'é', 'aé', '😀', 'b😀a', 'abababababababababab');
  fc.assert(
    fc.property(bytes, text, fc.nat(8), (given, wanted, cut) => {
      const search = new ByteSearch(wanted, 1024);
      // What is after the end must not count.
      search.buffer.fill('ab');
      given.copy(search.buffer);
      const to = Math.max(0, given.length - cut);
      assert.deepEqual(allPlaces(search, to), plainPlaces(given, wanted, to));
    }),
    { numRuns: fuzzRuns(3000) },
  );
});

test('finds newlines forwards and backwards', () => {
  const bytes = fc.array(fc.constantFrom(0x0a, 0x61, 0x00), { maxLength: 80 }).map((list) => Buffer.from(list));
  fc.assert(
    fc.property(bytes, fc.nat(80), fc.nat(80), (given, one, other) => {
      const search = new ByteSearch('\n', 128);
      search.buffer.fill('\n');
      given.copy(search.buffer);
      const [from, to] = [one, other].map((at) => Math.min(at, given.length)).sort((a, b) => a - b) as [number, number];
      const range = given.subarray(from, to);
      const next = range.indexOf(0x0a);
      assert.equal(search.nextNewline(from, to), next < 0 ? to : from + next);
      const last = range.lastIndexOf(0x0a);
      assert.equal(search.afterLastNewline(from, to), last < 0 ? -1 : from + last + 1);
    }),
    { numRuns: fuzzRuns(3000) },
  );
});

test('a text that is longer than the module holds is searched by its beginning', () => {
  const long = 'é😀x'.repeat(3000);
  const search = new ByteSearch(long, 64 * 1024);
  search.buffer.fill(0);
  search.buffer.write(`..${long}`, 0);
  assert.equal(search.find(0, 64 * 1024), 2);
  assert.ok(search.overlap < 4096);
});

test('nothing outside the buffer is searched', () => {
  const search = new ByteSearch('ab', 100);
  for (const [from, to] of [
    [-1, 5],
    [5, 4],
    [0, 101],
    [Number.NaN, 5],
    [0, Number.NaN],
  ] as const) {
    assert.throws(() => search.find(from, to), RangeError);
    assert.throws(() => search.nextNewline(from, to), RangeError);
    assert.throws(() => search.afterLastNewline(from, to), RangeError);
  }
  assert.deepEqual([search.find(0, 0), search.find(100, 100), search.afterLastNewline(0, 0)], [0, 100, -1]);
});
