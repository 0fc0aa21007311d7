import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { asString } from '../../../src/base/json/json.ts';
import { keepsPromises, type Shape } from '../../../src/format/entry/block.ts';
import { misdeclaredPaths, undeclaredKeys } from '../../support/table-check.ts';

const table = {
  name: 'string!',
  lines: 'strings!',
  size: 'number',
  source: { type: 'string!', url: 'string' },
  origin: { kind: 'string' },
} as const;

const whole = { name: 'a', lines: ['x'], source: { type: 'url' } };

test('a value keeps a table where every promised field has the promised kind', () => {
  assert.equal(keepsPromises(whole, table), true);
  assert.equal(keepsPromises({ ...whole, lines: [], extra: 1 }, table), true);
  const broken = [
    { ...whole, name: 1 },
    { ...whole, name: undefined },
    { ...whole, lines: ['x', 1] },
    { ...whole, lines: 'x' },
    { ...whole, source: {} },
    { ...whole, source: null },
    { name: 'a', lines: [] },
    [],
    null,
    'name',
  ];
  assert.deepEqual(
    broken.filter((value) => keepsPromises(value, table)),
    [],
  );
});

test('a field that is only claimed may hold anything', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (size, origin) => keepsPromises({ ...whole, size, origin }, table)),
  );
});

test('the compiler lets a promised field be used and asks for a check of a claimed one', () => {
  const value: unknown = { ...whole, size: 'not a number', origin: 7 };
  assert.ok(keepsPromises(value, table));
  const shape: Shape<typeof table> = value;
  assert.equal(shape.name.slice(0, 1) + shape.lines.join('') + shape.source.type, 'axurl');
  assert.equal(asString(shape.source.url), undefined);
  assert.equal(shape.origin?.kind, undefined);
  // @ts-expect-error an unchecked field is not a number
  const size: number | undefined = shape.size;
  assert.equal(size, 'not a number');
});

test('the check of tables against values finds an undeclared key and a value of another kind', () => {
  const value = { type: 'x', name: 1, lines: null, source: { type: 'url', url: 2 }, origin: 'typed', news: true };
  assert.deepEqual(undeclaredKeys(value, table), ['news']);
  assert.deepEqual(misdeclaredPaths(value, table), ['name', 'source.url', 'origin']);
});
