// Grep and Glob leave out what a command may not see, with and without a sandbox.
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { test } from 'node:test';
import type { Sandbox } from '../../../src/agent/contract/confinement.ts';
import { makeJudge } from '../../../src/agent/permission/judge.ts';
import { makeSandbox, noMechanism } from '../../../src/agent/sandbox/sandbox.ts';
import { makeBench } from '../tools/tool-kit.ts';
import { mechanism, rule, skip } from './sandbox-kit.ts';

test('Grep and Glob do not show files that a rule denies or that may hold credentials', async (t) => {
  const bench = makeBench(t, {
    'src/a.txt': 'needle\n',
    '.env': 'needle\n',
    'priv/b.txt': 'needle\n',
    'priv/deep/c.txt': 'needle\n',
    'deep/.env.local': 'needle\n',
    'deep/odd[1]*.pem': 'needle\n',
  });
  const { workspace } = bench;
  const places = { projectDir: workspace.projectDir, home: '/nowhere' };
  const { policy } = makeJudge({ ...places, rules: [rule('deny', 'Read(priv/**)')] });
  const sandbox = makeSandbox({ ...places, extraDirs: [], root: '/nowhere/.claude', policy, mechanism: noMechanism });
  const more = { workspace: { ...workspace, sandbox } };
  const found = async (name: string, input: Record<string, string>): Promise<string> => bench.text(name, input, more);
  assert.equal(await found('Grep', { pattern: 'needle' }), 'Found 1 file\nsrc/a.txt');
  assert.equal(await found('Grep', { pattern: 'needle', path: 'deep' }), 'No files found');
  assert.equal(await found('Grep', { pattern: 'needle', glob: '.env*' }), 'No files found');
  const listed = await found('Glob', { pattern: '**/*' });
  assert.deepEqual(listed.split('\n').sort(), ['.keep', 'src/a.txt']);
});

test('Grep leaves out hidden files whatever they are called and whichever way leads to them', async (t) => {
  const bench = makeBench(t, {
    'a.txt': 'needle\n',
    'priv/b.txt': 'needle\n',
    '..data/.env': 'needle\n',
    'vault ': 'needle\n',
    'vault#[x]{y}!.txt': 'needle\n',
    'vault\n.txt': 'needle\n',
  });
  symlinkSync('.', bench.file('self'));
  const { workspace } = bench;
  const places = { projectDir: workspace.projectDir, home: '/nowhere' };
  const rules = [rule('deny', 'Read(priv/**)'), rule('deny', 'Read(vault*)')];
  const { policy } = makeJudge({ ...places, rules });
  const sandbox = makeSandbox({ ...places, extraDirs: [], root: '/nowhere/.claude', policy, mechanism: noMechanism });
  const more = { workspace: { ...workspace, sandbox } };
  for (const input of [{}, { path: '.' }, { path: 'self' }, { path: 'self/self' }, { path: workspace.projectDir }])
    assert.equal(await bench.text('Grep', { pattern: 'needle', ...input }, more), 'Found 1 file\na.txt');
  assert.equal(
    await bench.refusal('Grep', { pattern: 'needle', path: 'priv' }, more),
    `${bench.file('priv')} may not be read: a rule denies it, or it may hold credentials.`,
  );
  assert.equal(await bench.text('Glob', { pattern: 'priv/*' }, more), 'No files found');
  assert.match(await bench.refusal('Glob', { pattern: '*', path: 'priv' }, more), /may not be read/);
  // From another working directory too.
  more.workspace.cwd = bench.file('..data');
  assert.equal(
    await bench.text('Grep', { pattern: 'needle', path: workspace.projectDir }, more),
    `Found 1 file\n${bench.file('a.txt')}`,
  );
  assert.equal(await bench.text('Glob', { pattern: '../{priv,vault}*/**' }, more), 'No files found');
  assert.equal(await bench.text('Glob', { pattern: '../vault*' }, more), 'No files found');
});

test('in the project ripgrep runs in the sandbox', { skip }, async (t) => {
  const bench = makeBench(t, { 'src/a.txt': 'needle\n' });
  const { workspace } = bench;
  const places = { projectDir: workspace.projectDir, home: '/nowhere' };
  const { policy } = makeJudge({ ...places, rules: [] });
  const real = makeSandbox({ ...places, extraDirs: [], root: '/nowhere/.claude', policy, mechanism });
  const launches: string[] = [];
  const sandbox: Sandbox = {
    ...real,
    launch: (confinement, place) => {
      launches.push(`${confinement} ${place.cwd}`);
      return real.launch(confinement, place);
    },
  };
  const more = { workspace: { ...workspace, sandbox } };
  assert.equal(await bench.text('Grep', { pattern: 'needle' }, more), 'Found 1 file\nsrc/a.txt');
  assert.equal(await bench.text('Glob', { pattern: 'src/*' }, more), 'src/a.txt');
  assert.deepEqual(launches, [`read-only ${bench.folder}`, `read-only ${bench.folder}`]);
});

test('Grep shows them where nothing hides them', async (t) => {
  const bench = makeBench(t, { 'src/a.txt': 'needle\n', 'priv/b.txt': 'needle\n' });
  assert.match(await bench.text('Grep', { pattern: 'needle' }), /^Found 2 files/);
});
