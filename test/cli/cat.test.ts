// `clew cat` gives back every byte of whatever file it is given: the proof that reading loses nothing. Starting a
// process for each of the hundreds of files would take minutes, so the command runs on some and its function on all.
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  createReadStream,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { readAndSerialise } from '../../src/cli/cat.ts';
import type { LineOptions } from '../../src/store/lines.ts';
import { damageLines, damages, joinLines } from '../support/damage.ts';
import { clew } from '../support/dist.ts';
import { skipWithoutShared } from '../support/paths.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { corpusFiles, linesOf, recordedFiles } from '../support/transcripts.ts';

function inProcess(file: string, options?: LineOptions): Buffer {
  return Buffer.concat([...readAndSerialise(file, options)]);
}

const run = promisify(execFile);

/** Four at a time: most of a short process is waiting. */
async function checkCommand(files: readonly string[]): Promise<void> {
  for (let index = 0; index < files.length; index += 4) {
    await Promise.all(
      files.slice(index, index + 4).map(async (file) => {
        const options = { encoding: 'buffer', maxBuffer: 1 << 28 } as const;
        const { stdout, stderr } = await run(process.execPath, [clew, 'cat', file], options);
        assert.equal(stderr.toString(), '', file);
        assert.ok(stdout.equals(readFileSync(file)), file);
      }),
    );
  }
}

/** At most `count` of the files, spread over all of them, and the largest. */
function someOf(files: readonly string[], count: number): string[] {
  const step = Math.ceil(files.length / (count - 1));
  const largest = files.toSorted((a, b) => statSync(b).size - statSync(a).size).slice(0, 1);
  return [...new Set([...files.filter((_, index) => index % step === 0), ...largest])];
}

test('every recording comes out as it is', async () => {
  const files = recordedFiles();
  for (const file of files) assert.ok(inProcess(file).equals(readFileSync(file)), file);
  await checkCommand(someOf(files, 12));
});

test('every file of the corpora comes out as it is', { skip: skipWithoutShared }, async () => {
  const files = corpusFiles();
  assert.ok(files.length > 500);
  for (const file of files) assert.ok(inProcess(file).equals(readFileSync(file)), file);
  await checkCommand(someOf(files, 28));
});

test('damaged copies come out as they are', async (context) => {
  const folder = temporaryFolder(context);
  const files = recordedFiles().filter((file) => statSync(file).size > 0);
  const copies = fc
    .sample(fc.tuple(fc.constantFrom(...files), damages, fc.boolean()), 40)
    .map(([file, wanted, isTorn], index) => {
      const copy = path.join(folder, `${index}.jsonl`);
      writeFileSync(copy, joinLines(damageLines(linesOf(file), wanted), isTorn));
      return copy;
    });
  await checkCommand(copies);
});

test('lines too long to hold come out as they are', (context) => {
  const file = path.join(temporaryFolder(context), 'f.jsonl');
  for (const content of ['a\n0123456789abcdef\nb\n', '0123456789abcdef', '0123456789abcdef\n\n{"a":1}']) {
    writeFileSync(file, content);
    assert.equal(inProcess(file, { chunkBytes: 4, maxLineBytes: 8 }).toString(), content);
  }
});

test('a line of 300 MB comes out as it is', async (context) => {
  const file = path.join(temporaryFolder(context), 'f.jsonl');
  const descriptor = openSync(file, 'w');
  // The middle of the line is a hole in the file: NULs that take no place on the disk.
  writeSync(descriptor, '{"type":"user"}\n{"a":"');
  ftruncateSync(descriptor, 300 * 1024 * 1024);
  writeSync(descriptor, '"}\n{"type":"summary"}', 300 * 1024 * 1024);
  closeSync(descriptor);
  const command = spawn(process.execPath, [clew, 'cat', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(command, 'exit');
  const [written, expected] = await Promise.all([hashOf(command.stdout), hashOf(createReadStream(file))]);
  assert.deepEqual([written, await exit], [expected, [0, null]]);
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

async function hashOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
}
