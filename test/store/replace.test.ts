import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { exitCodes } from '../../src/base/errors/errors.ts';
import { identify } from '../../src/store/append.ts';
import { removeStaleTemps, replaceFile, writeNewFile } from '../../src/store/replace.ts';
import { recordDiskCalls } from '../support/disk-calls.ts';
import { refusalOf } from '../support/refusal.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

test('a file is replaced by a buffer or by pieces, sync or async, and keeps its mode', async (t) => {
  const folder = temporaryFolder(t);
  const file = path.join(folder, 's.jsonl');
  writeFileSync(file, 'old\n');
  chmodSync(file, 0o640);
  const large = Buffer.alloc(3 << 20, 'x');
  const contents = { buffer: Buffer.from('new\n'), pieces: [Buffer.from('n'), large, Buffer.from('w')], none: [] };
  for (const content of Object.values(contents)) {
    assert.deepEqual(await replaceFile(file, content), {});
    assert.deepEqual(readFileSync(file), Buffer.isBuffer(content) ? content : Buffer.concat(content));
  }
  await replaceFile(file, asyncPieces('one', 'two'));
  assert.equal(readFileSync(file, 'utf8'), 'onetwo');
  assert.equal(statSync(file).mode & 0o777, 0o640);
  assert.deepEqual(readdirSync(folder), ['s.jsonl']);
});

test('the old file is kept as the backup that was asked for, in a folder that is made', async (t) => {
  const folder = temporaryFolder(t);
  const file = path.join(folder, 's.jsonl');
  writeFileSync(file, 'old\n');
  const backup = path.join(folder, 'state/backups/1');
  assert.deepEqual(await replaceFile(file, Buffer.from('new\n'), { backup }), { backup });
  assert.deepEqual([readFileSync(file, 'utf8'), readFileSync(backup, 'utf8')], ['new\n', 'old\n']);
  appendFileSync(file, 'more\n');
  assert.equal(readFileSync(backup, 'utf8'), 'old\n');
});

test('a backup next to the file has a name that is not the name of a session', async (t) => {
  const file = path.join(temporaryFolder(t), 's.jsonl');
  writeFileSync(file, 'old\n');
  const { backup = '' } = await replaceFile(file, Buffer.from('new\n'), { backup: true });
  assert.equal(path.dirname(backup), path.dirname(file));
  assert.match(path.basename(backup), /^s\.jsonl\.backup-[0-9TZ-]+$/);
  assert.equal(readFileSync(backup, 'utf8'), 'old\n');
});

const otherDisk = '/dev/shm';

const sameDisk = isOtherDisk(otherDisk) ? false : 'there is no second disk';

test('a backup on another disk is a copy', { skip: sameDisk }, async (t) => {
  const folder = temporaryFolder(t);
  const file = path.join(folder, 's.jsonl');
  writeFileSync(file, 'old\n');
  chmodSync(file, 0o400);
  const backup = path.join(otherDisk, `${path.basename(folder)}.backup`);
  t.after(() => spawnSync('rm', ['-f', backup]));
  await replaceFile(file, Buffer.from('new\n'), { backup });
  assert.deepEqual([readFileSync(file, 'utf8'), readFileSync(backup, 'utf8')], ['new\n', 'old\n']);
});

test('an existing backup is never overwritten; then nothing is replaced', async (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { 's.jsonl': 'old\n', backup: 'older\n' });
  const [file, backup] = [path.join(folder, 's.jsonl'), path.join(folder, 'backup')];
  assert.deepEqual(await refusalOf(replaceFile(file, Buffer.from('new\n'), { backup })), {
    message: `${backup} is there already; nothing was written; choose another name`,
    exitCode: exitCodes.refused,
  });
  assert.deepEqual(contentsOf(folder), { backup: 'older\n', 's.jsonl': 'old\n' });
});

test('a file that changed since it was read, or while the content was made, is not replaced', async (t) => {
  const folder = temporaryFolder(t);
  const file = path.join(folder, 's.jsonl');
  writeFileSync(file, 'old\n');
  const changed = {
    message: `${file} has changed since it was read; nothing was written; run it again`,
    exitCode: exitCodes.refused,
  };
  const before = identify(file);
  appendFileSync(file, 'more\n');
  assert.deepEqual(await refusalOf(replaceFile(file, failing(), { expected: before })), changed);
  const expected = identify(file);
  const backup = path.join(folder, 'backup');
  function* changing(): Generator<Buffer> {
    yield Buffer.from('new\n');
    appendFileSync(file, 'still more\n');
  }
  assert.deepEqual(await refusalOf(replaceFile(file, changing(), { expected, backup })), changed);
  assert.deepEqual(contentsOf(folder), { 's.jsonl': 'old\nmore\nstill more\n' });
});

test('the new content, the backup and the folder are on the disk before the next step', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(path.join(folder, 'a'), 'old');
  const { calls } = await recordDiskCalls(t);
  await replaceFile(path.join(folder, 'a'), Buffer.from('new'), { backup: path.join(folder, 'kept/b') });
  const plain = calls.map((call) => call.replaceAll(folder, 'F').replaceAll(/\.clew-[0-9a-f]{16}\.tmp/g, 'TEMP'));
  assert.deepEqual(plain, ['sync F/TEMP', 'sync F', 'link F/a F/kept/b', 'sync F/kept', 'rename F/TEMP F/a', 'sync F']);
});

test('an unchanged file passes the check', async (t) => {
  const file = path.join(temporaryFolder(t), 's.jsonl');
  writeFileSync(file, 'old\n');
  await replaceFile(file, Buffer.from('new\n'), { expected: identify(file) });
  assert.equal(readFileSync(file, 'utf8'), 'new\n');
});

test('a link stays a link and what it leads to is replaced', async (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { 'real/s.jsonl': 'old\n' });
  const link = path.join(folder, 'link.jsonl');
  symlinkSync('real/s.jsonl', link);
  await replaceFile(link, Buffer.from('new\n'), { expected: identify(link) });
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.equal(readFileSync(path.join(folder, 'real/s.jsonl'), 'utf8'), 'new\n');
  assert.deepEqual(readdirSync(folder).sort(), ['link.jsonl', 'real']);
});

test('content that fails leaves the file, no temporary file and no backup', async (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { 's.jsonl': 'old\n' });
  const backup = path.join(folder, 'backup');
  await assert.rejects(replaceFile(path.join(folder, 's.jsonl'), failing(), { backup }), { message: 'planted' });
  await assert.rejects(writeNewFile(path.join(folder, 'new.jsonl'), failing()), { message: 'planted' });
  assert.deepEqual(contentsOf(folder), { 's.jsonl': 'old\n' });
});

test('where the last step fails, the backup is taken back too', async (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { 's.jsonl': 'old\n' });
  const file = path.join(folder, 's.jsonl');
  function* losingTheTemporaryFile(): Generator<Buffer> {
    yield Buffer.from('new\n');
    for (const name of readdirSync(folder)) if (name.endsWith('.tmp')) rmSync(path.join(folder, name));
  }
  assert.equal(
    (await refusalOf(replaceFile(file, losingTheTemporaryFile(), { backup: true })))?.message,
    `cannot write ${file} (ENOENT); something else cleans up its folder; run it again`,
  );
  assert.deepEqual(contentsOf(folder), { 's.jsonl': 'old\n' });
});

test('what is not a file is not replaced', async (t) => {
  const folder = temporaryFolder(t);
  const missing = path.join(folder, 'missing');
  assert.equal(
    (await refusalOf(replaceFile(missing, Buffer.from('x'))))?.message,
    `there is no file ${missing} to replace; check the path`,
  );
  assert.equal(
    (await refusalOf(replaceFile(folder, Buffer.from('x'))))?.message,
    `${folder} is not a regular file; name a file`,
  );
});

test('a new file appears whole, for its owner only, in a folder that is made', async (t) => {
  const folder = temporaryFolder(t);
  const file = path.join(folder, 'projects/-p/s.jsonl');
  await writeNewFile(file, asyncPieces('one\n', 'two\n'));
  assert.deepEqual(readdirSync(path.dirname(file)), ['s.jsonl']);
  assert.deepEqual([readFileSync(file, 'utf8'), statSync(file).mode & 0o777], ['one\ntwo\n', 0o600]);
});

test('a new file never goes over another one, nor over a dangling link', async (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { there: 'old\n' });
  symlinkSync('nowhere', path.join(folder, 'link'));
  for (const name of ['there', 'link']) {
    const file = path.join(folder, name);
    assert.deepEqual(await refusalOf(writeNewFile(file, Buffer.from('new\n'))), {
      message: `${file} is there already; nothing was written; choose another name`,
      exitCode: exitCodes.refused,
    });
  }
  assert.deepEqual(readdirSync(folder).sort(), ['link', 'there']);
  assert.equal(readFileSync(path.join(folder, 'there'), 'utf8'), 'old\n');
});

test('of two who make one new file in the same moment one is refused', async (t) => {
  const file = path.join(temporaryFolder(t), 's.jsonl');
  const outcomes = await Promise.all(['1', '2'].map((text) => refusalOf(writeNewFile(file, Buffer.from(text)))));
  assert.deepEqual(outcomes.map((outcome) => outcome?.exitCode ?? 0).sort(), [0, exitCodes.refused]);
  assert.equal(readFileSync(file, 'utf8'), outcomes[0] === undefined ? '1' : '2');
});

test('only old temporary files of our own are removed', async (t) => {
  const folder = temporaryFolder(t);
  const [old, young] = ['.clew-0123456789abcdef.tmp', '.clew-fedcba9876543210.tmp'] as const;
  writeTree(folder, { [old]: '', [young]: '', 'other.tmp': '', '.clew-x.tmp': '' });
  for (const name of [old, 'other.tmp', '.clew-x.tmp']) utimesSync(path.join(folder, name), 1, 1);
  assert.deepEqual(await removeStaleTemps(folder), [path.join(folder, old)]);
  assert.deepEqual(readdirSync(folder).sort(), [young, '.clew-x.tmp', 'other.tmp']);
  assert.deepEqual(await removeStaleTemps(path.join(folder, 'missing')), []);
});

function* failing(): Generator<Buffer> {
  yield Buffer.alloc(2 << 20, 'x');
  throw new Error('planted');
}

async function* asyncPieces(...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

function contentsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
}

function isOtherDisk(folder: string): boolean {
  try {
    return statSync(folder).dev !== statSync(tmpdir()).dev;
  } catch {
    return false;
  }
}
