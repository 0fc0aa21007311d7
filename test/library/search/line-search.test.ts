// The lines that a byte search finds, against the lines of the file.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { LineSearch } from '../../../src/library/search/line-search.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'clew-lines-'));
after(() => rmSync(folder, { recursive: true }));
const file = path.join(folder, 'lines');

function found(
  text: string,
  bytes: Buffer,
  { bufferBytes = 64, end = bytes.length } = {},
): [number, string | undefined][] {
  writeFileSync(file, bytes);
  const search = new LineSearch(text, bufferBytes);
  const lines = Array.from(search.linesOf(file, end), (line): [number, string | undefined] => [
    line.offset,
    line.bytes?.toString('latin1'),
  ]);
  assert.ok(search.bytesRead <= end, `${search.bytesRead} of ${end} bytes were read`);
  return lines;
}

/** Line by line. */
function expected(text: string, bytes: Buffer): [number, string][] {
  const escapes = [...text].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  let offset = 0;
  return bytes
    .toString('latin1')
    .split('\n')
    .flatMap((line): [number, string][] => {
      const start = offset;
      offset += line.length + 1;
      return [text, ...escapes].some((each) => line.includes(each)) ? [[start, line]] : [];
    });
}

test('each line with the text or an escape of it is found once, wherever the buffers end', () => {
  const piece = fc.constantFrom(
    'lamp',
    'la',
    'mp',
    '\\u006c',
    '\\u006C',
    '\\u00',
    '\n',
    '\n\n',
    '"',
    '\0',
    '\xff',
    'x'.repeat(70),
  );
  const text = fc.constantFrom('lamp', 'mp', 'l', `lamp${'x'.repeat(40)}`);
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 60 }),
      text,
      fc.integer({ min: 64, max: 200 }),
      (pieces, wanted, bufferBytes) => {
        const bytes = Buffer.from(pieces.join('').replaceAll('6C', '6c'), 'latin1');
        const lines = found(wanted, bytes, { bufferBytes });
        const all = expected(wanted, bytes);
        assert.deepEqual(
          lines.map(([offset]) => offset),
          all.map(([offset]) => offset),
        );
        for (const [i, [, line]] of lines.entries()) if (line !== undefined) assert.equal(line, all[i]?.[1]);
      },
    ),
    { numRuns: fuzzRuns(3000) },
  );
});

test('a text that begins in one buffer and ends in the next is found', () => {
  for (const [wanted, said] of [
    ['lamp', 'lamp'],
    ['lamp', '\\u006c'],
    ['l', '\\u006c'],
  ] as const) {
    for (let before = 50; before < 70; before++) {
      assert.deepEqual(
        found(wanted, Buffer.from(`${'x'.repeat(before)}${said}\n`)).map(([offset]) => offset),
        [0],
        `${said} at ${before}`,
      );
    }
  }
});

test('a line in one buffer comes with its bytes, a longer one without', () => {
  const long = `${'x'.repeat(100)}lamp`;
  assert.deepEqual(found('lamp', Buffer.from(`a lamp\nno\n${long}\nlast lamp`), { bufferBytes: 100 }), [
    [0, 'a lamp'],
    [10, undefined],
    [115, 'last lamp'],
  ]);
});

test('an empty file, a file that has been cut, and lines after the end of the index', () => {
  assert.deepEqual(found('lamp', Buffer.alloc(0)), []);
  assert.deepEqual(found('lamp', Buffer.from('lamp\nlamp\nlamp\n'), { end: 10 }), [
    [0, 'lamp'],
    [5, 'lamp'],
  ]);
  writeFileSync(file, `${'x'.repeat(500)}\nlamp\n`);
  const search = new LineSearch('lamp', 64);
  const lines = search.linesOf(file, 506);
  truncateSync(file, 100);
  assert.deepEqual([...lines], []);
});
