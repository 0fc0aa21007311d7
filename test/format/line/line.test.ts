import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isObject, parseJson } from '../../../src/base/json/json.ts';
import { editEntry, type ParsedLine, parseLine, serialiseLine } from '../../../src/format/line/line.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';
import { jsonValue, printJson } from '../../support/json-text.ts';
import { corpusFiles, linesOf, recordedFiles } from '../../support/transcripts.ts';

/** Each piece as its text, entries in front marked with their type. */
function pieces({ pieces: list }: ParsedLine): string[] {
  return list.map(({ entry, bytes }) => (entry === undefined ? '' : `<${String(entry.type)}>`) + bytes.toString());
}

function checkIdentity(bytes: Buffer): ParsedLine {
  const line = parseLine(bytes);
  assert.ok(serialiseLine(line).equals(bytes), bytes.toString('latin1'));
  for (const piece of line.pieces) {
    const value = parseJson(piece.bytes.toString('utf8'));
    if (piece.entry !== undefined) assert.deepEqual(piece.entry, value);
  }
  return line;
}

test('a whole record is one piece with the white space around it', () => {
  const line = parseLine(Buffer.from(' {"type":"user","x": 1}\r'));
  assert.deepEqual(pieces(line), ['<user> {"type":"user","x": 1}\r']);
  assert.deepEqual(line.damage, []);
});

test('a damaged line is its records and the bytes between them', () => {
  const user = '{"type":"user","uuid":"u","sessionId":"s"}';
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['', [], []],
    ['  ', ['  '], []],
    [`${user}${user}`, [`<user>${user}`, `<user>${user}`], ['L-joined']],
    [`\0\0${user}`, ['\0\0', `<user>${user}`], ['L-nul']],
    [`\ufeff${user}`, ['\ufeff', `<user>${user}`], ['L-bom']],
    [`{"type":"assis${user}`, ['{"type":"assis', `<user>${user}`], ['L-spliced']],
    [`${user}{"type":"assis`, [`<user>${user}`, '{"type":"assis'], ['L-torn-tail']],
    ['// comment', ['// comment'], ['L-not-json']],
    ['[1]', ['[1]'], ['L-not-json']],
    ['null', ['null'], ['L-not-json']],
  ];
  for (const [text, expected, codes] of cases) {
    const line = checkIdentity(Buffer.from(text));
    assert.deepEqual([pieces(line), line.damage.map(({ code }) => code)], [expected, codes], text);
  }
});

test('a line with bytes that are not UTF-8 is an entry and keeps them', () => {
  const bytes = Buffer.from('{"type":"user","x":"\xff\xc3"}', 'latin1');
  const line = checkIdentity(bytes);
  assert.deepEqual(
    line.pieces.map(({ entry }) => entry),
    [{ type: 'user', x: '\ufffd\ufffd' }],
  );
});

test('random bytes come back as they were', () => {
  const token = fc.constantFrom('{', '}', '"', ':', ',', '[', ']', '\\', ' ', '\0', '\r', '\xff', '\xef\xbb\xbf', '1');
  const word = fc.constantFrom('"type"', '"uuid"', '"user"', '{"type":"user","uuid":"u"}', '{}', 'null', '{"a":1}');
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array)),
    fc.string({ unit: fc.oneof(token, word), maxLength: 30 }).map((text) => Buffer.from(text, 'latin1')),
  );
  fc.assert(
    fc.property(bytes, (line) => void checkIdentity(line)),
    { numRuns: fuzzRuns(5000) },
  );
});

test('every recorded line comes back as it was', () => {
  for (const file of recordedFiles()) linesOf(file).forEach(checkIdentity);
});

test('every line of the corpora comes back as it was', () => {
  for (const file of corpusFiles()) linesOf(file).forEach(checkIdentity);
});

test('an edit changes the bytes it names and no others', () => {
  const before = '{ "b":1.0, "type":"user" ,"\\u0061":"\xff", "c" : [1 , 2] }\r';
  const [piece] = parseLine(Buffer.from(before, 'latin1')).pieces;
  assert.ok(piece?.entry !== undefined);
  const edited = editEntry(piece, [
    { path: ['b'], set: 'x' },
    { path: ['c', 1], remove: true },
  ]);
  assert.equal(edited.bytes.toString('latin1'), '{ "b":"x", "type":"user" ,"\\u0061":"\xff", "c" : [1] }\r');
  assert.deepEqual(edited.entry, { b: 'x', type: 'user', a: '\ufffd', c: [1] });
  assert.equal(piece.bytes.toString('latin1'), before);
});

test('an edited value replaces the old one, whatever the entry', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), jsonValue, { minKeys: 1 }), jsonValue, fc.nat(), (object, value, seed) => {
      const bytes = Buffer.from(printJson(object, seed));
      const [piece] = parseLine(bytes).pieces;
      assert.ok(piece?.entry !== undefined);
      const key = Object.keys(object)[seed % Object.keys(object).length] ?? '';
      const edited = editEntry(piece, [{ path: [key], set: value }]);
      const expected: unknown = JSON.parse(JSON.stringify({ ...object, [key]: value }));
      assert.deepEqual(JSON.parse(JSON.stringify(edited.entry)), expected);
      const written = Buffer.from(JSON.stringify(value));
      const at = commonStart(edited.bytes, bytes);
      const tail = edited.bytes.length - commonEnd(edited.bytes, bytes);
      assert.ok(tail - at <= written.length, 'nothing but the new value is new');
    }),
    { numRuns: 500 },
  );
});

test('an edit that leaves no object is a TypeError', () => {
  const [piece] = parseLine(Buffer.from('{"a":1}')).pieces;
  assert.ok(piece?.entry !== undefined && isObject(piece.entry));
  assert.throws(() => editEntry(piece, [{ path: [], set: 1 }]), TypeError);
});

function commonStart(a: Buffer, b: Buffer): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}

function commonEnd(a: Buffer, b: Buffer): number {
  let count = 0;
  while (count < a.length && count < b.length && a.at(-1 - count) === b.at(-1 - count)) count++;
  return count;
}
