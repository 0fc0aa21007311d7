import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { cwdOf, diagnosticsOf, loadSession, readEntry, versionsOf } from '../../../src/session/load/session.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { namesOf, sessionId, transcript } from '../../support/transcript-builder.ts';

test('a session has the name of its file, and says where and by which client it was written', async (context) => {
  const folder = temporaryFolder(context);
  const builder = transcript({ sessionId: 'another' })
    .aside('summary', { summary: 's' })
    .user('q', { cwd: '/one', version: '1.0.57' })
    .assistant('a', { cwd: '/two', version: '2.1.45' })
    .user('r', { version: '1.0.57' });
  const file = path.join(folder, 'the-name.jsonl');
  builder.write(file);
  const session = await loadSession(file);
  assert.deepEqual(
    [session.id, session.files.main, cwdOf(session), versionsOf(session), session.isAgent],
    ['the-name', file, '/one', ['1.0.57', '2.1.45'], false],
  );
});

test('what is wrong with lines and graph comes in the order of the file', async (context) => {
  const folder = temporaryFolder(context);
  const [first, second] = transcript()
    .user('q', { parentUuid: 'gone' })
    .assistant('a', { parentUuid: 'a1' })
    .text()
    .split('\n');
  writeTree(folder, { 'x.jsonl': `${first}\nno JSON\n${second}\n{"type":"us` });
  const session = await loadSession(path.join(folder, 'x.jsonl'));
  assert.deepEqual(
    diagnosticsOf(session).map(({ code, line }) => `${code} ${line}`),
    ['G-phantom-parent 1', 'L-not-json 2', 'G-cycle 3', 'L-torn-tail 4'],
  );
  assert.deepEqual(
    session.branches.map((branch) => namesOf(branch.nodes)),
    [['u1', 'a1']],
  );
});

test('content stays in the file and is read when it is wanted', async (context) => {
  const file = path.join(temporaryFolder(context), `${sessionId}.jsonl`);
  const builder = transcript().user('question').assistant('answer');
  builder.write(file);
  const session = await loadSession(file);
  assert.deepEqual(
    session.transcript.nodes.map((node) => readEntry(session, node)),
    builder.entries,
  );
});

test('an empty file is a session without a conversation', async (context) => {
  const folder = temporaryFolder(context);
  writeTree(folder, { 'x.jsonl': '' });
  const { branches, agents, isAgent } = await loadSession(path.join(folder, 'x.jsonl'));
  assert.deepEqual({ branches, agents, isAgent }, { branches: [], agents: [], isAgent: false });
});
