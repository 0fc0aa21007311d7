// The sums of people in a zone whose days begin in the middle of a day of UTC, against rows that are written here; prompts that were
// copied; and what each role sees. Tokens of a cell: 10 input, 3,000,000,000 output, 5 and 6 written to the cache, and its number.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sumOfTokens } from '../../src/format/entry/index.ts';
import { collectStats, createCalendar } from '../../src/library/usage/index.ts';
import type { SessionRows } from '../../src/team/contract/index.ts';
import { connect, DatabaseTarget } from '../../src/team/database/index.ts';
import { openStore, type PersonReport, readPeople } from '../../src/team/source/index.ts';
import { noPostgres } from '../support/postgres.ts';
import { startTeamStore, type TeamStore } from '../support/team-store.ts';
import { planned } from './lake-kit.ts';

const days = createCalendar('Asia/Kolkata');

/** What statistics look at in addition to the rows. */
const facts = {
  counts: { entries: 2, turns: 1, agents: 0, damage: 0, sizeBytes: 100, diagnostics: 0 },
  transcripts: [],
  turnStarts: [],
};

async function push(store: TeamStore, person: string, { head, ...rows }: SessionRows): Promise<void> {
  const target = new DatabaseTarget(await connect(store.addressOf(person)));
  try {
    assert.equal((await target.push({ head: { ...head, facts }, ...rows })).state, 'open');
  } finally {
    await target.close();
  }
}

async function report(store: TeamStore, person: string, since?: string) {
  const source = await openStore(store.addressOf(person), { kind: 'everyone' });
  try {
    return await readPeople(source.sql, source.scope, await source.stored(), { since, calendar: days });
  } finally {
    await source.close();
  }
}

/** Usage and statistics of one person, for the same days. */
async function agrees(store: TeamStore, ada: PersonReport | undefined): Promise<void> {
  const source = await openStore(store.addressOf('zoe'), { kind: 'person', name: 'ada' });
  try {
    const filter = { since: '2026-03-05', calendar: days };
    const { cells } = await source.usage({ kind: 'model', filter });
    const tokens = cells.reduce((sum, cell) => sum + sumOfTokens(cell), 0);
    const costs = cells.flatMap(({ costMicroUsd }) => costMicroUsd ?? []);
    const { work, sessions } = await source.work({ isWanted: () => true, filter });
    const sinceMs = Date.parse('2026-03-04T18:30:00Z');
    const stats = collectStats(work, { sessions, cells, calendar: days, nowMs: Date.now(), sinceMs });
    assert.deepEqual(
      [ada?.tokens, ada?.costMicroUsd, ada?.prompts, ada?.sessions],
      [tokens, costs.reduce((sum, cost) => sum + cost, 0), stats.prompts, stats.sessions],
    );
  } finally {
    await source.close();
  }
}

test('people since a day, in another zone and by role', { skip: noPostgres, timeout: 120_000 }, async (context) => {
  const store = await startTeamStore(context, { ada: 'developer', bob: 'developer', lea: 'lead', zoe: 'developer' });
  store.server.run(`INSERT INTO clew.groups SELECT tenant, 'one' FROM clew.tenants;
    INSERT INTO clew.groups SELECT tenant, 'two' FROM clew.tenants;
    INSERT INTO clew.members SELECT tenant, 'one', person, name = 'lea' FROM clew.people WHERE name IN ('ada', 'lea');
    INSERT INTO clew.members SELECT tenant, 'two', person, false FROM clew.people WHERE name IN ('ada', 'bob');`);
  // 2026-03-05 begins at 18:30 UTC on the fourth.
  const times = ['2026-03-04T18:15:00Z', '2026-03-04T18:30:00Z', '2026-03-04T23:45:00Z', '2026-03-05T00:00:00Z'];
  await push(store, 'ada', planned('ada', { id: 'a1', level: 2, times }));
  await push(store, 'ada', planned('ada', { id: 'a2', level: 1, times: ['2026-03-01T12:00:00Z'] }));
  const copied = planned('ada', { id: 'a3', level: 1, times: ['2026-03-05T01:00:00Z'] });
  const at = Date.parse('2026-03-05T00:00:00Z');
  const prompts = [
    // The same prompt, a copy with a key of its own, and a copy of a prompt that is nowhere else.
    { promptKey: 'a1 3', typedAt: at, isCopy: false },
    { promptKey: 'forked', typedAt: at, isCopy: true },
    { promptKey: 'lost', typedAt: at + 1, isCopy: true },
  ];
  await push(store, 'ada', { ...copied, prompts });
  await push(store, 'bob', planned('bob', { id: 'b1', level: 1, times: ['2026-03-06T12:00:00Z'] }));

  const all = await report(store, 'zoe');
  assert.deepEqual(
    all.people.map(({ name, groups, sessions, prompts }) => [name, groups, sessions, prompts]),
    [
      ['ada', ['one', 'two'], 3, 6],
      ['bob', ['two'], 1, 1],
      ['lea', ['one'], 0, 0],
      ['zoe', [], 0, 0],
    ],
  );
  assert.deepEqual(
    all.groups.map(({ name, people, leads, sessions }) => [name, people, leads, sessions]),
    [
      ['one', 2, ['lea'], 3],
      ['two', 2, [], 4],
    ],
  );

  const since = await report(store, 'zoe', '2026-03-05');
  const [ada, bob] = since.people;
  // The last three cells of the first session, numbers 1 to 3, and the one of the third; only even numbers have a price.
  const tokens = 4 * (10 + 3_000_000_000 + 5 + 6) + 2 * (1 + 2 + 3) + (1 + 2 + 3);
  assert.deepEqual(ada === undefined ? undefined : [ada.sessions, ada.prompts, ada.tokens], [2, 4, tokens]);
  assert.deepEqual([ada?.costMicroUsd, ada?.costIsPart], [0.125 * 3 + 0.125, true]);
  assert.deepEqual([bob?.sessions, bob?.costMicroUsd, bob?.costIsPart], [1, 0.125, false]);
  assert.deepEqual(since.people[2]?.costMicroUsd, undefined);
  assert.deepEqual(
    ada?.machines.map(({ name }) => name),
    ['laptop'],
  );

  await agrees(store, ada);

  const led = await report(store, 'lea', '2026-03-05');
  assert.deepEqual(
    led.people.map(({ name }) => name),
    ['ada', 'lea'],
  );
  assert.deepEqual(led.people[0], ada);
  assert.deepEqual(
    led.groups.map(({ name, people }) => [name, people]),
    [
      ['one', 2],
      ['two', 1],
    ],
  );
});
