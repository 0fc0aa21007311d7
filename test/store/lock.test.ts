import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { isAlive, withLock } from '../../src/store/lock.ts';
import { refusalOf } from '../support/refusal.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { waitFor } from '../support/wait.ts';

test('works of one folder run one after the other, and leave nothing behind', async (t) => {
  const folder = path.join(temporaryFolder(t), 'new');
  const events: string[] = [];
  const waited: string[] = [];
  const work = (name: string): Promise<void> =>
    withLock(folder, { onWait: (holder) => waited.push(holder) }, async () => {
      events.push(`${name} in`);
      await waitFor(() => waited.length === 2);
      events.push(`${name} out`);
    });
  await Promise.all([work('a'), work('b'), work('c')]);
  for (let i = 0; i < 6; i += 2) assert.equal(events[i]?.replace('in', 'out'), events[i + 1]);
  assert.deepEqual([events.length, waited], [6, Array(2).fill(`process ${process.pid} on ${hostname()}`)]);
  assert.deepEqual(readdirSync(folder), []);
});

test('a lock that another process has made its own meanwhile is not removed', async (t) => {
  const folder = temporaryFolder(t);
  const lock = path.join(folder, 'lock');
  const theirs = lockText(1, '1', 'elsewhere');
  await withLock(folder, {}, async () => writeFileSync(lock, theirs));
  assert.equal(readFileSync(lock, 'utf8'), theirs);
});

test('a lock is given up where the work fails', async (t) => {
  const folder = temporaryFolder(t);
  await assert.rejects(
    withLock(folder, {}, () => Promise.reject(new Error('planted'))),
    { message: 'planted' },
  );
  assert.deepEqual(readdirSync(folder), []);
});

test('the lock of a process that is gone, of one that has its number now, and a broken one hold nobody up', async (t) => {
  const folder = temporaryFolder(t);
  const gone = spawnSync(process.execPath, ['-e', 'console.log(process.pid)'], { encoding: 'utf8' }).stdout.trim();
  const texts = [
    lockText(Number(gone), '1', hostname()),
    ...(process.platform === 'linux' ? [lockText(process.pid, '1', hostname())] : []),
    '',
    '{"pid":"x"}',
  ];
  for (const text of texts) {
    writeFileSync(path.join(folder, 'lock'), text);
    assert.equal(await withLock(folder, { waitMs: 0 }, async () => 'done'), 'done');
    assert.deepEqual(readdirSync(folder), []);
  }
});

test(
  'a process that was killed and that its parent never asked for is gone',
  {
    skip: process.platform === 'linux' ? false : 'only Linux shows the state of a process',
  },
  async (t) => {
    // The shell becomes a program that waits for no child.
    const parent = spawn('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    t.after(() => parent.kill('SIGKILL'));
    const [line] = await once(parent.stdout, 'data');
    const pid = Number(String(line));
    await waitFor(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n');
    assert.equal(isAlive(pid), true);
    process.kill(pid, 'SIGKILL');
    await waitFor(() => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
    assert.equal(isAlive(pid), false);
    const folder = temporaryFolder(t);
    writeFileSync(path.join(folder, 'lock'), lockText(pid, null, hostname()));
    assert.equal(await withLock(folder, { waitMs: 0 }, async () => 'done'), 'done');
  },
);

test('the lock of a living process, or of another machine, is respected', async (t) => {
  const folder = temporaryFolder(t);
  const lock = path.join(folder, 'lock');
  for (const [text, who] of [
    [lockText(process.pid, null, hostname()), `process ${process.pid} on ${hostname()}`],
    [lockText(1, '1', 'elsewhere'), 'process 1 on elsewhere'],
  ] as const) {
    writeFileSync(lock, text);
    assert.deepEqual(await refusalOf(withLock(folder, { waitMs: 0 }, async () => 'done')), {
      message: `another clew (${who}) is writing to the archive; wait for it, or remove ${lock} if it is gone`,
      exitCode: 3,
    });
    assert.equal(readFileSync(lock, 'utf8'), text);
  }
});

function lockText(pid: number, started: string | null, host: string): string {
  return JSON.stringify({ pid, started, host, token: 'x' });
}
