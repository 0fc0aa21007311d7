import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionRows } from '../../src/team/contract/index.ts';
import { connect, DatabaseTarget } from '../../src/team/database/index.ts';
import { noPostgres } from '../support/postgres.ts';
import { startTeamStore } from '../support/team-store.ts';

const at = Date.parse('2026-03-04T05:06:07.008Z');

const session: SessionRows = {
  head: {
    sessionId: 's1',
    baseId: 's1',
    machine: 'laptop',
    level: 4,
    contentKey: 'key 1',
    month: '2026-03-01',
    months: ['2026-03-01', '1970-01-01'],
    mainBytes: 10,
    mainSha256: 'abc',
    rules: 'rules 1',
    startedAt: '2026-03-04T05:06:07.008Z',
    endedAt: null,
    projectHash: 'p',
    facts: { turns: 1 },
  },
  cells: [
    {
      quarter: Math.floor(at / 900_000),
      model: 'm',
      isFast: false,
      isLowerBound: true,
      messages: 2,
      inputTokens: 3,
      outputTokens: 4,
      cacheReadTokens: 5,
      cacheWrite5mTokens: 6,
      cacheWrite1hTokens: 7,
      costMicroUsd: 8.25,
    },
  ],
  calls: [{ callKey: 'c', name: 'Read', calledAt: at, isError: null }],
  prompts: [{ promptKey: 'p', typedAt: null, isCopy: false }],
  titles: [{ title: 'tab\tnewline\nback\\slash\0 \ud800', cwd: null, path: '/x', facts: { a: '\u0000' } }],
  callPaths: [{ nth: 0, calledAt: at, touched: 'a.ts' }],
  documents: [
    {
      agent: '',
      line: 1,
      kind: 'prompt',
      part: 0,
      saidAt: at,
      tool: null,
      uuid: 'u',
      text: 'Hello',
      words: "'hello':1",
      tokens: 1,
      facts: null,
    },
  ],
  exchanges: [
    {
      agent: '',
      line: 1,
      firstLine: 1,
      endLine: 2,
      saidAt: at,
      words: "'phello':1",
      tokens: [1, 0, 0, 0, 0],
      facts: null,
    },
  ],
  packs: [
    {
      isOriginal: true,
      nth: 0,
      chunk: 0,
      name: 's1.jsonl',
      sizeBytes: 10,
      sha256: 'abc',
      mode: 0o600,
      mtimeMs: at + 0.5,
      codec: 'none',
      data: Buffer.from([0, 1, 255]),
    },
  ],
};

test(
  'a session is written with all its rows, once, and removed with a tombstone',
  { skip: noPostgres },
  async (context) => {
    const store = await startTeamStore(context, { ada: 'developer' });
    const target = new DatabaseTarget(await connect(store.addressOf('ada')));
    context.after(() => target.close());
    assert.deepEqual(await target.hello('laptop'), {
      tenant: 'acme',
      person: 'ada',
      mostLevel: 4,
      retention: {},
      schema: 1,
      digest: null,
    });
    assert.deepEqual(await target.push(session), { state: 'open' });
    assert.deepEqual(await target.push(session), { state: 'same' });
    const read = (sql: string): string => store.server.run(sql);
    const title = JSON.stringify('tab\tnewline\nback\\slash\ufffd \ufffd');
    assert.equal(read('SELECT to_json(title) FROM clew.titles'), `${title}\n`);
    assert.equal(read("SELECT encode(data, 'hex'), mtime_ms - floor(mtime_ms) FROM clew.packs"), '0001ff|0.5\n');
    assert.equal(
      read('SELECT day, messages, output_tokens, cost_micro_usd FROM clew.usage_days'),
      '2026-03-04|2|4|8.25\n',
    );
    assert.equal(read('SELECT month, typed_at IS NULL FROM clew.prompts'), '1970-01-01|t\n');
    const broken = {
      ...session,
      head: { ...session.head, contentKey: 'key 2' },
      documents: session.documents.map((row) => ({ ...row, words: "'" })),
    };
    await assert.rejects(target.push(broken), /syntax error in tsvector/);
    assert.deepEqual(await target.push(session), { state: 'same' });
    await target.goodbye('laptop', 'digest 1');
    assert.equal((await target.hello('laptop')).digest, 'digest 1');
    assert.deepEqual(await target.remove('s1', 'removed', 'laptop'), { state: 'removed', sessions: 1 });
    for (const table of ['sessions', 'cells', 'calls', 'documents', 'packs', 'usage_days'])
      assert.equal(read(`SELECT count(*) FROM clew.${table}`), '0\n', table);
    const other = { ...session, head: { ...session.head, machine: 'desktop', contentKey: 'key 2' } };
    assert.deepEqual(await target.push(other), { state: 'blocked', level: 0, reason: 'removed', machine: 'laptop' });
  },
);
