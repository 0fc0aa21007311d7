// What holds for every operation: dry runs write nothing, failed checks neither, undo restores identical bytes,
// and a kill at any point leaves the original whole.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { holdSession } from '../../../src/library/session-files/session-use.ts';
import { sameSession } from '../../../src/surgery/engine/new-session.ts';
import { operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource, type Plan, type Source } from '../../../src/surgery/engine/plan.ts';
import { operationsFolder, readRecords } from '../../../src/surgery/journal/operation-log.ts';
import { undoOperation } from '../../../src/surgery/journal/undo-operations.ts';
import { planFork } from '../../../src/surgery/operations/fork.ts';
import { planRename, planTag } from '../../../src/surgery/operations/rename.ts';
import { refusalOf } from '../../support/refusal.ts';
import { type Bench, benchWith, contentsOf, undoLast } from '../../support/surgery-kit.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';

test('a dry run proves and writes nothing, not even in the state folder', async (context) => {
  const bench = simpleBench(context);
  const before = contentsOf(bench.root);
  const source = await loadSource(bench.main);
  const outcome = await operate(planFork(source), [source], { env: bench.env, isDryRun: true });
  assert.equal(outcome.isWritten, false);
  assert.deepEqual(outcome.proof.reachable, { loaded: 2, of: 2 });
  assert.deepEqual(contentsOf(bench.root), before);
  assert.deepEqual(readdirSync(operationsFolder(bench.env)), []);
});

test('a promise that does not hold keeps everything as it is', async (context) => {
  const bench = simpleBench(context);
  const before = contentsOf(bench.root);
  const source = await loadSource(bench.main);
  const plan: Plan = { ...planFork(source), expects: () => ['the moon is not cheese'] };
  await assert.rejects(operate(plan, [source], { env: bench.env }), /nothing was written: the moon is not cheese/);
  assert.deepEqual(contentsOf(bench.root), before);
});

test('the proof fails for records that a plan neither keeps nor reports as dropped', async (context) => {
  const bench = simpleBench(context);
  const source = await loadSource(bench.main);
  const plan = inPlace(source, new Map([[1, 'dropped']]), []);
  await assert.rejects(
    operate(plan, [source], { env: bench.env }),
    /1 records are neither in the result nor reported as dropped/,
  );
});

test('the sizes are those of the whole session, also of files that an operation in place leaves alone', async (context) => {
  const agent = transcript({ isSidechain: true, agentId: 'a1' }).user('look').assistant('found').text();
  const bench = benchWith(context, sessionId, transcript().user('hi').assistant('hello').text(), {
    [`${sessionId}/subagents/agent-a1.jsonl`]: agent,
  });
  const sizeOf = (): number => [...contentsOf(bench.folder).values()].reduce((sum, text) => sum + text.length, 0);
  const before = sizeOf();
  const source = await loadSource(bench.main);
  const outcome = await operate(planTag(source, 'new'), [source], { env: bench.env });
  assert.ok(sizeOf() > before);
  assert.deepEqual(outcome.sizeBytes, { before, after: sizeOf() });
});

test('an operation in place keeps a backup, and undo restores identical bytes', async (context) => {
  const bench = simpleBench(context);
  const before = contentsOf(bench.root);
  const source = await loadSource(bench.main);
  const outcome = await operate(
    inPlace(source, new Map([[1, 'dropped']]), [{ line: 2, reason: 'dropped' }]),
    [source],
    {
      env: bench.env,
    },
  );
  assert.equal(outcome.changed, 0);
  assert.equal(readFileSync(bench.main, 'utf8').trimEnd().split('\n').length, 1);
  await undoLast(bench);
  assert.deepEqual(contentsOf(bench.root), before);
  const operations = operationsFolder(bench.env);
  const [record, ...others] = await readRecords(operations);
  assert.ok(record !== undefined);
  assert.deepEqual([record.state, others], ['undone', []]);
  await assert.rejects(undoOperation(operations, record), /is already undone/);
});

test('undo refuses if the session has changed since', async (context) => {
  const bench = simpleBench(context);
  const source = await loadSource(bench.main);
  const { to } = await operate(planFork(source), [source], { env: bench.env });
  appendFileSync(to.path, `${JSON.stringify({ type: 'tag', tag: 'later' })}\n`);
  await assert.rejects(undoLast(bench), /has changed since/);
  assert.ok(existsSync(to.path));
});

test('undo of appended lines keeps the lines after them', async (context) => {
  const bench = simpleBench(context);
  const before = readFileSync(bench.main, 'utf8');
  const source = await loadSource(bench.main);
  const inserts = new Map([[1, [{ type: 'tag', tag: 'ours', sessionId }]]]);
  const plan = {
    ...inPlace(source, new Map(), []),
    results: [sameSession(source, { rewrites: new Map([[bench.main, { inserts }]]) })],
  };
  await operate(plan, [source], { env: bench.env });
  const later = `${JSON.stringify({ type: 'tag', tag: 'theirs' })}\n`;
  appendFileSync(bench.main, later);
  await undoLast(bench);
  assert.equal(readFileSync(bench.main, 'utf8'), before + later);
});

test('a session that a running client has open is read, but not changed', async (context) => {
  const bench = simpleBench(context);
  const sessions = path.join(bench.root, 'sessions');
  mkdirSync(sessions);
  writeFileSync(path.join(sessions, `${process.pid}.json`), JSON.stringify({ sessionId }));
  const source = await loadSource(bench.main);
  await assert.rejects(
    operate(inPlace(source, new Map(), []), [source], { env: bench.env }),
    new RegExp(`in use: Claude Code runs it as process ${process.pid}`),
  );
  assert.equal((await operate(planFork(source), [source], { env: bench.env })).isWritten, true);
});

test('a session that changes while it is operated on is left alone', async (context) => {
  const bench = simpleBench(context);
  const source = await loadSource(bench.main);
  appendFileSync(bench.main, `${JSON.stringify({ type: 'tag', tag: 'later' })}\n`);
  const before = contentsOf(bench.root);
  await assert.rejects(operate(planFork(source), [source], { env: bench.env }), /has changed since it was read/);
  assert.deepEqual(contentsOf(bench.root), before);
});

test('while a session is changed in place, nobody else is let into it', async (context) => {
  const bench = simpleBench(context);
  const source = await loadSource(bench.main);
  const refusals: (string | undefined)[] = [];
  const mayWrite = async (): Promise<boolean> => {
    refusals.push((await refusalOf(holdSession(bench.main, bench.env)))?.message);
    return true;
  };
  await operate(planRename(source, 'another'), [source], { env: bench.env, mayWrite });
  assert.equal(refusals.length, 1);
  assert.match(refusals[0] ?? '', /is in use: clew works in it \(process \d+ on .+\); end it there and run it again$/);
  await (await holdSession(bench.main, bench.env))();
});

test('an operation is not taken back while a client has its result open', async (context) => {
  const bench = simpleBench(context);
  const source = await loadSource(bench.main);
  const { to } = await operate(planFork(source), [source], { env: bench.env });
  mkdirSync(path.join(bench.root, 'sessions'));
  const open = path.join(bench.root, 'sessions', `${process.pid}.json`);
  writeFileSync(open, JSON.stringify({ sessionId: to.sessionId }));
  await assert.rejects(undoLast(bench), new RegExp(`${to.sessionId} is in use`));
  assert.ok(existsSync(to.path));
  rmSync(open);
  await undoLast(bench);
  assert.ok(!existsSync(to.path));
});

function simpleBench(context: TestContext): Bench {
  return benchWith(context, sessionId, transcript().user('one').assistant('two').text());
}

function inPlace(source: Source, drops: ReadonlyMap<number, string>, dropped: Plan['dropped']): Plan {
  return {
    operation: 'test',
    words: [],
    sources: [{ sessionId: source.session.id, path: source.session.files.main }],
    results: [sameSession(source, { rewrites: new Map([[source.session.files.main, { drops }]]) })],
    dropped,
  };
}
