// A session → its rows at each level, compared with a table written by hand, with the raw lines, with the local index and with
// the bytes of its files.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { mock, type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { codecs } from '../../src/library/archive/pack/index.ts';
import { openIndex } from '../../src/library/index/index.ts';
import { updateText } from '../../src/library/search/index.ts';
import { turnStartsOf } from '../../src/session/facts/index.ts';
import { collectSession } from '../../src/team/collect/index.ts';
import type { LevelNumber, SessionRows } from '../../src/team/contract/index.ts';
import { demoProjects } from '../support/demo-library.ts';
import { toolResult, toolUse, transcript } from '../support/transcript-builder.ts';
import { corpusFiles } from '../support/transcripts.ts';
import { canarySession, type Machine, machineOf, withLocalPush } from './push-kit.ts';

const id = '11111111-1111-4111-a111-111111111111';
const slug = '-home-dev-widgets';

/** By id. */
async function collectAll(machine: Machine, level: LevelNumber): Promise<ReadonlyMap<string, SessionRows>> {
  return withLocalPush(machine, async ({ sessions, context }) => {
    const all = new Map<string, SessionRows>();
    for (const session of sessions) {
      const sessionId = path.basename(session.path, '.jsonl');
      all.set(sessionId, await collectSession(session, { sessionId, level }, context));
    }
    return all;
  });
}

function machineWith(context: TestContext, files: Readonly<Record<string, string | Buffer>>): Machine {
  const machine = machineOf(context, 'postgres://nobody@nowhere/none', { files });
  machine.share({ level: 'files' });
  return machine;
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The first 22 characters of the hash, as a copy on any machine has it. */
function keyOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

const small = transcript({ gitBranch: 'main' })
  .user('fix the parser')
  .assistant([toolUse('t1', 'Read', { file_path: '/home/dev/widgets/a.ts' })], {
    message: {
      model: 'claude-opus-4-5-20251101',
      usage: { input_tokens: 3, output_tokens: 40, cache_read_input_tokens: 500, cache_creation_input_tokens: 7 },
    },
  })
  .user([toolResult('t1', 'no such file', { is_error: true })])
  .assistant('the parser is gone', {
    message: { model: 'claude-opus-4-5-20251101', usage: { input_tokens: 2, output_tokens: 10 } },
  })
  .aside('custom-title', { customTitle: 'The parser' })
  .text();

test('a small session has these rows at the level of titles', async (context) => {
  const machine = machineWith(context, { [`${slug}/${id}.jsonl`]: small });
  const rows = (await collectAll(machine, 2)).get(id) as SessionRows;
  const { facts, contentKey, projectHash, ...head } = rows.head;
  assert.deepEqual(head, {
    sessionId: id,
    baseId: id,
    machine: 'laptop',
    level: 2,
    month: '2026-01-01',
    months: ['1970-01-01', '2026-01-01'],
    mainBytes: Buffer.byteLength(small),
    mainSha256: sha256(small),
    rules: null,
    startedAt: '2026-01-03T10:00:00.000Z',
    endedAt: '2026-01-03T10:00:03.000Z',
  });
  assert.match(contentKey, /^[\w-]{43}$/);
  assert.match(projectHash, /^[0-9a-f]{32}$/);
  const { mtimeMs, transcripts, ...known } = facts as { mtimeMs: number; transcripts: readonly object[] };
  assert.deepEqual(known, {
    counts: { entries: 5, turns: 1, agents: 0, sizeBytes: Buffer.byteLength(small), diagnostics: 0, damage: 0 },
    model: 'claude-opus-4-5-20251101',
    verdict: null,
    turnStarts: [Date.parse('2026-01-03T10:00:00Z')],
    // Without a setting, and in a folder that is not there.
    cleanupDays: 30,
    isMoved: true,
  });
  assert.deepEqual(transcripts, [{ isAgent: false, sizeBytes: Buffer.byteLength(small), mtimeMs }]);
  // Millionths of a dollar, each message rounded.
  const cost = Math.round(5 * 3 + 25 * 40 + 0.5 * 500 + 6.25 * 7) + 5 * 2 + 25 * 10;
  assert.deepEqual(rows.cells, [
    {
      quarter: Date.parse('2026-01-03T10:00:00Z') / 900_000,
      model: 'claude-opus-4-5-20251101',
      isFast: false,
      isLowerBound: false,
      messages: 2,
      inputTokens: 5,
      outputTokens: 50,
      cacheReadTokens: 500,
      cacheWrite5mTokens: 7,
      cacheWrite1hTokens: 0,
      costMicroUsd: cost,
    },
  ]);
  const calledAt = Date.parse('2026-01-03T10:00:01Z');
  assert.deepEqual(rows.calls, [{ callKey: keyOf('t1'), name: 'Read', calledAt, isError: true }]);
  const typedAt = Date.parse('2026-01-03T10:00:00Z');
  assert.deepEqual(rows.prompts, [{ promptKey: keyOf('u1'), typedAt, isCopy: false }]);
  assert.deepEqual(rows.titles, [
    {
      title: 'The parser',
      cwd: '/home/dev/widgets',
      path: machine.file(`${slug}/${id}.jsonl`),
      facts: {
        sessionId: id,
        project: slug,
        root: machine.root,
        tag: null,
        gitBranch: 'main',
        worktree: null,
        pullRequests: [],
        forkedFrom: null,
        firstUuid: 'u1',
        origin: { firstAnswer: 'm1', lastUuid: 'a2' },
      },
    },
  ]);
  assert.deepEqual(rows.callPaths, [{ nth: 0, calledAt, touched: '/home/dev/widgets/a.ts' }]);
  assert.deepEqual([rows.documents, rows.exchanges, rows.packs], [[], [], []]);
});

test('the turns of every recording start where its transcript alone says', async (context) => {
  const small = corpusFiles().filter((file) => statSync(file).size < 200_000);
  const files = small.map((file, i) => [`-corpus/${uuidOf(i)}.jsonl`, readFileSync(file)] as const);
  const machine = machineWith(context, Object.fromEntries(files));
  let turns = 0;
  await withLocalPush(machine, async ({ sessions, context: collecting }) => {
    for (const session of sessions) {
      const { facts } = (await collectSession(session, { sessionId: 'id', level: 1 }, collecting)).head;
      const expected = turnStartsOf(session.path).map((time) => (Number.isNaN(time) ? null : time));
      assert.deepEqual(session.turnStarts?.length, expected.length);
      assert.deepEqual(facts.turnStarts, session.listed === undefined ? [] : expected);
      turns += expected.length;
    }
    assert.ok(sessions.length > 20 && turns > 100, `${sessions.length} sessions, ${turns} turns`);
  });
});

function uuidOf(number: number): string {
  return `${id.slice(0, -4)}${1000 + number}`;
}

test('metrics have no text, no path and no name of a file', async (context) => {
  const { files, canaries } = canarySession();
  const machine = machineWith(context, files);
  const textAt = (level: LevelNumber): Promise<string> =>
    withLocalPush(machine, async ({ sessions, context: collecting }) => {
      const all: SessionRows[] = [];
      for (const session of sessions) all.push(await collectSession(session, { sessionId: 'id', level }, collecting));
      return JSON.stringify(all);
    });
  const metrics = await textAt(1);
  assert.deepEqual(
    [canaries.filter((canary) => metrics.includes(canary)), metrics.includes(machine.root), metrics.includes('/home/')],
    [[], false, false],
  );
  const titles = await textAt(2);
  const titled = canaries.filter((canary) => titles.includes(canary)).sort();
  // `CANARY-repository` is a folder below `CANARY/`.
  const shown = ['branch', 'cwd', 'file', 'link', 'session', 'tag', 'title'].map((name) => `CANARY-${name}`);
  assert.deepEqual(titled, [...shown, 'CANARY/repository']);
});

test('the tokens of the demo are those of its raw lines', async (context) => {
  const files = demoProjects();
  const all = await collectAll(machineWith(context, files), 1);
  // Each message once, with its largest counts: a message is written line by line while it grows.
  const messages = new Map<string, { input: number; output: number }>();
  for (const [name, bytes] of Object.entries(files)) {
    if (!name.endsWith('.jsonl')) continue;
    for (const line of bytes.toString('utf8').split('\n')) {
      const message = line === '' ? undefined : JSON.parse(line).message;
      if (message?.usage === undefined) continue;
      const known = messages.get(message.id) ?? { input: 0, output: 0 };
      messages.set(message.id, {
        input: Math.max(known.input, message.usage.input_tokens),
        output: Math.max(known.output, message.usage.output_tokens),
      });
    }
  }
  const cells = [...all.values()].flatMap((rows) => rows.cells);
  const raw = [...messages.values()];
  assert.deepEqual(
    [cells.reduce((sum, cell) => sum + cell.inputTokens, 0), cells.reduce((sum, cell) => sum + cell.outputTokens, 0)],
    [raw.reduce((sum, { input }) => sum + input, 0), raw.reduce((sum, { output }) => sum + output, 0)],
  );
  assert.equal(
    cells.reduce((sum, cell) => sum + cell.messages, 0),
    raw.length,
  );
});

test('the documents of the demo are those of the local full text', async (context) => {
  const machine = machineWith(context, demoProjects());
  const all = await collectAll(machine, 3);
  const database = openIndex({ folder: machine.home });
  context.after(() => database.close());
  updateText(database, { roots: [machine.root] });
  const local = database
    .prepare(
      `SELECT s.session_id, coalesce(f.agent_id, '') AS agent, d.line, d.kind, d.part, d.time, d.tool FROM documents d
       JOIN files f ON f.id = d.file JOIN sessions s ON s.id = f.session`,
    )
    .all()
    .map((row) => [row.session_id, row.agent, row.line, row.kind, row.part, row.time, row.tool].join(' '));
  const collected = [...all].flatMap(([sessionId, { documents }]) =>
    documents.map(({ agent, line, kind, part, saidAt, tool }) =>
      [sessionId, agent, line, kind, part, saidAt, tool].join(' '),
    ),
  );
  assert.ok(local.length > 100);
  assert.deepEqual(collected.sort(), local.sort());
});

test('the files of a session are in its packs byte for byte', async (context) => {
  const large = `${JSON.stringify({ type: 'summary', summary: 'x'.repeat(100) })}\n`.repeat(20_000);
  const files = {
    [`${slug}/${id}.jsonl`]: `${small}${large}{"type":"user","mess`,
    [`${slug}/${id}/tool-results/big.txt`]: 'stored result',
    [`${slug}/${id}/tool-results/picture.png`]: Buffer.from([0x89, 0x50, 0, 1, 2, 3]),
    [`${slug}/${id}/subagents/agent-a1.jsonl`]: transcript({ isSidechain: true, agentId: 'a1' }).user('task').text(),
  };
  const rows = (await collectAll(machineWith(context, files), 4)).get(id) as SessionRows;
  const packed = (isOriginal: boolean): Readonly<Record<string, string>> => {
    const contents = new Map<string, Buffer>();
    for (const pack of rows.packs.filter((each) => each.isOriginal === isOriginal)) {
      assert.equal(pack.codec, 'gzip');
      const before = contents.get(pack.name) ?? Buffer.alloc(0);
      contents.set(pack.name, Buffer.concat([before, gunzipSync(pack.data)]));
    }
    for (const { name, sizeBytes, sha256: hash } of rows.packs.filter(
      (each) => each.isOriginal === isOriginal && each.chunk === 0,
    )) {
      assert.equal(contents.get(name)?.length, sizeBytes, name);
      assert.equal(sha256(contents.get(name) ?? ''), hash, name);
    }
    return Object.fromEntries([...contents].map(([name, bytes]) => [`${slug}/${name}`, sha256(bytes)]));
  };
  const hashes = Object.fromEntries(Object.entries(files).map(([name, content]) => [name, sha256(content)]));
  assert.deepEqual(packed(true), hashes);
  // A picture cannot be searched for secrets; nothing else here has one.
  const { [`${slug}/${id}/tool-results/picture.png`]: _, ...texts } = hashes;
  assert.deepEqual(packed(false), texts);
});

test('a file without secrets is compressed once, and its hash is that of its bytes', async (context) => {
  const compress = mock.method(codecs.gzip, 'compress');
  context.after(() => compress.mock.restore());
  const secret = transcript().user('export DB_PASSWORD=Vp7xQ2mL9sKd4TzR').text();
  const [other, cut] = ['22222222-2222-4222-a222-222222222222', '33333333-3333-4333-a333-333333333333'];
  const files = {
    [`${slug}/${id}.jsonl`]: small,
    [`${slug}/${id}/tool-results/big.txt`]: 'stored result',
    [`${slug}/${other}.jsonl`]: secret,
    [`${slug}/${cut}.jsonl`]: `${small.replaceAll('\n', '\r\n')}{"type":"user","mess`,
  };
  const machine = machineWith(context, files);
  for (const level of [3, 4] as const) {
    compress.mock.resetCalls();
    const all = await collectAll(machine, level);
    // Each file once, and at the last level the one with the secret as it is.
    assert.equal(compress.mock.callCount(), level === 3 ? 4 : 5);
    for (const session of [id, other, cut])
      assert.equal(all.get(session)?.head.mainSha256, sha256(files[`${slug}/${session}.jsonl`] ?? ''));
    const [clean, original] = (all.get(other)?.packs ?? []).map(({ data }) => gunzipSync(data).toString());
    assert.deepEqual([original, clean?.includes('Vp7xQ2mL9sKd4TzR')], [level === 3 ? undefined : secret, false]);
  }
});

test('secrets are replaced in everything that is made of text, also where only another place reveals them', async (context) => {
  const secret = 'Vp7xQ2mL9sKd4TzR';
  const text = transcript()
    .user('check the login')
    .assistant(`I used ${secret}`)
    .assistant([toolUse('t1', 'Bash', { command: `psql postgres://app:${secret}@db/x` })])
    .user([toolResult('t1', `${secret} is wrong`)])
    .user(`export DB_PASSWORD=${secret}`)
    .aside('custom-title', { customTitle: `with ${secret}` })
    .text();
  const files = { [`${slug}/${id}.jsonl`]: text, [`${slug}/${id}/tool-results/out.txt`]: `again ${secret}\n` };
  const rows = (await collectAll(machineWith(context, files), 3)).get(id) as SessionRows;
  const unpacked = rows.packs.map((pack) => gunzipSync(pack.data).toString());
  const all = JSON.stringify({ ...rows, packs: unpacked });
  assert.equal(all.includes(secret), false);
  assert.equal(all.includes(secret.toLowerCase()), false);
  assert.ok(rows.documents.some((row) => row.text.startsWith('I used [redacted:')));
  assert.match(rows.head.rules ?? '', /^[0-9a-f]{16}$/);
});

test('a call and a prompt have equal keys in a fork', async (context) => {
  const fork = '22222222-2222-4222-a222-222222222222';
  const copy = small.replaceAll(id, fork);
  const machine = machineWith(context, { [`${slug}/${id}.jsonl`]: small, [`${slug}/${fork}.jsonl`]: copy });
  const all = await collectAll(machine, 1);
  const keys = (session: string): readonly string[] => {
    const rows = all.get(session) as SessionRows;
    return [...rows.calls.map(({ callKey }) => callKey), ...rows.prompts.map(({ promptKey }) => promptKey)];
  };
  assert.equal(keys(id).length, 2);
  assert.deepEqual(keys(fork), keys(id));
  // A message is counted in one of them.
  const messages = [...all.values()].flatMap(({ cells }) => cells.map((cell) => cell.messages));
  assert.deepEqual(messages, [2]);
});

test('the file of an unchanged session has an equal content key, and another level another one', async (context) => {
  const machine = machineWith(context, { [`${slug}/${id}.jsonl`]: small });
  const keyAt = async (level: LevelNumber): Promise<string> =>
    ((await collectAll(machine, level)).get(id) as SessionRows).head.contentKey;
  assert.equal(await keyAt(4), await keyAt(4));
  assert.notEqual(await keyAt(1), await keyAt(2));
  assert.equal(readFileSync(machine.file(`${slug}/${id}.jsonl`), 'utf8'), small);
});
