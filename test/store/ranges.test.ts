import assert from 'node:assert/strict';
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { RangeReader } from '../../src/store/lines.ts';
import { randomFrom } from '../support/json-text.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const megabyte = 1024 * 1024;

test('of a short file no more memory is taken than it has bytes', (context) => {
  const file = path.join(temporaryFolder(context), 'f');
  writeFileSync(file, Buffer.alloc(100_000, 'x'));
  assert.equal(new RangeReader(file).read(10, 5).buffer.byteLength, 100_000 - 10);
});

test('a piece is the bytes of the file at that place, in whatever order pieces are asked for', (context) => {
  const file = path.join(temporaryFolder(context), 'f');
  const random = randomFrom(1);
  const content = Buffer.from(Array.from({ length: 2.5 * megabyte }, () => random(256)));
  writeFileSync(file, content);
  const place = fc.oneof(
    fc.tuple(fc.nat(content.length + 10), fc.nat(300)),
    fc.tuple(fc.nat(content.length), fc.nat(content.length)),
    fc.tuple(fc.integer({ min: megabyte - 5, max: megabyte + 5 }), fc.nat(10)),
  );
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 8 }), (places) => {
      const reader = new RangeReader(file);
      for (const [offset, length] of places) {
        assert.ok(reader.read(offset, length).equals(content.subarray(offset, offset + length)), `${offset} ${length}`);
      }
    }),
    { numRuns: 60 },
  );
});

test('a file that is shorter now gives fewer bytes, one that has grown gives the new ones', (context) => {
  const file = path.join(temporaryFolder(context), 'f');
  writeFileSync(file, '0123456789');
  truncateSync(file, 4);
  const reader = new RangeReader(file);
  const texts = [reader.read(2, 5).toString(), reader.read(8, 2).toString()];
  appendFileSync(file, 'abcdef');
  texts.push(reader.read(2, 5).toString(), reader.read(8, 2).toString());
  assert.deepEqual(texts, ['23', '', '23abc', 'ef']);
});

test('a file that is gone is an error of the disk', (context) => {
  const reader = new RangeReader(path.join(temporaryFolder(context), 'missing'));
  assert.throws(() => reader.read(0, 1), { code: 'ENOENT' });
});
