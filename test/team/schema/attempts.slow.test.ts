// What each role may not see and may not change, tried with SQL of its own; and stores with one rule less, in which some of the
// attempts succeed.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { connect, DatabaseTarget, type Sql } from '../../../src/team/database/index.ts';
import { noPostgres } from '../../support/postgres.ts';
import { storedSession } from '../../support/stored-session.ts';
import { startTeamStore, type TeamStore } from '../../support/team-store.ts';
import { type Attempt, attempts } from './attempts.ts';

/** Logins by the role that they are here for. Bob and Cid, whose words are searched for, are developers. */
const logins = {
  developer: 'ada',
  lead: 'leah',
  auditor: 'aud',
  gateway: 'gate',
  revoked: 'rita',
  unknown: 'nora',
  'developer of another tenant': 'eve',
} as const;
type Role = keyof typeof logins;

const kinds = ['metrics', 'title', 'text', 'copy', 'file'];
const words = [
  ...['bob', 'bobsecond', 'cid', 'eve'].flatMap((who) => kinds.map((kind) => `mary${who}${kind}`)),
  'marybobquery',
  'marybobblob',
  'marybobhold',
];

const shared = /^mary(bob|bobsecond|cid)(metrics|title)$/;
const usual: Readonly<Record<Role, RegExp>> = {
  developer: shared,
  lead: /^marycidmetrics$/,
  auditor: /^mary(bob|bobsecond|cid)(metrics|title)$|^marybobhold$/,
  gateway: /^$/,
  revoked: /^$/,
  unknown: /^$/,
  'developer of another tenant': /^maryeve/,
};

/** The words that the role may not see in what was printed. */
function forbiddenIn(printed: string, role: Role, { allows = {} }: Attempt): readonly string[] {
  // After the announcement, of one session or of all.
  const more = (allows[role] ?? []).flatMap((kind) => [
    `marybob${kind}`,
    ...((allows[role] ?? []).includes('secondtext') ? [`marycid${kind}`] : []),
  ]);
  return words.filter((word) => printed.includes(word) && !usual[role].test(word) && !more.includes(word));
}

async function prepareStore(context: TestContext): Promise<{ readonly store: TeamStore; readonly owner: Sql }> {
  const people = {
    ada: 'developer',
    bob: 'developer',
    cid: 'developer',
    leah: 'lead',
    aud: 'auditor',
    gate: 'gateway',
  } as const;
  const store = await startTeamStore(context, people);
  const { server } = store;
  server.run(`INSERT INTO clew.people (tenant, name) VALUES (1, 'rita');
    INSERT INTO clew.tenants (name) VALUES ('other');
    CREATE ROLE eve LOGIN IN ROLE clew_developer; CREATE ROLE nora LOGIN; CREATE ROLE rita LOGIN;
    INSERT INTO clew.people (tenant, name, login) VALUES (2, 'eve', 'eve');
    INSERT INTO clew.groups VALUES (1, 'core'), (1, 'web');
    INSERT INTO clew.members VALUES (1, 'core', 3, false), (1, 'core', 4, true), (1, 'web', 2, false), (1, 'web', 4, false);
    UPDATE clew.tenants SET swept_at = now();`);
  for (const [who, id, word] of [
    ['bob', 's-bob', 'marybob'],
    ['bob', 's-bob2', 'marybobsecond'],
    ['cid', 's-cid', 'marycid'],
    ['eve', 's-eve', 'maryeve'],
  ] as const) {
    const target = new DatabaseTarget(await connect(store.addressOf(who)));
    assert.deepEqual(await target.push(storedSession({ id, word })), { state: 'open' });
    await target.goodbye('laptop', 'digest');
    await target.close();
  }
  server.run(`INSERT INTO clew.holds (tenant, person, reason) VALUES (1, 2, 'marybobhold');
    INSERT INTO clew.gateway_keys (tenant, person, hash, hint) VALUES (2, 8, 'key of eve', 'e');
    INSERT INTO clew.gateway_destinations (destination) VALUES ('https://traces.example');
    INSERT INTO clew.gateway_batches (tenant, person, destination, spans, content_type, body)
      VALUES (2, 8, 'https://traces.example', 1, 't', 'maryevetext'); ANALYZE;`);
  const bob = await connect(store.addressOf('bob'));
  context.after(() => bob.end());
  await bob.unsafe(`SELECT lo_from_bytea(0, 'marybobblob')`);
  await bob.unsafe(`SELECT 'marybobquery'`);
  const owner = await connect(server.address());
  context.after(() => owner.end());
  assert.equal(server.run(`SELECT count(*) FROM clew.documents`), '4\n');
  return { store, owner };
}

/** Of all rows but those of one person, and of the catalog. */
async function fingerprint(owner: Sql, person: number): Promise<string> {
  const tables = await owner<{ name: string; columns: readonly string[] }[]>`
    SELECT c.relname::text AS name, array_agg(a.attname::text) AS columns FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'clew'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0
    GROUP BY c.relname ORDER BY 1`;
  const parts = tables.map(({ name, columns }) => {
    const column = name === 'readings' ? 'reader_person' : 'person';
    const rest = columns.includes(column) && name !== 'people' ? `WHERE ${column} IS DISTINCT FROM ${person}` : '';
    return `SELECT '${name}', md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM clew.${name} t ${rest}`;
  });
  const catalog = `SELECT 'catalog', md5((SELECT string_agg(t::text, '|' ORDER BY t::text) FROM (
      SELECT relname, relowner, relacl, relrowsecurity, relkind, relhasrules FROM pg_class WHERE relnamespace = 'clew'::regnamespace) t)
    || (SELECT string_agg(p::text, '|' ORDER BY p::text) FROM (SELECT proname, proowner, proacl, prosrc FROM pg_proc WHERE pronamespace = 'clew'::regnamespace) p)
    || (SELECT string_agg(p::text, '|' ORDER BY p::text) FROM pg_policy p)
    || (SELECT string_agg(r::text, '|' ORDER BY r::text) FROM (SELECT rolname, rolsuper, rolcreaterole FROM pg_roles) r)
    || (SELECT string_agg(m::text, '|' ORDER BY m::text) FROM pg_auth_members m)
    || (SELECT count(*) FROM pg_trigger)::text || (SELECT count(*) FROM pg_publication)::text
    || (SELECT count(*) FROM pg_db_role_setting)::text || (SELECT last_value FROM clew.people_person_seq)::text)`;
  const rows = await owner.unsafe([...parts, catalog].join(' UNION ALL '));
  return JSON.stringify(rows);
}

interface Breach {
  readonly role: Role;
  readonly attempt: string;
}

/** The attempts that succeeded. */
async function breachesOf(
  { store, owner }: { readonly store: TeamStore; readonly owner: Sql },
  roles: readonly Role[],
  tried: readonly Attempt[] = attempts,
): Promise<readonly Breach[]> {
  const breaches: Breach[] = [];
  for (const role of roles) {
    const [row] = await owner`SELECT person FROM clew.people WHERE login = ${logins[role]}`;
    const person = Number(row?.person ?? -1);
    await owner.unsafe('DELETE FROM clew.readings');
    const before = await fingerprint(owner, person);
    for (const attempt of tried) {
      const printed = store.server.attempt(logins[role], attempt.sql);
      const found = forbiddenIn(printed, role, attempt);
      const isChanged = attempt.changes === true && (await fingerprint(owner, person)) !== before;
      if (found.length > 0 || isChanged)
        breaches.push({ role, attempt: `${attempt.name}${found.map((word) => ` ${word}`).join('')}` });
      await owner.unsafe('DELETE FROM clew.readings');
    }
    if ((await fingerprint(owner, person)) !== before) breaches.push({ role, attempt: 'the store has changed' });
  }
  return breaches;
}

const roles = Object.keys(logins) as Role[];

test('no role sees or changes what it may not', { skip: noPostgres }, async (context) => {
  for (const role of roles)
    assert.ok(attempts.filter(({ rightOf = [] }) => !rightOf.includes(role)).length >= 60, role);
  const stores = await prepareStore(context);
  assert.deepEqual(await breachesOf(stores, roles), []);
});

interface Weakened {
  readonly without: string;
  readonly sql: string;
  readonly role: Role;
  /** The attempt that then succeeds, with the words that it sees. */
  readonly attempt: string;
  readonly sees?: string;
  /** Functions are restored anyway. */
  readonly undo?: string;
}

const bobAndCid = 'marybobtext marybobsecondtext marycidtext';
const weakened: readonly Weakened[] = [
  {
    without: 'row security of a table',
    sql: 'ALTER TABLE clew.documents DISABLE ROW LEVEL SECURITY',
    undo: 'ALTER TABLE clew.documents ENABLE ROW LEVEL SECURITY',
    role: 'developer',
    attempt: 'read documents',
    sees: `${bobAndCid} maryevetext`,
  },
  {
    without: 'row security of a partition whose rights the database opens',
    sql: 'GRANT SELECT ON clew.documents_2026_03 TO PUBLIC; ALTER TABLE clew.documents_2026_03 DISABLE ROW LEVEL SECURITY',
    undo: 'REVOKE SELECT ON clew.documents_2026_03 FROM PUBLIC; ALTER TABLE clew.documents_2026_03 ENABLE ROW LEVEL SECURITY',
    role: 'lead',
    attempt: 'read the partition of documents',
    sees: `${bobAndCid} maryevetext`,
  },
  {
    without: 'the question for the role before a reading',
    sql: `CREATE OR REPLACE FUNCTION clew.sees_others() RETURNS boolean LANGUAGE sql AS 'SELECT true'`,
    role: 'lead',
    attempt: 'everyone announced',
    sees: bobAndCid,
  },
  {
    without: 'the own transaction of an announcement',
    sql: `CREATE OR REPLACE FUNCTION clew.announced_everyone() RETURNS boolean LANGUAGE sql SECURITY DEFINER AS
      'SELECT EXISTS (SELECT FROM clew.readings)'`,
    role: 'developer',
    attempt: 'an announcement that is not committed',
    sees: bobAndCid,
  },
  {
    without: 'the refusal to call an inner function',
    sql: 'GRANT EXECUTE ON FUNCTION clew.note_removal(integer, integer, date[]) TO clew_auditor',
    role: 'auditor',
    attempt: 'note a removal',
  },
];

test('with one rule less, an attempt succeeds', { skip: noPostgres }, async (context) => {
  const stores = await prepareStore(context);
  const functions = await stores.owner`
    SELECT string_agg(pg_get_functiondef(oid), ';') AS text FROM pg_proc WHERE pronamespace = 'clew'::regnamespace`;
  for (const { without, sql, role, attempt, sees, undo = '' } of weakened) {
    const tried = attempts.filter(({ name }) => name === attempt);
    assert.deepEqual(await breachesOf(stores, [role], tried), []);
    await stores.owner.unsafe(sql);
    const [found] = await breachesOf(stores, [role], tried);
    await stores.owner.unsafe(`${undo}; ${functions[0]?.text}`);
    assert.deepEqual(
      { without, ...found },
      { without, role, attempt: [attempt, ...(sees === undefined ? [] : [sees])].join(' ') },
    );
  }
});
