// The filter of the picker: its matches, and the number of comparisons.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeEntry, SessionFilter } from '../../../src/cli/picker/layout.ts';
import { listedSession } from '../../support/listed-session.ts';

const entries = [
  makeEntry(listedSession({ title: 'Fix the slug', cwd: '/home/kim/light', firstPrompt: 'Über uns.md', path: 'a' })),
  makeEntry(
    listedSession({ title: undefined, cwd: undefined, project: '-home-kim-soup', sessionId: 'beef0001', path: 'b' }),
  ),
  makeEntry(listedSession({ title: '4人分に直して', cwd: '/home/kim/recipes', path: 'c' })),
];

function fitting(query: string): string {
  return new SessionFilter(entries)
    .matches(query)
    .map((entry) => entry.session.path)
    .join('');
}

test('every word occurs in title, folder, id or first prompt, in any order and case', () => {
  const queries = ['', 'fix', 'SLUG fix', 'kim', 'light über', 'soup', 'beef', '人分', 'fix soup', '  fix  ', 'xyz'];
  assert.deepEqual(
    queries.map((query) => [query, fitting(query)]),
    [
      ['', 'abc'],
      ['fix', 'a'],
      ['SLUG fix', 'a'],
      ['kim', 'abc'],
      ['light über', 'a'],
      ['soup', 'b'],
      ['beef', 'b'],
      ['人分', 'c'],
      ['fix soup', ''],
      ['  fix  ', 'a'],
      ['xyz', ''],
    ],
  );
});

test('each letter filters only the previous result, and deleting filters nothing', () => {
  const many = Array.from({ length: 10_000 }, (_, i) => {
    return makeEntry(listedSession({ title: i % 100 === 0 ? `lamp ${i}` : `post ${i}` }));
  });
  const filter = new SessionFilter(many);
  assert.equal(filter.matches('').length, 10_000);
  assert.equal(filter.examined, 0);
  assert.equal(filter.matches('lam').length, 100);
  assert.equal(filter.examined, 10_000);
  assert.equal(filter.matches('lamp').length, 100);
  assert.equal(filter.matches('lamp 9').length, 19);
  assert.equal(filter.examined, 10_200);
  assert.equal(filter.matches('lam').length, 100);
  assert.equal(filter.matches('').length, 10_000);
  assert.equal(filter.examined, 10_200);
});

test('the matches do not depend on how a query was typed', () => {
  const query = fc.string({ unit: fc.constantFrom('f', 'i', 'x', ' ', 'k', 'm', 'S'), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(query, { minLength: 1, maxLength: 8 }), (typed) => {
      const filter = new SessionFilter(entries);
      for (const each of typed) {
        assert.equal(
          filter
            .matches(each)
            .map((entry) => entry.session.path)
            .join(''),
          fitting(each),
        );
      }
    }),
  );
});
