import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countValues, readJsonNode, sizeOf } from '../../../src/web/app/session/text/json-value.ts';

test('only objects and lists with something in them are trees', () => {
  const trees = ['{"a":1}', ' [1, 2]\n', '{"a":{"b":[]}}'];
  const texts = [
    '',
    '{}',
    '[]',
    '"a"',
    '1',
    'null',
    '{not json}',
    '{"a":1',
    '[1] and more',
    `{"a":"${'x'.repeat(500_000)}"}`,
  ];
  assert.deepEqual(
    trees.map((text) => readJsonNode(text) !== undefined),
    [true, true, true],
  );
  assert.deepEqual(
    texts.filter((text) => readJsonNode(text) !== undefined),
    [],
  );
});

test('values are counted up to a limit, however deep they are', () => {
  assert.equal(countValues({ a: 1, b: [true, null] }, 100), 5);
  const deep = readJsonNode(`${'['.repeat(100_000)}1${']'.repeat(100_000)}`);
  assert.ok(deep !== undefined);
  assert.equal(countValues(deep, 40), 40);
  assert.deepEqual([sizeOf([1]), sizeOf({ a: 1, b: 2 })], ['1 item', '2 keys']);
});
