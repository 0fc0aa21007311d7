// The address of the people page, the order of its rows, and the filter of the library that its links set.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOrder, readPeopleAddress, sessionsAddress } from '../../../src/web/app/people/people-address.ts';
import { readFilter } from '../../../src/web/server/http/row-text.ts';
import type { PersonRow } from '../../../src/web/wire/index.ts';

const person = (name: string, more: Partial<PersonRow> = {}): PersonRow => ({
  name,
  groups: [],
  machines: [],
  sessions: 0,
  prompts: 0,
  tokens: 0,
  costMicroUsd: null,
  costIsPart: false,
  ...more,
});

test('what the address does not say, or says wrongly, is the default', () => {
  const usual = { range: '30d', sort: 'cost', reverse: false };
  for (const search of ['', '?range=5y&sort=height&reverse=yes']) assert.deepEqual(readPeopleAddress(search), usual);
  assert.deepEqual(readPeopleAddress('?range=all&sort=name&reverse=1'), { range: 'all', sort: 'name', reverse: true });
});

test('numbers come from the largest, names from A to Z, and equal numbers by name', () => {
  const rows = [
    person('cy', { costMicroUsd: 5, machines: [{ name: 'm', pushedAt: 9 }] }),
    person('bo', { costMicroUsd: 5, sessions: 2 }),
    person('Al', { costMicroUsd: 7, machines: [{ name: 'm', pushedAt: 8 }] }),
    person('di'),
  ];
  const order = (sort: 'cost' | 'name' | 'pushed' | 'sessions', reverse = false): string =>
    inOrder(rows, { sort, reverse })
      .map(({ name }) => name)
      .join(' ');
  assert.equal(order('cost'), 'Al bo cy di');
  assert.equal(order('cost', true), 'di cy bo Al');
  assert.equal(order('name'), 'Al bo cy di');
  assert.equal(order('pushed'), 'cy Al bo di');
  assert.equal(order('sessions'), 'bo Al cy di');
});

test('the link of someone is a filter that the list understands', () => {
  const filterOf = (name: string) =>
    readFilter(new URL(sessionsAddress(name), 'http://x').searchParams.get('text') ?? '');
  assert.deepEqual(filterOf('Ada Lovelace'), [{ field: 'person', text: 'ada lovelace', isWhole: true }]);
  assert.deepEqual(filterOf('person:x & "'), [{ field: 'person', text: 'person:x', isWhole: false }]);
});
