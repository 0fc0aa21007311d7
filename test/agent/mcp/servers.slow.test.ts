// A program that uses servers and exits without closing them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { isAlive } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait.ts';
import { fixture } from './mcp-kit.ts';

test('a program that exits without closing leaves no process', async (t) => {
  const { stdout, status } = spawnSync(process.execPath, [fixture('leaving-main.js'), temporaryFolder(t)], {
    encoding: 'utf8',
  });
  assert.equal(status, 0);
  assert.match(stdout, /^\d+$/);
  await waitFor(() => !isAlive(Number(stdout)));
});
