import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { exitCodes } from '../../src/base/errors/errors.ts';
import { appendLines, identify } from '../../src/store/append.ts';
import { projectRoot } from '../support/paths.ts';
import { refusalOf } from '../support/refusal.ts';
import { noSmallDisk } from '../support/small-disk.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

test('lines are added after the old bytes, which do not change', async (t) => {
  const file = path.join(temporaryFolder(t), 's.jsonl');
  const old = Buffer.from([0x7b, 0x7d, 0x0d, 0x0a, 0xff, 0x00, 0x0a]);
  writeFileSync(file, old);
  const after = await appendLines(file, ['{"a":"ü"}', Buffer.from([0xfe])], identify(file));
  assert.deepEqual(readFileSync(file), Buffer.concat([old, Buffer.from('{"a":"ü"}\n'), Buffer.from([0xfe, 0x0a])]));
  assert.deepEqual(after, identify(file));
});

test('the identity that an append returns serves the next one', async (t) => {
  const file = path.join(temporaryFolder(t), 'new/folder/s.jsonl');
  let identity = await appendLines(file, ['1'], 'absent');
  for (const line of ['2', '3']) identity = await appendLines(file, [line], identity);
  assert.equal(readFileSync(file, 'utf8'), '1\n2\n3\n');
});

test('a torn tail is closed with a newline first, an empty file is not', async (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { torn: '{"a":1}\n{"b', empty: '' });
  for (const name of ['torn', 'empty']) {
    const file = path.join(folder, name);
    await appendLines(file, ['{}'], identify(file));
  }
  assert.equal(readFileSync(path.join(folder, 'torn'), 'utf8'), '{"a":1}\n{"b\n{}\n');
  assert.equal(readFileSync(path.join(folder, 'empty'), 'utf8'), '{}\n');
});

test('whatever the lines, the file is the old bytes, a newline if needed, and each line with its newline', async (t) => {
  const folder = temporaryFolder(t);
  const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
  const line = bytes.map((buffer) => Buffer.from(buffer.filter((byte) => byte !== 0x0a)));
  let round = 0;
  await fc.assert(
    fc.asyncProperty(bytes, fc.array(line, { maxLength: 5 }), async (old, lines) => {
      const file = path.join(folder, String(round++));
      writeFileSync(file, old);
      await appendLines(file, lines, identify(file));
      const glue = lines.length > 0 && old.length > 0 && old.at(-1) !== 0x0a ? '\n' : '';
      const added = lines.flatMap((part) => [part, Buffer.from('\n')]);
      assert.deepEqual(readFileSync(file), Buffer.concat([old, Buffer.from(glue), ...added]));
    }),
    { numRuns: 50 },
  );
});

test('a file that changed since it was read is refused and left alone', async (t) => {
  const folder = temporaryFolder(t);
  const old = 'old\n'.repeat(2000);
  const changes: Record<string, (file: string) => void> = {
    appended: (file) => appendFileSync(file, 'more\n'),
    'longer, same time, same tail': (file) => {
      const { atime, mtime } = statSync(file);
      appendFileSync(file, 'old\n');
      utimesSync(file, atime, mtime);
    },
    'same size, same time, other tail': (file) => {
      const { atime, mtime } = statSync(file);
      writeFileSync(file, 'OLD\n'.repeat(2000));
      utimesSync(file, atime, mtime);
    },
    touched: (file) => utimesSync(file, 1, 1),
    replaced: (file) => {
      const { atime, mtime } = statSync(file);
      writeFileSync(`${file}.2`, old);
      utimesSync(`${file}.2`, atime, mtime);
      renameSync(`${file}.2`, file);
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    const file = path.join(folder, name);
    writeFileSync(file, old);
    utimesSync(file, 1000, 1000);
    const expected = identify(file);
    change(file);
    const changed = readFileSync(file);
    assert.deepEqual(await refusalOf(appendLines(file, ['{}'], expected)), {
      message: `${file} has changed since it was read; nothing was written; run it again`,
      exitCode: exitCodes.refused,
    });
    assert.deepEqual(readFileSync(file), changed);
  }
});

test('a file that went away, or came, is refused', async (t) => {
  const folder = temporaryFolder(t);
  const gone = path.join(folder, 'gone');
  writeFileSync(gone, 'old\n');
  const expected = identify(gone);
  rmSync(gone);
  assert.equal(
    (await refusalOf(appendLines(gone, ['{}'], expected)))?.message,
    `${gone} is gone; nothing was written; run it again`,
  );
  assert.equal(identify(gone), 'absent');

  const came = path.join(folder, 'came');
  assert.equal(identify(came), 'absent');
  writeFileSync(came, 'other\n');
  assert.equal(
    (await refusalOf(appendLines(came, ['{}'], 'absent')))?.message,
    `${came} is there already; nothing was written; run it again`,
  );
  assert.equal(readFileSync(came, 'utf8'), 'other\n');
});

test('of appends that start from one state in the same moment only the first is done', async (t) => {
  const file = path.join(temporaryFolder(t), 's.jsonl');
  writeFileSync(file, 'old\n');
  const expected = identify(file);
  const outcomes = await Promise.all(['1', '2', '3'].map((line) => refusalOf(appendLines(file, [line], expected))));
  assert.deepEqual(
    outcomes.map((outcome) => outcome?.exitCode),
    [undefined, exitCodes.refused, exitCodes.refused],
  );
  assert.equal(readFileSync(file, 'utf8'), 'old\n1\n');
});

test('a line with a newline or half a surrogate is a mistake of the program, and nothing is written', async (t) => {
  const file = path.join(temporaryFolder(t), 's.jsonl');
  for (const line of ['a\nb', 'a\n', Buffer.from('\n'), '\ud83d'])
    await assert.rejects(appendLines(file, ['{}', line], 'absent'), TypeError);
  assert.equal(identify(file), 'absent');
});

test('no lines leave everything as it was', async (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { torn: 'half' });
  const torn = path.join(folder, 'torn');
  const expected = identify(torn);
  assert.deepEqual(await appendLines(torn, [], expected), expected);
  assert.equal(await appendLines(path.join(folder, 'none'), [], 'absent'), 'absent');
  assert.deepEqual(readdirSync(folder), ['torn']);
  assert.equal(readFileSync(torn, 'utf8'), 'half');
});

test('a linked transcript is appended to where it is', async (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { real: 'old\n' });
  const link = path.join(folder, 'link');
  symlinkSync('real', link);
  await appendLines(link, ['{}'], identify(link));
  assert.equal(readFileSync(path.join(folder, 'real'), 'utf8'), 'old\n{}\n');
});

test('a new transcript is for its owner only', async (t) => {
  const file = path.join(temporaryFolder(t), 's.jsonl');
  await appendLines(file, ['{}'], 'absent');
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('folders and devices are refused', async (t) => {
  const folder = temporaryFolder(t);
  const expected = { dev: 0, ino: 0, size: 0, mtimeMs: 0, tail: '' };
  for (const odd of [folder, '/dev/full'])
    assert.equal(
      (await refusalOf(appendLines(odd, ['{}'], expected)))?.message,
      `${odd} is not a regular file; name a transcript (.jsonl)`,
    );
});

test('a write that the system cuts short is taken back whole, from old and new files', (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { 'old.jsonl': '{"a":1}\n{"torn' });
  for (const name of ['old.jsonl', 'new.jsonl']) {
    const run = spawnSync('sh', ['-c', 'ulimit -f 64; exec "$0" "$@"', ...appendingChild(path.join(folder, name))], {
      encoding: 'utf8',
    });
    assert.equal(
      run.stdout,
      `cannot write ${path.join(folder, name)} (EFBIG); the file would pass the size limit of this system or shell (ulimit -f)\n`,
      run.stderr,
    );
  }
  assert.deepEqual(readdirSync(folder), ['old.jsonl']);
  assert.equal(readFileSync(path.join(folder, 'old.jsonl'), 'utf8'), '{"a":1}\n{"torn');
});

const inSmallDisk = [
  '-rm',
  'sh',
  '-c',
  'mount -t tmpfs -o size=64k tmpfs "$0" && printf "old\\n" >"$0/s.jsonl" && "$@"; cat "$0/s.jsonl"',
];
test('a full disk leaves no half line', { skip: noSmallDisk }, (t) => {
  const disk = path.join(temporaryFolder(t), 'disk');
  mkdirSync(disk);
  const file = path.join(disk, 's.jsonl');
  const run = spawnSync('unshare', [...inSmallDisk, disk, ...appendingChild(file)], { encoding: 'utf8' });
  assert.equal(run.stdout, `cannot write ${file} (ENOSPC); make room on the disk and run it again\nold\n`, run.stderr);
});

/** A child process that appends a line of 1 MB to `file` and prints how it was refused. */
function appendingChild(file: string): string[] {
  return [process.execPath, path.join(projectRoot, 'build/test/store/append-large-line.js'), file];
}
