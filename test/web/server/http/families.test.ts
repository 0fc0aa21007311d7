// Forks below their origin, worktrees below their repository, groups by day, and the words of the filter.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListedRow } from '../../../../src/web/server/answers/listed-row.ts';
import { dateGroups, isTimeZone } from '../../../../src/web/server/http/date-groups.ts';
import { SessionList } from '../../../../src/web/server/http/session-list.ts';
import type { SessionsQuery } from '../../../../src/web/wire/wire.ts';
import { listedRow } from '../../../support/listed-row.ts';

const none = { forkedFrom: null, firstUuid: null, origin: {}, worktree: null };
const forkOf = (session: number, origin: number, more: Partial<ListedRow> = {}): ListedRow =>
  listedRow(session, { lineage: { ...none, forkedFrom: `s${origin}` }, ...more });

function listOf(...rows: readonly ListedRow[]): SessionList {
  const list = new SessionList();
  list.take(rows, []);
  return list;
}

/** `s5`, below it `+s4`; with the number of forks. */
function shown(list: SessionList, query: SessionsQuery): readonly string[] {
  const { rows, total } = list.page({ fold: true, ...query });
  if (query.limit === undefined) assert.equal(rows.length, total);
  return rows.map(({ key, forks, isBelow }) => `${isBelow ? '+' : ''}${key}${forks === 0 ? '' : ` ${forks}`}`);
}

test('forks and their forks are folded below the first origin, which is where the newest of them would be', () => {
  const list = listOf(listedRow(1), listedRow(5), forkOf(3, 1), forkOf(9, 3), forkOf(4, 77));
  assert.deepEqual(shown(list, {}), ['s1 2', 's5', 's4']);
  assert.deepEqual(shown(list, { open: 's1 s5' }), ['s1 2', '+s9', '+s3', 's5', 's4']);
  assert.deepEqual(shown(list, { reverse: true, open: 's1' }), ['s1 2', '+s3', '+s9', 's4', 's5']);
  const { sessions, total, rows } = list.page({ fold: true });
  assert.deepEqual([sessions, total, rows[0]?.forksUsedAt, rows[0]?.endedAt], [5, 3, 9, 1]);
});

test('pages of an opened family continue each other', () => {
  const list = listOf(listedRow(1), forkOf(2, 1), forkOf(3, 1), forkOf(4, 1), listedRow(5));
  const whole = shown(list, { open: 's1' });
  assert.deepEqual(whole, ['s5', 's1 3', '+s4', '+s3', '+s2']);
  const pages = [0, 1, 2, 3, 4].flatMap((offset) => shown(list, { open: 's1', offset, limit: 1 }));
  assert.deepEqual(pages, whole);
  assert.deepEqual(shown(list, { open: 's1', offset: 2, limit: 2 }), ['+s4', '+s3']);
});

test('a fork whose origin does not pass the filter is listed, and without fold every session is', () => {
  const list = listOf(listedRow(1, { title: 'sails' }), forkOf(2, 1, { title: 'oars' }), forkOf(3, 1));
  assert.deepEqual(shown(list, { text: 'oars' }), ['s2']);
  assert.deepEqual(shown(list, { text: 's' }), ['s1 2']);
  const { rows, total } = list.page({});
  assert.deepEqual(
    [rows.map(({ key, forkedFrom }) => [key, forkedFrom]), total],
    [
      [
        ['s3', 's1'],
        ['s2', 's1'],
        ['s1', null],
      ],
      3,
    ],
  );
});

test('without a named origin, a session with the same first message is a fork of the one that began first', () => {
  const lineage = { ...none, firstUuid: 'u1' };
  const copied = { startedAt: 1, lineage };
  const list = listOf(
    listedRow(1, { lineage }),
    listedRow(7, copied),
    listedRow(4, copied),
    // Another session, by a program that gives all its lines the same uuids.
    listedRow(5, { ...copied, firstPrompt: 'another' }),
    // A copy of the whole folder, elsewhere.
    listedRow(1, { lineage, path: '/other/projects/p/s1.jsonl', root: '/other' }),
  );
  const keys = list.page({}).rows.map(({ id, forkedFrom }) => [id, forkedFrom?.slice(0, 2) ?? null]);
  assert.deepEqual(keys.sort(), [
    ['s1', null],
    ['s1', null],
    ['s4', 's1'],
    ['s5', null],
    ['s7', 's1'],
  ]);
});

test('transcripts that name one another are all listed', () => {
  const list = listOf(forkOf(1, 2), forkOf(2, 1), forkOf(3, 3));
  const { rows, sessions } = list.page({ fold: true, open: 's1 s2 s3' });
  assert.deepEqual([rows.map(({ id }) => id).sort(), sessions], [['s1', 's2', 's3'], 3]);
});

test('worktrees are below their repository, by their path or by what a session says', () => {
  const entered = { path: '/tmp/trees/wick', repository: '/home/ada/lamp' };
  const list = listOf(
    listedRow(1, { cwd: '/home/ada/lamp' }),
    listedRow(2, { cwd: '/home/ada/lamp/.claude/worktrees/glass/src' }),
    listedRow(3, { cwd: '/home/ada/lamp', lineage: { ...none, worktree: entered } }),
    listedRow(4, { cwd: '/tmp/trees/wick' }),
    listedRow(5, { cwd: '/home/ada/mill/.worktrees/stone' }),
    listedRow(6, { cwd: '/home/ada/lamp-2' }),
  );
  assert.deepEqual(
    list.projects().map(({ project, repository, sessions }) => [project, repository, sessions]),
    [
      ['/home/ada/lamp-2', null, 1],
      ['/home/ada/mill', null, 1],
      ['/home/ada/mill/.worktrees/stone', '/home/ada/mill', 1],
      ['/home/ada/lamp', null, 4],
      ['/tmp/trees/wick', '/home/ada/lamp', 1],
      ['/home/ada/lamp/.claude/worktrees/glass/src', '/home/ada/lamp', 1],
    ],
  );
  const ids = (project: string): readonly string[] => list.page({ project }).rows.map(({ id }) => id);
  assert.deepEqual(ids('/home/ada/lamp'), ['s4', 's3', 's2', 's1']);
  assert.deepEqual(ids('/tmp/trees/wick'), ['s4']);
  assert.deepEqual(ids('/home/ada/mill'), ['s5']);
});

test('folders that transcripts call repositories of one another are all listed', () => {
  const worktree = (path: string, repository: string) => ({ lineage: { ...none, worktree: { path, repository } } });
  const list = listOf(
    listedRow(1, { cwd: '/a', ...worktree('/a', '/b') }),
    listedRow(2, { cwd: '/b', ...worktree('/b', '/a') }),
  );
  assert.deepEqual(
    list
      .projects()
      .map(({ project }) => project)
      .sort(),
    ['/a', '/b'],
  );
});

test('the filter finds branch, model, tag and pull request, and looks only there after the name of the field', () => {
  const pull = { url: null, number: 41, repository: 'ada/lamp' };
  const list = listOf(
    listedRow(1, { gitBranch: 'fix/Wick', modelName: 'Opus 4.5', model: 'claude-opus-4-5', tag: 'review' }),
    listedRow(2, { title: 'wick and opus', pullRequests: [pull] }),
  );
  const found = (text: string): string => shown(list, { text }).join(' ');
  const expected: Readonly<Record<string, string>> = {
    wick: 's2 s1',
    'branch:wick': 's1',
    'branch:oil': '',
    opus: 's2 s1',
    'model:opus': 's1',
    'model:claude': 's1',
    'tag:rev': 's1',
    'pr:lamp#41': 's2',
    'pr:#41 opus': 's2',
    'wick model:4.5': 's1',
    'other:x': '',
  };
  for (const [text, ids] of Object.entries(expected)) assert.equal(found(text), ids, text);
});

test('today, yesterday, the rest of the week and months, in the zone of the page', () => {
  // A Thursday, half past midnight in Berlin: in New York it is still Wednesday.
  const now = Date.parse('2026-03-05T00:30:00+01:00');
  const times = [
    '2026-03-05T00:10:00+01:00',
    '2026-03-04T23:50:00+01:00',
    '2026-03-03T12:00:00+01:00',
    '2026-03-02T00:00:00+01:00',
    '2026-03-01T23:59:00+01:00',
    '2026-02-28T12:00:00+01:00',
    '2025-12-31T12:00:00+01:00',
  ].map((time) => ({ time: Date.parse(time), rows: 1, sessions: 1 }));
  const groups = (zone: string, items = times) =>
    dateGroups(items, zone, now).map(({ name, rows }) => `${name} ${rows}`);
  assert.deepEqual(groups('Europe/Berlin'), [
    'today 1',
    'yesterday 1',
    'week 2',
    '2026-03 1',
    '2026-02 1',
    '2025-12 1',
  ]);
  // Monday 00:00 in Berlin is Sunday in New York.
  assert.deepEqual(groups('America/New_York'), ['today 2', 'yesterday 1', '2026-03 2', '2026-02 1', '2025-12 1']);
  assert.deepEqual(groups('Europe/Berlin', times.toReversed()), groups('Europe/Berlin').toReversed());
  const many = times.flatMap(({ time }) => Array.from({ length: 50 }, () => ({ time, rows: 2, sessions: 3 })));
  assert.deepEqual(groups('Europe/Berlin', many)[2], 'week 200');
  assert.deepEqual([isTimeZone('Europe/Berlin'), isTimeZone('Nowhere/Land')], [true, false]);
});

test('the groups of a page cover its rows, with opened forks', () => {
  const day = 86_400_000;
  const at = (days: number): Partial<ListedRow> => ({ endedAt: Date.now() - days * day });
  const list = listOf(listedRow(1, at(400)), forkOf(2, 1, at(0)), listedRow(3, at(0)), listedRow(4, at(500)));
  const page = list.page({ fold: true, open: 's1', zone: 'UTC' });
  assert.deepEqual([page.groups[0], page.groups.length, page.total], [{ name: 'today', rows: 3, sessions: 3 }, 2, 4]);
  assert.deepEqual(list.page({ fold: true, zone: 'UTC' }).groups[0], { name: 'today', rows: 2, sessions: 3 });
  assert.deepEqual(list.page({ fold: true, zone: 'UTC', sort: 'size' }).groups, []);
  assert.deepEqual(list.page({ fold: true }).groups, []);
});

test('the counts of the filters are those of the project', () => {
  const list = listOf(
    listedRow(1, { tag: 'review', cwd: '/a' }),
    listedRow(2, { tag: 'review', cwd: '/b', severity: 'loss' }),
    listedRow(3, { cwd: '/a', severity: 'sound', changedAt: Date.now() - 3_600_000 }),
  );
  list.setStars(new Set(['s2', 's3']));
  const counts = (query: SessionsQuery) => list.page({ counts: true, ...query }).counts;
  const all = { live: 0, starred: 2, tagged: 2, damaged: 1, expiring: 2, unexamined: 1, deleted: 0 };
  assert.deepEqual(counts({}), all);
  assert.deepEqual(counts({ project: '/a' }), { ...all, starred: 1, tagged: 1, damaged: 0, expiring: 1 });
  assert.equal(list.page({}).counts, null);
});

test('sessions of different people are not copies of each other', () => {
  const ofPerson = (session: number, person: string): ListedRow =>
    listedRow(session, { person, lineage: { ...none, firstUuid: 'same' }, startedAt: session });
  const list = listOf(ofPerson(1, 'ada'), ofPerson(2, 'bob'), ofPerson(3, 'ada'), ofPerson(4, 'bob'));
  assert.deepEqual(shown(list, {}), ['s2 1', 's1 1']);
  assert.deepEqual(shown(list, { open: 's1' }), ['s2 1', 's1 1', '+s3']);
});

test('people are filtered by a part of the name or, in quotes, by the whole name', () => {
  const names = ['ada', 'Ada Lovelace', 'nevada', null];
  const list = listOf(...names.map((person, i) => listedRow(i + 1, { person, title: 'ada' })));
  const found = (text: string): readonly string[] => shown(list, { text, reverse: true });
  assert.deepEqual(found('person:ada'), ['s1', 's2', 's3']);
  assert.deepEqual(found('person:"ada"'), ['s1']);
  assert.deepEqual(found('person:"ada lovelace" ada'), ['s2']);
  assert.deepEqual(found('person:lovelace'), ['s2']);
  assert.deepEqual(found('ada'), ['s1', 's2', 's3', 's4']);
  // Quotes that do not end are characters of the name.
  assert.deepEqual(found('person:"ada'), []);
});

test('nothing is live, expires, or is read from this disk in a list of a store', () => {
  const list = new SessionList({ isStored: true });
  list.take([listedRow(1, { changedAt: Date.now(), endedAt: Date.now(), root: '' })], []);
  const [row] = list.page({}).rows;
  assert.deepEqual([row?.isLive, row?.expiresAt], [false, null]);
  assert.deepEqual(list.live(), []);
  assert.deepEqual(list.presenceOf('s1').stored, { person: null });
});
