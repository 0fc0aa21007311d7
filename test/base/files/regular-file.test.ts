// Only regular files are read, and no more of them than the limit; nothing here waits for a pipe or a device.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { makeFolderSync, readRegularFile, readRegularText } from '../../../src/base/files/regular-file.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

test('a regular file is read whole, by a link too', (context) => {
  const folder = temporaryFolder(context);
  const file = path.join(folder, 'a.txt');
  writeFileSync(file, 'é'.repeat(100_000));
  symlinkSync(file, path.join(folder, 'link'));
  assert.equal(readRegularText(file), 'é'.repeat(100_000));
  assert.equal(readRegularText(path.join(folder, 'link')), 'é'.repeat(100_000));
  writeFileSync(file, '');
  assert.equal(readRegularText(file), '');
});

test('what is not a regular file is refused by name, and never waited for', async (context) => {
  const folder = temporaryFolder(context);
  const pipe = makePipe(folder, 'pipe');
  symlinkSync(pipe, path.join(folder, 'link'));
  const socket = path.join(folder, 'socket');
  const server = createServer().listen(socket);
  context.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  for (const [file, message] of [
    [pipe, `${pipe} is a pipe, not a file; name a regular file`],
    [path.join(folder, 'link'), `${path.join(folder, 'link')} is a pipe, not a file; name a regular file`],
    [socket, `${socket} is a socket or a device, not a file; name a regular file`],
    ['/dev/zero', '/dev/zero is a device, not a file; name a regular file'],
    ['/dev/null', '/dev/null is a device, not a file; name a regular file'],
  ] as const)
    assert.throws(() => readRegularFile(file), { name: 'UserError', message, exitCode: 2 });
  assert.throws(() => readRegularFile(folder), { code: 'EISDIR' });
  assert.throws(() => readRegularFile(path.join(folder, 'none')), { code: 'ENOENT' });
});

test('a file over the limit is refused before it is read; one without a size is read as far as the limit', (context) => {
  const file = path.join(temporaryFolder(context), 'huge');
  writeFileSync(file, '');
  truncateSync(file, 5_000_000_000);
  const message = `${file} is larger than 1.0 MB; name a smaller file`;
  assert.throws(() => readRegularFile(file, { maxBytes: 1024 * 1024 }), { message });
  truncateSync(file, 10);
  assert.equal(readRegularFile(file, { maxBytes: 10 }).length, 10);
  assert.throws(() => readRegularFile(file, { maxBytes: 9 }), /is larger than/);
  assert.equal(readRegularText('/proc/self/stat').split(' ')[0], String(process.pid));
  assert.throws(() => readRegularFile('/proc/self/stat', { maxBytes: 3 }), /is larger than/);
});

test('folders are made one by one, and a place that takes none is an error', (context) => {
  const folder = temporaryFolder(context);
  const deep = path.join(folder, 'a', 'b', 'c');
  assert.equal(makeFolderSync(deep), path.join(folder, 'a'));
  assert.equal(makeFolderSync(deep), undefined);
  writeFileSync(path.join(folder, 'file'), 'x');
  assert.throws(() => makeFolderSync(path.join(folder, 'file')), { code: 'EEXIST' });
  assert.throws(() => makeFolderSync(path.join(folder, 'file', 'below')), { code: 'ENOTDIR' });
  symlinkSync(path.join(folder, 'nowhere'), path.join(folder, 'dangling'));
  assert.throws(() => makeFolderSync(path.join(folder, 'dangling', 'below')));
  for (const place of ['/proc/clew', '/proc/clew/state', '/proc/self/clew'])
    assert.throws(() => makeFolderSync(place), { code: 'EROFS' }, place);
  mkdirSync(path.join(folder, 'there'));
  assert.equal(makeFolderSync(path.join(folder, 'there')), undefined);
  assert.equal(readFileSync(path.join(folder, 'file'), 'utf8'), 'x');
});

function makePipe(folder: string, name: string): string {
  const pipe = path.join(folder, name);
  execFileSync('mkfifo', [pipe]);
  return pipe;
}
