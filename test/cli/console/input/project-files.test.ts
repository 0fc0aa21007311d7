// The files that Tab offers after `@`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { listProjectFiles } from '../../../../src/cli/console/input/suggestions.ts';
import { temporaryFolder, writeTree } from '../../../support/temp-folder.ts';

test('the files of a repository are listed without running a program that its settings name', async (t) => {
  const folder = temporaryFolder(t);
  const project = path.join(folder, 'project');
  writeTree(project, { 'a.ts': '', 'sub/b.ts': '', 'left-out.log': '', '.gitignore': '*.log\n' });
  const git = (...args: readonly string[]): void => {
    assert.equal(spawnSync('git', ['-C', project, ...args]).status, 0, args.join(' '));
  };
  git('init', '-q');
  git('add', 'a.ts');
  git('config', 'core.fsmonitor', `touch ${folder}/ran; false`);
  assert.deepEqual([...(await listProjectFiles(project))].sort(), ['.gitignore', 'a.ts', 'sub/b.ts']);
  assert.equal(existsSync(path.join(folder, 'ran')), false);
});
