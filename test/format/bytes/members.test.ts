// Members of a line are left out and compared as bytes, with the result of parsing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isObject, type JsonObject } from '../../../src/base/json/json.ts';
import { hasSameMembers, parseWithout } from '../../../src/format/bytes/index.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';
import { jsonValue, printJson } from '../../support/json-text.ts';

const without = (text: string, ...keys: string[]): unknown => parseWithout(Buffer.from(text), new Set(keys));

test('members are left out wherever they are', () => {
  const cases: readonly (readonly [string, object])[] = [
    ['{"x":1,"b":2,"c":3}', { b: 2, c: 3 }],
    ['{"b":2,"x":1,"c":3}', { b: 2, c: 3 }],
    ['{"b":2,"c":3,"x":1}', { b: 2, c: 3 }],
    ['{"x":1}', {}],
    ['{"x":1,"x":2,"b":3,"x":4}', { b: 3 }],
    [' { "x" : [ "}" , {} ] , "b" : { "x" : 1 } } ', { b: { x: 1 } }],
    ['{"b":"x"}', { b: 'x' }],
    ['{}', {}],
    // A key with escapes stays.
    ['{"\\u0078":1}', { x: 1 }],
  ];
  for (const [text, wanted] of cases) assert.deepEqual(without(text, 'x'), wanted, text);
});

test('what is not a whole object is parsed as it is', () => {
  assert.deepEqual(without('[1,2]', 'x'), [1, 2]);
  for (const text of ['{"x":1', '{"x":1,}', '{"x":1}}', '{"b":01,"x":1}', ''])
    assert.equal(without(text, 'x'), undefined, text);
});

test('damage in a member that is left out is not seen', () => {
  assert.deepEqual(without('{"b":1,"x":"\\q"}', 'x'), { b: 1 });
});

test('any object without some members is what JSON.parse returns without them', () => {
  fc.assert(
    fc.property(jsonValue, fc.nat(), fc.subarray(['a', 'b', 'type', 'message']), (value, seed, keys) => {
      const text = printJson(value, seed);
      const wanted = JSON.parse(text) as JsonObject;
      const found = without(text, ...keys);
      if (!isObject(wanted)) return assert.deepEqual(found, wanted);
      // Keys may be printed with escapes; the rest must be there.
      const left = (object: JsonObject): object =>
        Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
      assert.deepEqual(left(found as JsonObject), left(wanted));
    }),
    { numRuns: fuzzRuns(5_000) },
  );
});

test('the same members have the same bytes', () => {
  const same = (first: string, second: string): boolean =>
    hasSameMembers(Buffer.from(first), Buffer.from(second), ['a', 'b']);
  assert.equal(same('{"a":1,"id":2}', '{"id":3,"a":1}'), true);
  assert.equal(same('{"id":2}', '{"other":3}'), true);
  assert.equal(same('{"a":{"x":[1]},"b":"t"}', '{ "b" : "t" , "a" : {"x":[1]} }'), true);
  assert.equal(same('{"a":1}', '{"a":2}'), false);
  assert.equal(same('{"a":1}', '{"b":1}'), false);
  assert.equal(same('{"a":1}', '{}'), false);
  assert.equal(same('{}', '{"a":1}'), false);
  // The last of duplicate keys counts.
  assert.equal(same('{"a":1,"a":2}', '{"a":2}'), true);
  assert.equal(same('{"a":2,"a":1}', '{"a":2}'), false);
  // Equal values in other bytes, escaped keys and damage cannot be judged without parsing.
  assert.equal(same('{"a":"A"}', '{"a":"\\u0041"}'), false);
  assert.equal(same('{"\\u0061":1}', '{"a":1}'), false);
  assert.equal(same('{"a":1', '{"a":1'), false);
});
