// What a role may try with SQL of its own. The words of the store are written in two pieces, so that the echo of a statement in
// an error is not taken for a finding.

export interface Attempt {
  readonly name: string;
  readonly sql: string;
  /** Kinds of Bob's words that a role may see in this attempt, apart from the usual ones. */
  readonly allows?: Readonly<Record<string, readonly string[]>>;
  /** For these roles it is not an attempt but a right. */
  readonly rightOf?: readonly string[];
  /** It would change the store. */
  readonly changes?: boolean;
}

const tables = [
  'sessions',
  'cells',
  'calls',
  'prompts',
  'titles',
  'call_paths',
  'documents',
  'exchanges',
  'packs',
  'usage_days',
];
const plain = [
  'tenants',
  'price_versions',
  'usage_totals',
  'gateway_keys',
  'gateway_spans',
  'gateway_batches',
  'gateway_destinations',
  'people',
  'groups',
  'members',
  'retention',
  'holds',
  'tombstones',
  'machines',
  'readings',
  'opened',
  'removals',
  'migrations',
];
const text = `encode(data, 'escape')`;
const leak = `CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS
  $$ BEGIN RAISE NOTICE 'leak %', $1; RETURN true; END $$;`;
const said = `SELECT text FROM clew.documents;`;
const announced = {
  developer: ['text', 'copy', 'secondtext', 'secondcopy'],
  auditor: ['text', 'copy', 'file', 'secondtext', 'secondcopy', 'secondfile'],
};
const announcedOne = { developer: ['text', 'copy'], auditor: ['text', 'copy', 'file'] };
/** Names of columns and a row that would be Bob's. */
const asBob = `(tenant, person, month, session_id, nth, call_key, name) VALUES (1, 2, '2026-03-01', 's-bob', 7, 'k', 'n')`;

const reads: readonly Attempt[] = [
  ...tables.map((table) => ({ name: `read ${table}`, sql: `SELECT to_jsonb(t) FROM clew.${table} t;` })),
  ...tables.map((table) => ({
    name: `read the partition of ${table}`,
    sql: `SELECT to_jsonb(t) FROM clew.${table}_2026_03 t;`,
  })),
  { name: 'read the bytes of packs', sql: `SELECT ${text} FROM clew.packs;` },
  { name: 'read the bytes of the partition', sql: `SELECT ${text} FROM clew.packs_2026_03;` },
  { name: 'copy a table', sql: 'COPY clew.documents TO STDOUT;' },
  { name: 'copy a partition', sql: 'COPY clew.documents_2026_03 TO STDOUT;' },
  { name: 'copy a query', sql: 'COPY (SELECT text FROM clew.documents) TO STDOUT;' },
  { name: 'copy through a program', sql: `COPY clew.documents TO PROGRAM 'cat';` },
  { name: 'copy into a file', sql: `COPY clew.documents TO '/tmp/clew-attempt';` },
  { name: 'turn row security off', sql: `SET row_security = off; ${said}` },
  { name: 'take the role of another', sql: `SET ROLE bob; ${said}` },
  {
    name: 'take a group role',
    sql: `SET ROLE clew_auditor; ${said} SELECT clew.announce_reading('x', NULL, NULL, NULL); ${said}`,
    allows: announced,
  },
  { name: 'log in as another', sql: `SET SESSION AUTHORIZATION bob; ${said}` },
  { name: 'log in as the superuser', sql: `SET SESSION AUTHORIZATION postgres; ${said}` },
  {
    name: 'act for another as a gateway does',
    sql: `SET clew.person = '2'; ${said} SELECT title FROM clew.titles WHERE person = 2 AND clew.my_person() = 2;`,
  },
  { name: 'act for another tenant', sql: `SET clew.person = '8'; ${said} SELECT title FROM clew.titles;` },
  {
    name: 'name another tenant',
    sql: 'SELECT to_jsonb(t) FROM clew.titles t WHERE tenant = 2; SELECT to_jsonb(t) FROM clew.sessions t WHERE tenant = 2;',
  },
  { name: 'a function that prints', sql: `${leak} SELECT count(*) FROM clew.documents WHERE pg_temp.leak(text);` },
  {
    name: 'a function that prints titles of the other tenant',
    sql: `${leak} SELECT count(*) FROM clew.titles WHERE pg_temp.leak(title) AND tenant = 2;`,
  },
  {
    name: 'a function that prints, in an aggregate',
    sql: `${leak} SELECT bool_or(pg_temp.leak(text)) FROM clew.documents;`,
  },
  { name: 'an error with the value', sql: 'SELECT count(*) FROM clew.documents WHERE text::integer = 1;' },
  {
    name: 'an error of a division',
    sql: `SELECT count(*) FROM clew.documents WHERE 1 / (CASE WHEN text LIKE 'mary%' THEN 0 ELSE 1 END) = 1; SELECT CASE WHEN count(*) > 0 THEN 'marybob' || 'text' END FROM clew.documents WHERE text LIKE 'marybob%';`,
  },
  { name: 'an error of a pattern', sql: `SELECT count(*) FROM clew.documents WHERE 'x' ~ (text || '[');` },
  { name: 'a view of my own', sql: 'CREATE TEMP VIEW v AS SELECT * FROM clew.documents; SELECT text FROM v;' },
  {
    name: 'a rule on my view',
    sql: 'CREATE TEMP VIEW v WITH (security_barrier = false) AS SELECT * FROM clew.documents; SELECT text FROM v;',
  },
  { name: 'words of the index', sql: `SELECT * FROM ts_stat('SELECT words FROM clew.documents');` },
  {
    name: 'words of the index of the partition',
    sql: `SELECT * FROM ts_stat('SELECT words FROM clew.documents_2026_03');`,
  },
  { name: 'search by word', sql: `SELECT text FROM clew.documents WHERE words @@ ('marybob' || 'text')::tsquery;` },
  {
    name: 'ask the search whether there is a word',
    sql: `SELECT CASE WHEN count(*) > 0 THEN 'marybob' || 'text' END FROM clew.matching_documents(('marybob' || 'text')::tsquery);`,
  },
  {
    name: 'ask the search for exchanges',
    sql: `SELECT CASE WHEN count(*) > 0 THEN 'marybob' || 'text' END FROM clew.matching_exchanges(('pmarybob' || 'text')::tsquery);`,
  },
  {
    name: 'take batches of another tenant from the queue of the gateway',
    sql: `SELECT encode(body, 'escape') FROM clew.gateway_claim('https://traces.example', '00000000-0000-4000-a000-000000000001', 10, '1 minute');`,
  },
  { name: 'read the queue of the gateway', sql: `SELECT encode(body, 'escape'), reason FROM clew.gateway_batches;` },
  {
    name: 'whose key it is, in another tenant',
    sql: `SELECT 'mary' || person_name || 'text' FROM clew.gateway_key('key of eve');`,
  },
  {
    name: 'ask the ranked search for documents',
    sql: `SELECT CASE WHEN count(*) > 0 THEN 'marybob' || 'text' END FROM clew.found_documents(('marybob' || 'text')::tsquery,
      ARRAY['marybob' || 'text'], '{}', ARRAY[2], NULL, NULL, NULL, NULL, NULL, 10);`,
  },
  {
    name: 'ask the ranked search for every word that begins alike',
    sql: `SELECT * FROM clew.found_documents('mary:*'::tsquery, '{}', ARRAY['mary'], ARRAY[1, 2, 3, 8], NULL, NULL, NULL, NULL, NULL, 10);`,
  },
  {
    name: 'count what the search finds',
    sql: `SELECT CASE WHEN clew.count_documents(('marybob' || 'text')::tsquery, ARRAY[2], NULL, NULL, NULL, NULL, NULL, 10) > 0
      THEN 'marybob' || 'text' END;`,
  },
  {
    name: 'count with answers of the policy that are my own',
    sql: `SELECT CASE WHEN clew.count_months('{2026-03-01}', ('marybob' || 'text')::tsquery, ARRAY[2], NULL, NULL, NULL, NULL, NULL,
      1, 2, true, '{}') > 0 THEN 'marybob' || 'text' END;`,
  },
  {
    name: 'ask the ranked search for exchanges',
    sql: `SELECT * FROM clew.found_exchanges(ARRAY['pmary:*'::tsquery], ARRAY['tmary:*'::tsquery], '{}', ARRAY['pmary', 'tmary'],
      ARRAY[1, 2, 3, 8], ARRAY[10]);`,
  },
  {
    name: 'ask the ranked search for the keys of exchanges',
    sql: `SELECT CASE WHEN count(*) > 0 THEN 'marybob' || 'text' END FROM clew.found_exchanges(ARRAY['pmarybobtext'::tsquery],
      ARRAY['x'::tsquery], '{}', '{}', ARRAY[2], ARRAY[0]);`,
  },
  {
    name: 'ask the ranked search for phrases',
    sql: `SELECT CASE WHEN count(*) > 0 THEN 'marybob' || 'text' END FROM clew.found_phrases(('marybob' || 'text')::tsquery,
      ('marybob' || 'text')::tsquery, ARRAY['marybob' || 'text'], '{}', ARRAY[2], NULL, NULL, NULL, NULL, NULL, 10);`,
  },
  {
    name: 'ask the search about another person',
    sql: `SELECT CASE WHEN count(*) > 0 THEN 'marybob' || 'text' END FROM clew.matching_documents(('marybob' || 'text')::tsquery, ARRAY[2]);`,
  },
  { name: 'a table as XML', sql: `SELECT table_to_xml('clew.documents', true, true, '');` },
  { name: 'the schema as XML', sql: `SELECT schema_to_xml('clew', true, true, '');` },
  { name: 'a query as XML', sql: `SELECT query_to_xml('SELECT * FROM clew.documents', true, true, '');` },
  {
    name: 'statistics of the planner',
    sql: `SELECT tablename, attname, most_common_vals, histogram_bounds, most_common_elems FROM pg_stats WHERE schemaname = 'clew';`,
  },
  { name: 'the table of statistics', sql: 'SELECT stavalues1 FROM pg_statistic;' },
  { name: 'queries of others', sql: 'SELECT query FROM pg_stat_activity;' },
  { name: 'large objects', sql: `SELECT encode(data, 'escape') FROM pg_largeobject;` },
  { name: 'a large object by number', sql: `SELECT encode(lo_get(oid), 'escape') FROM pg_largeobject_metadata;` },
  { name: 'files of the server', sql: `SELECT pg_read_file('postgresql.conf'); SELECT pg_ls_dir('base');` },
  {
    name: 'a page of a table',
    sql: `CREATE EXTENSION pageinspect; SELECT encode(get_raw_page('clew.documents_2026_03', 0), 'escape');`,
  },
  {
    name: 'another connection',
    sql: `CREATE EXTENSION dblink; SELECT * FROM dblink('dbname=clew user=bob', 'SELECT text FROM clew.documents') AS t(x text);`,
  },
  {
    name: 'a cursor before the announcement',
    sql: `BEGIN; DECLARE c CURSOR FOR SELECT text FROM clew.documents; SELECT clew.announce_reading('x', NULL, NULL, NULL); FETCH ALL FROM c; COMMIT;`,
  },
  {
    name: 'an announcement that is not committed',
    sql: `BEGIN; SELECT clew.announce_reading('x', NULL, NULL, NULL); ${said} ROLLBACK; ${said}`,
  },
  {
    name: 'an announcement in a savepoint',
    sql: `BEGIN; SAVEPOINT a; SELECT clew.announce_reading('x', NULL, NULL, NULL); RELEASE a; ${said} ROLLBACK; ${said}`,
  },
  {
    name: 'an announcement in a block',
    sql: `BEGIN; DO $$ BEGIN PERFORM clew.announce_reading('x', NULL, NULL, NULL); EXCEPTION WHEN others THEN NULL; END $$; ${said} ROLLBACK;`,
  },
  {
    name: 'an announcement in the same statement',
    sql: `WITH a AS MATERIALIZED (SELECT clew.announce_reading('x', NULL, NULL, NULL)) SELECT text FROM clew.documents, a;`,
  },
  {
    name: 'an announcement that is prepared',
    sql: `BEGIN; SELECT clew.announce_reading('x', NULL, NULL, NULL); PREPARE TRANSACTION 'a'; ${said} ROLLBACK PREPARED 'a';`,
  },
  {
    name: 'everyone announced as one session',
    sql: `SELECT clew.announce_reading('x', NULL, 's-none', NULL); ${said}`,
  },
  { name: 'everyone announced as one person', sql: `SELECT clew.announce_reading('x', 2, NULL, NULL); ${said}` },
  {
    name: 'one session announced, another read',
    sql: `SELECT clew.announce_reading('x', 2, 's-bob', NULL); ${said} SELECT ${text} FROM clew.packs;`,
    allows: announcedOne,
  },
  {
    name: 'a session of another person with a number that begins alike',
    sql: `SELECT clew.announce_reading('x', 2, 's-bo', NULL); SELECT clew.announce_reading('x', 22, 's-bob', NULL); ${said}`,
  },
  {
    name: 'everyone announced, other tenant read',
    sql: `SELECT clew.announce_reading('x', NULL, NULL, NULL); SELECT text FROM clew.documents WHERE tenant = 2;`,
  },
  {
    name: 'everyone announced, original files read',
    sql: `SELECT clew.announce_reading('x', NULL, NULL, NULL); SELECT ${text} FROM clew.packs WHERE is_original;`,
    allows: { auditor: announced.auditor },
  },
  {
    name: 'everyone announced',
    sql: `SELECT clew.announce_reading('x', NULL, NULL, NULL); ${said}`,
    allows: announced,
    rightOf: ['developer', 'auditor'],
  },
  {
    name: 'tables that shadow those of the store',
    sql: `CREATE TEMP TABLE people (tenant integer, person integer, login text, login_oid oid, forgotten_at timestamptz); INSERT INTO people VALUES (1, 2, session_user, NULL, NULL); CREATE TEMP TABLE readings (tenant integer); SET search_path = pg_temp, clew, pg_catalog; SELECT clew.my_person() = 2; ${said}`,
  },
  {
    name: 'functions that shadow those of the system',
    sql: `CREATE FUNCTION pg_temp.pg_has_role(name, text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true'; SET search_path = pg_temp, pg_catalog; SELECT clew.sees_others(); ${said} SELECT title FROM clew.titles;`,
  },
  {
    name: 'operators that shadow those of the system',
    sql: `CREATE FUNCTION pg_temp.yes(integer, integer) RETURNS boolean LANGUAGE sql AS 'SELECT true'; CREATE OPERATOR pg_temp.= (LEFTARG = integer, RIGHTARG = integer, FUNCTION = pg_temp.yes); SET search_path = pg_temp, pg_catalog; ${said}`,
  },
  { name: 'a cast that shadows', sql: `CREATE CAST (text AS integer) WITH INOUT AS IMPLICIT; ${said}` },
  { name: 'login names', sql: 'SELECT login, login_oid FROM clew.people;' },
  {
    name: 'reasons of holds',
    sql: `SELECT CASE WHEN count(*) > 0 THEN 'marybob' || 'hold' END FROM clew.holds;`,
    rightOf: ['auditor'],
    allows: { auditor: ['hold'] },
  },
  { name: 'passwords', sql: 'SELECT rolpassword FROM pg_authid;' },
  { name: 'what a sweep would take', sql: 'SELECT * FROM clew.due_sessions(1);' },
  { name: 'what there is of another person', sql: 'SELECT clew.count_person(1, 2);' },
];

const changes: readonly Attempt[] = [
  ...[...tables, ...plain].map((table) => ({ name: `delete from ${table}`, sql: `DELETE FROM clew.${table};` })),
  { name: 'update text', sql: `UPDATE clew.documents SET text = 'x';` },
  { name: 'update a partition', sql: `UPDATE clew.documents_2026_03 SET text = 'x';` },
  { name: 'truncate', sql: 'TRUNCATE clew.cells;' },
  {
    name: 'lock another person',
    sql: 'SELECT FROM clew.people WHERE person = 2 FOR UPDATE; UPDATE clew.people SET name = name;',
  },
  { name: 'insert a call of another person', sql: `INSERT INTO clew.calls ${asBob};` },
  { name: 'insert into a partition', sql: `INSERT INTO clew.calls_2026_03 ${asBob};` },
  { name: 'insert a session', sql: `INSERT INTO clew.sessions SELECT * FROM clew.sessions;` },
  {
    name: 'open a session of mine, insert for another',
    sql: `BEGIN; SELECT clew.open_session('{"sessionId":"mine","baseId":"mine","level":1,"contentKey":"k","month":"2026-03-01","months":["2026-03-01"],"mainBytes":1,"mainSha256":"x","machine":"m","projectHash":"h","facts":{}}'); INSERT INTO clew.calls ${asBob}; COMMIT;`,
  },
  {
    name: 'open a session in the name of another',
    sql: `SELECT clew.open_session('{"tenant":1,"person":2,"sessionId":"s-bob","baseId":"s-bob","level":1,"contentKey":"k","month":"2026-03-01","months":["2026-03-01"],"mainBytes":1,"mainSha256":"x","machine":"m","projectHash":"h","facts":{}}');`,
  },
  {
    name: 'remove a session of another',
    sql: `SELECT clew.remove_session('s-bob', 'removed', 'laptop'); SELECT clew.remove_session('', 'removed', 'laptop'); SELECT clew.remove_session('s-bob@x', 'removed', 'laptop');`,
  },
  {
    name: 'remove rows of another',
    sql: `SELECT clew.remove_rows(1, 2, 's-bob', ARRAY['2026-03-01'::date], 0::smallint);`,
  },
  { name: 'sweep', sql: 'SELECT clew.sweep(1, 100);' },
  { name: 'forget another', sql: 'SELECT clew.forget(1, 2);' },
  { name: 'note a removal', sql: `SELECT clew.note_removal(1, 2, ARRAY['2026-03-01'::date]);` },
  { name: 'lock someone by function', sql: 'SELECT clew.lock_person(1, 2);' },
  { name: 'make partitions', sql: `SELECT clew.ensure_months(ARRAY['2021-05-01'::date]);` },
  {
    name: 'usage of another',
    sql: `INSERT INTO clew.usage_days SELECT * FROM clew.usage_days; UPDATE clew.usage_days SET messages = 0;`,
  },
  {
    name: 'forge a reading of another',
    sql: `INSERT INTO clew.readings (tenant, reader_person, reader, action) VALUES (1, 2, 'bob', 'find');`,
  },
  {
    name: 'spans in the name of another tenant',
    sql: `SELECT clew.gateway_take(2, 8, ARRAY['x'::bytea], ARRAY['https://traces.example'], ARRAY[1], ARRAY['t'], ARRAY['x'::bytea]);`,
  },
  { name: 'be an auditor', sql: 'GRANT clew_auditor TO CURRENT_USER;' },
  { name: 'be a superuser', sql: 'ALTER ROLE CURRENT_USER SUPERUSER;' },
  { name: 'create a role', sql: 'CREATE ROLE mallory LOGIN IN ROLE clew_auditor;' },
  { name: 'link my role to another person', sql: 'UPDATE clew.people SET login = session_user WHERE person = 2;' },
  { name: 'lead a group', sql: `INSERT INTO clew.members VALUES (1, 'core', 2, true);` },
  { name: 'release a hold', sql: 'UPDATE clew.holds SET released_at = now();' },
  { name: 'shorten retention', sql: 'INSERT INTO clew.retention VALUES (1, 1, 1);' },
  { name: 'ask for more', sql: 'UPDATE clew.tenants SET most_level = 4;' },
  { name: 'switch row security off', sql: 'ALTER TABLE clew.documents DISABLE ROW LEVEL SECURITY;' },
  { name: 'drop a policy', sql: 'DROP POLICY see ON clew.documents;' },
  { name: 'add a policy', sql: 'CREATE POLICY mine ON clew.documents USING (true);' },
  { name: 'grant', sql: 'GRANT SELECT ON clew.documents_2026_03 TO PUBLIC;' },
  {
    name: 'add a trigger',
    sql: 'CREATE TRIGGER t BEFORE INSERT ON clew.cells FOR EACH ROW EXECUTE FUNCTION clew.add_usage();',
  },
  { name: 'add a rule', sql: 'CREATE RULE r AS ON INSERT TO clew.cells DO ALSO SELECT 1;' },
  { name: 'add an index', sql: 'CREATE INDEX ON clew.documents_2026_03 (text);' },
  { name: 'inherit', sql: 'CREATE TEMP TABLE t () INHERITS (clew.documents);' },
  {
    name: 'attach a partition',
    sql: `CREATE TEMP TABLE t (LIKE clew.calls); ALTER TABLE clew.calls ATTACH PARTITION t FOR VALUES FROM ('2021-01-01') TO ('2021-02-01');`,
  },
  {
    name: 'replace a function',
    sql: `CREATE OR REPLACE FUNCTION clew.sees_others() RETURNS boolean LANGUAGE sql AS 'SELECT true';`,
  },
  { name: 'a function in the schema', sql: `CREATE FUNCTION clew.x() RETURNS integer LANGUAGE sql AS 'SELECT 1';` },
  { name: 'a table in the schema', sql: 'CREATE TABLE clew.x (a integer);' },
  { name: 'own the schema', sql: 'ALTER SCHEMA clew OWNER TO CURRENT_USER; DROP SCHEMA clew CASCADE;' },
  { name: 'publish', sql: 'CREATE PUBLICATION p FOR TABLE clew.documents;' },
  {
    name: 'settings of the database',
    sql: `ALTER DATABASE clew SET search_path = public; ALTER ROLE bob SET search_path = public;`,
  },
  {
    name: 'numbers of people',
    sql: `SELECT setval(pg_get_serial_sequence('clew.people', 'person'), 1); SELECT nextval('clew.readings_id_seq');`,
  },
];

export const attempts: readonly Attempt[] = [...reads, ...changes.map((attempt) => ({ ...attempt, changes: true }))];
