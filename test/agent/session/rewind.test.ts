import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { rewind, rewindPoints } from '../../../src/agent/session/rewind.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { oldResumeLines, requestMessages, resumeLines } from '../../../src/session/resume/request/request.ts';
import { encodeSlug } from '../../../src/store/roots.ts';
import { type AgentRun, openRun, placeIn } from '../../support/agent-run.ts';
import { corpusFolder } from '../../support/corpus.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

async function newRun(t: TestContext): Promise<AgentRun> {
  const place = placeIn(temporaryFolder(t));
  mkdirSync(place.cwd, { recursive: true });
  const run = await openRun({ kind: 'new' }, place);
  t.after(() => run.close());
  return run;
}

async function change(run: AgentRun, file: string, content: string): Promise<void> {
  const kept = await run.session.recorder.keepFile(file);
  if (kept !== undefined) await run.emit(kept);
  writeFileSync(file, content);
}

/** Three turns: one file is made and then changed twice, another is changed in the last. */
async function threeTurns(run: AgentRun): Promise<{ readonly made: string; readonly old: string }> {
  const made = path.join(run.session.cwd, 'made.txt');
  const old = path.join(run.session.cwd, 'old.txt');
  writeFileSync(old, 'old 0');
  for (const [i, files] of [[made], [made], [made, old]].entries()) {
    await run.prompt(`Turn ${i}`);
    for (const file of files) await change(run, file, `${path.basename(file)} ${i}`);
    await run.answer(`Answer ${i}`);
    await run.endTurn();
  }
  return { made, old };
}

test('files are restored to their state at a prompt, and forward again', async (t) => {
  const run = await newRun(t);
  const { made, old } = await threeTurns(run);
  const points = await rewindPoints(run.session);
  assert.deepEqual(
    points.map(({ prompt, changedFiles }) => [prompt, changedFiles]),
    [
      ['Turn 0', [made, old]],
      ['Turn 1', [made, old]],
      ['Turn 2', [made, old]],
    ],
  );
  const [first, second, third] = points;
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  assert.deepEqual(await rewind(run.session, second, 'files'), {
    restored: [made, old],
    removed: [],
    problems: [],
    prompt: 'Turn 1',
  });
  assert.deepEqual([readFileSync(made, 'utf8'), readFileSync(old, 'utf8')], ['made.txt 0', 'old 0']);
  // What was there before the rewind is kept too, although no prompt came after it.
  const { folder } = run.session.history;
  const copies = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  assert.deepEqual(copies.sort(), ['made.txt 0', 'made.txt 1', 'made.txt 2', 'old 0', 'old.txt 2']);
  assert.deepEqual((await rewind(run.session, first, 'files')).removed, [made]);
  assert.ok(!existsSync(made));
  assert.deepEqual((await rewind(run.session, third, 'files')).restored, [made]);
  assert.deepEqual([readFileSync(made, 'utf8'), readFileSync(old, 'utf8')], ['made.txt 1', 'old 0']);
});

test('a tracked file that is gone, a folder or unreadable does not stop a prompt', async (t) => {
  const run = await newRun(t);
  const { made, old } = await threeTurns(run);
  rmSync(made);
  mkdirSync(path.join(made, 'inside'), { recursive: true });
  rmSync(old);
  symlinkSync(old, old);
  await run.turn('On', 'Yes.');
  const [point] = (await rewindPoints(run.session)).slice(-2);
  assert.ok(point !== undefined);
  const { restored, problems } = await rewind(run.session, point, 'files');
  assert.deepEqual([restored, problems.length], [[], 2]);
  assert.ok(existsSync(path.join(made, 'inside')));
});

test('the chat continues from before a prompt, in old and new clients', async (t) => {
  const run = await newRun(t);
  const { made } = await threeTurns(run);
  const [, second] = await rewindPoints(run.session);
  assert.ok(second !== undefined);
  const report = await rewind(run.session, second, 'chat');
  assert.deepEqual(report, { restored: [], removed: [], problems: [], prompt: 'Turn 1' });
  assert.equal(readFileSync(made, 'utf8'), 'made.txt 2');
  const check = async (): Promise<void> => {
    const session = await loadSession(run.session.file);
    assert.deepEqual(requestMessages(session), run.session.recorder.resumed());
    const lines = resumeLines(session.transcript);
    const old = oldResumeLines(session.transcript);
    assert.ok('lines' in lines && 'lines' in old);
    assert.deepEqual(lines.lines, old.lines);
  };
  await check();
  assert.deepEqual(
    run.session.recorder.resumed().messages.map(({ role }) => role),
    ['user', 'assistant'],
  );
  await run.turn('Another way', 'Good.');
  await check();
  assert.deepEqual(
    (await rewindPoints(run.session)).map(({ prompt }) => prompt),
    ['Turn 0', 'Another way'],
  );
});

test('a rewind to the first prompt starts a new conversation', async (t) => {
  const run = await newRun(t);
  await threeTurns(run);
  const [first] = await rewindPoints(run.session);
  assert.ok(first !== undefined);
  await rewind(run.session, first, 'both');
  await run.turn('From the start', 'Yes.');
  const session = await loadSession(run.session.file);
  assert.deepEqual(requestMessages(session), run.session.recorder.resumed());
  assert.equal(run.session.recorder.resumed().messages.length, 2);
});

test('nothing outside the project is touched, no link is followed, and no backup is taken from elsewhere', async (t) => {
  const run = await newRun(t);
  const { cwd } = run.session;
  const outside = path.join(cwd, '../secret.txt');
  writeFileSync(outside, 'secret');
  mkdirSync(path.join(cwd, 'real'));
  for (const name of ['real/a.txt', 'linked.txt', 'b.txt']) writeFileSync(path.join(cwd, name), 'before');
  await run.prompt('Change everything');
  for (const name of ['real/a.txt', 'linked.txt', '../secret.txt']) {
    const kept = await run.session.recorder.keepFile(path.join(cwd, name));
    if (kept !== undefined) await run.emit(kept);
  }
  await run.close();
  // What a hostile session could say.
  const snapshot = { 'b.txt': { backupFileName: '../../../project/linked.txt', version: 2 } };
  const [uuid] = (await loadSession(run.session.file)).transcript.nodes.flatMap((node) => node.uuid ?? []);
  const entry = { type: 'file-history-snapshot', snapshot: { messageId: uuid, trackedFileBackups: snapshot } };
  writeFileSync(run.session.file, `${JSON.stringify(entry)}\n`, { flag: 'a' });
  writeFileSync(outside, 'changed');
  writeFileSync(path.join(cwd, 'b.txt'), 'changed');
  writeFileSync(path.join(cwd, 'linked.txt'), '');
  rmSync(path.join(cwd, 'linked.txt'));
  symlinkSync(outside, path.join(cwd, 'linked.txt'));
  renameSync(path.join(cwd, 'real'), path.join(cwd, '../elsewhere'));
  symlinkSync(path.join(cwd, '../elsewhere'), path.join(cwd, 'real'));
  writeFileSync(path.join(cwd, '../elsewhere/a.txt'), 'changed');

  const again = await openRun({ kind: 'resume', session: run.session.sessionId }, placeIn(path.dirname(cwd)));
  t.after(() => again.close());
  const [point] = await rewindPoints(again.session);
  assert.ok(point !== undefined);
  const report = await rewind(again.session, point, 'files');
  assert.deepEqual(
    { ...report, problems: report.problems.map((problem) => problem.slice(problem.indexOf(':') + 2)) },
    {
      restored: [],
      removed: [],
      problems: [
        'it is outside the project',
        'it is not a regular file now',
        'it is outside the project',
        '"../../../project/linked.txt" is not the name of a backup',
      ],
      prompt: 'Change everything',
    },
  );
  assert.deepEqual(
    [outside, path.join(cwd, 'b.txt'), path.join(cwd, '../elsewhere/a.txt')].map((file) => readFileSync(file, 'utf8')),
    ['changed', 'changed', 'changed'],
  );
});

test('files of git are not changed', async (t) => {
  const run = await newRun(t);
  const config = path.join(run.session.cwd, '.git/config');
  mkdirSync(path.dirname(config));
  writeFileSync(config, 'before');
  await run.prompt('Configure it');
  await change(run, config, 'after');
  const [point] = await rewindPoints(run.session);
  assert.ok(point !== undefined);
  const { restored, problems } = await rewind(run.session, point, 'files');
  assert.deepEqual([restored, problems], [[], [`${config}: it belongs to git`]]);
  assert.equal(readFileSync(config, 'utf8'), 'after');
});

test('files are restored from the snapshots of the real client', async (t) => {
  const folder = temporaryFolder(t);
  const place = placeIn(folder);
  const sessionId = '5a0712ff-1f37-47fa-ae31-0e2d684a69b4';
  const real = path.join(corpusFolder, 'corpus/real/2.1.45/tui-rename-tools-interrupt-rewind-compact-clear');
  const project = path.join(place.root, 'projects', encodeSlug(place.cwd));
  mkdirSync(project, { recursive: true });
  mkdirSync(path.join(place.cwd, 'src'), { recursive: true });
  const text = readFileSync(path.join(real, '-home-kim-widgets', `${sessionId}.jsonl`), 'utf8');
  writeFileSync(path.join(project, `${sessionId}.jsonl`), text.replaceAll('/home/kim/widgets', place.cwd));
  cpSync(path.join(real, '_home/file-history'), path.join(place.root, 'file-history'), { recursive: true });
  const file = path.join(place.cwd, 'src/new.js');
  writeFileSync(file, 'spoilt');
  const run = await openRun({ kind: 'resume', session: sessionId }, place);
  t.after(() => run.close());
  const point = (await rewindPoints(run.session)).find(({ prompt }) => prompt.startsWith('After'));
  assert.ok(point !== undefined);
  assert.deepEqual(point.changedFiles, [file]);
  const report = await rewind(run.session, point, 'both');
  assert.deepEqual([report.restored, report.problems], [[file], []]);
  assert.equal(readFileSync(file, 'utf8'), 'export const answer = 42;\n');
  await run.turn('On we go', 'Yes.');
  assert.deepEqual(requestMessages(await loadSession(run.session.file)), run.session.recorder.resumed());
});

test('a file outside the project is not copied because a line of a resumed session names it', async (t) => {
  const run = await newRun(t);
  const { cwd } = run.session;
  for (const name of ['../secret.txt', 'own.txt']) writeFileSync(path.join(cwd, name), `content of ${name}`);
  await run.prompt('Hello');
  await run.answer('Hello');
  await run.endTurn();
  await run.close();
  const [uuid] = (await loadSession(run.session.file)).transcript.nodes.flatMap((node) => node.uuid ?? []);
  const gone = { backupFileName: '0123456789abcdef@v1', version: 1 };
  const tracked = { '../secret.txt': gone, [path.join(cwd, '../secret.txt')]: gone, 'own.txt': gone };
  const entry = { type: 'file-history-snapshot', snapshot: { messageId: uuid, trackedFileBackups: tracked } };
  writeFileSync(run.session.file, `${JSON.stringify(entry)}\n`, { flag: 'a' });
  const again = await openRun({ kind: 'resume', session: run.session.sessionId }, placeIn(path.dirname(cwd)));
  t.after(() => again.close());
  await again.prompt('Proceed');
  const { folder } = again.session.history;
  const copies = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  assert.deepEqual(copies, ['content of own.txt']);
});
