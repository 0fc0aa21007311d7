// The agent's process is killed with -9 while commands run: all their processes must end too.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isAlive } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait.ts';

const program = fileURLToPath(new URL('./left-behind-program.js', import.meta.url));

test('after kill -9 of the agent no process of its commands is left', async (t) => {
  const folder = temporaryFolder(t);
  const agent = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => agent.kill('SIGKILL'));
  let printed = '';
  agent.stdout.on('data', (bytes: Buffer) => {
    printed += bytes.toString();
  });
  const pids = (): number[] => (printed.match(/\d+(?=\n)/g) ?? []).map(Number);
  // A foreground command with a child that ignores signals, a background command, and a process left by an ended
  // command.
  await waitFor(
    () => pids().length === 7,
    () => printed,
  );
  assert.deepEqual(
    pids().filter((pid) => !isAlive(pid)),
    [],
  );
  agent.kill('SIGKILL');
  await waitFor(
    () => pids().every((pid) => !isAlive(pid)),
    () => pids().filter(isAlive).join(' '),
  );
});

test('an agent that ends normally leaves no process either', async (t) => {
  const folder = temporaryFolder(t);
  const agent = spawn(process.execPath, [program, folder, 'exit'], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => agent.kill('SIGKILL'));
  let printed = '';
  agent.stdout.on('data', (bytes: Buffer) => {
    printed += bytes.toString();
  });
  await new Promise((resolve) => agent.once('close', resolve));
  const pids = (printed.match(/\d+(?=\n)/g) ?? []).map(Number);
  assert.equal(pids.length, 2);
  await waitFor(
    () => pids.every((pid) => !isAlive(pid)),
    () => pids.filter(isAlive).join(' '),
  );
});
