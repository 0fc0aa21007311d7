// An archive with every kind of damage: what is still whole comes back with its original bytes, the rest is named, and
// the next run completes what a killed one left.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { archiveSessions } from '../../../src/library/archive/archive.ts';
import { readContents } from '../../../src/library/archive/pack/contents.ts';
import { serialiseManifest } from '../../../src/library/archive/pack/manifest.ts';
import { bodyHash, codecs, makeRecord } from '../../../src/library/archive/pack/record.ts';
import { restoreSession } from '../../../src/library/archive/restore.ts';
import { verifyArchive } from '../../../src/library/archive/verify.ts';
import { snapshot } from '../../support/archive-kit.ts';
import { refusalOf } from '../../support/refusal.ts';
import { assertAllComeBack, ids, packsOf, threeSessions } from './damage-kit.ts';

test('a block that reached the disk in part, without its session, is written again', async (t) => {
  const { temp, folder, records, mains, commits } = await threeSessions(t);
  const [pack = ''] = packsOf(folder);
  const before = snapshot(path.join(temp, 'projects'));
  const bytes = readFileSync(pack);
  // Chunks and session, three times: the last block stays, its session does not.
  const [block, session] = records.slice(-2);
  assert.deepEqual([block?.kind, session?.kind], ['chunks', 'session']);
  const torn = Buffer.from(bytes.subarray(0, block?.end));
  torn.fill(0, torn.length - 20);
  writeFileSync(pack, torn);
  writeFileSync(path.join(folder, 'committed'), commits[1] ?? '');
  await archiveSessions(mains, { folder });
  assert.deepEqual((await verifyArchive({ folder })).broken, []);
  assert.deepEqual((await verifyArchive({ folder })).damage, []);
  await assertAllComeBack(folder, temp, before, 'a torn block');
});

test('a manifest that leads out of its folder, or is written with an unknown codec, is damage', async (t) => {
  const { folder } = await threeSessions(t);
  // What is not committed counts only if it is whole.
  rmSync(path.join(folder, 'committed'));
  const file = { path: 'x.jsonl', sizeBytes: 1, mtimeMs: 1, mode: 0o600, sha256: '', groups: [] };
  const manifest = { sessionId: 'x', projects: '/p', slug: '-p', archivedAtMs: 1, files: [file] };
  const bad = [
    ...['../x.jsonl', '/etc/x', 'a/../../x', 'a//b', '.', ''].map((name) => ({
      ...manifest,
      files: [{ ...file, path: name }],
    })),
    ...['..', '.', '', 'a/b', '/etc'].map((slug) => ({ ...manifest, slug })),
    { ...manifest, files: [] },
  ];
  for (const value of bad) {
    writeFileSync(path.join(folder, '000002.pack'), await recordOf(JSON.stringify(value)));
    const { sessions, damage } = readContents(folder);
    assert.deepEqual(
      [sessions.size, damage.map(({ message }) => message)],
      [3, ['the record of a session is not a manifest', 'the committed sums are missing']],
      JSON.stringify(value),
    );
  }
  writeFileSync(path.join(folder, '000002.pack'), await recordOf(JSON.stringify(manifest), 'zip'));
  assert.deepEqual(
    readContents(folder).damage.map(({ message }) => message),
    ['a session is written with "zip", which this Clew does not know', 'the committed sums are missing'],
  );
  writeFileSync(path.join(folder, '000002.pack'), await recordOf(JSON.stringify(manifest)));
  assert.equal(readContents(folder).sessions.size, 4);
});

test('packs are read by their numbers, so that the latest copy is the one that was written last', async (t) => {
  const { temp, folder, mains } = await threeSessions(t);
  const [main] = mains;
  assert.ok(main !== undefined);
  for (const word of ['later', 'latest']) {
    appendFileSync(main.path, `{"text":"${word}"}\n`);
    await archiveSessions([main], { folder, packBytes: 1 });
  }
  const latest = readFileSync(main.path);
  assert.deepEqual(
    packsOf(folder).map((pack) => path.basename(pack)),
    ['000001.pack', '000002.pack', '000003.pack', '000004.pack', '000005.pack'],
  );
  // As a text, this name comes before 000002.
  renameSync(path.join(folder, '000005.pack'), path.join(folder, '0000010.pack'));
  const { path: restored } = await restoreSession(ids[0] ?? '', { folder, to: path.join(temp, 'to') });
  assert.deepEqual(readFileSync(restored), latest);
});

test('bytes whose blocks are sound but that are not those that were archived are not restored', async (t) => {
  const { temp, folder } = await threeSessions(t);
  rmSync(path.join(folder, 'committed'));
  const [manifest] = [...readContents(folder).sessions.values()].flatMap(({ versions }) => versions);
  assert.ok(manifest !== undefined);
  const files = manifest.files.map((file, i) => (i === 0 ? { ...file, sha256: 'f'.repeat(64) } : file));
  writeFileSync(path.join(folder, '000002.pack'), await recordOf(serialiseManifest({ ...manifest, files })));
  const { damage, broken } = await verifyArchive({ folder });
  assert.deepEqual(
    [damage.map(({ message }) => message), broken.map(({ version, file, reason }) => [version, file, reason])],
    [['the committed sums are missing'], [[2, `${ids[0]}.jsonl`, 'its bytes are not those that were archived']]],
  );
  const to = path.join(temp, 'to');
  const refusal = await refusalOf(restoreSession(ids[0] ?? '', { folder, to }));
  assert.match(refusal?.message ?? 'none', /cannot be read: its bytes are not those that were archived/);
  assert.ok(!existsSync(to));
});

test('a damaged file is named for every copy that holds it', async (t) => {
  const { folder, mains, records } = await threeSessions(t);
  const [main] = mains;
  const [block] = records;
  const [pack] = packsOf(folder);
  assert.ok(main !== undefined && block !== undefined && pack !== undefined);
  appendFileSync(main.path, '{"text":"later"}\n');
  await archiveSessions([main], { folder });
  const bytes = readFileSync(pack);
  bytes.fill(0, block.end - 8, block.end);
  writeFileSync(pack, bytes);
  assert.deepEqual(
    (await verifyArchive({ folder })).broken.map(({ version, file }) => [version, file.replace(ids[0] ?? '', 'ID')]),
    [
      [1, 'ID.jsonl'],
      [1, 'ID/tool-results/a.txt'],
      [2, 'ID.jsonl'],
      [2, 'ID/tool-results/a.txt'],
    ],
  );
});

/** The record of a session with any content. */
async function recordOf(text: string | Buffer, codec = 'brotli'): Promise<Buffer> {
  const raw = Buffer.from(text);
  const body = await codecs.brotli.compress(raw);
  const header = { kind: 'session', codec, next: 0, rawBytes: raw.length, bodyBytes: body.length } as const;
  return makeRecord({ ...header, sha256: bodyHash(body) }, [body]);
}
