import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { importsFolder, isAlive, removeAbandonedLocks, withLock, withWorkFolder } from '../../src/store/lock.ts';
import { filesBelow } from '../support/paths.ts';
import { refusalOf } from '../support/refusal.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
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

test('what killed processes left around a lock goes with the next holder; what a living one needs stays', async (t) => {
  const folder = temporaryFolder(t);
  const gone = lockText(goneProcess(), '1', hostname());
  const living = lockText(process.pid, null, hostname());
  const names = ['a', 'b', 'c', 'd'].map((letter) => `lock.${letter.repeat(16)}`);
  const texts = [gone, gone.slice(0, 9), '', living];
  for (const [i, name] of names.entries()) writeFileSync(path.join(folder, name), texts[i] ?? '');
  writeFileSync(path.join(folder, `lock.${'e'.repeat(16)}.${'f'.repeat(16)}`), gone);
  for (const name of ['lock.note', 'other', 'lock.abc']) writeFileSync(path.join(folder, name), gone);
  assert.equal(await withLock(folder, { waitMs: 0 }, async () => 'done'), 'done');
  assert.deepEqual(readdirSync(folder).sort(), [names[3], 'lock.abc', 'lock.note', 'other'].sort());
});

test('what killed processes left around the locks of a state goes; locks, work and files of living ones stay', async (t) => {
  const state = temporaryFolder(t);
  const gone = lockText(goneProcess(), '1', hostname());
  const imports = importsFolder(state);
  const left = [
    `purges.lock.${'a'.repeat(16)}`,
    ...['session-locks/x', 'push/store/push'].map((name) => `${name}.lock.${'b'.repeat(16)}`),
  ];
  const kept = ['session-locks/x.lock', 'session-locks/y.lock.note', 'other/z.lock.aaaaaaaaaaaaaaaa'];
  writeTree(state, Object.fromEntries([...left, ...kept, 'imports/killed.lock'].map((name) => [name, gone])));
  writeTree(imports, { 'killed/0/a.jsonl': '{}', 'unlocked/0/a.jsonl': '{}' });
  await withWorkFolder(imports, async (folder) => {
    writeTree(folder, { '0/a.jsonl': '{}' });
    removeAbandonedLocks(state);
    const own = path.join(path.relative(state, folder), '0/a.jsonl');
    const lock = `${path.relative(state, folder)}.lock`;
    assert.deepEqual(
      filesBelow(state, '')
        .map((file) => path.relative(state, file))
        .filter((name) => statSync(path.join(state, name)).isFile())
        .sort(),
      [...kept, own, lock].sort(),
    );
  });
  assert.deepEqual(readdirSync(imports), []);
});

test('an abandoned lock has one new holder, also if its breaker was killed or another breaker comes late', async (t) => {
  const folder = temporaryFolder(t);
  const lock = path.join(folder, 'lock');
  const gone = lockText(goneProcess(), '1', hostname());
  const breaker = `${lock}.${createHash('sha256').update(gone).digest('hex').slice(0, 16)}`;
  writeFileSync(lock, gone);
  writeFileSync(breaker, gone);
  let holders = 0;
  const works = Array.from({ length: 8 }, () =>
    withLock(folder, { pollMs: 1 }, async () => {
      assert.equal(++holders, 1);
      await new Promise((resolve) => setImmediate(resolve));
      holders--;
    }),
  );
  await Promise.all(works);
  assert.deepEqual(readdirSync(folder), []);
  // A living process is about to replace it: nobody else does.
  writeFileSync(lock, gone);
  writeFileSync(breaker, lockText(process.pid, null, hostname()));
  assert.equal((await refusalOf(withLock(folder, { waitMs: 0 }, async () => 'done')))?.exitCode, 3);
  assert.equal(readFileSync(lock, 'utf8'), gone);
});

test('a lock that cannot be read is not taken for abandoned', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(path.join(folder, 'lock'));
  const refusal = await refusalOf(withLock(folder, { waitMs: 0 }, async () => 'done'));
  assert.match(refusal?.message ?? '', /cannot read .*lock \(EISDIR\); /);
});

function goneProcess(): number {
  return Number(spawnSync(process.execPath, ['-e', 'console.log(process.pid)'], { encoding: 'utf8' }).stdout);
}

function lockText(pid: number, started: string | null, host: string): string {
  return JSON.stringify({ pid, started, host, token: 'x' });
}
