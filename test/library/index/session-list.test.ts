// Lists from the index are what the transcripts themselves say, for every transcript there is; and a list is made
// again only of what changed.
import assert from 'node:assert/strict';
import fs, { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { updateRows } from '../../../src/library/index/indexer.ts';
import { listSessions } from '../../../src/library/index/session-list.ts';
import { projectRoot } from '../../support/paths.ts';
import { assistant, sessionText, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { recordedFiles } from '../../support/transcripts.ts';
import { isEqual, list, listInOnePass, openEmpty, rootsOf } from '../session-list-kit.ts';

test('the demo sessions and every recording: each column is what the transcript says', async (context) => {
  const database = openEmpty(context);
  let count = await isEqual(database, path.join(projectRoot, 'demo'));
  for (const root of rootsOf(recordedFiles())) count += await isEqual(database, root);
  assert.ok(count > 100, `${count} sessions`);
});

test('summaries that are made while the rows are read are the same', async (context) => {
  const database = openEmpty(context);
  let count = await isEqual(database, path.join(projectRoot, 'demo'), listInOnePass);
  for (const root of rootsOf(recordedFiles())) count += await isEqual(database, root, listInOnePass);
  assert.ok(count > 100, `${count} sessions`);
});

test('only changed files are read again: lines, agents in both places, a title next to the transcript', async (context) => {
  const database = openEmpty(context);
  const root = temporaryFolder(context);
  const talk = (sessionId: string) => sessionText([user('hello'), assistant('Hi.')], { sessionId });
  writeTree(root, { 'projects/-a/s1.jsonl': talk('s1'), 'projects/-a/s2.jsonl': talk('s2') });
  const steps: readonly (readonly [string, () => void, number])[] = [
    ['all are new', () => {}, 2],
    ['nothing', () => {}, 0],
    ['a line', () => appendFileSync(path.join(root, 'projects/-a/s1.jsonl'), sessionText([user('more')])), 1],
    ['an agent', () => writeTree(root, { 'projects/-a/s1/subagents/agent-1.jsonl': talk('s1') }), 1],
    ['a deeper one', () => writeTree(root, { 'projects/-a/s1/subagents/w/agent-2.jsonl': talk('s1') }), 1],
    ['a flat one', () => writeTree(root, { 'projects/-a/agent-3.jsonl': talk('s2') }), 1],
    ['a title', () => writeTree(root, { 'projects/-a/s2/custom-title.json': '{"customTitle":"Named"}' }), 1],
    ['another', () => writeFileSync(path.join(root, 'projects/-a/s2/custom-title.json'), '{"customTitle":"Again"}'), 1],
    ['an agent goes', () => rmSync(path.join(root, 'projects/-a/s1/subagents/agent-1.jsonl')), 1],
    ['a session goes', () => rmSync(path.join(root, 'projects/-a/s1.jsonl')), 0],
    ['and comes back', () => writeTree(root, { 'projects/-a/s1.jsonl': talk('s1') }), 1],
  ];
  for (const [name, change, filesRead] of steps) {
    change();
    assert.deepEqual([name, (await list(database, root)).filesRead], [name, filesRead]);
    await isEqual(database, root);
  }
});

test('an index of several roots lists those that are asked for, under the name they are asked by', async (context) => {
  const database = openEmpty(context);
  const folder = temporaryFolder(context);
  for (const name of ['one', 'two'])
    writeTree(folder, { [`${name}/projects/-a/${name}.jsonl`]: sessionText([user(name)]) });
  const found = async (...names: string[]) => {
    const roots = names.map((name) => path.join(folder, name));
    updateRows(database, { roots });
    const { sessions } = await listSessions(database, { roots });
    return sessions.map(({ sessionId, root, firstPrompt }) => [sessionId, path.relative(folder, root), firstPrompt]);
  };
  assert.deepEqual(await found('two', 'one'), [
    ['two', 'two', 'two'],
    ['one', 'one', 'one'],
  ]);
  assert.deepEqual(await found('one'), [['one', 'one', 'one']]);
  assert.deepEqual(await found('two/projects'), [['two', 'two/projects', 'two']]);
});

test('a project folder is listed once for all its sessions, and a side folder only where there is one', async (context) => {
  const root = temporaryFolder(context);
  const names = Array.from({ length: 50 }, (_, i) => `s${i}`);
  const text = sessionText([user('hello'), assistant('hi')]);
  writeTree(root, {
    ...Object.fromEntries(names.map((name) => [`projects/p/${name}.jsonl`, text])),
    ...Object.fromEntries(names.map((name) => [`projects/q/${name}.jsonl`, text])),
    'projects/p/s7/subagents/agent-a.jsonl': text,
  });
  const database = openEmpty(context);
  updateRows(database, { roots: [root] });
  const readdir = context.mock.method(fs, 'readdirSync');
  syncBuiltinESMExports();
  const { sessions } = await listSessions(database, { roots: [root] });
  readdir.mock.restore();
  syncBuiltinESMExports();
  const listed = readdir.mock.calls.map(({ arguments: [folder] }) => path.relative(root, String(folder)));
  assert.deepEqual(
    [sessions.length, sessions.filter((session) => session.agents > 0).map((session) => session.sessionId)],
    [100, ['s7']],
  );
  assert.deepEqual(listed.sort(), ['projects/p', 'projects/p/s7', 'projects/p/s7/subagents', 'projects/q']);
});

test('one line appended to a large session: what is read of the transcripts is that line and the proofs', async (context) => {
  const database = openEmpty(context);
  const root = temporaryFolder(context);
  const file = path.join(root, 'projects/-a/large.jsonl');
  const answers = Array.from({ length: 400 }, () => assistant('x'.repeat(10_000)));
  const text = sessionText([user('hello'), ...answers, user('more'), assistant('y'.repeat(500))]);
  const lines = text.split('\n').slice(0, -1);
  const upTo = (count: number): string => `${lines.slice(0, count).join('\n')}\n`;
  const others = Array.from({ length: 20 }, (_, i) => [`projects/-a/s${i}.jsonl`, sessionText([user(`${i}`)])]);
  writeTree(root, { 'projects/-a/large.jsonl': upTo(401), ...Object.fromEntries(others) });
  await listInOnePass(database, root);
  for (const count of [402, 403]) {
    writeFileSync(file, upTo(count));
    const read = context.mock.method(fs, 'readSync');
    syncBuiltinESMExports();
    const { sessions } = await listInOnePass(database, root);
    const bytes = read.mock.calls.reduce((sum, { result }) => sum + Number(result), 0);
    read.mock.restore();
    syncBuiltinESMExports();
    const large = sessions.find(({ sessionId }) => sessionId === 'large');
    assert.deepEqual([large?.turns, large?.entries], [2, count]);
    assert.ok(bytes <= 64 * 1024, `${bytes} bytes`);
    await isEqual(database, root);
  }
});

test('a replaced transcript is read as a whole, also if it is longer and begins alike', async (context) => {
  const database = openEmpty(context);
  const root = temporaryFolder(context);
  const file = path.join(root, 'projects/-a/s1.jsonl');
  const long = assistant('x'.repeat(9000));
  writeTree(root, { 'projects/-a/s1.jsonl': sessionText([user('hello'), long, user('two'), assistant('a')]) });
  await listInOnePass(database, root);
  const replaced = sessionText([user('hello'), long, assistant('b'), assistant('c'), assistant('d'), assistant('e')]);
  writeFileSync(file, replaced);
  assert.equal((await listInOnePass(database, root)).sessions[0]?.turns, 1);
  await isEqual(database, root);
  // Other commands update the rows without the summaries.
  appendFileSync(file, `${JSON.stringify({ type: 'tag', tag: 'later' })}\n`);
  updateRows(database, { roots: [root] });
  writeFileSync(file, sessionText([user('one'), assistant('b'), user('two'), user('three')]));
  updateRows(database, { roots: [root] });
  await isEqual(database, root);
});

test('agents and a title next to the transcript change a summary without a reading of its lines', async (context) => {
  const database = openEmpty(context);
  const root = temporaryFolder(context);
  const talk = sessionText([user('hello'), assistant('Hi.')]);
  writeTree(root, { 'projects/-a/s1.jsonl': talk });
  await listInOnePass(database, root);
  const found = async () => {
    const { sessions } = await listInOnePass(database, root);
    return [sessions[0]?.title, sessions[0]?.agents];
  };
  writeTree(root, {
    'projects/-a/s1/subagents/agent-1.jsonl': talk,
    'projects/-a/s1/custom-title.json': '{"customTitle":"Named"}',
  });
  assert.deepEqual(await found(), ['Named', 1]);
  writeTree(root, { 'projects/-a/agent-2.jsonl': sessionText([user('task')], { sessionId: 's1' }) });
  assert.deepEqual(await found(), ['Named', 2]);
  rmSync(path.join(root, 'projects/-a/s1/custom-title.json'));
  assert.deepEqual(await found(), ['hello', 2]);
});

test('a file that grows between the rows and the summary is not continued from lines that nothing proves', async (context) => {
  const database = openEmpty(context);
  const root = temporaryFolder(context);
  const file = path.join(root, 'projects/-a/s1.jsonl');
  const talk = [user('one'), assistant('a'), user('<bash-input>x'), assistant('b'), assistant('c')];
  const lines = sessionText(talk).split('\n').slice(0, -1);
  const upTo = (count: number): string => `${lines.slice(0, count).join('\n')}\n`;
  writeTree(root, { 'projects/-a/s1.jsonl': upTo(2) });
  updateRows(database, { roots: [root] });
  writeFileSync(file, upTo(4));
  assert.equal(listSessions(database, { roots: [root] }).sessions[0]?.turns, 1);
  // The index has read two lines; the third becomes a prompt of the same length.
  writeFileSync(file, upTo(5).replace('<bash-input>', '!bash-input>'));
  assert.equal((await list(database, root)).sessions[0]?.turns, 2);
});
