// Small libraries into the archive and back: what is read, what is written, and that every byte comes back.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { archiveSessions } from '../../../src/library/archive/archive.ts';
import { readContents } from '../../../src/library/archive/pack/contents.ts';
import { restoreSession } from '../../../src/library/archive/restore.ts';
import { verifyArchive } from '../../../src/library/archive/verify.ts';
import { forkByClient, forkBySdk, holdings, randomUuid, setWholeTimes, snapshot } from '../../support/archive-kit.ts';
import { refusalOf } from '../../support/refusal.ts';
import { assistant, sessionText, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

test('archive, delete, restore: every byte, mode and time is back, however odd the lines are', async (t) => {
  const temp = temporaryFolder(t);
  const { folder, main, other } = twoSessions(temp);
  const uuid = 'aaaaaaaa-1111-4111-8111-aaaaaaaaaaaa';
  const odd = [
    '',
    '\n',
    'no newline at the end',
    `{"uuid":"${uuid}","parentUuid":"${uuid}"}\n{"uuid":"${uuid.toUpperCase()}"}\r\n\n\n`,
    '\xff\xfe bytes that mark something in the archive itself\xff}\n\xfe}\n',
    `,"forkedFrom":{"sessionId":"${uuid}","messageUuid":"${uuid}"}}\n`,
    `{"long":"${'x'.repeat(3_000_000)}"}\n`,
    // Equal beginnings, equal lengths, equal endings: only whole lines may count as equal.
    ...['a', 'b', 'c'].map((letter) => `${'same '.repeat(40)}${letter}${' same'.repeat(40)}\n`),
  ];
  const mains = odd.map((text, i) => {
    const file = path.join(path.dirname(main), `${String(i).repeat(8)}-2222-4222-8222-222222222222.jsonl`);
    writeFileSync(file, text, 'latin1');
    return file;
  });
  writeTree(main.slice(0, -'.jsonl'.length), { 'tool-results/odd.txt': 'x\n'.repeat(70_000), 'empty.txt': '' });
  chmodSync(main, 0o640);
  setWholeTimes(path.join(temp, 'projects'));
  utimesSync(main, 1_600_000_000, 1_600_000_000.25);
  const before = snapshot(path.join(temp, 'projects'));
  const sessions = [main, other, ...mains].map((each) => ({ path: each }));
  await archiveSessions(sessions, { folder, blockBytes: 20_000, packBytes: 30_000 });
  const { files, sizeBytes, damage, broken } = await verifyArchive({ folder });
  assert.deepEqual(
    { files, sizeBytes, damage, broken },
    { files: before.size, sizeBytes: bytesOf(before), damage: [], broken: [] },
  );
  rmSync(path.join(temp, 'projects'), { recursive: true });
  for (const { path: each } of sessions) await restoreSession(each, { folder });
  assert.deepEqual(new Map([...snapshot(path.join(temp, 'projects'))].sort()), new Map([...before].sort()));
});

test('a line is stored once, whatever number of sessions holds it: forks of both kinds add no line', async (t) => {
  const temp = temporaryFolder(t);
  const id = '11111111-1111-4111-8111-111111111111';
  const main = path.join(temp, 'projects/-p', `${id}.jsonl`);
  const lines = Array.from({ length: 40 }, (_, i) => user(`line ${i}`));
  writeTree(temp, { [`projects/-p/${id}.jsonl`]: sessionText([...lines, user('line 0')], { sessionId: id }) });
  const folder = path.join(temp, 'archive');
  const chunksAfter = async (sessionPath: string): Promise<number> => {
    setWholeTimes(path.dirname(main));
    await archiveSessions([{ path: sessionPath }], { folder });
    return readContents(folder).next;
  };
  const first = await chunksAfter(main);
  const [byClient, bySdk] = [randomUuid(), randomUuid()];
  forkByClient(main, byClient);
  // All lines and all groups are there.
  assert.equal(await chunksAfter(path.join(path.dirname(main), `${byClient}.jsonl`)), first);
  forkBySdk(main, bySdk);
  // Other ids in other groups, but no new line.
  const groups = (await chunksAfter(path.join(path.dirname(main), `${bySdk}.jsonl`))) - first;
  assert.ok(groups >= 1 && groups <= 3, `${groups} new chunks`);
  for (const each of [byClient, bySdk]) {
    const file = path.join(path.dirname(main), `${each}.jsonl`);
    const before = snapshot(path.dirname(main));
    rmSync(file);
    await restoreSession(each, { folder });
    assert.deepEqual(snapshot(path.dirname(main)), before);
  }
});

test('a file that goes away while it is read fails its session, and no copy without it is made', async (t) => {
  const temp = temporaryFolder(t);
  const { folder, main, other } = twoSessions(temp);
  const side = path.join(main.slice(0, -'.jsonl'.length), 'custom-title.json');
  const { sessions } = await archiveSessions([{ path: main }, { path: other }], {
    folder,
    onStart: () => rmSync(side),
  });
  assert.deepEqual(
    sessions.map(({ outcome, problem }) => [outcome, problem]),
    [
      ['failed', `cannot read ${side} (ENOENT)`],
      ['archived', undefined],
    ],
  );
  assert.deepEqual(Object.keys(holdings(folder)), [other]);
});

test('the same size with another time, and the same time with another size, are a change', async (t) => {
  const temp = temporaryFolder(t);
  const { folder, main } = twoSessions(temp);
  const side = path.join(main.slice(0, -'.jsonl'.length), 'custom-title.json');
  const outcome = async (): Promise<string | undefined> =>
    (await archiveSessions([{ path: main }], { folder })).sessions[0]?.outcome;
  utimesSync(side, 1000, 1000);
  assert.deepEqual([await outcome(), await outcome()], ['archived', 'unchanged']);
  writeFileSync(side, '[]\r\n');
  utimesSync(side, 2000, 2000);
  assert.deepEqual([await outcome(), await outcome()], ['archived', 'unchanged']);
  writeFileSync(side, 'longer than before');
  utimesSync(side, 2000, 2000);
  assert.deepEqual([await outcome(), await outcome()], ['archived', 'unchanged']);
  assert.equal(holdings(folder)[main]?.length, 3);
});

test('what is unchanged is not read; what is new in a session is all that is added', async (t) => {
  const temp = temporaryFolder(t);
  const { folder, main, other } = twoSessions(temp);
  let read = 0;
  const archive = async (): Promise<(readonly [string, number])[]> => {
    read = 0;
    const report = await archiveSessions([{ path: main }, { path: other }], {
      folder,
      onRead: (bytes) => {
        read += bytes;
      },
    });
    return report.sessions.map((session) => [session.outcome, session.files] as const);
  };
  assert.deepEqual(await archive(), [
    ['archived', 3],
    ['archived', 1],
  ]);
  assert.equal(read, 4 + statSync(main).size + statSync(other).size + '{"agent":1}\n'.length);
  const size = archiveSize(folder);
  assert.deepEqual(
    [await archive(), read, archiveSize(folder)],
    [
      [
        ['unchanged', 3],
        ['unchanged', 1],
      ],
      0,
      size,
    ],
  );
  appendFileSync(main, sessionText([user('more')]));
  assert.deepEqual(await archive(), [
    ['archived', 3],
    ['unchanged', 1],
  ]);
  assert.ok(archiveSize(folder) - size < 2000, `${archiveSize(folder) - size} bytes for one line`);
  assert.equal(holdings(folder)[main]?.length, 2);
  // Only its time changed: it is read, and the copy it has is the copy it had.
  utimesSync(main, 1000, 1000);
  await archive();
  assert.equal(holdings(folder)[main]?.length, 2);
  assert.deepEqual([await archive(), read].flat(2), ['unchanged', 3, 'unchanged', 1, 0]);
});

test('files that come and go are noticed, and every file in the side folder is kept', async (t) => {
  const temp = temporaryFolder(t);
  const { folder, main } = twoSessions(temp);
  const side = main.slice(0, -'.jsonl'.length);
  await archiveSessions([{ path: main }], { folder });
  writeTree(side, { 'tool-results/x.txt': 'out\n', 'unknown/future.bin': Buffer.from([0, 255, 10, 254]) });
  symlinkSync(path.join(side, 'tool-results/x.txt'), path.join(side, 'link.txt'));
  symlinkSync(temp, path.join(side, 'way-out'));
  await archiveSessions([{ path: main }], { folder });
  rmSync(path.join(side, 'unknown'), { recursive: true });
  await archiveSessions([{ path: main }], { folder });
  const versions = [...readContents(folder).sessions.values()][0]?.versions ?? [];
  const id = path.basename(side);
  assert.deepEqual(
    versions.map((version) => version.files.map((file) => file.path.replace(id, 'ID'))),
    [
      ['ID.jsonl', 'ID/custom-title.json', 'ID/subagents/agent-a1.jsonl'],
      [
        'ID.jsonl',
        'ID/custom-title.json',
        'ID/link.txt',
        'ID/subagents/agent-a1.jsonl',
        'ID/tool-results/x.txt',
        'ID/unknown/future.bin',
      ],
      ['ID.jsonl', 'ID/custom-title.json', 'ID/link.txt', 'ID/subagents/agent-a1.jsonl', 'ID/tool-results/x.txt'],
    ],
  );
});

test('a session that cannot be read is named and keeps no other from being archived', async (t) => {
  const temp = temporaryFolder(t);
  const { folder, main, other } = twoSessions(temp);
  rmSync(main);
  rmSync(main.replace(/\.jsonl$/, ''), { recursive: true });
  const { sessions } = await archiveSessions([{ path: main }, { path: other }], { folder });
  assert.deepEqual(
    sessions.map(({ outcome, problem }) => [outcome, problem]),
    [
      ['failed', `cannot read ${main} (ENOENT)`],
      ['archived', undefined],
    ],
  );
  assert.deepEqual(Object.keys(holdings(folder)), [other]);
  mkdirSync(main);
  const again = await archiveSessions([{ path: main }], { folder });
  assert.equal(again.sessions[0]?.problem, `cannot read ${main} (EISDIR)`);
});

test('while another process holds the lock nothing is written, and what it archived meanwhile is not archived again', async (t) => {
  const temp = temporaryFolder(t);
  const { folder, main, other } = twoSessions(temp);
  await archiveSessions([{ path: other }], { folder });
  const before = archiveSize(folder);
  const lock = path.join(folder, 'lock');
  const held = JSON.stringify({ pid: process.pid, started: null, host: hostname(), token: 'x' });
  writeFileSync(lock, held);
  const refusal = await refusalOf(archiveSessions([{ path: main }], { folder, waitMs: 0 }));
  assert.deepEqual([refusal?.exitCode, archiveSize(folder)], [3, before]);
  let done: Promise<void> | undefined;
  // The other archiver, which has the lock, archives the same session and lets go of it.
  const waiting = archiveSessions([{ path: main }], {
    folder,
    onWait: () => {
      const elsewhere = path.join(temp, 'elsewhere');
      cpSync(folder, elsewhere, { recursive: true });
      rmSync(path.join(elsewhere, 'lock'));
      done = archiveSessions([{ path: main }], { folder: elsewhere }).then(() => {
        cpSync(elsewhere, folder, { recursive: true });
        rmSync(lock);
      });
    },
  });
  const report = await waiting;
  await done;
  assert.deepEqual([report.storedBytes, report.sessions[0]?.outcome], [0, 'unchanged']);
  assert.equal(holdings(folder)[main]?.length, 1);
});

test('a dry run writes nothing, not even a folder', async (t) => {
  const temp = temporaryFolder(t);
  const { folder, main } = twoSessions(temp);
  const { sessions } = await archiveSessions([{ path: main }], { folder, isDryRun: true });
  assert.deepEqual([sessions.map((session) => session.outcome), readdirSync(temp)], [['archived'], ['projects']]);
});

/** Two sessions in one folder; the first has side files. */
function twoSessions(temp: string): { readonly folder: string; readonly main: string; readonly other: string } {
  const [first, second] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
  const project = path.join(temp, 'projects/-home-kim-project');
  writeTree(project, {
    [`${first}.jsonl`]: sessionText([user('hello'), assistant('hi '.repeat(4000))], { sessionId: first }),
    [`${first}/custom-title.json`]: '{}\r\n',
    [`${first}/subagents/agent-a1.jsonl`]: '{"agent":1}\n',
    [`${second}.jsonl`]: sessionText([user('other'), assistant('yes')], { sessionId: second }),
  });
  const at = (id: string): string => path.join(project, `${id}.jsonl`);
  return { folder: path.join(temp, 'archive'), main: at(first), other: at(second) };
}

function bytesOf(files: ReturnType<typeof snapshot>): number {
  return [...files.values()].reduce((sum, [bytes]) => sum + bytes.length, 0);
}

function archiveSize(folder: string): number {
  try {
    const packs = readdirSync(folder).filter((name) => name.endsWith('.pack'));
    return packs.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
  } catch {
    return 0;
  }
}
