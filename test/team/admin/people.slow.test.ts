import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initStore, scramVerifier } from '../../../src/team/admin/index.ts';
import { connect } from '../../../src/team/database/index.ts';
import { runClew } from '../../support/clew.ts';
import { noPostgres, startPostgres } from '../../support/postgres.ts';
import { ownedStore, ownerRights, startOwnedStore } from './admin-kit.ts';

const skip = noPostgres;

test('init says which right is missing, and needs no superuser', { skip }, async (context) => {
  const server = startPostgres(context);
  const { team, json } = ownedStore(server);
  server.run('CREATE ROLE keeper LOGIN');
  assert.deepEqual(
    team('init').stderr.split('; ').at(-1),
    'as a superuser run GRANT CREATE ON DATABASE clew TO keeper\n',
  );
  server.run('GRANT CREATE ON DATABASE clew TO keeper');
  assert.deepEqual(team('init').stderr.split('; ').at(-1), 'as a superuser run ALTER ROLE keeper CREATEROLE\n');
  assert.equal(server.run("SELECT count(*) FROM pg_namespace WHERE nspname = 'clew'"), '0\n');
  server.run('ALTER ROLE keeper CREATEROLE');
  const created = {
    database: 'clew',
    owner: 'keeper',
    isSuperuser: false,
    from: 0,
    to: 1,
    tenant: 'acme',
    isNewTenant: true,
  };
  assert.deepEqual(json('init', '--tenant', 'acme'), created);
  assert.deepEqual(json('init'), { ...created, from: 1, isNewTenant: false });
  server.run('CREATE ROLE other LOGIN');
  const { status, stderr } = runClew(['team', 'init', '--to', server.address('other')]);
  assert.deepEqual(
    [status, stderr],
    [2, 'clew: the store in clew belongs to another role than "other"; connect as its owner\n'],
  );
  server.run('UPDATE clew.migrations SET version = 99');
  const newer = team('init');
  assert.deepEqual(
    [newer.status, newer.stderr],
    [3, 'clew: the store has schema 99, and this Clew knows 1; update Clew\n'],
  );
});

test(
  'init at the same time, also in two databases of one server, creates each store once',
  { skip },
  async (context) => {
    const server = startPostgres(context);
    server.run(`${ownerRights} CREATE DATABASE second OWNER keeper`.replace(' CREATE DATABASE', '\nCREATE DATABASE'));
    const addresses = ['clew', 'clew', 'clew', 'second', 'second'].map((database) =>
      server.address('keeper', database),
    );
    const connections = await Promise.all(addresses.map((address) => connect(address)));
    const done = await Promise.all(connections.map((sql) => initStore(sql, 'acme')));
    await Promise.all(connections.map((sql) => sql.end()));
    const news = done.filter(({ from }) => from === 0).map(({ database }) => database);
    assert.deepEqual(news.sort(), ['clew', 'second']);
    assert.equal(done.filter(({ isNewTenant }) => isNewTenant).length, 2);
  },
);

test('grant creates a login, links it and quotes its name; revoke takes the access', { skip }, async (context) => {
  const { server, json, team, push } = startOwnedStore(context);
  json('group', 'add', 'core');
  const odd = `o'brien "x"; DROP ROLE keeper; --`;
  for (const name of ['ada', odd]) {
    assert.deepEqual(json('grant', name, '--role', 'developer', '--group', 'core'), {
      person: name,
      login: name,
      roles: ['developer'],
      isNewPerson: true,
      isNewLogin: true,
    });
  }
  json('grant', 'leah', '--role', 'lead', '--group', 'core', '--login', 'leah_login');
  json('grant', 'gus');
  assert.deepEqual(await push('ada', { id: 's1', word: 'mary' }), { state: 'open' });
  assert.deepEqual(json('groups'), [{ name: 'core', leads: ['leah'], members: ['ada', 'leah', odd] }]);
  const people = json('people') as readonly Record<string, unknown>[];
  assert.deepEqual(
    people.map(({ name, login, roles, leads, sessions, isHeld }) => [name, login, roles, leads, sessions, isHeld]),
    [
      ['ada', 'ada', ['developer'], [], 1, false],
      ['gus', null, [], [], 0, false],
      ['leah', 'leah_login', ['lead'], ['core'], 0, false],
      [odd, odd, ['developer'], [], 0, false],
    ],
  );
  server.run('CREATE ROLE bypass LOGIN BYPASSRLS');
  const refused = [
    'postgres',
    'keeper',
    'bypass',
    'clew_auditor',
    'ada',
    'nobody-has-this-very-long-name-of-a-role-that-postgresql-would-cut-after-63',
  ];
  assert.deepEqual(
    refused.map((login) => team('grant', 'mallory', '--role', 'auditor', '--login', login).status),
    [3, 3, 3, 3, 3, 2],
  );
  assert.equal(team('grant', 'ada', '--role', 'gateway').status, 3);
  assert.deepEqual(json('revoke', 'ada'), { person: 'ada', login: null, roles: [] });
  await assert.rejects(push('ada', { id: 's2', word: 'mary' }), { code: '42501' });
  assert.equal(server.run(`SELECT count(*) FROM clew.sessions`), '1\n');
  assert.deepEqual((json('forget', 'gus', '--erase', '--yes') as Record<string, unknown>).pending, []);
  json('group', 'remove', 'core', 'ada');
  json('group', 'remove', 'core');
  assert.deepEqual(json('groups'), []);
});

test('a role that is created again with the name of an old one is not the old person', { skip }, async (context) => {
  const { server, json, push } = startOwnedStore(context, ['ada']);
  await push('ada', { id: 's1', word: 'mary' });
  server.run('DROP ROLE ada; CREATE ROLE ada LOGIN IN ROLE clew_developer');
  assert.equal(server.attempt('ada', 'SELECT title FROM clew.titles'), '');
  await assert.rejects(push('ada', { id: 's2', word: 'mary' }), { code: 'CL001' });
  const [ada] = json('people') as readonly Record<string, unknown>[];
  assert.equal(ada?.login, null);
  json('grant', 'ada', '--role', 'developer');
  assert.equal(server.attempt('ada', 'SELECT title FROM clew.titles'), 'marytitle\n');
});

test('a password arrives as the server itself would store it', { skip }, async (context) => {
  const server = startPostgres(context);
  server.run(`CREATE ROLE ada LOGIN PASSWORD 'correct horse'`);
  const stored = server.run(`SELECT rolpassword FROM pg_authid WHERE rolname = 'ada'`).trim();
  const [, salt = ''] = /^SCRAM-SHA-256\$4096:([^$]+)\$/.exec(stored) ?? [];
  assert.equal(scramVerifier('correct horse', Buffer.from(salt, 'base64')), stored);
  assert.notEqual(scramVerifier('correct horse'), scramVerifier('correct horse'));
  assert.throws(() => scramVerifier('pässword!'), /printable ASCII/);
});
