// Sessions whose transcript is gone, on the page: one list with those of the archive, with what is left of each; opened, they
// show the prompts that are left. The tree is what the real client left, and nothing of it changes.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { keyParam, readJson, readText } from '../../src/web/client/client.ts';
import { recordedSessions, writeDeletedLibrary } from '../support/deleted-library.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { changesOf, snapshotTree } from '../support/tree-snapshot.ts';
import { openWebServer } from '../support/web-server.ts';

test('the list has every deleted session with what is left, and its page shows the prompts', async (context) => {
  const folder = temporaryFolder(context);
  const [root, state] = [path.join(folder, 'config'), path.join(folder, 'state')];
  writeDeletedLibrary(root);
  const onlyAgents = '33333333-3333-4333-8333-333333333333';
  const line = { type: 'user', uuid: 'u', parentUuid: null, isSidechain: true, agentId: 'abc', sessionId: onlyAgents };
  writeTree(root, {
    [`projects/-w/${onlyAgents}/subagents/agent-abc.jsonl`]: `${JSON.stringify({ ...line, timestamp: '2026-03-01T12:00:00Z', message: { role: 'user', content: 'sift the flour' } })}\n`,
  });
  const before = snapshotTree(root, []);
  const { client, faults } = await openWebServer(
    context,
    {},
    { roots: [root], state, env: { ...process.env, CLEW_HOME: state } },
  );
  const gone = recordedSessions.filter(({ isDeleted }) => isDeleted);
  const [first] = gone;
  assert.ok(first !== undefined);
  const { head } = await readJson(
    client.sessions[':key'].$get({ param: keyParam(first.sessionId), query: { start: true } }),
  );
  assert.deepEqual(
    head.turns.slice(1).map(({ prompt }) => prompt),
    first.typed,
  );
  assert.equal(head.title, `Recovered: ${first.typed[0]}`);
  const { rows } = await readJson(client.sessions.$get({ query: { only: 'deleted', limit: 100 } }));
  const listed = new Map(rows.map((row) => [row.id, row]));
  assert.deepEqual([...listed.keys()].sort(), [...gone.map(({ sessionId }) => sessionId), onlyAgents].sort());
  for (const { sessionId, typed, cwd } of gone) {
    const row = listed.get(sessionId);
    const prompts = typed.filter((text) => !text.startsWith('/rename')).length;
    assert.deepEqual([row?.left?.prompts, row?.cwd, row?.isOnDisk, row?.archived], [prompts, cwd, false, null]);
  }
  assert.equal(rows.filter(({ left }) => left?.fileVersions === 2).length, 2);
  const param = keyParam(onlyAgents);
  assert.match(await readText(client.sessions[':key'].markdown.$get({ param })), /Recovered session/);
  assert.match(
    JSON.stringify(await readJson(client.sessions[':key'].turns.$get({ param, query: { agent: 'abc' } }))),
    /sift the flour/,
  );
  assert.deepEqual([changesOf(before, snapshotTree(root, [])), faults], [[], []]);
});

test('a session whose transcript is removed while the server runs is found at every moment', async (context) => {
  const folder = temporaryFolder(context);
  const [root, state] = [path.join(folder, 'config'), path.join(folder, 'state')];
  writeDeletedLibrary(root);
  const { client, isCurrent, faults } = await openWebServer(
    context,
    {},
    { roots: [root], state, env: { ...process.env, CLEW_HOME: state } },
  );
  await isCurrent();
  const kept = recordedSessions.filter(({ isDeleted }) => !isDeleted);
  assert.equal(kept.length, 20);
  const answers: number[] = [];
  for (const { sessionId, typed, cwd } of kept.slice(0, 2)) {
    const deletedRows = async () =>
      (await readJson(client.sessions.$get({ query: { id: sessionId, only: 'deleted' } }))).rows;
    assert.deepEqual(await deletedRows(), []);
    rmSync(path.join(root, 'projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'), `${sessionId}.jsonl`));
    for (let tries = 0; (await deletedRows()).length === 0; tries++) {
      assert.ok(tries < 500, `${sessionId} is not in the list of deleted sessions`);
      answers.push((await client.sessions[':key'].presence.$get({ param: keyParam(sessionId) })).status);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const { head } = await readJson(client.sessions[':key'].$get({ param: keyParam(sessionId), query: {} }));
    assert.deepEqual(
      head.turns.slice(1).map(({ prompt }) => prompt),
      typed.filter((text) => !text.startsWith('/')),
    );
  }
  assert.deepEqual([new Set(answers), faults], [new Set([200]), []]);
});
