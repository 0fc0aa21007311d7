// The order in which the archive writes, syncs and deletes, so that a program killed at any moment leaves whole sessions.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { refusalOf } from '../../support/refusal.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { watchDisk } from './disk-log.ts';

const locked = ['write archive/lock.RANDOM ', 'link archive/lock', 'remove archive/lock.RANDOM'];
const written = (pack: string): string[] => [
  'sync archive/.clew-RANDOM.tmp',
  `rename archive/.clew-RANDOM.tmp to ${pack}`,
  'sync archive',
];
/** What the packs have is noted: before that, it counts as what a killed run left. */
const committed = ['write archive/.clew-RANDOM.tmp ', 'write archive/.clew-RANDOM.tmp ', ...written('committed')];

// One test for all: modules keep the functions that they imported when they were loaded.
test('the archive writes, syncs and deletes in the order that its page promises', async (t) => {
  const temp = temporaryFolder(t);
  const folder = path.join(temp, 'archive');
  const log = watchDisk(t, temp);
  const { archiveSessions } = await import('../../../src/library/archive/archive.ts');
  const { purgeVersions } = await import('../../../src/library/archive/purge.ts');
  const { removeSession } = await import('../../../src/library/archive/remove.ts');
  const { restoreSession } = await import('../../../src/library/archive/restore.ts');
  writeTree(temp, { 'projects/-p/one.jsonl': line('one'), 'projects/-p/one/tool-results/a.txt': 'out' });
  const main = path.join(temp, 'projects/-p/one.jsonl');
  const archive = (packBytes?: number) =>
    archiveSessions([{ path: main }], { folder, ...(packBytes ? { packBytes } : {}) });
  const steps = async (work: () => Promise<unknown>): Promise<string[]> => {
    log.events.length = 0;
    await work();
    return [...log.events];
  };

  await t.test('the name of a pack, then its blocks, then the session are on the disk, under the lock', async () => {
    assert.deepEqual(await steps(archive), [
      'sync .',
      ...locked,
      ...committed,
      'sync archive',
      'write archive/000001.pack chunks',
      'sync archive/000001.pack',
      'write archive/000001.pack session',
      'sync archive/000001.pack',
      ...committed,
      'remove archive/lock',
    ]);
  });

  await t.test('a full pack is on the disk before the next one begins', async () => {
    writeFileSync(main, line('one') + line('two'));
    assert.deepEqual(await steps(() => archive(100)), [
      ...locked,
      'sync archive/000001.pack',
      ...committed,
      'sync archive',
      'write archive/000002.pack chunks',
      'sync archive/000002.pack',
      ...committed,
      'sync archive',
      'sync archive/000003.pack',
      'write archive/000003.pack session',
      'sync archive/000003.pack',
      ...committed,
      'remove archive/lock',
    ]);
  });

  await t.test('a session that needs no new block still waits for what a killed writer left', async () => {
    utimesSync(main, 2000, 2000);
    assert.deepEqual(await steps(archive), [
      ...locked,
      'sync archive/000003.pack',
      'write archive/000003.pack session',
      'sync archive/000003.pack',
      ...committed,
      'remove archive/lock',
    ]);
  });

  await t.test('what could not be written whole is cut off, and the lock is given up', async () => {
    const pack = path.join(folder, '000003.pack');
    const before = readFileSync(pack);
    appendFileSync(main, line('three'));
    log.failNextWrite(pack, 'ENOSPC');
    log.events.length = 0;
    assert.deepEqual(await refusalOf(archive()), {
      message: `cannot write ${pack} (ENOSPC); make room on the disk and run it again`,
      exitCode: 2,
    });
    assert.deepEqual(log.events, [
      ...locked,
      `truncate archive/000003.pack to ${before.length}`,
      'remove archive/lock',
    ]);
    assert.deepEqual(readFileSync(pack), before);
  });

  await t.test(
    'a purge first marks that it has begun, drops the records of all packs, and only then empties chunks',
    async () => {
      assert.deepEqual(await steps(() => purgeVersions(() => true, { folder })), [
        ...locked,
        'sync archive/.clew-RANDOM.tmp',
        'link archive/purging',
        'sync archive',
        'remove archive/.clew-RANDOM.tmp',
        ...['000001.pack', '000003.pack', '000001.pack', '000002.pack'].flatMap((pack) => [
          ...committed,
          ...written(pack),
        ]),
        ...committed,
        'remove archive/purging',
        'remove archive/lock',
      ]);
    },
  );

  await t.test('a session is deleted when its copy is on the disk, its main transcript last', async () => {
    utimesSync(main, 3000, 3000);
    const env = { ...process.env, CLEW_HOME: temp };
    assert.deepEqual(await steps(() => removeSession(main, { folder, env })), [
      ...locked,
      'sync archive',
      'write archive/000003.pack chunks',
      'sync archive/000003.pack',
      'write archive/000003.pack session',
      'sync archive/000003.pack',
      ...committed,
      'remove archive/lock',
      'remove projects/-p/one/tool-results/a.txt',
      'remove projects/-p/one.jsonl',
    ]);
  });

  await t.test('a restored file has its name when it is on the disk, the main transcript last', async () => {
    const restored = await steps(() => restoreSession('one', { folder }));
    assert.deepEqual(
      restored.filter((event) => !event.startsWith('remove')),
      [
        'sync projects/-p/one',
        'sync projects/-p',
        'sync projects/-p/one/tool-results/.clew-RANDOM.tmp',
        'link projects/-p/one/tool-results/a.txt',
        'sync projects/-p/one/tool-results',
        'sync projects/-p/.clew-RANDOM.tmp',
        'link projects/-p/one.jsonl',
        'sync projects/-p',
      ],
    );
    assert.equal(readFileSync(main, 'utf8'), line('one') + line('two') + line('three'));
  });
});

function line(text: string): string {
  return `{"type":"user","uuid":"u","text":"${text} ${'0123456789abcdef'.repeat(4)}"}\n`;
}
