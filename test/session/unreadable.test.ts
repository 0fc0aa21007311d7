// The public functions that take a path: one that cannot be read is a `UserError`, never a raw system error, and never a
// call that does not return.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  archiveSessions,
  diagnoseSession,
  discoverSessions,
  findOrphans,
  findSession,
  listArchive,
  loadAgent,
  loadSession,
  loadSource,
  openLibrary,
  readLines,
  restoreSession,
  summariseFile,
  UserError,
} from '../../src/index.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';

type Call = (file: string) => unknown;

const throwing: Readonly<Record<string, Call>> = {
  loadSession: (file) => loadSession(file),
  loadSource: (file) => loadSource(file),
  summariseFile: (file) => summariseFile(file),
  findSession: (file) => findSession(file, []),
  readLines: (file) => [...readLines(file)],
  restoreSession: (file) => restoreSession(file, { folder: path.join(path.dirname(file), 'no-archive') }),
};

test('a path that cannot be read is an error for the user in every function that reads one', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(path.join(folder, 'folder.jsonl'));
  spawnSync('mkfifo', [path.join(folder, 'pipe.jsonl')]);
  for (const name of ['nope.jsonl', 'nope/nope.jsonl', 'folder.jsonl', 'pipe.jsonl']) {
    for (const [called, call] of Object.entries(throwing)) {
      const outcome = await Promise.resolve()
        .then(() => call(path.join(folder, name)))
        .catch((error: unknown) => error);
      assert.ok(outcome instanceof UserError, `${called} of ${name}: ${String(outcome)}`);
      assert.match(outcome.message, /^[^\n]+; [^\n]+$/);
    }
  }
});

test('functions that look at many places report what they could not read, and continue', async (t) => {
  const folder = temporaryFolder(t);
  const nope = path.join(folder, 'nope');
  assert.deepEqual((await discoverSessions([nope])).sessions, []);
  assert.deepEqual(await findOrphans([nope]), []);
  assert.deepEqual(listArchive(nope), []);
  const { sessions } = await archiveSessions([{ path: path.join(nope, 'x.jsonl') }], {
    folder: path.join(folder, 'a'),
  });
  assert.deepEqual(
    sessions.map(({ outcome, problem }) => [outcome, problem]),
    [['failed', `cannot read ${path.join(nope, 'x.jsonl')} (ENOENT)`]],
  );
  const library = openLibrary({ roots: [nope], state: path.join(folder, 'state') });
  t.after(() => library.close());
  assert.deepEqual((await library.sessions()).sessions, []);
});

test('a sub-agent whose file has gone is an error for the user', async (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { [`${sessionId}.jsonl`]: transcript().user('one').text() });
  const session = await loadSession(path.join(folder, `${sessionId}.jsonl`));
  const gone = { agentId: 'a1', path: path.join(folder, 'agent-a1.jsonl'), nodes: [] };
  const agent = { ...gone, agentType: undefined, description: undefined, toolUseId: undefined, workflow: undefined };
  await assert.rejects(loadAgent(session, agent), UserError);
  // It says nothing about the session itself.
  const { findings } = await diagnoseSession({ ...session, agents: [agent] });
  assert.deepEqual(findings, (await diagnoseSession(session)).findings);
});

test('a pipe in the folder of a session does not stop a reader', async (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, {
    [`${sessionId}.jsonl`]: transcript().user('one').text(),
    [`${sessionId}/subagents/agent-b.jsonl`]: transcript({ isSidechain: true, agentId: 'b' }).user('s').text(),
  });
  for (const name of ['agent-a.jsonl', `${sessionId}/subagents/agent-c.jsonl`, `${sessionId}/custom-title.json`])
    spawnSync('mkfifo', [path.join(folder, name)]);
  const { agents } = await loadSession(path.join(folder, `${sessionId}.jsonl`));
  assert.deepEqual(
    agents.map(({ agentId }) => agentId),
    ['b'],
  );
  const { leftOut } = await loadSource(path.join(folder, `${sessionId}.jsonl`));
  assert.deepEqual(
    leftOut.map(({ path: file, reason }) => [path.relative(path.join(folder, sessionId), file), reason]),
    [
      ['custom-title.json', 'is not a regular file'],
      ['subagents/agent-c.jsonl', 'is not a regular file'],
    ],
  );
});
