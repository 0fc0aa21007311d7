// Whose sessions and how much of them a reading of the store shows: several people, levels below text, and sums that agree.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { asObject, isArray, type JsonObject, type JsonValue } from '../../src/base/json/index.ts';
import { jsonOf, runClew } from '../support/clew.ts';
import { projectRoot } from '../support/paths.ts';
import { noPostgres } from '../support/postgres.ts';
import { pushLibrary } from '../support/pushed-library.ts';
import { startTeamStore, type TeamStore, type TestRole } from '../support/team-store.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const people = { ada: 'developer', bob: 'developer', lea: 'lead', eve: 'auditor' } as const satisfies Record<
  string,
  TestRole
>;
type Person = keyof typeof people;

const projects: Readonly<Record<string, string>> = { ada: '-home-ada-lighthouse', bob: '-home-ada-recipes' };

interface Team {
  readonly store: TeamStore;
  readonly roots: Readonly<Record<string, string>>;
  readonly home: string;
  /** What clew prints as JSON if that person reads the store. */
  read(person: Person, ...args: readonly string[]): JsonValue;
}

/** Ada has one project of the demo and Bob the other; Bob is in the group that Lea leads. */
async function makeTeam(context: TestContext, levels: Readonly<Record<'ada' | 'bob', 1 | 2 | 3>>): Promise<Team> {
  const folder = temporaryFolder(context);
  const store = await startTeamStore(context, people);
  store.server.run(`INSERT INTO clew.groups SELECT tenant, 'kitchen' FROM clew.tenants;
    INSERT INTO clew.members SELECT tenant, 'kitchen', person, name = 'lea' FROM clew.people WHERE name IN ('lea', 'bob')`);
  const roots: Record<string, string> = {};
  for (const [person, level] of Object.entries(levels)) {
    const root = path.join(folder, person);
    mkdirSync(path.join(root, 'projects'), { recursive: true });
    const name = projects[person] ?? '';
    cpSync(path.join(projectRoot, 'demo/projects', name), path.join(root, 'projects', name), { recursive: true });
    roots[person] = root;
    const home = path.join(folder, `home-${person}`);
    await pushLibrary({ address: store.addressOf(person), root, home, level });
  }
  const home = path.join(folder, 'home');
  const read: Team['read'] = (person, ...args) =>
    jsonOf([...args, '--json', '--store', store.addressOf(person)], { env: { CLEW_HOME: home } });
  return { store, roots, home, read };
}

function rowsOf(value: JsonValue | undefined): readonly JsonObject[] {
  const list = isArray(value) ? value : asObject(value)?.rows;
  assert.ok(isArray(list));
  return list.map((row) => asObject(row) ?? {});
}

function totalsOf(value: JsonValue): JsonObject {
  return asObject(asObject(value)?.totals) ?? {};
}

test(
  'rows name their person with --person, --group and --everyone, as far as the role sees',
  { skip: noPostgres },
  async (context) => {
    const { read } = await makeTeam(context, { ada: 3, bob: 3 });
    const peopleIn = (person: Person, ...args: readonly string[]) => [
      ...new Set(rowsOf(read(person, ...args)).map((row) => row.person ?? 'none')),
    ];
    assert.deepEqual(peopleIn('ada', 'ls'), ['none']);
    assert.deepEqual(peopleIn('ada', 'ls', '--person', 'bob'), ['bob']);
    assert.deepEqual(peopleIn('ada', 'ls', '--group', 'kitchen'), ['bob']);
    assert.deepEqual(peopleIn('ada', 'ls', '--everyone').sort(), ['ada', 'bob']);
    assert.deepEqual(peopleIn('eve', 'ls', '--everyone').sort(), ['ada', 'bob']);
    assert.deepEqual(peopleIn('lea', 'ls', '--everyone'), ['bob']);
    assert.deepEqual(peopleIn('ada', 'usage', 'session', '--everyone').sort(), ['ada', 'bob']);
    assert.deepEqual(peopleIn('ada', 'usage', 'daily', '--person', 'bob'), ['bob']);
    assert.deepEqual(
      rowsOf(read('ada', 'usage', 'daily', '--everyone')).every((row) => row.person === null),
      true,
    );
  },
);

test("a lead sees the usage of the group's members, without titles", { skip: noPostgres }, async (context) => {
  const { read, roots, home } = await makeTeam(context, { ada: 3, bob: 3 });
  const local = jsonOf(['usage', 'daily', '--json', '--root', roots.bob ?? ''], { env: { CLEW_HOME: home } });
  assert.deepEqual(totalsOf(read('lea', 'usage', 'daily', '--everyone')), totalsOf(local));
  for (const { title, path: file, cwd } of rowsOf(read('lea', 'ls', '--everyone')))
    assert.deepEqual({ title, file, cwd }, { title: null, file: null, cwd: null });
});

test(
  'at the level of metrics texts are null and the usage agrees to the token',
  { skip: noPostgres },
  async (context) => {
    const { read, roots, home } = await makeTeam(context, { ada: 1, bob: 1 });
    const local = (...args: readonly string[]) =>
      jsonOf([...args, '--json', '--root', roots.ada ?? ''], { env: { CLEW_HOME: home } });
    const known = new Map(rowsOf(local('ls')).map((row) => [row.sessionId, row]));
    const listed = rowsOf(read('ada', 'ls'));
    assert.equal(listed.length, known.size);
    const texts = [
      'path',
      'project',
      'cwd',
      'title',
      'tag',
      'gitBranch',
      'worktree',
      'pullRequests',
      'repository',
      'lineage',
      'relations',
    ];
    for (const row of listed) {
      const expected = { ...known.get(row.sessionId), ...Object.fromEntries(texts.map((name) => [name, null])) };
      assert.deepEqual(row, expected);
    }
    for (const kind of ['daily', 'weekly', 'monthly', 'model', 'blocks'])
      assert.deepEqual(read('ada', 'usage', kind, '--breakdown'), local('usage', kind, '--breakdown'), kind);
    const withoutNames = (value: JsonValue) => rowsOf(value).map(({ key: _, title: __, ...row }) => row);
    for (const kind of ['session', 'project']) {
      assert.deepEqual(withoutNames(read('ada', 'usage', kind)), withoutNames(local('usage', kind)), kind);
      assert.deepEqual(totalsOf(read('ada', 'usage', kind)), totalsOf(local('usage', kind)));
    }
    for (const { key } of rowsOf(read('ada', 'usage', 'project'))) assert.match(String(key), /^hash:[0-9a-f]{32}$/);
    const stats = asObject(read('ada', 'stats'));
    assert.equal(stats?.files, null);
    assert.deepEqual({ ...stats, files: [], deleted: 0 }, { ...asObject(local('stats')), files: [], deleted: 0 });
  },
);

test(
  'sums by day agree with the cells for each person and for everyone, also after sessions were removed',
  { skip: noPostgres },
  async (context) => {
    const { read, store, roots, home } = await makeTeam(context, { ada: 1, bob: 1 });
    const compare = (): void => {
      for (const who of [['--everyone'], ['--person', 'ada'], ['--person', 'bob']])
        for (const kind of ['daily', 'monthly', 'model']) {
          const byDay = read('eve', 'usage', kind, ...who, '--timezone', 'UTC');
          // A moment that no cell is before: then the cells are added up.
          const byCell = read('eve', 'usage', kind, ...who, '--timezone', 'UTC', '--since', '2001-01-01T00:00:00Z');
          assert.deepEqual(byDay, byCell, `${kind} ${who.join(' ')}`);
        }
    };
    compare();
    const both = ['--root', roots.ada ?? '', '--root', roots.bob ?? ''];
    const local = jsonOf(['usage', 'daily', '--json', ...both], { env: { CLEW_HOME: home } });
    assert.deepEqual(totalsOf(read('eve', 'usage', 'daily', '--everyone')), totalsOf(local));
    const before = Number(totalsOf(read('eve', 'usage', '--everyone')).totalTokens);
    store.server.run(`DELETE FROM clew.cells WHERE session_id = (SELECT min(session_id) FROM clew.cells)`);
    compare();
    assert.ok(Number(totalsOf(read('eve', 'usage', '--everyone')).totalTokens) < before);
    store.server.run('DELETE FROM clew.cells');
    assert.equal(store.server.run('SELECT count(*) FROM clew.usage_totals').trim(), '0');
    assert.equal(store.server.run('SELECT count(*) FROM clew.usage_days').trim(), '0');
  },
);

test(
  'a name that the store does not have, and a role that it does not know, are refused in one line',
  { skip: noPostgres },
  async (context) => {
    const { store } = await makeTeam(context, { ada: 1, bob: 1 });
    const errorOf = (address: string, ...args: readonly string[]): string =>
      runClew(['usage', '--store', address, ...args]).stderr.trim();
    assert.match(
      errorOf(store.addressOf('ada'), '--person', 'zoe'),
      /^clew: the store has nobody called "zoe"; [^\n]*$/,
    );
    assert.match(errorOf(store.addressOf('ada'), '--group', 'zoo'), /^clew: the store has no group "zoo"; [^\n]*$/);
    const sessionId = store.server
      .run("SELECT min(session_id) FROM clew.sessions JOIN clew.people USING (person) WHERE name = 'bob'")
      .trim();
    const lead = runClew(['show', sessionId, '--store', store.addressOf('lea'), '--person', 'bob']);
    assert.equal(lead.status, 1);
    assert.equal(lead.stdout, '');
    assert.match(lead.stderr.trim(), /^clew: [^\n]*this role does not read what others said[^\n]*; [^\n]*$/);
    for (const args of [
      ['--until', '9999-12-31'],
      ['--since', '0001-01-01'],
      ['--since', '9999-12-31', '--timezone', 'Asia/Tokyo'],
    ])
      assert.equal(errorOf(store.addressOf('ada'), ...args, '--json'), '', args.join(' '));
    store.server.run('CREATE ROLE mal LOGIN; GRANT clew_developer TO mal');
    assert.match(errorOf(store.addressOf('mal')), /^clew: the store does not know this role; [^\n]*$/);
    const secret = 'pass-word-1';
    const gone = errorOf(`postgres://ada:${secret}@127.0.0.1:9/clew`);
    assert.match(gone, /^clew: the store cannot be reached [^\n]*$/);
    assert.equal(gone.includes(secret), false);
  },
);
