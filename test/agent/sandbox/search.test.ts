// Grep and Glob leave out what a command may not see, with and without a sandbox.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeJudge } from '../../../src/agent/permission/judge.ts';
import { makeSandbox, noMechanism } from '../../../src/agent/sandbox/sandbox.ts';
import { makeBench } from '../tools/tool-kit.ts';
import { rule } from './sandbox-kit.ts';

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
  assert.doesNotMatch(listed, /priv|\.env|pem/);
  assert.match(listed, /src\/a\.txt/);
});

test('Grep shows them where nothing hides them', async (t) => {
  const bench = makeBench(t, { 'src/a.txt': 'needle\n', 'priv/b.txt': 'needle\n' });
  assert.match(await bench.text('Grep', { pattern: 'needle' }), /^Found 2 files/);
});
