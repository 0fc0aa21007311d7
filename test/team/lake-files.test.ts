// What a lake relies on, without a store: files that appear whole and once, and the rule that says which version counts.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseDataFile, parseVersionsFile, versionsFileName } from '../../src/team/lake/lake-files.ts';
import { lakeSettings } from '../../src/team/lake/lake-settings.ts';
import {
  type LakeEntry,
  outdatedSessions,
  outdatedVersions,
  readMonthState,
  versionsBytes,
} from '../../src/team/lake/lake-state.ts';
import { FolderStorage } from '../../src/team/lake/storage/folder-storage.ts';
import { writeWhole } from '../../src/team/lake/storage/lake-storage.ts';
import { filesOf, lakeFolder } from './lake-kit.ts';

test('a file appears whole, once, and what is unfinished is hidden', async (context) => {
  const folder = lakeFolder(context);
  const storage = new FolderStorage(folder);
  const file = storage.create('usage/month=2026-03/part-1.parquet');
  await file.write(Buffer.from('first '));
  await file.write(Buffer.from('rows'));
  const place = path.join(folder, 'usage/month=2026-03/part-1.parquet');
  assert.equal(existsSync(place), false);
  assert.deepEqual(await namesIn(storage), []);
  assert.equal(await file.finish(), true);
  assert.equal(await writeWhole(storage, 'usage/month=2026-03/part-1.parquet', Buffer.from('other')), false);
  assert.equal(readFileSync(place, 'utf8'), 'first rows');
  const left = storage.create('usage/month=2026-03/part-2.parquet');
  await left.write(Buffer.from('killed'));
  assert.equal(filesOf(folder).length, 2);
  assert.deepEqual(await namesIn(storage), ['usage/month=2026-03/part-1.parquet']);
  await storage.removeUnfinished();
  assert.deepEqual(filesOf(folder), ['usage/month=2026-03/part-1.parquet']);
  await left.abandon();
  assert.equal(await storage.read('usage/month=2026-03/part-2.parquet'), undefined);
});

test('the latest export that names a session decides, in whatever order the files are listed', async (context) => {
  const storage = new FolderStorage(lakeFolder(context));
  const entry = (sessionId: string, version: number): LakeEntry => ({
    personId: 7,
    person: 'ada',
    sessionId,
    version,
    level: 'text',
    contentKey: `${sessionId} ${version}`,
  });
  const gone = { personId: 7, sessionId: 'b' };
  const exports = [
    versionsBytes({ tenant: 'acme', export: 10 }, [entry('a', 10), entry('b', 10), entry('c', 10)], []),
    versionsBytes({ tenant: 'acme', export: 20 }, [entry('a', 20)], [gone]),
    // Names a version of an earlier export, as a purge does.
    versionsBytes({ tenant: 'acme', export: 30 }, [entry('c', 10), entry('d', 30)], []),
  ];
  for (const [i, bytes] of exports.entries())
    await writeWhole(storage, versionsFileName('2026-03', (i + 1) * 10), bytes);
  const files = (await namesIn(storage)).map(parseVersionsFile).filter((file) => file !== undefined);
  for (const order of [files, [...files].reverse()]) {
    const state = await readMonthState(storage, order);
    assert.deepEqual(
      [...state.entries.values()].sort((a, b) => a.sessionId.localeCompare(b.sessionId)),
      [entry('a', 20), entry('c', 10), entry('d', 30)],
    );
    assert.deepEqual([...outdatedVersions(state)], [10]);
    assert.equal(outdatedSessions(state), 2);
    assert.equal(state.hasRemovals, true);
  }
});

test('names say which export and month a file is of, and other files are not of the lake', () => {
  assert.deepEqual(parseDataFile('usage/month=2026-03/part-12-2026-02-3.parquet'), {
    name: 'usage/month=2026-03/part-12-2026-02-3.parquet',
    version: 12,
    sessionMonth: '2026-02',
  });
  assert.equal(parseDataFile('usage/month=unknown/part-12-unknown-0.parquet')?.sessionMonth, 'unknown');
  assert.equal(parseVersionsFile('versions/month=2026-03/part-12.parquet')?.export, 12);
  // Without rows; it is not an export.
  assert.equal(parseVersionsFile('versions/month=unknown/part-0.parquet'), undefined);
  for (const name of ['usage/month=2026-03/other.parquet', 'notes.txt', 'usage/part-1-2026-03-0.parquet'])
    assert.equal(parseDataFile(name), undefined);
});

test('a lake of another role, tenant, level or with other files is refused', async (context) => {
  const storage = new FolderStorage(lakeFolder(context));
  const reader = { tenantId: 1, tenant: 'acme', role: 'carol', seesOthers: true };
  await assert.rejects(lakeSettings(storage, reader, {}, false), /contains other files/);
  await assert.rejects(
    lakeSettings(storage, reader, { tables: ['documents'] }, true),
    /metrics has no table documents/,
  );
  const settings = await lakeSettings(storage, reader, { level: 'titles' }, true);
  assert.deepEqual([settings.level, settings.tables.includes('documents')], ['titles', false]);
  assert.deepEqual(await lakeSettings(storage, reader, {}, false), settings);
  for (const [other, refusal] of [
    [{ ...reader, role: 'bob' }, /was exported by carol of acme/],
    [{ ...reader, tenant: 'other' }, /was exported by carol of acme/],
  ] as const)
    await assert.rejects(lakeSettings(storage, other, {}, false), refusal);
  await assert.rejects(lakeSettings(storage, reader, { level: 'text' }, false), /has the level titles/);
});

async function namesIn(storage: FolderStorage): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const name of storage.list()) names.push(name);
  return names;
}
