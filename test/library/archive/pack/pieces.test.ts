import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readPieces } from '../../../../src/library/archive/pack/pieces.ts';
import { temporaryFolder } from '../../../support/temp-folder.ts';

const kb = 1024;

test('a transcript is cut at its newlines, and a long line every megabyte', (t) => {
  const file = path.join(temporaryFolder(t), 's.jsonl');
  const long = 'x'.repeat(2500 * kb);
  const cases: readonly (readonly [string, readonly number[]])[] = [
    ['', []],
    ['\n', [1]],
    ['a\n\nb', [2, 1, 1]],
    [`a\n${long}\nb\n`, [2, 1024 * kb, 1024 * kb, 452 * kb + 1, 2]],
    [long, [1024 * kb, 1024 * kb, 452 * kb]],
    [`${'y'.repeat(1024 * kb - 1)}\nb`, [1024 * kb, 1]],
    [`${'y'.repeat(1024 * kb)}\nb`, [1024 * kb, 1, 1]],
    [`${'z'.repeat(99)}\n`.repeat(30_000), Array<number>(30_000).fill(100)],
  ];
  for (const [text, wanted] of cases) {
    writeFileSync(file, text);
    const pieces = piecesOf(file, text.length);
    assert.deepEqual([pieces.map((piece) => piece.length), pieces.join('') === text], [wanted, true]);
  }
});

test('any other file is cut by size alone', (t) => {
  const file = path.join(temporaryFolder(t), 'result.txt');
  const text = 'line\n'.repeat(30_000);
  writeFileSync(file, text);
  const pieces = piecesOf(file, text.length);
  assert.deepEqual([pieces.map((piece) => piece.length), pieces.join('') === text], [[65536, 65536, 18928], true]);
});

test('what was appended since the file was measured is left for the next time', (t) => {
  const file = path.join(temporaryFolder(t), 's.jsonl');
  writeFileSync(file, 'a\nb\n');
  appendFileSync(file, 'c\n');
  assert.deepEqual(piecesOf(file, 4), ['a\n', 'b\n']);
});

function piecesOf(file: string, sizeBytes: number): string[] {
  return Array.from(readPieces(file, { sizeBytes }), String);
}
