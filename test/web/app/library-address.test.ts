// The library's address becomes a valid query, whatever the address contains.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listQuery, readLibraryAddress } from '../../../src/web/app/library/library-address.ts';

const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

test('an address without parameters lists everything, newest first', () => {
  assert.deepEqual(readLibraryAddress(''), {
    sort: 'age',
    reverse: false,
    only: null,
    project: null,
    text: '',
    open: [],
  });
  assert.deepEqual(listQuery(readLibraryAddress('')), { sort: 'age', reverse: false, fold: true, zone });
});

test('every parameter of the address is part of the query', () => {
  const search = '?sort=size&reverse=1&only=damaged&project=%2Fhome%2Fada&text=light+house';
  assert.deepEqual(listQuery(readLibraryAddress(search)), {
    sort: 'size',
    reverse: true,
    fold: true,
    zone,
    only: 'damaged',
    project: '/home/ada',
    text: 'light house',
  });
});

test('unknown values are ignored, and long ones are cut', () => {
  const address = readLibraryAddress(`?sort=__proto__&only=all&text=${'y'.repeat(9000)}`);
  assert.deepEqual(
    { ...address, text: address.text.length },
    { sort: 'age', reverse: false, only: null, project: null, text: 200, open: [] },
  );
});

test('opened sessions are named by their keys, each once', () => {
  assert.deepEqual(readLibraryAddress('?open=a+b~1++a').open, ['a', 'b~1']);
});
