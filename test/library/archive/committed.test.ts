// The file of committed sums: what is missing from a pack is told from what a killed run left, whoever wrote the archive.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { archiveSessions } from '../../../src/library/archive/archive.ts';
import { type Committed, readCommitted, writeCommitted } from '../../../src/library/archive/pack/committed.ts';
import { isRecord, makeRecord, readRange, scanPack } from '../../../src/library/archive/pack/record.ts';
import { purgeVersions } from '../../../src/library/archive/purge.ts';
import { repairArchive } from '../../../src/library/archive/repair.ts';
import { restoreSession } from '../../../src/library/archive/restore.ts';
import { isDamaged, verifyArchive } from '../../../src/library/archive/verify.ts';
import { snapshot } from '../../support/archive-kit.ts';
import { refusalOf } from '../../support/refusal.ts';
import { type ArchivedSessions, assertAllComeBack, ids, packsOf, threeSessions } from './damage-kit.ts';

test('one byte less is damage: the session that lost it is named, the others can be restored', async (t) => {
  const { temp, folder, records } = await threeSessions(t);
  const [pack = ''] = packsOf(folder);
  truncateSync(pack, (records.at(-1)?.end ?? 0) - 1);
  const found = await verifyArchive({ folder });
  assert.ok(isDamaged(found));
  assert.deepEqual(
    found.verdicts.map(({ sessionId, title, isRestorable }) => [sessionId, title, isRestorable]),
    ids.map((id) => [id, titleOf(id), id !== ids[2]]),
  );
  const to = path.join(temp, 'to');
  await restoreSession(ids[0] ?? '', { folder, to });
  assert.deepEqual(await refusalOf(restoreSession(ids[2] ?? '', { folder, to })), {
    message: `the latest copy of session ${ids[2]} cannot be restored: its record is gone; run \`clew archive --verify\``,
    exitCode: 1,
  });
});

test('a torn end is not damage: it is named, and the next run drops it', async (t) => {
  const { folder, mains } = await threeSessions(t);
  const [pack = ''] = packsOf(folder);
  const bytes = readFileSync(pack);
  appendFileSync(pack, bytes.subarray(0, 100));
  const found = await verifyArchive({ folder });
  assert.deepEqual(
    [isDamaged(found), found.uncommitted],
    [false, [{ pack, offset: bytes.length, bytes: 100, soundBytes: 0, torn: [] }]],
  );
  const { notices } = await archiveSessions(mains, { folder });
  assert.deepEqual(notices, [`100 bytes of ${pack} were never committed and were dropped`]);
  assert.deepEqual(readFileSync(pack), bytes);
});

test('whole sessions that a killed run did not commit can be restored, and the next run commits them', async (t) => {
  const { temp, folder, mains, commits } = await threeSessions(t);
  const [pack = ''] = packsOf(folder);
  const before = snapshot(path.join(temp, 'projects'));
  const bytes = readFileSync(pack);
  writeFileSync(path.join(folder, 'committed'), commits[0] ?? '');
  await assertAllComeBack(folder, temp, before, 'not committed');
  assert.ok(!isDamaged(await verifyArchive({ folder })));
  const { storedBytes, notices } = await archiveSessions(mains, { folder });
  assert.deepEqual([storedBytes, notices, readFileSync(pack)], [0, [], bytes]);
  assert.deepEqual(committedIn(folder), parse(commits[2] ?? Buffer.alloc(0)));
});

test('what was never committed and may be more than a torn end is kept aside, with the sessions it held', async (t) => {
  const { folder, mains, commits, records } = await threeSessions(t);
  const [pack = ''] = packsOf(folder);
  const bytes = readFileSync(pack);
  // The block of the third session is damaged, its record is whole.
  const block = records.at(-2);
  assert.ok(block !== undefined);
  bytes.fill(0, block.end - 9, block.end);
  writeFileSync(pack, bytes);
  writeFileSync(path.join(folder, 'committed'), commits[1] ?? '');
  const { notices } = await archiveSessions(mains, { folder });
  const [name = ''] = readdirSync(path.join(folder, 'quarantine'));
  const kept = path.join(folder, 'quarantine', name, `000001.pack-from-${block.offset}`);
  assert.deepEqual(readFileSync(kept), bytes.subarray(block.offset));
  const size = bytes.length - block.offset;
  const what = `${size} bytes of ${pack} were never committed with 1 session (${mains[2]?.path}); they are now in ${kept}`;
  assert.deepEqual(notices, [what]);
  assert.ok(!isDamaged(await verifyArchive({ folder })));
});

test('an archive of an older Clew has no sums: it says so, and gets them when every copy was read back', async (t) => {
  const archived = await threeSessions(t);
  const { temp, folder, mains } = archived;
  const before = snapshot(path.join(temp, 'projects'));
  const pack = writeAsOlderClew(archived);
  const old = await verifyArchive({ folder });
  assert.deepEqual([old.sums, isDamaged(old)], ['none', false]);
  await assertAllComeBack(folder, temp, before, 'an older archive');
  const { notices, storedBytes } = await archiveSessions(mains, { folder });
  assert.deepEqual(
    [storedBytes, notices],
    [0, [`the archive ${folder} had no committed sums; 3 copies were read back and committed`]],
  );
  const { sums, damage } = await verifyArchive({ folder });
  assert.deepEqual([sums, damage], ['read', []]);
  truncateSync(pack, readFileSync(pack).length - 1);
  assert.ok(isDamaged(await verifyArchive({ folder })));
});

test('copies of an older archive that cannot be read back are not certified', async (t) => {
  const archived = await threeSessions(t);
  const { folder, mains } = archived;
  const pack = writeAsOlderClew(archived);
  const bytes = readFileSync(pack);
  const [first] = [...scanPack(pack)].filter(isRecord);
  assert.ok(first !== undefined);
  bytes.fill(0, first.bodyOffset + first.header.bodyBytes - 9, first.bodyOffset + first.header.bodyBytes);
  writeFileSync(pack, bytes);
  await archiveSessions(mains, { folder });
  assert.deepEqual(
    committedIn(folder).packs.flatMap(({ copies }) => copies.map(({ title }) => title)),
    [titleOf(ids[1] ?? ''), titleOf(ids[2] ?? '')],
  );
  assert.ok(isDamaged(await verifyArchive({ folder })));
});

test('sums that are lost or damaged are missed, kept aside and written again after everything was read', async (t) => {
  const { folder, mains } = await threeSessions(t);
  const file = path.join(folder, 'committed');
  const whole = readFileSync(file);
  const changed = (from: string, to: string): Buffer => {
    const text = whole.toString('latin1');
    assert.ok(text.includes(from), from);
    return Buffer.from(text.replace(from, to), 'latin1');
  };
  const damages = [
    undefined,
    Buffer.alloc(0),
    whole.subarray(0, -3),
    Buffer.from('x'),
    // Still a list of packs, or one of a newer Clew.
    changed('number 1111', 'number 9111'),
    changed('-committed 1 ', '-committed 2 '),
  ];
  for (const damage of damages) {
    if (damage === undefined) rmSync(file);
    else writeFileSync(file, damage);
    assert.ok(isDamaged(await verifyArchive({ folder })));
    const { notices } = await archiveSessions(mains, { folder });
    assert.equal(notices.length, damage === undefined ? 1 : 2);
    assert.deepEqual([readFileSync(file), isDamaged(await verifyArchive({ folder }))], [whole, false]);
  }
});

test('sums that cannot be read are not taken for missing ones', async (t) => {
  const { folder, mains } = await threeSessions(t);
  const file = path.join(folder, 'committed');
  const packs = packsOf(folder).map((pack) => readFileSync(pack));
  rmSync(file);
  mkdirSync(file);
  const works = [archiveSessions(mains, { folder }), verifyArchive({ folder }), repairArchive({ folder })];
  for (const refusal of await Promise.all(works.map(refusalOf)))
    assert.match(refusal?.message ?? 'none', /^cannot read \S+committed \(EISDIR\); [^\n]+$/);
  assert.deepEqual(
    packsOf(folder).map((pack) => readFileSync(pack)),
    packs,
  );
});

test('records of a newer Clew are never cut off, and nothing is written after them', async (t) => {
  const { folder, mains } = await threeSessions(t);
  const [pack = ''] = packsOf(folder);
  appendFileSync(pack, `clew-archive 2 ${'0'.repeat(16)} {"kind":"new"}\nbody`);
  appendFileSync(mains[0]?.path ?? '', '{"text":"later"}\n');
  const bytes = readFileSync(pack);
  const works = [archiveSessions(mains, { folder }), repairArchive({ folder })];
  for (const refusal of await Promise.all(works.map(refusalOf)))
    assert.deepEqual(refusal, {
      message: `the archive ${folder} was written by a newer Clew; nothing was written to it; update Clew`,
      exitCode: 3,
    });
  assert.deepEqual(readFileSync(pack), bytes);
  assert.ok(isDamaged(await verifyArchive({ folder })));
});

test('a purge that is killed before or after a pack got its new bytes leaves an archive that is whole', async (t) => {
  const { folder } = await threeSessions(t);
  const [pack = ''] = packsOf(folder);
  const [old, was] = [readFileSync(pack), committedIn(folder)];
  await purgeVersions(({ sessionId }) => sessionId === ids[1], { folder });
  const [now, is] = [readFileSync(pack), committedIn(folder)];
  const [before, after] = [was.packs[0], is.packs[0]];
  assert.ok(before !== undefined && after !== undefined);
  const becomes = { bytes: after.bytes, sha256: after.sha256 };
  for (const bytes of [old, now]) {
    writeFileSync(pack, bytes);
    writeCommitted(folder, { next: was.next, packs: [{ ...before, copies: after.copies, becomes }] });
    assert.ok(!isDamaged(await verifyArchive({ folder })));
    assert.deepEqual((await repairArchive({ folder })).steps, []);
    assert.deepEqual([readFileSync(pack), committedIn(folder).packs.length], [bytes, 1]);
    for (const id of [ids[0], ids[2]]) await restoreSession(id ?? '', { folder, to: path.join(folder, '../to') });
  }
});

test('a repair keeps the damaged pack aside, restores what is intact, and the next run archives the rest again', async (t) => {
  const { temp, folder, records, mains } = await threeSessions(t);
  const [pack = ''] = packsOf(folder);
  const before = snapshot(path.join(temp, 'projects'));
  const bytes = readFileSync(pack);
  const [block] = records;
  assert.ok(block !== undefined);
  bytes[block.header + 20] = (bytes[block.header + 20] ?? 0) ^ 1;
  writeFileSync(pack, bytes);
  const look = await repairArchive({ folder, isDryRun: true });
  assert.deepEqual([isDamaged(look.found), look.steps, readFileSync(pack)], [true, [], bytes]);
  const { left, steps } = await repairArchive({ folder });
  assert.deepEqual(
    [isDamaged(left), left.sessions, steps.map(({ kind }) => kind)],
    [false, 2, ['quarantined', 'quarantined']],
  );
  const [name = ''] = readdirSync(path.join(folder, 'quarantine'));
  assert.deepEqual(readFileSync(path.join(folder, 'quarantine', name, '000001.pack')), bytes);
  await archiveSessions(mains, { folder });
  await assertAllComeBack(folder, temp, before, 'archived again');
});

test('lines of a damaged block are written again, so that a new copy can be restored', async (t) => {
  const { temp, folder, records, mains } = await threeSessions(t);
  const [pack = ''] = packsOf(folder);
  const [main] = mains;
  const [block] = records;
  assert.ok(main !== undefined && block !== undefined);
  const bytes = readFileSync(pack);
  bytes.fill(0, block.end - 9, block.end);
  writeFileSync(pack, bytes);
  appendFileSync(main.path, '{"text":"later"}\n');
  await archiveSessions([main], { folder });
  const to = path.join(temp, 'to');
  const restored = await restoreSession(ids[0] ?? '', { folder, to });
  assert.deepEqual(readFileSync(restored.path), readFileSync(main.path));
});

function titleOf(id: string): string {
  return `number ${id.slice(0, 4)}`;
}

/** By the format that docs/archive.md describes. */
function parse(bytes: Buffer): Committed {
  return JSON.parse(bytes.toString('utf8', bytes.indexOf('\n') + 1)) as Committed;
}

function committedIn(folder: string): Committed {
  const file = readCommitted(folder);
  assert.ok(file.kind === 'read');
  assert.deepEqual(file.committed, parse(readFileSync(path.join(folder, 'committed'))));
  return file.committed;
}

/** The same records without the mark that there are sums. */
function writeAsOlderClew({ folder }: ArchivedSessions): string {
  const [pack = ''] = packsOf(folder);
  const records = [...scanPack(pack)]
    .filter(isRecord)
    .map(({ header: { summed: _, ...header }, bodyOffset }) =>
      makeRecord(header, [readRange(pack, bodyOffset, header.bodyBytes)]),
    );
  writeFileSync(pack, Buffer.concat(records));
  rmSync(path.join(folder, 'committed'));
  return pack;
}
