// Copies of files that are about to change: durable before they have their name, and never over an older copy.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { copyWhole, FileHistory } from '../../../src/agent/session/file-history.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

function setUp(t: TestContext): { readonly cwd: string; readonly history: FileHistory } {
  const root = temporaryFolder(t);
  const cwd = path.join(root, 'project');
  writeTree(cwd, { 'a.txt': 'one' });
  return { cwd, history: new FileHistory({ root, sessionId: 's', cwd }) };
}

test('a copy is synced before it has its name, and then its folder', async (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { 'a.txt': 'one' });
  mkdirSync(path.join(folder, 'kept'));
  const done: string[] = [];
  const { open, rename } = fs;
  const name = (file: unknown): string => path.relative(folder, String(file)).replace(/\.\d+\.tmp$/, '.tmp');
  fs.open = async (file, ...more) => {
    const handle = await open(file, ...more);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      done.push(`sync ${name(file)}`);
      await sync();
    };
    return handle;
  };
  fs.rename = async (from, to) => {
    done.push(`rename ${name(from)} ${name(to)}`);
    await rename(from, to);
  };
  syncBuiltinESMExports();
  try {
    await copyWhole(path.join(folder, 'a.txt'), path.join(folder, 'kept/b.txt'));
  } finally {
    Object.assign(fs, { open, rename });
    syncBuiltinESMExports();
  }
  assert.deepEqual(done, ['sync kept/b.txt.tmp', 'rename kept/b.txt.tmp kept/b.txt', 'sync kept']);
  assert.equal(readFileSync(path.join(folder, 'kept/b.txt'), 'utf8'), 'one');
});

test('a copy that a killed run left is not overwritten', async (t) => {
  const { cwd, history } = setUp(t);
  await history.takeSnapshot('prompt', new Date());
  const first = await history.keep(path.join(cwd, 'a.txt'));
  assert.match(first?.backupName ?? '', /^[0-9a-f]{16}@v1$/);
  // A new process knows nothing of the copy, because no line names it.
  const next = new FileHistory({ root: path.dirname(cwd), sessionId: 's', cwd });
  await next.takeSnapshot('prompt', new Date());
  writeFileSync(path.join(cwd, 'a.txt'), 'two');
  const second = await next.keep(path.join(cwd, 'a.txt'));
  assert.equal(second?.version, 2);
  const copies = readdirSync(history.folder).sort();
  assert.deepEqual(
    copies.map((copy) => [copy.slice(-3), readFileSync(path.join(history.folder, copy), 'utf8')]),
    [
      ['@v1', 'one'],
      ['@v2', 'two'],
    ],
  );
});

test('in one turn a file is kept once, as it was at the prompt', async (t) => {
  const { cwd, history } = setUp(t);
  await history.takeSnapshot('prompt', new Date());
  const file = path.join(cwd, 'a.txt');
  assert.equal((await history.keep(file))?.version, 1);
  writeFileSync(file, 'two');
  assert.equal(await history.keep(file), undefined);
  assert.deepEqual(
    readdirSync(history.folder).map((copy) => readFileSync(path.join(history.folder, copy), 'utf8')),
    ['one'],
  );
});
