// `clew cat` prints every byte of any file: the proof that reading loses nothing. Starting a
// process for each of the hundreds of files would take minutes, so the command runs on some and its function on all.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { clew } from '../../support/dist.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { recordedFiles } from '../../support/transcripts.ts';
import { checkCommand, inProcess, someOf } from '../cat-kit.ts';

test('every recording comes out as it is', async () => {
  const files = recordedFiles();
  for (const file of files) assert.ok(inProcess(file).equals(readFileSync(file)), file);
  await checkCommand(someOf(files, 12));
});

test('lines too long to hold come out as they are', (context) => {
  const file = path.join(temporaryFolder(context), 'f.jsonl');
  for (const content of ['a\n0123456789abcdef\nb\n', '0123456789abcdef', '0123456789abcdef\n\n{"a":1}']) {
    writeFileSync(file, content);
    assert.equal(inProcess(file, { chunkBytes: 4, maxLineBytes: 8 }).toString(), content);
  }
});

test('a reader that leaves early ends it quietly', (context) => {
  const file = path.join(temporaryFolder(context), 'f.jsonl');
  writeFileSync(file, '{"type":"user","text":"hello"}\n'.repeat(100_000));
  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', '{ "$0" "$1" cat "$2"; echo "exit $?" >&2; } | head -c 10', process.execPath, clew, file],
    { encoding: 'utf8' },
  );
  assert.deepEqual([stdout, stderr], ['{"type":"u', 'exit 0\n']);
});

test('a file that is not there is refused in one line', (context) => {
  const file = path.join(temporaryFolder(context), 'missing.jsonl');
  const { stdout, stderr, status } = spawnSync(process.execPath, [clew, 'cat', file], { encoding: 'utf8' });
  assert.deepEqual([stdout, status, stderr.trimEnd().split('\n').length], ['', 2, 1]);
  assert.ok(stderr.includes('missing.jsonl'));
});
