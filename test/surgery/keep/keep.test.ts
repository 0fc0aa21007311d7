// Archive, restore, rm and star as operations: undo restores bytes, modes and times, and a kill between two steps leaves
// every file whole.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, rmSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { archiveFolder } from '../../../src/library/archive/archive-folder.ts';
import { keepSession } from '../../../src/library/archive/remove.ts';
import { listArchive } from '../../../src/library/archive/restore.ts';
import { readStars } from '../../../src/library/stars/stars.ts';
import {
  newOperationId,
  operationsFolder,
  readRecords,
  writeRecord,
} from '../../../src/surgery/journal/operation-log.ts';
import { logOperation } from '../../../src/surgery/journal/run-operation.ts';
import { operationsNamed, undoTogether } from '../../../src/surgery/journal/undo-operations.ts';
import { archiveByName } from '../../../src/surgery/keep/archive.ts';
import { removeWithUndo } from '../../../src/surgery/keep/remove.ts';
import { restoreWithUndo } from '../../../src/surgery/keep/restore.ts';
import { starSession } from '../../../src/surgery/keep/star.ts';
import { filesBelow } from '../../support/paths.ts';
import { type Bench, benchWith, contentsOf } from '../../support/surgery-kit.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';

const oldSeconds = 1_700_000_000;

/** Old enough that nobody seems to write to it. */
function bench(context: TestContext): Bench & { readonly folder: string; readonly archive: string } {
  const made = benchWith(context, sessionId, transcript().user('grind').assistant('ground').text(), {
    [`${sessionId}/subagents/agent-abc.jsonl`]: transcript({ isSidechain: true, agentId: 'abc' }).user('sub').text(),
    [`${sessionId}/tool-results/out.txt`]: 'output',
  });
  for (const file of filesBelow(made.folder, '')) {
    chmodSync(file, statSync(file).isDirectory() ? 0o750 : 0o640);
    utimesSync(file, oldSeconds, oldSeconds);
  }
  return { ...made, archive: archiveFolder(made.env) };
}

/** By name: bytes, mode and time. */
function stateOf(folder: string): ReadonlyMap<string, string> {
  const bytes = contentsOf(folder);
  return new Map(
    [...bytes].map(([name, text]) => {
      const { mode, mtimeMs } = statSync(path.join(folder, name));
      return [name, `${text} ${(mode & 0o777).toString(8)} ${mtimeMs}`];
    }),
  );
}

async function undo({ env }: Pick<Bench, 'env'>, id: string | undefined): Promise<void> {
  assert.ok(id !== undefined);
  const records = operationsNamed(await readRecords(operationsFolder(env)), id);
  assert.ok(records.length > 0);
  await undoTogether(records, { env });
}

test('undo of rm restores bytes, modes and times from the archive', async (context) => {
  const { main, folder, env, archive } = bench(context);
  const before = stateOf(folder);
  assert.equal(before.size, 3);
  const { operation } = await removeWithUndo(main, { env, folder: archive });
  assert.deepEqual([...contentsOf(folder).keys()], []);
  await undo({ env }, operation);
  assert.deepEqual(stateOf(folder), before);
});

test('undo of rm is refused if a file is there again, and if the archive lost the copy', async (context) => {
  const { main, folder, env, archive } = bench(context);
  const { operation } = await removeWithUndo(main, { env, folder: archive });
  await restoreWithUndo(main, { env, folder: archive });
  await assert.rejects(undo({ env }, operation), /exists again/);
  rmSync(main);
  const restored = contentsOf(folder);
  rmSync(archive, { recursive: true });
  await assert.rejects(undo({ env }, operation), /exists again|no longer has/);
  assert.deepEqual(contentsOf(folder), restored);
});

test('undo of restore removes what it created, and refuses after the session has changed', async (context) => {
  const { main, folder, env, archive } = bench(context);
  await removeWithUndo(main, { env, folder: archive });
  const { operation } = await restoreWithUndo(main, { env, folder: archive });
  assert.equal(contentsOf(folder).size, 3);
  await undo({ env }, operation);
  assert.equal(existsSync(main), false);
  assert.equal(existsSync(path.join(folder, sessionId)), false);
});

test('undo of archive removes the copy it added, and no other', async (context) => {
  const { main, env, archive } = bench(context);
  const sessions = [{ sessionId, path: main }];
  const first = await archiveByName(sessions, { env, folder: archive });
  assert.ok(first.operation !== undefined);
  const again = await archiveByName(sessions, { env, folder: archive });
  assert.equal(again.operation, undefined);
  assert.equal(listArchive(archive)[0]?.versions.length, 1);
  await undo({ env }, first.operation);
  assert.deepEqual(listArchive(archive), []);
});

test('undo of archive keeps the only copy of a deleted session', async (context) => {
  const { main, env, archive } = bench(context);
  const { operation } = await archiveByName([{ sessionId, path: main }], { env, folder: archive });
  await removeWithUndo(main, { env, folder: archive });
  await assert.rejects(undo({ env }, operation), /the only copy/);
  assert.equal(listArchive(archive)[0]?.versions.length, 1);
  await restoreWithUndo(main, { env, folder: archive });
  assert.equal(existsSync(main), true);
});

test('a star is undone whatever was starred since', async (context) => {
  const { main, env } = bench(context);
  const stars = (): readonly string[] => [...readStars(env.CLEW_HOME)].sort();
  const one = await starSession({ sessionId, path: main }, { env });
  await starSession({ sessionId: 'a/b %', path: main }, { env });
  assert.deepEqual(stars(), [sessionId, 'a/b %'].sort());
  assert.equal(await starSession({ sessionId, path: main }, { env }), undefined);
  await undo({ env }, one);
  assert.deepEqual(stars(), ['a/b %']);
  const removed = await starSession({ sessionId: 'a/b %', path: main }, { env, isRemoved: true });
  assert.deepEqual(stars(), []);
  await undo({ env }, removed);
  assert.deepEqual(stars(), ['a/b %']);
});

for (const deleted of [0, 1, 2, 3]) {
  test(`rm killed after ${deleted} of 3 files is undone by the next operation`, async (context) => {
    const { main, folder, env, archive } = bench(context);
    const before = stateOf(folder);
    const { files } = await keepSession(main, { env, folder: archive });
    const changes = files.map(({ path: file, sizeBytes, archived }) => {
      return { path: file, kind: 'removed' as const, before: { sizeBytes, sha256: archived.sha256 }, archived };
    });
    const at = new Date();
    const from = [{ sessionId, path: main }];
    const record = { operation: 'rm', words: [], from, to: [], files: changes, at: at.toISOString() };
    await writeRecord(operationsFolder(env), { ...record, id: newOperationId(at), state: 'begun' });
    for (const { path: file } of files.slice(0, deleted)) rmSync(file);
    assert.equal(stateOf(folder).size, 3 - deleted);
    await starSession({ sessionId, path: main }, { env });
    assert.deepEqual(stateOf(folder), before);
    const records = await readRecords(operationsFolder(env));
    assert.deepEqual(
      records.map(({ operation, state }) => [operation, state]),
      [['star', 'done']],
    );
  });
}

test('a change that fails halfway is undone at once', async (context) => {
  const { main, folder, env, archive } = bench(context);
  const before = stateOf(folder);
  const failing = logOperation({ env }, async () => {
    const { files } = await keepSession(main, { env, folder: archive });
    const changes = files.map(({ path: file, sizeBytes, archived }, i) => {
      // Another program changes the last file meanwhile.
      const sha256 = i < 2 ? archived.sha256 : archived.sha256.replace(/./g, '0');
      return { path: file, kind: 'removed' as const, before: { sizeBytes, sha256 }, archived };
    });
    return { operation: 'rm', words: [], from: [{ sessionId, path: main }], to: [], files: changes };
  });
  await assert.rejects(failing, /has changed since it was read/);
  assert.deepEqual(stateOf(folder), before);
  assert.deepEqual(await readRecords(operationsFolder(env)), []);
});

test('one undo undoes a whole group, or nothing of it', async (context) => {
  const { main, folder, env, archive } = bench(context);
  const before = stateOf(folder);
  const group = newOperationId(new Date());
  await removeWithUndo(main, { env, folder: archive, group });
  // The newest is undone first.
  await starSession({ sessionId, path: main }, { env, group });
  await restoreWithUndo(main, { env, folder: archive });
  await assert.rejects(undo({ env }, group), /exists again/);
  assert.deepEqual([...readStars(env.CLEW_HOME)], [sessionId]);
  rmSync(main);
  rmSync(path.join(folder, sessionId), { recursive: true });
  await undo({ env }, group);
  assert.deepEqual([stateOf(folder), [...readStars(env.CLEW_HOME)]], [before, []]);
});
