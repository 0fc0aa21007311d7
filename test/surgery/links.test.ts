// Links in a session's folder: whatever is written, deleted or copied stays in the root, and what was left out is said.
import assert from 'node:assert/strict';
import { existsSync, linkSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { archiveSessions } from '../../src/library/archive/archive.ts';
import { removeSession } from '../../src/library/archive/remove.ts';
import { listArchive, restoreSession } from '../../src/library/archive/restore.ts';
import { sessionFiles } from '../../src/store/session-files.ts';
import { writeBundle } from '../../src/surgery/bundle/write.ts';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { planFork } from '../../src/surgery/operations/fork.ts';
import { planMove } from '../../src/surgery/operations/move.ts';
import { findMovedProject } from '../../src/surgery/operations/moved-projects.ts';
import { planRename, planTag } from '../../src/surgery/operations/rename.ts';
import { planRedact } from '../../src/surgery/redact/redact.ts';
import { refusalOf } from '../support/refusal.ts';
import { type Bench, benchWith, contentsOf, undoLast } from '../support/surgery-kit.ts';
import { writeTree } from '../support/temp-folder.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';

const secret = ['gh', `p_${'aB3dE5fG7hI9'.repeat(3)}`].join('');
const agentText = transcript({ isSidechain: true, agentId: 'a1' }).user(`the key is ${secret}`).text();

interface Linked extends Bench {
  /** A folder outside of the root, with files that must stay as they are. */
  readonly outside: string;
  readonly side: string;
}

function linked(context: TestContext): Linked {
  const text = transcript({ cwd: '/home/kim/project' }).user(`key ${secret}`).assistant('two').text();
  const bench = benchWith(context, sessionId, text);
  const outside = path.join(path.dirname(bench.root), 'outside');
  writeTree(outside, {
    'subagents/agent-a1.jsonl': agentText,
    'tool-results/toolu_1.txt': `private ${secret}\n`,
    'custom-title.json': '{"customTitle":"private"}',
    'session.jsonl': transcript().user(`key ${secret}`).text(),
    'history.jsonl': `${JSON.stringify({ display: secret, sessionId })}\n`,
  });
  const old = new Date(Date.now() - 3_600_000);
  utimesSync(bench.main, old, old);
  return { ...bench, outside, side: path.join(bench.folder, sessionId) };
}

/** The ways in which a link in a session's folder leads out of the root. */
const ways: Readonly<Record<string, (bench: Linked) => string>> = {
  'the side folder': ({ side, outside }) => link(outside, side),
  'a folder in it': ({ side, outside }) => link(path.join(outside, 'subagents'), path.join(side, 'subagents')),
  'a file in it': ({ side, outside }) =>
    link(path.join(outside, 'tool-results/toolu_1.txt'), path.join(side, 'tool-results/toolu_1.txt')),
  'a sub-agent': ({ side, outside }) =>
    link(path.join(outside, 'subagents/agent-a1.jsonl'), path.join(side, 'subagents/agent-a1.jsonl')),
};

function link(target: string, name: string): string {
  mkdirSync(path.dirname(name), { recursive: true });
  symlinkSync(target, name);
  return name;
}

for (const [what, make] of Object.entries(ways)) {
  test(`where ${what} is a link out of the root, no operation writes, deletes or copies what it leads to`, async (t) => {
    const bench = linked(t);
    const name = make(bench);
    const before = contentsOf(bench.outside);
    const leftOut = [`left out: ${name}`];
    const notesOf = (notes: readonly string[]): string[] =>
      notes.filter((note) => note.startsWith('left out: ')).map((note) => note.split(' is a link to ')[0] ?? '');

    const source = await loadSource(bench.main);
    const fork = await operate(planFork(source), [source], { env: bench.env });
    assert.deepEqual(notesOf(fork.notes), leftOut);
    const forked = path.join(bench.folder, fork.to.sessionId);
    assert.equal(existsSync(forked), false, 'the fork took a file along');
    const bundle = await writeBundle(path.join(bench.root, 'x.clew'), [source]);
    assert.deepEqual(notesOf(bundle.notes), leftOut);
    assert.deepEqual(
      bundle.sessions[0]?.files.map((file) => file.name),
      [`${sessionId}.jsonl`],
    );
    const archive = path.join(bench.root, 'archive');
    const report = await archiveSessions([{ path: bench.main }], { folder: archive });
    assert.deepEqual(
      report.sessions.map((each) => each.leftOut.map((left) => left.path)),
      [[name]],
    );
    assert.equal(listArchive(archive)[0]?.versions[0]?.files.length, 1);

    const planned = await planRedact(source, { isInPlace: true });
    const redacted = await operate(planned.plan, [planned.source], { env: bench.env });
    assert.deepEqual([redacted.isWritten, notesOf(redacted.notes)], [true, leftOut]);
    assert.equal(readFileSync(bench.main, 'utf8').includes(secret), false);
    const again = await loadSource(bench.main);
    await operate(planTag(again, 'x'), [again], { env: bench.env });

    const old = new Date(Date.now() - 3_600_000);
    utimesSync(bench.main, old, old);
    const removed = await removeSession(bench.main, { folder: archive });
    assert.deepEqual([removed.files, removed.leftOut.map((left) => left.path)], [[bench.main], [name]]);
    assert.equal(lstatSync(name).isSymbolicLink(), true, 'the link is not a file of the session');
    assert.deepEqual(contentsOf(bench.outside), before);
  });
}

test('a title is not written through a side folder that is a link, not even when it is only tried', async (t) => {
  const bench = linked(t);
  ways['the side folder']?.(bench);
  rmSync(path.join(bench.outside, 'custom-title.json'));
  const before = contentsOf(bench.outside);
  const source = await loadSource(bench.main);
  for (const isDryRun of [true, false]) {
    const refusal = await refusalOf(operate(planRename(source, 'x'), [source], { env: bench.env, isDryRun }));
    assert.deepEqual(refusal, {
      message: `${bench.side}/custom-title.json leads to ${bench.outside}/custom-title.json through a link, outside ${bench.folder}; nothing was written; remove the link and run it again`,
      exitCode: 3,
    });
  }
  assert.deepEqual(contentsOf(bench.outside), before);
});

test('a main transcript that is a link out of the root is not changed, copied or deleted', async (t) => {
  const bench = linked(t);
  const name = path.join(bench.folder, '22222222-2222-4222-a222-222222222222.jsonl');
  symlinkSync(path.join(bench.outside, 'session.jsonl'), name);
  const before = contentsOf(bench.outside);
  const message = `${name} is a link to ${bench.outside}/session.jsonl, outside ${path.dirname(bench.folder)}; name ${bench.outside}/session.jsonl`;
  assert.deepEqual(await refusalOf(loadSource(name)), { message, exitCode: 2 });
  assert.deepEqual(await refusalOf(removeSession(name, { withoutArchive: true })), { message, exitCode: 2 });
  const { sessions } = await archiveSessions([{ path: name }], { folder: path.join(bench.root, 'archive') });
  assert.deepEqual(
    sessions.map(({ outcome, problem }) => [outcome, problem?.startsWith(`left out: ${name} is a link to `)]),
    [['failed', true]],
  );
  const { relocations, notes } = await findMovedProject([bench.root], '/home/kim/project', '/home/kim/renamed');
  assert.deepEqual(
    relocations.map(({ source }) => source.session.transcript.path),
    [bench.main],
  );
  assert.deepEqual(notes, [`left out: ${message.split(';')[0]}`]);
  assert.deepEqual(contentsOf(bench.outside), before);
});

test('what the client keeps elsewhere is not redacted through a link out of the root', async (t) => {
  const bench = linked(t);
  symlinkSync(path.join(bench.outside, 'history.jsonl'), path.join(bench.root, 'history.jsonl'));
  link(path.join(bench.outside, 'tool-results'), path.join(bench.root, 'file-history', sessionId));
  const before = contentsOf(bench.outside);
  const planned = await planRedact(await loadSource(bench.main), { isInPlace: true });
  const { notes } = await operate(planned.plan, [planned.source], { env: bench.env });
  assert.deepEqual(
    notes.filter((note) => note.startsWith('left out: ')),
    [
      `left out: ${bench.root}/file-history/${sessionId} is really ${bench.outside}/tool-results`,
      `left out: ${bench.root}/history.jsonl is a link to ${bench.outside}/history.jsonl, outside ${bench.root}`,
    ],
  );
  const bundle = await writeBundle(path.join(bench.root, 'x.clew'), [await loadSource(bench.main)]);
  assert.deepEqual(
    bundle.sessions[0]?.files.map(({ name }) => name),
    [`${sessionId}.jsonl`],
  );
  assert.deepEqual(contentsOf(bench.outside), before);
});

test('links inside the root are read and copied; deleting the session leaves what they lead to', async (t) => {
  const bench = linked(t);
  writeTree(bench.folder, { 'shared/agent-a1.jsonl': agentText });
  const target = path.join(bench.folder, 'shared/agent-a1.jsonl');
  const name = link('../../shared/agent-a1.jsonl', path.join(bench.side, 'subagents/agent-a1.jsonl'));
  assert.deepEqual(
    (await sessionFiles(bench.main)).agents.map((agent) => agent.path),
    [name],
  );
  const source = await loadSource(bench.main);
  const { to } = await operate(planFork(source), [source], { env: bench.env });
  assert.ok(existsSync(path.join(bench.folder, to.sessionId, 'subagents/agent-a1.jsonl')));
  await removeSession(bench.main, { folder: path.join(bench.root, 'archive') });
  assert.deepEqual([existsSync(bench.side), readFileSync(target, 'utf8')], [false, agentText]);
});

test('a session that is moved and moved back keeps the content of its links', async (t) => {
  const bench = linked(t);
  writeTree(bench.folder, { 'shared/agent-a1.jsonl': agentText });
  const name = link('../../shared/agent-a1.jsonl', path.join(bench.side, 'subagents/agent-a1.jsonl'));
  const source = await loadSource(bench.main);
  const folder = path.join(path.dirname(bench.folder), '-home-kim-other');
  const { plan, sources } = await planMove([{ source, folder }], { words: [] });
  await operate(plan, sources, { env: bench.env });
  assert.equal(existsSync(name), false);
  assert.equal(readFileSync(path.join(folder, sessionId, 'subagents/agent-a1.jsonl'), 'utf8'), agentText);
  await undoLast(bench);
  assert.equal(readFileSync(name, 'utf8'), agentText);
});

test('an operation is not taken back through a folder that became a link since', async (t) => {
  const bench = linked(t);
  writeTree(bench.side, { 'tool-results/b.txt': 'output' });
  const source = await loadSource(bench.main);
  const folder = path.join(path.dirname(bench.folder), '-home-kim-other');
  const { plan, sources } = await planMove([{ source, folder }], { words: [] });
  await operate(plan, sources, { env: bench.env });
  link(bench.outside, bench.side);
  const before = contentsOf(bench.outside);
  const refusal = await refusalOf(undoLast(bench));
  assert.match(refusal?.message ?? '', /tool-results\/b\.txt leads to .*outside\/tool-results\/b\.txt through a link/);
  assert.deepEqual(contentsOf(bench.outside), before);
});

test('an archived session is not restored through a link out of the root', async (t) => {
  const bench = linked(t);
  writeTree(bench.side, { 'tool-results/b.txt': 'output' });
  const archive = path.join(bench.root, 'archive');
  await removeSession(bench.main, { folder: archive });
  link(bench.outside, bench.side);
  const before = contentsOf(bench.outside);
  const refusal = await refusalOf(restoreSession(sessionId, { folder: archive, isForced: true }));
  assert.match(refusal?.message ?? '', /through a link, outside .*; nothing was restored; remove the link, or/);
  assert.equal(refusal?.exitCode, 3);
  rmSync(bench.side);
  link(path.join(bench.outside, 'session.jsonl'), bench.main);
  assert.equal((await refusalOf(restoreSession(sessionId, { folder: archive, isForced: true })))?.exitCode, 3);
  assert.deepEqual(contentsOf(bench.outside), before);
});

test('in a project folder that is itself a link out of the root nothing is changed, copied or deleted, but all is read', async (t) => {
  const bench = linked(t);
  const name = '22222222-2222-4222-a222-222222222222';
  writeTree(bench.outside, { [`-p/${name}.jsonl`]: transcript().user('one').assistant('two').text() });
  writeTree(bench.outside, { [`-p/${name}/tool-results/b.txt`]: 'output' });
  const projects = path.dirname(bench.folder);
  const folder = link(path.join(bench.outside, '-p'), path.join(projects, '-linked'));
  const main = path.join(folder, `${name}.jsonl`);
  const real = path.join(bench.outside, '-p', `${name}.jsonl`);
  const before = contentsOf(bench.outside);
  const message = `${main} is really ${real}, outside ${projects}, because ${folder} is a link; name ${real}`;
  assert.deepEqual(await refusalOf(loadSource(main)), { message, exitCode: 2 });
  assert.deepEqual(await refusalOf(removeSession(main, { withoutArchive: true })), { message, exitCode: 2 });
  const archive = path.join(bench.root, 'archive');
  const { sessions } = await archiveSessions([{ path: main }], { folder: archive });
  assert.deepEqual(
    sessions.map(({ outcome, problem }) => [outcome, problem]),
    [['failed', `left out: ${main} is really ${real}, outside ${projects}, because ${folder} is a link`]],
  );
  // Nothing is written into it, either: by a move, by an operation on what was read, or by a restore.
  const source = await loadSource(bench.main);
  const { plan, sources } = await planMove([{ source, folder }], { words: [] });
  const target = path.join(folder, `${sessionId}.jsonl`);
  assert.deepEqual(await refusalOf(operate(plan, sources, { env: bench.env })), {
    message: `${target} leads to ${path.join(bench.outside, '-p', `${sessionId}.jsonl`)} through a link, outside ${projects}; nothing was written; remove the link and run it again`,
    exitCode: 3,
  });
  const readOnly = await loadSource(main, { isOnlyRead: true });
  assert.deepEqual([readOnly.files.length, readOnly.leftOut], [2, []]);
  assert.equal((await refusalOf(operate(planTag(readOnly, 'x'), [readOnly], { env: bench.env })))?.exitCode, 3);
  await archiveSessions([{ path: bench.main }], { folder: archive });
  rmSync(bench.folder, { recursive: true });
  link(path.join(bench.outside, '-p'), bench.folder);
  assert.deepEqual(await refusalOf(restoreSession(sessionId, { folder: archive })), {
    message: `${bench.main} leads to ${path.join(bench.outside, '-p', `${sessionId}.jsonl`)} through a link, outside ${bench.folder}; nothing was restored; remove the link, or restore --to another folder`,
    exitCode: 3,
  });
  assert.deepEqual(contentsOf(bench.outside), before);
  assert.equal((await sessionFiles(main)).toolResults.length, 1);
  // By its real path it is a session like any other.
  assert.equal((await loadSource(real)).files.length, 2);
});

test('a root, or its projects folder, may be a link', async (t) => {
  const bench = linked(t);
  const root = link(bench.root, path.join(path.dirname(bench.root), 'linked-root'));
  const projects = link(path.dirname(bench.folder), path.join(path.dirname(bench.root), 'other-root/projects'));
  for (const place of [path.join(root, 'projects'), projects]) {
    const source = await loadSource(path.join(place, path.basename(bench.folder), `${sessionId}.jsonl`));
    assert.equal((await operate(planTag(source, place), [source], { env: bench.env })).isWritten, true);
  }
});

test('a secret in a file with a second name is not called gone', async (t) => {
  const bench = linked(t);
  const other = path.join(bench.outside, 'second-name.jsonl');
  linkSync(bench.main, other);
  const { ino } = lstatSync(other);
  const planned = await planRedact(await loadSource(bench.main), { isInPlace: true });
  const { notes } = await operate(planned.plan, [planned.source], { env: bench.env });
  const expected = `${bench.main} has another name on this disk (hard links, inode ${ino}) and still holds the secret there: delete it too`;
  assert.ok(notes.includes(expected), notes.join('\n'));
  assert.ok(readFileSync(other, 'utf8').includes(secret));
});

test('next to a transcript outside of a root only the files of a session are its own', async (t) => {
  const bench = linked(t);
  const main = path.join(bench.outside, 'photos.jsonl');
  writeTree(bench.outside, {
    'photos.jsonl': transcript().user('one').assistant('two').text(),
    'photos/summer.jpg': 'picture',
    'photos/2024/winter.jpg': 'picture',
    'photos/tool-results/b.txt': 'output',
  });
  const old = new Date(Date.now() - 3_600_000);
  utimesSync(main, old, old);
  const { files } = await removeSession(main, { folder: path.join(bench.root, 'archive') });
  assert.deepEqual(files, [main, path.join(bench.outside, 'photos/tool-results/b.txt')]);
  assert.ok(existsSync(path.join(bench.outside, 'photos/summer.jpg')));
  assert.ok(existsSync(path.join(bench.outside, 'photos/2024/winter.jpg')));
});
