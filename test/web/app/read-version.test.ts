// What was written before the page began to listen is read again, and nothing else is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadVersion } from '../../../src/web/app/session/http/read-version.ts';

/** `read V`: the page has read this version. `listen V`: the server begins to send changes after it. */
const orders: Readonly<Record<string, readonly [events: string, again: number]>> = {
  'read, then the same': ['read a, listen a', 0],
  'read, then another': ['read a, listen b', 1],
  'the same, then read': ['listen a, read a', 0],
  'another, then read': ['listen b, read a', 1],
  'a second connection, nothing new': ['read a, listen a, listen a', 0],
  'a second connection, a change between': ['read a, listen a, listen b', 1],
  'what was read after a change': ['read a, read b, listen b', 0],
  'two connections before it is read': ['listen a, listen b, read b', 0],
  'a later reading does not ask again': ['listen b, read a, read b', 1],
};

for (const [name, [events, again]] of Object.entries(orders))
  test(name, () => {
    const version = new ReadVersion();
    let count = 0;
    for (const [what, value = ''] of events.split(', ').map((each) => each.split(' '))) {
      if (what === 'read') version.read(value);
      else version.compare(value, () => count++);
    }
    assert.equal(count, again);
  });
