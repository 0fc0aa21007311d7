import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isObject } from '../../../src/base/json/json.ts';
import { findMember, skipString, skipValue, skipWhitespace } from '../../../src/format/bytes/json-bytes.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';
import { jsonValue, printJson } from '../../support/json-text.ts';

const end = (text: string): number => skipValue(Buffer.from(text), 0);

test('a value ends after its last byte, whatever follows', () => {
  for (const text of [
    '1',
    '-1.5e+3',
    'null',
    '"a"',
    '""',
    '{}',
    '[]',
    '{ }',
    '[ ]',
    '{"a":[1,{"b":"}"}]}',
    ' \t\n\r[1 , 2 ]',
  ]) {
    assert.equal(end(text), text.length, text);
    assert.equal(end(`${text} ,x`), text.length, text);
  }
});

test('a value whose shape is broken has no end', () => {
  const broken = [
    '',
    ' ',
    '{',
    '[',
    '"',
    '"\\"',
    '{]',
    '[}',
    '{"a" 1}',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '[1,]',
    '[,1]',
    '[1 2]',
  ];
  broken.push(
    '{a:1}',
    '{1:1}',
    '{"a":1"b":2}',
    '{,}',
    '[1',
    '{"a":"b',
    '}',
    ']',
    ',',
    ':',
    '[[]',
    '{"a":[}',
    '{"a"::1}',
    '\0',
  );
  for (const text of broken) assert.equal(end(text), -1, text);
});

test('every printed JSON value is skipped to its end, and every cut of a container has none', () => {
  fc.assert(
    fc.property(jsonValue, fc.nat(), fc.nat(), (value, seed, cutSeed) => {
      const bytes = Buffer.from(printJson([value], seed).trim());
      assert.equal(skipValue(bytes, 0), bytes.length);
      assert.equal(skipValue(bytes.subarray(0, cutSeed % bytes.length), 0), -1);
    }),
    { numRuns: 500 },
  );
});

test('what JSON.parse accepts has an end, however it was damaged', () => {
  fc.assert(
    fc.property(jsonValue, fc.nat(), fc.nat(), fc.constantFrom(...'{}[]",:\\ a1'), (value, seed, at, char) => {
      const text = printJson(value, seed).trim();
      const place = at % (text.length + 1);
      const damaged = text.slice(0, place) + char + text.slice(place + (seed % 2));
      let isJson = true;
      try {
        JSON.parse(damaged);
      } catch {
        isJson = false;
      }
      const bytes = Buffer.from(damaged);
      const found = skipValue(bytes, 0);
      if (isJson) assert.equal(skipWhitespace(bytes, found), bytes.length);
    }),
    { numRuns: fuzzRuns(1000) },
  );
});

test('nesting of a hundred thousand levels does not overflow', () => {
  const depth = 100_000;
  const text = '{"a":['.repeat(depth) + ']}'.repeat(depth);
  assert.equal(end(text), text.length);
  assert.equal(end(text.slice(0, -1)), -1);
  assert.equal(end('['.repeat(depth) + '}'.repeat(depth)), -1);
});

test('a string ends at the first quote that is not escaped, near or far', () => {
  for (const length of [0, 1, 62, 63, 64, 65, 66, 200, 5000]) {
    for (const tail of ['', '\\\\', '\\"', '\\\\\\"', '\\"'.repeat(100), '\\\\'.repeat(100), `\\"${'y'.repeat(100)}`]) {
      const text = `"${'x'.repeat(length)}${tail}"`;
      assert.equal(skipString(Buffer.from(`${text}"`), 0), text.length, text);
      assert.equal(skipString(Buffer.from(text.slice(0, -1)), 0), -1, text);
    }
  }
});

test('the trace names the place where a value breaks off and the object closed last before it', () => {
  const trace = { stoppedAt: 0, objectStart: 0, objectEnd: 0 };
  const cases = [
    ['{"a":{"b":{}} "c"', { stoppedAt: 14, objectStart: 5, objectEnd: 13 }],
    ['{"a":"cut{"type":1}', { stoppedAt: 11, objectStart: -1, objectEnd: -1 }],
    ['[{"a":1}, "cut', { stoppedAt: 14, objectStart: 1, objectEnd: 8 }],
    ['[1, #', { stoppedAt: 4, objectStart: -1, objectEnd: -1 }],
  ] as const;
  for (const [text, expected] of cases) {
    assert.equal(skipValue(Buffer.from(text), 0, trace), -1);
    assert.deepEqual(trace, expected, text);
  }
});

test('a member is found by its key, of duplicates the last', () => {
  const bytes = Buffer.from('{ "a" : 1 , "b":{"a":2},"a": [3] , "\\u0061b":"x","ü":4}');
  const slice = (key: string): string[] | undefined => {
    const span = findMember(bytes, 0, key);
    return (
      span && [
        bytes.toString('utf8', span.keyStart, span.valueStart),
        bytes.toString('utf8', span.valueStart, span.valueEnd),
      ]
    );
  };
  assert.deepEqual(slice('a'), ['"a": ', '[3]']);
  assert.deepEqual(slice('b'), ['"b":', '{"a":2}']);
  assert.deepEqual(slice('ab'), ['"\\u0061b":', '"x"']);
  assert.deepEqual(slice('ü'), ['"ü":', '4']);
  for (const absent of ['', 'c', 'aa', 'a" : 1 , ', 'u', '\\u0061b']) assert.equal(slice(absent), undefined, absent);
});

test('members are not found in incomplete objects', () => {
  for (const text of ['', '[]', '"a"', '{"a":1', '{"a":1,}', '{"a":1 "b":2}', '{"a":1,"b"}', '1']) {
    assert.equal(findMember(Buffer.from(text), 0, 'a'), undefined, text);
  }
});

test('findMember finds the members that JSON.parse finds', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), jsonValue), fc.nat(), (object, seed) => {
      const bytes = Buffer.from(printJson(object, seed));
      const parsed: unknown = JSON.parse(bytes.toString());
      assert.ok(isObject(parsed));
      for (const [key, value] of Object.entries(parsed)) {
        const span = findMember(bytes, 0, key);
        assert.ok(span !== undefined, key);
        assert.deepEqual(JSON.parse(bytes.toString('utf8', span.valueStart, span.valueEnd)), value);
      }
    }),
  );
});
