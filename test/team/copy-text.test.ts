// Values → the text format of COPY, against the table of escapes in the documentation of PostgreSQL, character by character.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyFields, storableJson } from '../../src/team/database/copy-text.ts';
import { chunksOf } from '../../src/team/database/database-target.ts';

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\0': '\ufffd',
};

function escaped(text: string): string {
  return [...text]
    .map((char) => escapes[char] ?? (char.length === 1 && char >= '\ud800' && char <= '\udfff' ? '\ufffd' : char))
    .join('');
}

test('every character of a text is escaped as COPY reads it, whatever is next to it', () => {
  const chars = [...Object.keys(escapes), 'a', 'n', 'N', '.', '$', '$&', 'é', '日', '🙂', '\ud800', '\udc00', ' '];
  for (const first of chars)
    for (const second of chars)
      for (const third of ['', 'n', '\\', '\n', '\ud800'])
        assert.equal(copyFields([`${first}${second}${third}`]), escaped(`${first}${second}${third}`));
});

test('values of all types are fields of one line', () => {
  const bytes = Buffer.from([0, 255, 16]);
  assert.equal(
    copyFields(['a\tb', 1.5, Number.NaN, null, undefined, true, false, bytes, [1, 2], '', '\\N']),
    'a\\tb\t1.5\t\\N\t\\N\t\\N\tt\tf\t\\\\x00ff10\t{1,2}\t\t\\\\N',
  );
  assert.equal(copyFields([]), '');
});

test('JSON has no NUL and no lone surrogate, and everything else as it is', () => {
  const value = { a: 'x\0y', b: ['\ud800', '🙂', '\\u0000', '\u0001'], c: { d: null, e: 1 } };
  const expected = { a: 'x\ufffdy', b: ['\ufffd', '🙂', '\\u0000', '\u0001'], c: { d: null, e: 1 } };
  assert.deepEqual(JSON.parse(storableJson(value)), expected);
  assert.equal(storableJson({ turn: 3 }), '{"turn":3}');
});

test('lines go in chunks of a limited size, whatever their lengths and characters', () => {
  const long = (length: number, char: string): string => `${char.repeat(length)}\n`;
  const lengths = [0, 1, 5, 100, 30_000, 87_381, 87_382, 262_143, 262_144, 300_000, 1, 2, 900_000, 3, 40_000, 40_000];
  for (const char of ['a', 'é', '日', '🙂']) {
    const lines = lengths.map((length) => long(length, char));
    const chunks = [...chunksOf(lines)].map((chunk) => Buffer.from(chunk));
    assert.ok(Buffer.concat(chunks).equals(Buffer.from(lines.join(''))), char);
    // A chunk has room for 256 KB, or is one that began with a long line.
    const longest = Math.max(...lines.map((line) => Buffer.byteLength(line)));
    assert.ok(
      chunks.every((chunk) => chunk.length > 0 && chunk.length <= longest + 256 * 1024),
      char,
    );
    assert.ok(chunks.length >= 6, `${char} ${chunks.length}`);
  }
  assert.deepEqual([...chunksOf([])], []);
});
