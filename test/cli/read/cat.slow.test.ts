// Every file of the corpora, very long lines, and damaged copies through clew cat.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
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
import fc from 'fast-check';
import { damageLines, damages, joinLines } from '../../support/damage.ts';
import { clew } from '../../support/dist.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { corpusFiles, linesOf, recordedFiles } from '../../support/transcripts.ts';
import { checkCommand, inProcess, someOf } from '../cat-kit.ts';

test('every file of the corpora comes out as it is', async () => {
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

async function hashOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
}
