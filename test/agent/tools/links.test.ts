// Links: their targets are checked as well, and replacing a folder during a call changes nothing.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { CallContext } from '../../../src/agent/contract/tool.ts';
import { withPinned } from '../../../src/agent/tools/files/file-access.ts';
import { writeTree } from '../../support/temp-folder.ts';
import { makeBench, type ToolBench } from './tool-kit.ts';

/** A project next to a folder `outside`, with links to it; `asked` lists the paths of the permission checks. */
function makePlace(t: Parameters<typeof makeBench>[0]): {
  readonly bench: ToolBench;
  readonly outside: string;
  readonly asked: string[];
  readonly more: Pick<CallContext, 'mayTouch'>;
} {
  const bench = makeBench(t, { 'src/a.txt': 'needle\n' });
  const outside = path.join(path.dirname(bench.folder), 'outside');
  writeTree(outside, { 'secret.txt': 'needle\n' });
  symlinkSync(outside, bench.file('link'));
  symlinkSync(path.join(outside, 'secret.txt'), bench.file('file'));
  symlinkSync('src', bench.file('own'));
  const asked: string[] = [];
  const mayTouch: CallContext['mayTouch'] = (access, file) => {
    asked.push(`${access} ${path.relative(path.dirname(bench.folder), file)}`);
    return !file.startsWith(outside);
  };
  return { bench, outside, asked, more: { mayTouch } };
}

test('Read, Grep and Glob do not follow a link to a forbidden file', async (t) => {
  const { bench, outside, asked, more } = makePlace(t);
  assert.equal(
    await bench.refusal('Read', { file_path: 'link/secret.txt' }, more),
    `${bench.file('link/secret.txt')} leads to ${outside}/secret.txt, which may not be read without asking. Name that path itself; the user is asked.`,
  );
  assert.match(await bench.refusal('Read', { file_path: 'file' }, more), /leads to .*\/outside\/secret\.txt/);
  assert.match(await bench.refusal('Grep', { pattern: 'needle', path: 'link' }, more), /leads to .*\/outside,/);
  assert.match(await bench.refusal('Grep', { pattern: 'needle', path: 'file' }, more), /leads to/);
  assert.match(await bench.refusal('Glob', { pattern: 'link/**' }, more), /leads to .*\/outside,/);
  assert.deepEqual(asked, [
    'read outside/secret.txt',
    'read outside/secret.txt',
    'read outside',
    'read outside/secret.txt',
    'read outside',
  ]);
});

test('a link inside the project is followed, and a plain path needs no permission', async (t) => {
  const { bench, asked, more } = makePlace(t);
  assert.match(await bench.text('Read', { file_path: 'own/a.txt' }, more), /needle/);
  assert.equal(await bench.text('Grep', { pattern: 'needle', path: 'own' }, more), 'Found 1 file\nsrc/a.txt');
  assert.equal(await bench.text('Glob', { pattern: 'own/*' }, more), 'own/a.txt');
  assert.deepEqual(asked, ['read project/src/a.txt', 'read project/src', 'read project/src']);
  asked.length = 0;
  await bench.text('Read', { file_path: 'src/a.txt' }, more);
  await bench.text('Grep', { pattern: 'needle' }, more);
  await bench.text('Write', { file_path: 'src/new/b.txt', content: 'b' }, more);
  assert.deepEqual(asked, []);
});

test('Write and Edit do not follow a link to a protected file', async (t) => {
  const { bench, outside, asked, more } = makePlace(t);
  await bench.text('Read', { file_path: 'file' });
  for (const file_path of ['link/made', 'link/new/made', 'file', 'link/secret.txt'])
    assert.match(await bench.refusal('Write', { file_path, content: 'x' }, more), /may not be changed without asking/);
  for (const file_path of ['file', 'link/secret.txt'])
    assert.match(
      await bench.refusal('Edit', { file_path, old_string: 'needle', new_string: 'x' }, more),
      /may not be changed without asking/,
    );
  assert.deepEqual(readdirSync(outside), ['secret.txt']);
  assert.equal(readFileSync(path.join(outside, 'secret.txt'), 'utf8'), 'needle\n');
  assert.deepEqual(asked, [
    'write outside/made',
    'write outside/new/made',
    ...Array.from({ length: 4 }, () => 'write outside/secret.txt'),
  ]);
});

test('a folder that is replaced with a link during a write keeps the file', { skip: isElsewhere() }, async (t) => {
  const { bench, outside, more } = makePlace(t);
  mkdirSync(bench.file('d'));
  await withPinned({ ...more } as CallContext, bench.file('d/made'), async ({ exact, realPath }) => {
    renameSync(bench.file('d'), bench.file('moved'));
    symlinkSync(outside, bench.file('d'));
    assert.equal(realPath, bench.file('d/made'));
    await writeFile(exact, 'x');
  });
  assert.equal(readFileSync(bench.file('moved/made'), 'utf8'), 'x');
  assert.deepEqual(readdirSync(outside), ['secret.txt']);
});

test('a link in place of a missing folder is not followed', { skip: isElsewhere() }, async (t) => {
  const { bench, outside, more } = makePlace(t);
  symlinkSync(path.join(outside, 'later'), bench.file('dangling'));
  const use = async ({ exact }: { readonly exact: string }): Promise<void> => writeFileSync(exact, 'x');
  await assert.rejects(withPinned({ ...more } as CallContext, bench.file('dangling/made'), use));
  assert.equal(existsSync(path.join(outside, 'later')), false);
});

test('an error names the file by its path', async (t) => {
  const { bench, more } = makePlace(t);
  const use = async ({ exact }: { readonly exact: string }): Promise<void> => assert.fail(`${exact} is there already`);
  await assert.rejects(withPinned({ ...more } as CallContext, bench.file('src/b'), use), {
    message: `${bench.file('src/b')} is there already`,
  });
});

function isElsewhere(): string | false {
  return process.platform === 'linux' ? false : 'open folders have no path on this system';
}
