// `clew push` to a real store: what arrives is what a dry run shows, what the user lowers or removes is gone, and nothing of
// the text leaves at the level of metrics.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, connect as openSocket, type Socket } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { pushSessions } from '../../src/team/push/index.ts';
import { jsonOf, runClew } from '../support/clew.ts';
import { demoProjects } from '../support/demo-library.ts';
import { noPostgres, type PostgresServer } from '../support/postgres.ts';
import { startClew } from '../support/running-clew.ts';
import { startTeamStore } from '../support/team-store.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { transcript } from '../support/transcript-builder.ts';
import { waitFor } from '../support/wait.ts';
import { canarySession, type Machine, machineOf, withLocalPush } from './push-kit.ts';
import { runProcess } from './run-process.ts';

const id = '11111111-1111-4111-a111-111111111111';
const slug = '-home-dev-widgets';
const main = `${slug}/${id}.jsonl`;

const tables = ['sessions', 'cells', 'calls', 'prompts', 'titles', 'call_paths', 'documents', 'exchanges', 'packs'];

function push(machine: Machine, ...flags: readonly string[]): string {
  const { status, stdout, stderr } = runClew(['push', ...flags], { env: machine.env });
  assert.equal(status, 0, stderr);
  return stdout + stderr;
}

function countRows(server: PostgresServer): Readonly<Record<string, number>> {
  const counts = tables.map((table) => [table, Number(server.run(`SELECT count(*) FROM clew.${table}`))] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** Everything in the database, as a backup has it. */
function everything(server: PostgresServer): string {
  return server.program('pg_dump', '--inserts', '--schema', 'clew');
}

test('the store has what a dry run shows', { skip: noPostgres }, async (context) => {
  const store = await startTeamStore(context, { ada: 'developer' });
  const machine = machineOf(context, store.addressOf('ada'), { files: demoProjects(), level: 'files' });
  const dry = jsonOf(['push', '--dry-run', '--json'], { env: machine.env }) as {
    push: Rows[];
    remove: unknown[];
  } & object;
  assert.deepEqual(countRows(store.server), {});
  push(machine);
  const canonical = (words: readonly string[]): readonly string[] => {
    const values = words.map((text, i) => `(${i}, $w$${text}$w$::tsvector)`).join(',');
    return words.length === 0
      ? []
      : JSON.parse(store.server.run(`SELECT json_agg(w::text ORDER BY i) FROM (VALUES ${values}) v(i, w)`));
  };
  const stored = readSessions(store.server);
  assert.deepEqual(
    stored,
    dry.push.map((rows) => expectedRows(rows, canonical)).sort((a, b) => (a.id < b.id ? -1 : 1)),
  );
  assert.equal(stored.length, 5);
  const again = jsonOf(['push', '--dry-run', '--json'], { env: machine.env });
  assert.deepEqual(again, { push: [], remove: [] });
});

test('a store that has lost what was pushed gets it again', { skip: noPostgres }, async (context) => {
  const store = await startTeamStore(context, { ada: 'developer' });
  const machine = machineOf(context, store.addressOf('ada'), { files: demoProjects(), level: 'titles' });
  push(machine);
  const rows = countRows(store.server);
  assert.equal(rows.sessions, 5);
  // As when a backup from before the first push is restored.
  store.server.run(tables.map((table) => `DELETE FROM clew.${table};`).join(''));
  store.server.run('DELETE FROM clew.machines');
  assert.deepEqual(countRows(store.server), {});
  push(machine);
  assert.deepEqual(countRows(store.server), rows);
});

type Row = Readonly<Record<string, unknown>>;
type Table = 'cells' | 'calls' | 'prompts' | 'titles' | 'callPaths' | 'documents' | 'exchanges' | 'packs';
type Rows = Readonly<Record<Table, readonly Row[]>> & { readonly head: Row };

function expectedRows(
  { head, ...rows }: Rows,
  canonical: (words: readonly string[]) => readonly string[],
): Row & { readonly id: string } {
  const words = (list: readonly Row[]): readonly Row[] => {
    // A push adds a word for the person, who is the first one here.
    const texts = canonical(list.map((row) => `${String(row.words)} '@1'`));
    return list.map((row, i) => ({ ...row, words: texts[i] }));
  };
  const { months, baseId: _, ...session } = head;
  return {
    id: String(head.sessionId),
    head: { ...session, months },
    cells: rows.cells,
    calls: rows.calls,
    prompts: rows.prompts,
    titles: rows.titles,
    callPaths: rows.callPaths.map(({ nth, touched }) => ({ nth, touched })),
    documents: words(rows.documents),
    exchanges: words(rows.exchanges),
    packs: rows.packs,
  };
}

const ms = (column: string): string => `round(extract(epoch FROM ${column}) * 1000)`;

/** Every table, with the names of `SessionRows`. */
function readSessions(server: PostgresServer): readonly Row[] {
  const list = (table: string, order: string, values: string): string =>
    `(SELECT coalesce(json_agg(json_build_object(${values}) ORDER BY ${order}), '[]') FROM clew.${table} t
      WHERE t.session_id = s.session_id)`;
  const iso = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  const sql = `SELECT json_agg(json_build_object('id', session_id,
    'head', json_build_object('sessionId', session_id, 'machine', machine, 'level', level, 'contentKey', content_key,
      'month', month, 'mainBytes', main_bytes, 'mainSha256', main_sha256, 'rules', rules, 'startedAt', ${iso('started_at')},
      'endedAt', ${iso('ended_at')}, 'projectHash', project_hash, 'facts', facts, 'months', months),
    'cells', ${list('cells', 'nth', "'quarter', quarter, 'model', model, 'isFast', is_fast, 'isLowerBound', is_lower_bound, 'messages', messages, 'inputTokens', input_tokens, 'outputTokens', output_tokens, 'cacheReadTokens', cache_read_tokens, 'cacheWrite5mTokens', cache_write_5m_tokens, 'cacheWrite1hTokens', cache_write_1h_tokens, 'costMicroUsd', cost_micro_usd")},
    'calls', ${list('calls', 'nth', `'callKey', call_key, 'name', name, 'calledAt', ${ms('called_at')}, 'isError', is_error`)},
    'prompts', ${list('prompts', 'nth', `'promptKey', prompt_key, 'typedAt', ${ms('typed_at')}, 'isCopy', is_copy`)},
    'titles', ${list('titles', 'path', "'title', title, 'cwd', cwd, 'path', path, 'facts', facts")},
    'callPaths', ${list('call_paths', 'nth', "'nth', nth, 'touched', touched")},
    'documents', ${list('documents', 'nth', `'agent', agent, 'line', line, 'kind', kind, 'part', part, 'saidAt', ${ms('said_at')}, 'tool', tool, 'uuid', uuid, 'text', text, 'words', words::text, 'tokens', tokens, 'facts', facts`)},
    'exchanges', ${list('exchanges', 'nth', `'agent', agent, 'line', line, 'firstLine', first_line, 'endLine', end_line, 'saidAt', ${ms('said_at')}, 'words', words::text, 'tokens', tokens, 'facts', facts`)},
    'packs', ${list('packs', 'is_original, nth, chunk', "'isOriginal', is_original, 'nth', nth, 'chunk', chunk, 'name', name, 'sizeBytes', size_bytes, 'sha256', sha256, 'mode', mode, 'mtimeMs', mtime_ms, 'codec', codec, 'data', replace(encode(data, 'base64'), chr(10), '')")}
  ) ORDER BY session_id COLLATE "C") FROM clew.sessions s`;
  return JSON.parse(server.run(sql)) as Row[];
}

test('at the level of metrics no text and no path leaves', { skip: noPostgres }, async (context) => {
  const store = await startTeamStore(context, { ada: 'developer' });
  const { files, canaries } = canarySession();
  assert.equal(canaries.length, 27);
  const machine = machineOf(context, store.addressOf('ada'), { files, level: 'files' });
  // They are all there to be found.
  const whole = runClew(['push', '--dry-run', '--json'], { env: machine.env }).stdout;
  for (const place of ['prompt', 'title', 'cwd', 'branch', 'link', 'tag', 'file', 'task', 'queued'])
    assert.ok(whole.includes(`CANARY-${place}`), place);
  machine.share({ level: 'metrics' });
  const dry = runClew(['push', '--dry-run', '--json'], { env: machine.env }).stdout;
  assert.match(push(machine), /pushed 2 sessions/);
  const dump = everything(store.server);
  assert.ok(dump.includes(id));
  for (const text of [dry, dump]) {
    assert.equal(/canary/i.exec(text)?.[0], undefined);
    assert.equal(text.includes(machine.root), false);
    assert.equal(text.includes('/home/'), false);
  }
});

test(
  'a session that was collected at metrics and waits has no text in its file',
  { skip: noPostgres },
  async (context) => {
    const store = await startTeamStore(context, { ada: 'developer' });
    const { files } = canarySession();
    const machine = machineOf(context, store.addressOf('ada'), { files, level: 'metrics' });
    const wanted = /answered/;
    const steps: string[] = [];
    await assert.rejects(
      withLocalPush(machine, (options) =>
        pushSessions({
          ...options,
          onStep: (step) => {
            steps.push(step);
            if (wanted.test(step)) throw new Error('killed');
          },
        }),
      ),
      /killed/,
    );
    const folder = path.join(machine.home, 'push');
    const spooled = (readdirSync(folder, { recursive: true }) as string[]).filter((name) => name.endsWith('.session'));
    assert.equal(spooled.length, 1);
    const bytes = readFileSync(path.join(folder, spooled[0] ?? ''));
    // The name of its transcript is for this machine alone, and is not among the rows.
    const rows = bytes.subarray(bytes.indexOf('rows'));
    assert.equal(/canary/i.test(rows.toString('latin1').replaceAll('\0', '')), false);
    assert.match(push(machine), /pushed 1 session to acme as ada; 1 unchanged/);
    assert.equal(store.server.run('SELECT count(*) FROM clew.sessions'), '2\n');
  },
);

test('lowering, rm, redact and undo take the text out of the store', { skip: noPostgres }, async (context) => {
  const store = await startTeamStore(context, { ada: 'developer' });
  const { server } = store;
  const secret = 'Vp7xQ2mL9sKd4TzR';
  const session = (word: string): string => transcript().user(`about ${word}`).assistant(`done ${word}`).text();
  const other = '22222222-2222-4222-a222-222222222222';
  const machine = machineOf(context, store.addressOf('ada'), {
    files: { [main]: session('CANARY-one'), [`${slug}/${other}.jsonl`]: session('CANARY-two').replaceAll(id, other) },
    level: 'text',
  });
  const { env } = machine;
  push(machine);
  const has = (word: string): boolean =>
    server.run(`SELECT count(*) FROM clew.documents WHERE text LIKE '%${word}%'`) !== '0\n';
  assert.ok(has('CANARY-one') && has('CANARY-two'));

  machine.share({ level: 'metrics' });
  push(machine);
  assert.equal(/canary/i.test(everything(server)), false);
  assert.deepEqual(
    server.run('SELECT session_id, level, reason FROM clew.tombstones ORDER BY 1'),
    `${id}|1|lowered\n${other}|1|lowered\n`,
  );
  assert.deepEqual(Object.keys(countRows(server)), ['sessions', 'cells', 'prompts']);

  machine.share({ level: 'text' });
  push(machine);
  assert.ok(has('CANARY-one') && has('CANARY-two'));
  assert.equal(server.run('SELECT count(*) FROM clew.tombstones'), '0\n');

  const old = new Date(Date.now() - 3_600_000);
  for (const name of [id, other]) utimesSync(machine.file(`${slug}/${name}.jsonl`), old, old);
  assert.equal(runClew(['rm', id, '--yes'], { env }).status, 0);
  assert.match(push(machine), /1 removed/);
  assert.equal(has('CANARY-one'), false);
  assert.ok(has('CANARY-two'));
  assert.equal(server.run(`SELECT level, reason FROM clew.tombstones WHERE session_id = '${id}'`), '0|removed\n');

  assert.equal(runClew(['undo'], { env }).status, 0);
  push(machine);
  assert.ok(has('CANARY-one'));

  writeFileSync(machine.file(main), session('CANARY-one').replace('done', `export DB_PASSWORD=${secret} done`));
  utimesSync(machine.file(main), old, old);
  push(machine);
  assert.equal(has(secret), false);
  const redacted = runClew(['redact', id, '--in-place'], { env });
  assert.equal(redacted.status, 0, redacted.stderr);
  push(machine);
  assert.equal(server.run(`SELECT reason FROM clew.tombstones WHERE session_id = '${id}'`), 'redacted\n');

  const forked = runClew(['fork', other, '--json'], { env });
  assert.equal(forked.status, 0, forked.stderr);
  push(machine);
  assert.equal(server.run('SELECT count(*) FROM clew.sessions'), '3\n');
  assert.equal(runClew(['undo'], { env }).status, 0);
  assert.match(push(machine), /1 removed/);
  assert.equal(server.run('SELECT count(*) FROM clew.sessions'), '2\n');

  for (const name of [id, other]) utimesSync(machine.file(`${slug}/${name}.jsonl`), old, old);
  assert.equal(runClew(['rm', other, '--yes', '--no-archive'], { env }).status, 0);
  assert.match(push(machine), /1 removed/);

  machine.share({ level: 'none' });
  push(machine);
  assert.deepEqual(countRows(server), {});
  assert.equal(/canary/i.test(everything(server)), false);
});

test(
  'a session that Claude Code deleted stays, is lowered without its transcript, and keeps its id when it is moved',
  {
    skip: noPostgres,
  },
  async (context) => {
    const store = await startTeamStore(context, { ada: 'developer' });
    const text = transcript().user('CANARY-kept').assistant('yes').text();
    const machine = machineOf(context, store.addressOf('ada'), { files: { [main]: text }, level: 'text' });
    push(machine);
    renameSync(machine.file(main), machine.file(`${slug}/aside`));
    assert.match(push(machine), /pushed 0 sessions/);
    assert.equal(countRows(store.server).sessions, 1);
    machine.write({ [`-home-dev-moved/${id}.jsonl`]: text });
    rmSync(machine.file(`${slug}/aside`));
    push(machine);
    assert.equal(store.server.run('SELECT session_id FROM clew.sessions'), `${id}\n`);
    rmSync(machine.file(`-home-dev-moved/${id}.jsonl`));
    machine.share({ level: 'metrics' });
    assert.match(push(machine), /1 lowered/);
    assert.deepEqual(countRows(store.server), { sessions: 1, cells: 1, prompts: 1 });
    assert.equal(/canary/i.test(everything(store.server)), false);
    assert.match(push(machine), /pushed 0 sessions/);
  },
);

test(
  'two machines of one user: the longer transcript continues, another version stays, and --raise brings back what was removed',
  {
    skip: noPostgres,
  },
  async (context) => {
    const store = await startTeamStore(context, { ada: 'developer' });
    const short = transcript().user('one').assistant('two');
    const [begun, longer] = [short.text(), short.user('three').assistant('four').text()];
    const laptop = machineOf(context, store.addressOf('ada'), {
      name: 'laptop',
      files: { [main]: begun },
      level: 'metrics',
    });
    const desktop = machineOf(context, store.addressOf('ada'), {
      name: 'desktop',
      files: { [main]: longer },
      level: 'metrics',
    });
    push(laptop);
    assert.match(push(desktop), /pushed 1 session/);
    assert.equal(
      store.server.run('SELECT machine, main_bytes FROM clew.sessions'),
      `desktop|${Buffer.byteLength(longer)}\n`,
    );
    laptop.write({ [main]: begun.replace('one', 'another beginning of the same session') });
    assert.match(push(laptop), /1 pushed by another machine[\s\S]*desktop pushed another version, which stays/);
    // It is still said, and nothing is collected for it.
    assert.match(push(laptop), /desktop pushed another version/);

    const old = new Date(Date.now() - 3_600_000);
    utimesSync(desktop.file(main), old, old);
    assert.equal(runClew(['rm', id, '--yes'], { env: desktop.env }).status, 0);
    push(desktop);
    laptop.write({ [main]: longer });
    assert.match(push(laptop), /1 not accepted[\s\S]*it was removed on desktop; `clew push --raise`/);
    assert.match(push(laptop, '--raise'), /pushed 1 session/);
    assert.equal(store.server.run('SELECT machine FROM clew.sessions'), 'laptop\n');
  },
);

test('the administrator bounds what is sent, and retention what is kept', { skip: noPostgres }, async (context) => {
  const store = await startTeamStore(context, { ada: 'developer' });
  const { server } = store;
  const machine = machineOf(context, store.addressOf('ada'), { files: demoProjects(), level: 'text' });
  server.run('UPDATE clew.tenants SET most_level = 2');
  push(machine);
  assert.equal(server.run('SELECT DISTINCT level FROM clew.sessions'), '2\n');
  server.run(
    'UPDATE clew.tenants SET most_level = 4; INSERT INTO clew.retention SELECT tenant, 2, 1 FROM clew.tenants',
  );
  push(machine);
  assert.equal(server.run('SELECT DISTINCT level FROM clew.sessions'), '1\n');
  const said = push(machine);
  assert.match(said, /pushed 0 sessions/);
});

test(
  'without a level nothing is opened; unchanged, one round trip; a wrong address says what to do',
  { skip: noPostgres },
  async (context) => {
    const store = await startTeamStore(context, { ada: 'developer' });
    const proxy = await startProxy(path.join(store.server.folder, '.s.PGSQL.5432'), temporaryFolder(context));
    context.after(() => proxy.close());
    const machine = machineOf(context, `postgres://ada@localhost/clew?host=${proxy.folder}`, { files: demoProjects() });
    // As a process, because the proxy is in this one.
    const run = (): Promise<{ code: number | null; stdout: string }> => runProcess(['push'], machine.env);
    machine.share({ level: 'none', projects: { '/nowhere': 'text' } });
    assert.match((await run()).stdout, /nothing is shared/);
    assert.equal(proxy.connections(), 0);
    machine.share({ level: 'titles' });
    assert.match((await run()).stdout, /pushed 5 sessions/);
    proxy.reset();
    assert.match((await run()).stdout, /pushed 0 sessions to acme as ada; 5 unchanged/);
    assert.deepEqual([proxy.connections(), proxy.queries()], [1, 1]);
    const wrong = runClew(['push', '--to', 'mysql://ada:secret@db/clew'], { env: machine.env });
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /"mysql:\/\/ada:\*\*\*@db\/clew" is not an address of PostgreSQL; write postgres:/);
    assert.equal(existsSync(path.join(machine.home, 'push.log')), false);
  },
);

test(
  'as a hook it returns at once and pushes in the background; a failure is in its log alone',
  {
    skip: noPostgres,
  },
  async (context) => {
    const store = await startTeamStore(context, { ada: 'developer' });
    const machine = machineOf(context, store.addressOf('ada'), { files: demoProjects(), level: 'metrics' });
    const hook = runClew(['push', '--auto', '--detach'], { env: machine.env });
    assert.deepEqual(hook, { status: 0, stdout: '', stderr: '' });
    await waitFor(() => store.server.run('SELECT count(*) FROM clew.sessions') === '5\n');
    const failed = runClew(['push', '--auto', '--to', 'mysql://db'], { env: machine.env });
    assert.deepEqual(failed, { status: 0, stdout: '', stderr: '' });
    assert.match(
      readFileSync(path.join(machine.home, 'push.log'), 'utf8'),
      /^\S+ push --auto: "mysql:\/\/db" is not an address/,
    );
  },
);

test('with --watch a session is pushed when it changes', { skip: noPostgres }, async (context) => {
  const store = await startTeamStore(context, { ada: 'developer' });
  const text = transcript().user('one').assistant('two');
  const machine = machineOf(context, store.addressOf('ada'), { files: { [main]: text.text() }, level: 'metrics' });
  const watching = startClew(context, ['push', '--watch'], { ...machine.env });
  const messages = (): string => store.server.run('SELECT sum(messages) FROM clew.cells').trim();
  await waitFor(() => messages() === '1');
  machine.write({ [main]: text.user('three').assistant('four').text() });
  await waitFor(() => messages() === '2');
  await watching.end('SIGTERM');
});

interface Proxy {
  readonly folder: string;
  connections(): number;
  /** Messages of the client that the server answers with ReadyForQuery, after the one of the start. */
  queries(): number;
  reset(): void;
  close(): void;
}

/** Counts what the server answers: every round trip of the protocol ends with a ReadyForQuery. */
async function startProxy(server: string, folder: string): Promise<Proxy> {
  let [connections, ready] = [0, 0];
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    connections++;
    const upstream = openSocket(server);
    sockets.add(client).add(upstream);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    upstream.on('data', (chunk) => {
      for (let at = chunk.indexOf(readyForQuery); at >= 0; at = chunk.indexOf(readyForQuery, at + 1)) ready++;
    });
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => listener.listen(path.join(folder, '.s.PGSQL.5432'), resolve));
  return {
    folder,
    connections: () => connections,
    queries: () => ready - connections,
    reset: () => {
      [connections, ready] = [0, 0];
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
    },
  };
}

/** Its type and its length. */
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5]);
