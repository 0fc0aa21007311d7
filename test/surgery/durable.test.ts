// How an operation writes: in which order files reach the disk, what a failure in the middle leaves, that operations wait
// for one another, and what the next one clears up.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { operationsFolder, readRecords } from '../../src/surgery/journal/operation-log.ts';
import { recoverLocked } from '../../src/surgery/journal/recover-operations.ts';
import { planFork } from '../../src/surgery/operations/fork.ts';
import { planTag } from '../../src/surgery/operations/rename.ts';
import { recordDiskCalls } from '../support/disk-calls.ts';
import { type Bench, benchWith, contentsOf } from '../support/surgery-kit.ts';
import { writeTree } from '../support/temp-folder.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';

const output = `${sessionId}/tool-results/out.txt`;

test('in place: prepared, applying, the backup, the new file and done are durable in this order', async (context) => {
  const bench = simpleBench(context);
  const source = await loadSource(bench.main);
  const { calls } = await recordDiskCalls(context);
  await operate(planTag(source, 'review'), [source], { env: bench.env });
  const plain = plainCalls(bench, calls);
  // What comes before makes folders and the staged result.
  assert.deepEqual(plain.slice(plain.indexOf('sync OPERATION/TEMP')), [
    'sync OPERATION/TEMP',
    'rename OPERATION/TEMP OPERATION/operation.json',
    'sync OPERATION',
    'sync OPERATION/TEMP',
    'rename OPERATION/TEMP OPERATION/operation.json',
    'sync OPERATION',
    'link OPERATION/staged/0/MAIN PROJECT/.clew-ID-0.tmp',
    'sync OPERATION',
    'link PROJECT/MAIN OPERATION/backup/0',
    'sync OPERATION/backup',
    'rename PROJECT/.clew-ID-0.tmp PROJECT/MAIN',
    'sync PROJECT',
    'sync OPERATION/TEMP',
    'rename OPERATION/TEMP OPERATION/operation.json',
    'sync OPERATION',
  ]);
});

test('a new session: each file has its name only when it is whole, the main transcript last', async (context) => {
  const bench = simpleBench(context);
  const source = await loadSource(bench.main);
  const { calls } = await recordDiskCalls(context);
  const { to } = await operate(planFork(source), [source], { env: bench.env });
  const written = plainCalls(bench, calls).filter((call) => call.includes(' PROJECT'));
  assert.deepEqual(
    written.map((call) => call.replaceAll(to.sessionId, 'NEW')),
    [
      'sync PROJECT/NEW',
      'sync PROJECT',
      'link OPERATION/staged/0/NEW/tool-results/out.txt PROJECT/NEW/tool-results/out.txt',
      'sync PROJECT/NEW/tool-results',
      'link OPERATION/staged/0/NEW.jsonl PROJECT/NEW.jsonl',
      'sync PROJECT',
    ],
  );
});

test('a file that appears where a new session is about to be written is not overwritten', async (context) => {
  const bench = simpleBench(context);
  const source = await loadSource(bench.main);
  const newId = '33333333-3333-4333-a333-333333333333';
  const file = path.join(bench.folder, `${newId}.jsonl`);
  const mayWrite = (): boolean => {
    writeFileSync(file, 'another program was faster\n');
    return true;
  };
  const plan = planFork(source, { sessionId: newId });
  await assert.rejects(operate(plan, [source], { env: bench.env, mayWrite }), /is there already; nothing was written/);
  assert.equal(readFileSync(file, 'utf8'), 'another program was faster\n');
});

test('a write that fails in the middle is taken back at once', async (context) => {
  const bench = simpleBench(context);
  const before = contentsOf(bench.root);
  const source = await loadSource(bench.main);
  await recordDiskCalls(context, (call) => {
    // The last file of the new session; its side file has been written.
    if (/^link .*staged.* .*project\/[0-9a-f-]+\.jsonl$/.test(call)) throw diskFull();
  });
  await assert.rejects(operate(planFork(source), [source], { env: bench.env }), /ENOSPC.*make room/);
  assert.deepEqual(contentsOf(bench.root), before);
  assert.deepEqual(readdirSync(operationsFolder(bench.env)), []);
});

test('without room for the result nothing is written', async (context) => {
  const bench = simpleBench(context);
  const before = contentsOf(bench.root);
  const source = await loadSource(bench.main);
  const { statfs } = fsPromises;
  Object.assign(fsPromises, { statfs: async () => ({ bavail: 100, bsize: 1 }) });
  syncBuiltinESMExports();
  context.after(() => {
    Object.assign(fsPromises, { statfs });
    syncBuiltinESMExports();
  });
  await assert.rejects(operate(planFork(source), [source], { env: bench.env }), {
    message: /not enough disk space in .*: \d.* needed, 100 B free/,
    exitCode: 3,
  });
  assert.deepEqual(contentsOf(bench.root), before);
});

test('a second operation waits until the first one is over', async (context) => {
  const bench = simpleBench(context);
  const order: string[] = [];
  const [isAsked, asked] = signal();
  const [isWaiting, waiting] = signal();
  const [mayGoOn, goOn] = signal();
  const fork = async (name: string, mayWrite: () => Promise<boolean>): Promise<void> => {
    const source = await loadSource(bench.main);
    await operate(planFork(source), [source], { env: bench.env, mayWrite, onWait: waiting });
    order.push(`${name} is done`);
  };
  const first = fork('first', async () => {
    asked();
    await mayGoOn;
    return true;
  });
  await isAsked;
  const second = fork('second', async () => {
    order.push('second is proved');
    return true;
  });
  await Promise.race([isWaiting, second]);
  goOn();
  await Promise.all([first, second]);
  assert.deepEqual(order, ['first is done', 'second is proved', 'second is done']);
});

test('a killed operation whose result was used since is finished, not taken back', async (context) => {
  const bench = simpleBench(context);
  const source = await loadSource(bench.main);
  const { to } = await operate(planFork(source), [source], { env: bench.env });
  const operations = operationsFolder(bench.env);
  const [record] = await readRecords(operations);
  assert.ok(record !== undefined);
  appendFileSync(to.path, '{"type":"tag","tag":"theirs"}\n');
  writeFileSync(path.join(operations, record.id, 'operation.json'), JSON.stringify({ ...record, state: 'begun' }));
  await recoverLocked(operations, bench.env);
  assert.ok(existsSync(to.path), 'the file that grew');
  assert.ok(existsSync(path.join(bench.folder, output.replace(sessionId, to.sessionId))), 'the file that did not');
  assert.deepEqual(
    (await readRecords(operations)).map(({ state }) => state),
    ['done'],
  );
});

test('the next operation clears away what has no record, staged files, and nothing else', async (context) => {
  const bench = simpleBench(context);
  const operations = operationsFolder(bench.env);
  const record = (at: string, state: string, more = {}): string =>
    JSON.stringify({ id: idOf(at), operation: 'fork', words: [], at, state, from: [], to: [], files: [], ...more });
  const [early, late, none, open] = [
    '2026-01-01T10:00:00.000Z',
    '2026-01-01T10:00:00.500Z',
    '2026-01-02T10:00:00.000Z',
    '2026-01-03T10:00:00.000Z',
  ] as const;
  mkdirSync(operations, { recursive: true });
  writeTree(operations, {
    [`${idOf(early)}/operation.json`]: record(early, 'done'),
    [`${idOf(early)}/staged/0/x.jsonl`]: 'x',
    [`${idOf(early)}/backup/0-x.jsonl`]: 'kept',
    [`${idOf(late)}/operation.json`]: record(late, 'undone', { hasNoBackup: true }),
    [`${idOf(none)}/staged/0/x.jsonl`]: 'x',
    [`${idOf(open)}/operation.json`]: record(open, 'done', { hasNoBackup: true }),
    [`${idOf(open)}/backup/0-x.jsonl`]: 'secret',
    'notes.txt': 'of the user',
  });
  await recoverLocked(operations, bench.env);
  assert.deepEqual(
    [...contentsOf(operations).keys()].sort(),
    [
      `${idOf(early)}/backup/0-x.jsonl`,
      `${idOf(early)}/operation.json`,
      `${idOf(late)}/operation.json`,
      `${idOf(open)}/operation.json`,
      'notes.txt',
    ].sort(),
  );
  assert.deepEqual(
    (await readRecords(operations)).map(({ at }) => at),
    [open, late, early],
  );
});

/** As `newOperationId` makes them, with a number that sorts against the time of two within a second. */
function idOf(at: string): string {
  const number = at.endsWith('500Z') ? 'aaaaaa' : 'bbbbbb';
  return `${at.slice(0, 19).replace(/[-:]/g, '')}-${number}`;
}

function simpleBench(context: TestContext): Bench {
  return benchWith(context, sessionId, transcript().user('one').assistant('two').text(), { [output]: 'output' });
}

function plainCalls(bench: Bench, calls: readonly string[]): string[] {
  return calls.map((call) =>
    call
      .replaceAll(bench.folder, 'PROJECT')
      .replaceAll(operationsFolder(bench.env), 'OPERATIONS')
      .replaceAll(/OPERATIONS\/\d{8}T\d{6}-[0-9a-f]{6}/g, 'OPERATION')
      .replaceAll(/\.clew-[0-9a-f]{16}\.tmp/g, 'TEMP')
      .replaceAll(/\.clew-\d{8}T\d{6}-[0-9a-f]{6}/g, '.clew-ID')
      .replaceAll(`${sessionId}.jsonl`, 'MAIN'),
  );
}

function signal(): readonly [Promise<void>, () => void] {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return [given, give];
}

function diskFull(): Error {
  return Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
}
