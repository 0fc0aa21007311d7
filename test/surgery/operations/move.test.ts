// Sessions moved with their project: files, folders and paths follow, the conversation does not change, and one undo
// brings everything back.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { encodeSlug } from '../../../src/store/roots.ts';
import { operate } from '../../../src/surgery/engine/operate.ts';
import { operationsFolder, readRecords } from '../../../src/surgery/journal/operation-log.ts';
import { recoverLocked } from '../../../src/surgery/journal/recover-operations.ts';
import { movePath, planMove } from '../../../src/surgery/operations/move.ts';
import { findMovedProject } from '../../../src/surgery/operations/moved-projects.ts';
import { jsonOf, runClew } from '../../support/clew.ts';
import { type Bench, benchWith, contentsOf, entriesOf, undoLast } from '../../support/surgery-kit.ts';
import { writeTree } from '../../support/temp-folder.ts';
import { sessionId, toolResult, transcript } from '../../support/transcript-builder.ts';

const old = '/home/kim/project';

test('paths move with the folder they are in, on Unix, on Windows and from one to the other', () => {
  const cases: readonly [string, string, string, string | undefined][] = [
    ['/home/kim/p', '/home/kim/p', '/srv/q', '/srv/q'],
    ['/home/kim/p/src', '/home/kim/p/', '/srv/q', '/srv/q/src'],
    ['/home/kim/p-2', '/home/kim/p', '/srv/q', undefined],
    ['/home/kim/p/a\\b', '/home/kim/p', '/srv/q', '/srv/q/a\\b'],
    ['C:\\Users\\kim\\p\\src\\x', 'C:\\Users\\kim\\p', '/home/kim/p', '/home/kim/p/src/x'],
    ['c:\\users\\Kim\\p\\src', 'C:\\Users\\kim\\p', '/home/kim/p', '/home/kim/p/src'],
    ['C:/Users/kim/p/src', 'C:\\Users\\kim\\p', 'D:\\p', 'D:\\p/src'],
    ['/home/kim/p/src/x', '/home/kim/p', 'C:\\Users\\kim\\p', 'C:\\Users\\kim\\p\\src\\x'],
  ];
  for (const [file, from, to, expected] of cases) assert.equal(movePath(file, from, to), expected, file);
});

test('a renamed project takes its sessions, sub-folders, memory and history along, and nothing else', async (context) => {
  const saved = (folder: string): string => `${folder}/${sessionId}/tool-results/b1.txt`;
  const bench = benchWith(context, sessionId, '');
  const big = `<persisted-output>\nOutput too large (300KB). Full output saved to: ${saved(bench.folder)}\n\nPreview: /home/kim/project`;
  const main = transcript({ cwd: old })
    .user('look in /home/kim/project')
    .call('toolu_1')
    .user([toolResult('toolu_1', big)], {
      cwd: `${old}/src`,
      toolUseResult: { stdout: 'x', persistedOutputPath: saved(bench.folder) },
    })
    .aside('file-history-snapshot', {
      messageId: 'u1',
      snapshot: { trackedFileBackups: { 'a.ts': { backupFileName: 'x@v1', realParentDir: `${old}/src` } } },
    })
    .assistant('done', { cwd: '/home/kim' })
    .text();
  const agent = transcript({ isSidechain: true, agentId: 'abc', cwd: old }).user('sub').assistant('sub done').text();
  const other = '22222222-2222-4222-a222-222222222222';
  writeTree(bench.folder, {
    [`${sessionId}.jsonl`]: main,
    [`${sessionId}/subagents/agent-abc.jsonl`]: agent,
    [`${sessionId}/tool-results/b1.txt`]: 'output',
    'memory/MEMORY.md': '# known',
  });
  const projects = path.dirname(bench.folder);
  writeTree(projects, {
    [`-home-kim-project-app/${other}.jsonl`]: transcript({ cwd: `${old}/app` })
      .user('in app')
      .assistant('yes')
      .text(),
    [`-home-kim-project-2/${other.replaceAll('2', '3')}.jsonl`]: transcript({ cwd: `${old}-2` })
      .user('else')
      .text(),
  });
  const history = [
    { display: 'a', project: old, sessionId },
    { display: 'b', project: `${old}-2` },
    { display: 'c', project: `${old}/app` },
  ];
  writeFileSync(path.join(bench.root, 'history.jsonl'), `${history.map((line) => JSON.stringify(line)).join('\n')}\n`);
  const before = contentsOf(bench.root);

  const printed = jsonOf(['move', old, '/srv/new', '--json', '--root', bench.root], { env: cliEnv(bench) });
  assert.deepEqual(Object.keys(printed as object).includes('others'), true);

  const folder = path.join(projects, '-srv-new');
  assert.deepEqual(
    [...contentsOf(bench.root).keys()].sort(),
    [
      'history.jsonl',
      `projects/-home-kim-project-2/${other.replaceAll('2', '3')}.jsonl`,
      `projects/-srv-new-app/${other}.jsonl`,
      `projects/-srv-new/${sessionId}.jsonl`,
      `projects/-srv-new/${sessionId}/subagents/agent-abc.jsonl`,
      `projects/-srv-new/${sessionId}/tool-results/b1.txt`,
      'projects/-srv-new/memory/MEMORY.md',
    ].sort(),
  );
  assert.ok(!existsSync(bench.folder), 'the old project folder is empty and gone');
  const moved = entriesOf(path.join(folder, `${sessionId}.jsonl`));
  assert.deepEqual(
    moved.map(({ cwd }) => cwd),
    ['/srv/new', '/srv/new', '/srv/new/src', undefined, '/home/kim'],
  );
  const text = readFileSync(path.join(folder, `${sessionId}.jsonl`), 'utf8');
  assert.equal(
    text,
    before
      .get(`projects/-home-kim-project/${sessionId}.jsonl`)
      ?.replaceAll(`"cwd":"${old}`, '"cwd":"/srv/new')
      .replaceAll(`"realParentDir":"${old}`, '"realParentDir":"/srv/new')
      .replaceAll(saved(bench.folder), saved(folder)),
  );
  assert.deepEqual(
    entriesOf(path.join(bench.root, 'history.jsonl')).map(({ project }) => project),
    ['/srv/new', `${old}-2`, '/srv/new/app'],
  );

  // Later work must survive the undo.
  const later = `${JSON.stringify({ display: 'd', project: '/srv/new' })}\n`;
  writeFileSync(path.join(bench.root, 'history.jsonl'), later, { flag: 'a' });
  await undoLast(bench);
  const restored = contentsOf(bench.root);
  assert.equal(restored.get('history.jsonl'), `${before.get('history.jsonl')}${later}`);
  assert.deepEqual(new Map([...restored, ['history.jsonl', '']]), new Map([...before, ['history.jsonl', '']]));
});

test('sessions from Windows move to Unix and back', async (context) => {
  const windows = 'C:\\Users\\kim\\p';
  const bench = benchWith(
    context,
    sessionId,
    transcript({ cwd: windows })
      .user('one')
      .assistant('two', { cwd: `${windows}\\src` })
      .text(),
  );
  const source = path.join(path.dirname(bench.folder), encodeSlug(windows), `${sessionId}.jsonl`);
  writeTree(path.dirname(source), { [`${sessionId}.jsonl`]: readFileSync(bench.main) });
  const original = readFileSync(source, 'utf8');
  await moveProject(bench, windows, '/home/kim/p');
  const there = path.join(path.dirname(bench.folder), '-home-kim-p', `${sessionId}.jsonl`);
  assert.deepEqual(
    entriesOf(there).map(({ cwd }) => cwd),
    ['/home/kim/p', '/home/kim/p/src'],
  );
  await moveProject(bench, '/home/kim/p', windows);
  assert.equal(readFileSync(source, 'utf8'), original);
});

test('a session with other content is not overwritten; an identical one is not moved', async (context) => {
  const bench = benchWith(context, sessionId, transcript({ cwd: old }).user('one').assistant('two').text());
  const to = ['move', bench.main, '--to', '/srv/new', '--root', bench.root];
  assert.equal(runClew([...to, '--copy'], { env: cliEnv(bench) }).status, 0);
  assert.ok(existsSync(bench.main));
  const again = runClew(to, { env: cliEnv(bench) });
  assert.deepEqual([again.status, /nothing to do/.test(again.stderr)], [2, true]);
  writeFileSync(path.join(path.dirname(bench.folder), '-srv-new', `${sessionId}.jsonl`), '{}\n');
  const before = contentsOf(bench.root);
  const refused = runClew(to, { env: cliEnv(bench) });
  assert.deepEqual([refused.status, /already exists with other content/.test(refused.stderr)], [2, true]);
  assert.deepEqual(contentsOf(bench.root), before);
});

test('a move that was killed after any number of its changes is taken back by the next operation', async (context) => {
  const text = transcript({ cwd: old }).user('one').assistant('two').text();
  const bench = benchWith(context, sessionId, text, { [`${sessionId}/tool-results/a.txt`]: 'a', 'memory/M.md': 'm' });
  const before = contentsOf(bench.root);
  await moveProject(bench, old, '/srv/new');
  const after = contentsOf(bench.root);
  const operations = operationsFolder(bench.env);
  const [record] = await readRecords(operations);
  assert.ok(record !== undefined);
  const state = contentsOf(operations);
  const removed = record.files.filter(({ kind }) => kind === 'removed');
  for (let done = 0; done <= removed.length; done++) {
    rmSync(bench.root, { recursive: true });
    rmSync(operations, { recursive: true });
    writeTree(bench.root, Object.fromEntries(after));
    writeTree(operations, Object.fromEntries(state));
    // The state after only the first old files were removed.
    for (const { path: file, backup } of removed.slice(done)) {
      mkdirSync(path.dirname(file), { recursive: true });
      renameSync(path.join(operations, record.id, backup ?? ''), file);
    }
    writeFileSync(path.join(operations, record.id, 'operation.json'), JSON.stringify({ ...record, state: 'begun' }));
    await recoverLocked(operations, bench.env);
    assert.deepEqual(contentsOf(bench.root), before, `${done} removed`);
  }
});

test('sessions one level too deep come up, and a file gets the name that its lines carry', async (context) => {
  const text = transcript({ cwd: old }).user('one').assistant('two').text();
  const bench = benchWith(context, sessionId, '');
  const nested = path.join(bench.folder, '-home-kim-old');
  writeTree(nested, { [`${sessionId}.jsonl`]: text, [`${sessionId}/tool-results/x.txt`]: 'x' });
  writeTree(path.dirname(bench.folder), { '-other/copy.jsonl': text });
  const run = (...words: string[]) => runClew([...words, '--root', bench.root], { env: cliEnv(bench) });
  const refused = run('move', '--flatten', bench.folder);
  assert.match(refused.stderr, /with other content/);
  writeFileSync(bench.main, '');
  const target = path.join(path.dirname(bench.folder), '-fresh');
  mkdirSync(target);
  writeTree(target, { [`-home-kim-old/${sessionId}.jsonl`]: text });
  assert.equal(run('move', '--flatten', target).status, 0);
  assert.deepEqual([...contentsOf(target)], [[`${sessionId}.jsonl`, text]]);
  assert.equal(run('move', path.join(path.dirname(bench.folder), '-other/copy.jsonl'), '--rename-file').status, 0);
  assert.deepEqual([...contentsOf(path.join(path.dirname(bench.folder), '-other'))], [[`${sessionId}.jsonl`, text]]);
});

async function moveProject(bench: Bench, from: string, to: string): Promise<void> {
  const { relocations, ...found } = await findMovedProject([bench.root], from, to);
  const { plan, sources } = await planMove(relocations, { ...found, words: [] });
  await operate(plan, sources, { env: bench.env });
}

function cliEnv(bench: Bench): { CLEW_HOME: string } {
  return { CLEW_HOME: bench.env.CLEW_HOME };
}
