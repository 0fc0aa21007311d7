// Copies that must not be kept are taken out of the archive: their bytes are nowhere in it any more, all others are.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { archiveSessions } from '../../../src/library/archive/archive.ts';
import { ChunkReader } from '../../../src/library/archive/pack/chunks.ts';
import { readContents } from '../../../src/library/archive/pack/contents.ts';
import { isRecord, readRange, scanPack } from '../../../src/library/archive/pack/record.ts';
import { purgeVersions } from '../../../src/library/archive/purge.ts';
import { restoreSession } from '../../../src/library/archive/restore.ts';
import { verifyArchive } from '../../../src/library/archive/verify.ts';
import { holdings } from '../../support/archive-kit.ts';
import { filesBelow } from '../../support/paths.ts';
import { refusalOf } from '../../support/refusal.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const ids = ['11111111-1111-4111-a111-111111111111', '22222222-2222-4222-a222-222222222222'] as const;

test('bytes that only the purged copies hold are gone from the archive, and every other copy can be restored', async (t) => {
  const { archive, mains } = await twoSessions(t);
  const [first, second] = mains;
  const before = holdings(archive);
  assert.deepEqual(await purge(archive, ids[0]), { versions: 2, chunks: 4 });
  assert.deepEqual(holdings(archive), { [second]: before[second] });
  const { damage, broken, versions } = await verifyArchive({ folder: archive });
  assert.deepEqual({ damage, broken, versions }, { damage: [], broken: [], versions: 1 });
  const chunks = allChunks(archive);
  assert.ok(chunks.includes('shared line') && chunks.includes('of the second'));
  for (const gone of ['of the first', 'added later', ids[0]]) assert.ok(!chunks.includes(gone), gone);
  const kept = readFileSync(second);
  writeFileSync(second, '');
  await restoreSession(ids[1], { folder: archive, isForced: true });
  assert.deepEqual(readFileSync(second), kept);
  assert.ok(existsSync(first));
});

test('of purged chunks neither bytes nor hash are left, and the numbers of the others stay', async (t) => {
  const { archive, mains } = await twoSessions(t);
  const [first, second] = mains;
  const sound = readFileSync(second);
  await purge(archive, ids[0]);
  const { blocks, next } = readContents(archive);
  // Two lines and a group, then the second session's line and group, then what the first one was given later.
  assert.deepEqual(
    blocks.map(({ header }) => [header.first, header.count]),
    [
      [0, 5],
      [5, 2],
    ],
  );
  assert.equal(next, 7);
  const hashes = blocks.flatMap(({ pack, bodyOffset, header }) =>
    Array.from({ length: header.count }, (_, i) => readRange(pack, bodyOffset + i * 16, 16).equals(Buffer.alloc(16))),
  );
  assert.deepEqual(hashes, [false, true, true, false, false, true, true]);
  // Chunks of the same bytes get numbers of their own again.
  const again = readFileSync(first);
  await archiveSessions([{ path: first }], { folder: archive });
  for (const [id, file, bytes] of [
    [ids[0], first, again],
    [ids[1], second, sound],
  ] as const) {
    writeFileSync(file, 'lost');
    await restoreSession(id, { folder: archive, isForced: true });
    assert.deepEqual(readFileSync(file), bytes);
  }
});

test('one copy of several can be purged: the others keep the lines that they share with it', async (t) => {
  const { archive, mains } = await twoSessions(t);
  const [first] = mains;
  const latest = readFileSync(first);
  assert.deepEqual(await purgeVersions(({ files }) => files[0]?.sizeBytes !== latest.length, { folder: archive }), {
    versions: 2,
    chunks: 3,
  });
  writeFileSync(first, '');
  await restoreSession(ids[0], { folder: archive, isForced: true });
  assert.deepEqual(readFileSync(first), latest);
});

test('a purge waits for the archiver that holds the lock', async (t) => {
  const { archive } = await twoSessions(t);
  const [pack = ''] = filesBelow(archive, '.pack');
  const before = readFileSync(pack);
  const lock = { pid: process.pid, started: null, host: hostname(), token: 'x' };
  writeFileSync(path.join(archive, 'lock'), JSON.stringify(lock));
  const refusal = await refusalOf(purgeVersions(() => true, { folder: archive, waitMs: 0 }));
  assert.match(refusal?.message ?? 'none', /^another clew \(process \d+ on .*\) is writing to the archive/);
  assert.deepEqual(readFileSync(pack), before);
});

test('a session is archived again after its copies were purged', async (t) => {
  const { archive, mains } = await twoSessions(t);
  await purge(archive, ids[0]);
  await archiveSessions([{ path: mains[0] }], { folder: archive });
  const { damage, broken, versions } = await verifyArchive({ folder: archive });
  assert.deepEqual({ damage, broken, versions }, { damage: [], broken: [], versions: 2 });
});

test('a purge that was killed with the records gone and the chunks still there is completed by the next one', async (t) => {
  const { archive } = await twoSessions(t);
  const [pack = ''] = filesBelow(archive, '.pack');
  const records = [...scanPack(pack)].filter(isRecord);
  const kept = records.filter(({ header }, i) => header.kind === 'chunks' || i === secondSession);
  const parts = kept.map(({ offset, bodyOffset, header }) =>
    readRange(pack, offset, bodyOffset + header.bodyBytes - offset),
  );
  writeFileSync(pack, Buffer.concat(parts));
  rmSync(path.join(archive, 'committed'));
  const noMore = (): ReturnType<typeof purgeVersions> => purgeVersions(() => false, { folder: archive });
  assert.deepEqual(await noMore(), { versions: 0, chunks: 0 });
  assert.ok(allChunks(archive).includes('of the first'));
  writeFileSync(path.join(archive, 'purging'), 'a purge has begun\n');
  assert.deepEqual(await noMore(), { versions: 0, chunks: 4 });
  assert.ok(!allChunks(archive).includes('of the first'));
  assert.ok(!existsSync(path.join(archive, 'purging')));
  const { broken, versions } = await verifyArchive({ folder: archive });
  assert.deepEqual({ broken, versions }, { broken: [], versions: 1 });
});

/** The place of its record in the pack: chunks, the first session, the second one, … */
const secondSession = 2;

test('an archive whose references cannot be read is left alone', async (t) => {
  const { archive } = await twoSessions(t);
  const [pack = ''] = filesBelow(archive, '.pack');
  const bytes = readFileSync(pack);
  bytes[bytes.length - 5] = (bytes.at(-5) ?? 0) ^ 0xff;
  writeFileSync(pack, bytes);
  await assert.rejects(purge(archive, ids[0]), /the archive is damaged .* nothing was taken out of it/);
  assert.deepEqual(readFileSync(pack), bytes);
});

async function twoSessions(t: TestContext): Promise<{ archive: string; mains: readonly [string, string] }> {
  const folder = temporaryFolder(t);
  const archive = path.join(folder, 'archive');
  const main = (id: string): string => path.join(folder, 'library/projects/-w', `${id}.jsonl`);
  const line = (text: string): string => `{"type":"user","text":"${text}"}\n`;
  writeTree(path.join(folder, 'library/projects/-w'), {
    [`${ids[0]}.jsonl`]: line('shared line') + line('of the first'),
    [`${ids[1]}.jsonl`]: line('shared line') + line('of the second'),
  });
  const mains = [main(ids[0]), main(ids[1])] as const;
  await archiveSessions(
    mains.map((each) => ({ path: each })),
    { folder: archive },
  );
  writeFileSync(mains[0], `${readFileSync(mains[0], 'utf8')}${line('added later')}`);
  await archiveSessions([{ path: mains[0] }], { folder: archive });
  return { archive, mains };
}

function purge(archive: string, id: string): ReturnType<typeof purgeVersions> {
  return purgeVersions(({ sessionId }) => sessionId === id, { folder: archive });
}

function allChunks(archive: string): string {
  const contents = readContents(archive);
  const reader = new ChunkReader(contents);
  return Array.from({ length: contents.next }, (_, chunk) => reader.read(chunk).toString('latin1')).join('\n');
}
