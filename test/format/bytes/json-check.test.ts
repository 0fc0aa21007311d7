// The check of JSON bytes in WebAssembly says of every text what JSON.parse says of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkJson } from '../../../src/format/bytes/index.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

const valid = [
  '{}',
  '[]',
  ' { "a" : [ 1 , 2 ] } \r\n\t',
  '{"a":{"b":[{"c":null}]},"d":true,"e":false}',
  '0',
  '-0',
  '-12.5e+10',
  '1E5',
  '1e-5',
  '"a"',
  '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9"',
  '"exactly sixteen!"',
  '"a string of more than sixteen bytes, with \\" in it and an end"',
  '"\u007f é 漢 😀"',
  '{"a":1,"a":2}',
  '[[[[[[]]]]]]',
];

const invalid = [
  '',
  ' ',
  '{',
  '}',
  '{]',
  '[}',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{,}',
  '{a:1}',
  "{'a':1}",
  '{"a" 1}',
  '[1,]',
  '[,1]',
  '[1 2]',
  '{}{}',
  '{} x',
  '01',
  '-',
  '.5',
  '1.',
  '1e',
  '1e+',
  '+1',
  'tru',
  'True',
  'nul',
  'fals',
  'falsy',
  'NaN',
  'undefined',
  '"',
  '"abc',
  '"a\\"',
  '"\\x"',
  '"\\u12"',
  '"\\u12g4"',
  '"\\u123',
  '"tab\there"',
  '"line\nbreak"',
  '"nul\0byte"',
  '"a control character after sixteen bytes \u001f"',
  '\u00a0{}',
  '\ufeff{}',
  '"a"b',
  '[1}',
];

test('whole JSON values are valid', () => {
  for (const text of valid) assert.equal(checkJson(Buffer.from(text)), 'valid', text);
});

test('everything else is invalid', () => {
  for (const text of invalid) assert.equal(checkJson(Buffer.from(text)), 'invalid', JSON.stringify(text));
});

test('an escape of a surrogate is reported, an escaped backslash before ud is not', () => {
  assert.equal(checkJson(Buffer.from('{"a":"\\ud83d\\ude00"}')), 'surrogates');
  assert.equal(checkJson(Buffer.from('{"a":"\\uDfff"}')), 'surrogates');
  assert.equal(checkJson(Buffer.from('{"\\udc00":1}')), 'surrogates');
  assert.equal(checkJson(Buffer.from('{"a":"\\\\ud83d"}')), 'valid');
  assert.equal(checkJson(Buffer.from('{"a":"\\u00ed"}')), 'valid');
});

test('bytes that are not UTF-8 are valid only inside a string', () => {
  assert.equal(checkJson(Buffer.from('"\xff\xc3"', 'latin1')), 'valid');
  assert.equal(checkJson(Buffer.from('[\xff]', 'latin1')), 'invalid');
});

test('what an earlier text left in the memory is not read', () => {
  assert.equal(checkJson(Buffer.from('["a long text that fills the memory", true, false, null]')), 'valid');
  for (const text of ['["a long text', '"', '{"a":tru', '[fals', '[nul', '[1,', '"\\u00', '"\\'])
    assert.equal(checkJson(Buffer.from(text)), 'invalid', text);
});

test('values nested deeper than the stack of the module, and lines longer than its memory', () => {
  for (const depth of [1023, 1024, 1025, 5000]) {
    const text = `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
    assert.notEqual(checkJson(Buffer.from(text)), 'invalid', `depth ${depth}`);
    assert.equal(checkJson(Buffer.from(text.slice(0, -1))), 'invalid', `depth ${depth}, cut`);
  }
  for (const size of [8 << 20, (8 << 20) + 1]) {
    const text = Buffer.alloc(size, 'x');
    text[0] = 0x22;
    assert.equal(checkJson(text), 'invalid');
    text[size - 1] = 0x22;
    assert.notEqual(checkJson(text), 'invalid');
  }
});

test('texts made of JSON and mutated JSON are judged like JSON.parse judges them', () => {
  const pieces = fc.constantFrom(...'{}[]",:\\/u0123456789abcdefdDeE+-. \n\t\r\0\u001ftruefalsenull\u00e9漢');
  const mutated = fc
    .tuple(fc.json({ stringUnit: 'binary' }), fc.nat(), fc.nat({ max: 3 }), fc.array(pieces, { maxLength: 4 }))
    .map(([text, at, removed, added]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + added.join('') + text.slice(place + removed);
    });
  fc.assert(
    fc.property(
      fc.oneof(
        mutated,
        fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
      ),
      (text) => {
        const bytes = Buffer.from(text);
        let isJson = true;
        try {
          JSON.parse(bytes.toString('utf8'));
        } catch {
          isJson = false;
        }
        assert.equal(checkJson(bytes) !== 'invalid', isJson);
      },
    ),
    { numRuns: fuzzRuns(100_000) },
  );
});
