import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { estimateTextTokens, jsonByteLength } from '../../../src/api/request/json-size.ts';

test('the bytes of a value are those of its JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      assert.equal(jsonByteLength(value), Buffer.byteLength(JSON.stringify(value)));
    }),
  );
  for (const value of ['\ud800', 'a\u0000"\\\n', { a: undefined, b: [undefined] }, -0.5, 1e21, '💡'])
    assert.equal(jsonByteLength(value), Buffer.byteLength(JSON.stringify(value)));
});

test('values nested deeper than the stack are measured', () => {
  const depth = 200_000;
  let value: unknown = 'x';
  for (let i = 0; i < depth; i++) value = [value];
  assert.equal(jsonByteLength(value), 2 * depth + 3);
  assert.equal(estimateTextTokens(value), 0);
});

test('four bytes of text are a token; signatures, data and type names do not count', () => {
  const block = { type: 'thinking', thinking: 'x'.repeat(40), signature: 'y'.repeat(400) };
  const image = { type: 'image', source: { type: 'base64', data: 'z'.repeat(400) } };
  assert.equal(estimateTextTokens([block, image, 'é'.repeat(4)]), 12);
});
