import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChunkTable, hashChunk } from '../../../../src/library/archive/pack/chunks.ts';

test('100,000 hashes are found with their first numbers, and no others', () => {
  const table = new ChunkTable();
  const hashOf = (i: number): Buffer => hashChunk(Buffer.from(`line ${i}`));
  for (let i = 0; i < 100_000; i++) table.add(hashOf(i), 0, i * 7);
  for (let i = 0; i < 1000; i++) table.add(hashOf(i), 0, 1);
  assert.equal(table.size, 100_000);
  for (let i = 0; i < 100_000; i++) assert.equal(table.get(hashOf(i)), i * 7);
  for (let i = 100_000; i < 110_000; i++) assert.equal(table.get(hashOf(i)), undefined);
});

test('hashes that differ in one word only are told apart', () => {
  const table = new ChunkTable();
  const hashes = [0, 4, 8, 12].map((at) => {
    const hash = Buffer.alloc(16, 1);
    hash.writeUInt32LE(9, at);
    return hash;
  });
  for (const [i, hash] of hashes.entries()) table.add(hash, 0, i);
  assert.deepEqual(
    hashes.map((hash) => table.get(hash)),
    [0, 1, 2, 3],
  );
  assert.equal(table.get(Buffer.alloc(16, 1)), undefined);
});
