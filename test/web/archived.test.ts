// Sessions that are only in the archive: listed with their titles, opened at their address right after the start, read from
// a private temporary folder that is removed at the end.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { archiveSessions } from '../../src/library/archive/archive.ts';
import { keyParam, readJson, readText } from '../../src/web/client/client.ts';
import { ArchivedFiles, removeAbandoned } from '../../src/web/server/archived/archived-files.ts';
import { contentsOf } from '../support/surgery-kit.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';
import { openWebServer, type WebServer } from '../support/web-server.ts';

const other = '22222222-2222-4222-a222-222222222222';
const agent = transcript({ isSidechain: true, agentId: 'abc' }).user('sift').assistant('sifted').text();

function talk(id: string, prompt: string): string {
  return transcript({ sessionId: id, cwd: '/home/kim/mill' }).user(prompt).assistant('ground').text();
}

/** One session is archived and deleted, one is archived and has grown, one is only on disk. */
async function openMill(context: TestContext): Promise<WebServer & { readonly state: string }> {
  const folder = temporaryFolder(context);
  const root = path.join(folder, 'library');
  const state = path.join(folder, 'state');
  const project = path.join(root, 'projects/-home-kim-mill');
  const main = path.join(project, `${sessionId}.jsonl`);
  writeTree(project, {
    [`${sessionId}.jsonl`]: talk(sessionId, 'grind the rye'),
    [`${sessionId}/subagents/agent-abc.jsonl`]: agent,
    [`${other}.jsonl`]: talk(other, 'grind the oats'),
  });
  await archiveSessions([{ path: main }, { path: path.join(project, `${other}.jsonl`) }], {
    folder: path.join(state, 'archive'),
  });
  rmSync(main);
  rmSync(path.join(project, sessionId), { recursive: true });
  utimesSync(path.join(project, `${other}.jsonl`), 1_700_000_000, 1_700_000_000);
  const server = await openWebServer(context, {}, { roots: [root], state, env: { ...process.env, CLEW_HOME: state } });
  return { ...server, state };
}

test('a session that is only in the archive opens at its address right after the start', async (context) => {
  const { client, server, faults, state } = await openMill(context);
  const param = keyParam(sessionId);
  const { head } = await readJson(client.sessions[':key'].$get({ param, query: { start: true } }));
  assert.deepEqual([head.sessionId, head.turns.map(({ prompt }) => prompt)], [sessionId, ['grind the rye']]);
  const { parts } = await readJson(client.sessions[':key'].turns.$get({ param, query: { agent: 'abc' } }));
  assert.equal(JSON.stringify(parts).includes('sifted'), true);
  const markdown = await readText(client.sessions[':key'].markdown.$get({ param }));
  assert.match(markdown, /grind the rye/);
  assert.match(await readText(client.sessions[':key'].export.$get({ param, query: { format: 'json' } })), /ground/);
  const restored = path.join(state, 'restored');
  const [folder = '', ...others] = readdirSync(restored);
  assert.deepEqual(others, []);
  assert.ok(existsSync(path.join(restored, folder, 'reader')));
  assert.equal(statSync(path.join(restored, folder)).mode & 0o777, 0o700);
  await server.close();
  assert.deepEqual(readdirSync(restored), []);
  assert.deepEqual(faults, []);
});

test('the list knows what is archived, what has changed since, and what is only there', async (context) => {
  const server = await openMill(context);
  const { client } = server;
  await readJson(client.sessions[':key'].$get({ param: keyParam(sessionId) }));
  const gone = async () => (await readJson(client.sessions.$get({ query: { only: 'deleted' } }))).rows;
  const facts = ({ id, isOnDisk, archived }: Awaited<ReturnType<typeof gone>>[number]) => [id, isOnDisk, archived];
  assert.deepEqual((await gone()).map(facts), [[sessionId, false, 'current']]);
  const { rows } = await readJson(client.sessions.$get());
  assert.deepEqual(rows.map(facts), [[other, true, 'stale']]);
  for (let tries = 0; (await gone())[0]?.title == null; tries++) {
    assert.ok(tries < 500, 'the session was never read');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const [row] = await gone();
  assert.deepEqual([row?.title, row?.turns, row?.cwd], ['grind the rye', 1, '/home/kim/mill']);
  const found = await readJson(client.sessions.$get({ query: { only: 'deleted', text: 'oats' } }));
  assert.equal(found.total, 0);
});

test('an action that needs the files of a session says to restore it first', async (context) => {
  const { client } = await openMill(context);
  for (const action of ['archive', 'delete', 'fork'] as const) {
    const param = { ...keyParam(sessionId), action };
    await assert.rejects(readJson(client.sessions[':key'].actions[':action'].$get({ param })), { status: 404 });
  }
});

test('reading from the archive writes nothing to the root, and keeps to its limit on the disk', async (context) => {
  const folder = temporaryFolder(context);
  const project = path.join(folder, 'library/projects/-p');
  const ids = [sessionId, other];
  writeTree(project, Object.fromEntries(ids.map((id) => [`${id}.jsonl`, talk(id, 'x'.repeat(1000))])));
  const mains = ids.map((id) => path.join(project, `${id}.jsonl`));
  const state = path.join(folder, 'state');
  await archiveSessions(
    mains.map((main) => ({ path: main })),
    { folder: path.join(state, 'archive') },
  );
  for (const main of mains) rmSync(main);
  const env = process.env.CLEW_HOME;
  process.env.CLEW_HOME = state;
  context.after(() => {
    if (env === undefined) delete process.env.CLEW_HOME;
    else process.env.CLEW_HOME = env;
  });
  const files = new ArchivedFiles(path.join(folder, 'private'), { maxBytes: 1500 });
  const [first, second] = [await files.locate(mains[0] ?? ''), await files.locate(mains[1] ?? '')];
  assert.deepEqual([existsSync(first), existsSync(second)], [false, true]);
  assert.equal(await files.locate(mains[1] ?? ''), second);
  assert.deepEqual([...contentsOf(project).keys()], []);
  assert.equal(await files.locate(path.join(project, 'unknown.jsonl')), path.join(project, 'unknown.jsonl'));
});

test('what a killed server left is removed, and nothing of one that runs', (context) => {
  const state = temporaryFolder(context);
  const names = ['999999999-abc', `${process.pid}-abc`, 'x-1'];
  for (const name of names) mkdirSync(path.join(state, 'restored', name), { recursive: true });
  removeAbandoned(state);
  assert.deepEqual(readdirSync(path.join(state, 'restored')).sort(), names.slice(1).sort());
});
