// An agent in its own process that ends on a full disk or by SIGTERM: nothing it started keeps running, and its session
// is complete. The other ends are in agent-ends.test.ts.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { diagnoseSession } from '../../src/doctor/diagnosis/diagnose.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { filesBelow } from '../support/paths.ts';
import { isAlive } from '../support/processes.ts';
import { noSmallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { waitFor } from '../support/wait.ts';
import { sample, serverPid } from './mcp/mcp-kit.ts';

const programAt = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const mcpConfig = [JSON.stringify({ mcpServers: { sample: sample() } })];

test(
  'a full disk in the middle of a turn is one clear error, and nothing of the turn keeps running',
  { skip: noSmallDisk },
  async (t) => {
    const folder = temporaryFolder(t);
    const [disk, kept] = [path.join(folder, 'disk'), path.join(folder, 'kept')];
    mkdirSync(disk);
    const script = 'mount -t tmpfs -o size=128k tmpfs "$0" && "$@"; cp -r "$0" "$KEPT"';
    const child = [process.execPath, programAt('full-disk-agent.js'), disk, folder];
    const env = { ...process.env, KEPT: kept };
    const run = spawnSync('unshare', ['-rm', 'sh', '-c', script, disk, ...child], { encoding: 'utf8', env });
    const { outcome, pids } = JSON.parse(run.stdout || '{}') as { readonly outcome: string; readonly pids: number[] };
    assert.match(outcome, /^UserError: cannot write .* \(ENOSPC\)/, run.stderr);
    assert.deepEqual([pids.length, pids.filter(isAlive)], [2, []]);
    for (const file of filesBelow(kept, '.jsonl')) {
      const { findings } = await diagnoseSession(await loadSession(file));
      assert.deepEqual(
        findings.filter(({ severity }) => severity !== 'info'),
        [],
        file,
      );
    }
  },
);

test('SIGTERM in the middle of everything leaves no process, and a session that can be resumed', async (t) => {
  const folder = temporaryFolder(t);
  const pidFile = path.join(folder, 'pids');
  const [config = ''] = mcpConfig;
  const child = spawn(process.execPath, [programAt('signalled-agent.js'), folder, pidFile, config], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (bytes: Buffer) => {
    printed += bytes.toString();
  });
  const pidsOf = (): number[] =>
    (existsSync(pidFile) ? readFileSync(pidFile, 'utf8') : '').split('\n').filter(Boolean).map(Number);
  await waitFor(
    () => pidsOf().length === 2 && printed.includes('\\"pid\\":'),
    () => printed,
  );
  const [, second = '[]'] = printed.split('\n');
  const pids = [...pidsOf(), serverPid(JSON.parse(second))];
  assert.deepEqual(pids.map(isAlive), [true, true, true]);
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('close', resolve));
  assert.deepEqual(pids.map(isAlive), [false, false, false]);
  const file = /^closed (.*)$/m.exec(printed)?.[1] ?? '';
  const { findings } = await diagnoseSession(await loadSession(file));
  assert.deepEqual(
    findings.filter(({ severity }) => severity !== 'info'),
    [],
  );
});
