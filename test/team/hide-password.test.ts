// No part of a password is in what messages show of an address, also if the password was not encoded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hidePassword } from '../../src/team/database/index.ts';

test('the password of an address is hidden, however it is written', () => {
  for (const [address, shown] of [
    ['postgres://ada@db.example/clew', 'postgres://ada@db.example/clew'],
    ['postgres://ada:canary@db.example/clew', 'postgres://ada:***@db.example/clew'],
    ['postgresql://ada:can@a/ry@db.example:5432/clew', 'postgresql://ada:***@db.example:5432/clew'],
    ['postgres://ada@db/clew?password=canary&host=/run', 'postgres://ada@db/clew?password=***&host=/run'],
    ['postgres://db:5432/clew', 'postgres://db:5432/clew'],
  ] as const)
    assert.equal(hidePassword(address), shown);
});
