// SHA-256 without node:crypto: the examples of the standard, and node:crypto as the second opinion.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { sha256 } from '../../../src/base/digest/sha256.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

test('the examples of FIPS 180', () => {
  const examples = {
    '': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    abc: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq:
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  };
  for (const [text, hash] of Object.entries(examples)) assert.equal(sha256(Buffer.from(text)).toString('hex'), hash);
});

test('any bytes have the hash of node:crypto, also around the end of a block', () => {
  const same = (bytes: Uint8Array): void =>
    assert.equal(sha256(bytes).toString('hex'), createHash('sha256').update(bytes).digest('hex'));
  for (let length = 0; length <= 200; length++) same(Buffer.alloc(length, length));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 3000 }), same), { numRuns: fuzzRuns(500) });
});
