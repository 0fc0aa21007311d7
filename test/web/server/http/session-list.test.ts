// The session list while it has only the newest rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListedRow } from '../../../../src/web/server/answers/listed-row.ts';
import { manyRows, SessionList } from '../../../../src/web/server/http/session-list.ts';
import { Refusal } from '../../../../src/web/server/protocol/refusal.ts';
import { listedRow } from '../../../support/listed-row.ts';

const rows = (from: number, to: number): readonly ListedRow[] =>
  Array.from({ length: to - from }, (_, i) => listedRow(from + i));

test('queries for the newest rows are answered, with the total of all rows', () => {
  const list = new SessionList();
  assert.equal(list.covers({ limit: 1 }), false);
  list.take(rows(900, 1_000), [], 1_000);
  const questions = [{ limit: 100 }, { limit: 101 }, { limit: 50, offset: 60 }];
  const filtered = [
    { sort: 'size' },
    { reverse: true },
    { project: '/home/ada' },
    { text: 'a' },
    { only: 'live' },
  ] as const;
  assert.deepEqual(
    [...questions, ...filtered.map((query) => ({ ...query, limit: 10 }))].map((query) => list.covers(query)),
    [true, false, false, false, false, false, false, false],
  );
  const page = list.page({ limit: 2 });
  assert.deepEqual([page.rows.map(({ id }) => id), page.total], [['s999', 's998'], 1_000]);
});

test('with all rows every query is answered, and removed rows do not count', () => {
  const list = new SessionList();
  list.take(rows(900, 1_000), [], 1_000);
  list.take(rows(10, 1_000), []);
  assert.deepEqual([list.covers({ sort: 'size' }), list.page({ limit: 1 }).total], [true, 990]);
  // A restarted worker sends the newest rows again.
  list.take(rows(900, 1_000), [], 1_000);
  assert.deepEqual([list.covers({ sort: 'size' }), list.page({ limit: 1 }).total], [true, 990]);
});

test('few changes are listed, many are not', () => {
  const list = new SessionList();
  assert.deepEqual(list.take(rows(0, manyRows + 1), []), { changed: [], gone: [], isMany: true });
  const few = list.take([listedRow(3)], [listedRow(4).path]);
  assert.deepEqual([few.changed.map(({ key }) => key), few.gone, few.isMany], [['s3'], ['s4'], false]);
});

test('a session that is deleted after its copy is known is asked for again: the page reads it from the archive', () => {
  const list = new SessionList();
  const row = listedRow(3);
  list.take(rows(0, 10), []);
  const { path, sizeBytes, changedAt } = row;
  list.setArchive({ copies: [{ path, sizeBytes, changedAt }], gone: [] });
  assert.deepEqual(list.take([], [path]), { changed: [], gone: [], isMany: true });
  const { isOnDisk, isArchived } = list.presenceOf('s3');
  assert.deepEqual({ isOnDisk, isArchived }, { isOnDisk: false, isArchived: true });
});

const named = (session: number, id: string): ListedRow =>
  listedRow(session, { id, path: `/root/projects/p/${session}.jsonl` });

test('a session is found by its key, its id, and the beginning of an id that fits only one', () => {
  const list = new SessionList();
  list.take([named(1, 'abcd1111'), named(2, 'abcd2222'), named(3, 'beef3333'), named(4, 'beef3333')], []);
  const found = (key: string): string => {
    try {
      return list.pathOf(key);
    } catch (error) {
      return `${error instanceof Refusal ? error.status : ''} ${(error as Error).message}`;
    }
  };
  assert.equal(found('abcd1'), '/root/projects/p/1.jsonl');
  assert.equal(found('ABCD2'), '/root/projects/p/2.jsonl');
  assert.equal(found('beef'), '/root/projects/p/4.jsonl', 'copies of a session: the one that was used last');
  assert.equal(found('abcd'), '409 2 sessions have an id that begins with abcd');
  assert.equal(found('abc'), '404 unknown session', 'three characters say too little');
  assert.equal(found('cafe'), '404 unknown session');
  assert.deepEqual(
    list.page({ id: 'abcd' }).rows.map(({ id }) => id),
    ['abcd2222', 'abcd1111'],
  );
  list.take([], ['/root/projects/p/1.jsonl']);
  assert.equal(found('abcd'), '/root/projects/p/2.jsonl', 'a deleted session does not count');
});

test('the presence of a session names the sessions that it is related to, both ways', () => {
  const list = new SessionList();
  const lineage = { forkedFrom: 'abcd1111', firstUuid: null, worktree: null, origin: {} };
  const lost = { ...lineage, forkedFrom: 'gone' };
  list.take(
    [named(1, 'abcd1111'), { ...named(2, 'beef2222'), lineage }, { ...named(3, 'cafe3333'), lineage: lost }],
    [],
  );
  const relationsOf = (key: string): unknown => list.presenceOf(key).relations;
  assert.deepEqual(relationsOf('beef2222'), [
    { label: 'fork of', key: 'abcd1111', id: 'abcd1111', title: 'session 1' },
  ]);
  assert.deepEqual(relationsOf('abcd1111'), [
    { label: 'forked as', key: 'beef2222', id: 'beef2222', title: 'session 2' },
  ]);
  assert.deepEqual(relationsOf('cafe3333'), [{ label: 'fork of', key: null, id: 'gone', title: null }]);
});

test('the presence of a session has its own key, and the process that runs it', () => {
  const list = new SessionList();
  list.take([named(1, 'abcd1111'), named(2, 'beef2222')], []);
  list.setRunning(new Map([['abcd1111', 77]]));
  assert.deepEqual(list.presenceOf('abcd'), {
    key: 'abcd1111',
    isOnDisk: true,
    isArchived: false,
    stored: null,
    relations: [],
    isLive: true,
    pid: 77,
    changedAt: 1,
  });
  const other = {
    key: 'beef2222',
    isOnDisk: true,
    isArchived: false,
    stored: null,
    relations: [],
    isLive: false,
    pid: null,
    changedAt: 2,
  };
  assert.deepEqual(list.presenceOf('beef2222'), other);
});
