// An operation that was killed after any of its steps, and what a user, a client or a faulty disk does before the next command.
// The states are built from the bytes before and after an undisturbed run, so that they do not depend on the code that recovers.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { readFileState } from '../../src/store/file-state.ts';
import { carryLines, swapFile } from '../../src/store/swap.ts';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import {
  type OperationRecord,
  operationsFolder,
  readRecords,
  writeRecord,
} from '../../src/surgery/journal/operation-log.ts';
import { mayHaveUnfinished, recoverOperations } from '../../src/surgery/journal/recover-operations.ts';
import { undoOperation } from '../../src/surgery/journal/undo-operations.ts';
import { planFork } from '../../src/surgery/operations/fork.ts';
import { planMove } from '../../src/surgery/operations/move.ts';
import { findMovedProject } from '../../src/surgery/operations/moved-projects.ts';
import { planTag } from '../../src/surgery/operations/rename.ts';
import { fuzzRuns } from '../support/fuzz-runs.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type Bench, benchWith, contentsOf } from '../support/surgery-kit.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';

const cwd = '/home/kim/project';
const otherId = '22222222-2222-4222-a222-222222222222';

type Tree = ReadonlyMap<string, string>;

/** A done operation, with the bytes before and after. */
interface Done {
  readonly bench: Bench;
  readonly record: OperationRecord;
  readonly before: Tree;
  readonly after: Tree;
}

const operations: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  move: async (bench) => {
    const found = await findMovedProject([bench.root], cwd, '/home/kim/moved');
    const { plan, sources } = await planMove(found.relocations, { ...found, words: [] });
    await operate(plan, sources, { env: bench.env });
  },
  tag: async (bench) => {
    const source = await loadSource(bench.main);
    await operate(planTag(source, 'review'), [source], { env: bench.env });
  },
  fork: async (bench) => {
    const source = await loadSource(bench.main);
    await operate(planFork(source), [source], { env: bench.env });
  },
};

async function runOperation(context: TestContext, name: string): Promise<Done> {
  const session = (id: string): string => transcript({ cwd, sessionId: id }).user(`one ${id}`).assistant('two').text();
  const bench = benchWith(context, sessionId, session(sessionId), {
    [`${otherId}.jsonl`]: session(otherId),
    [`${sessionId}/tool-results/out.txt`]: 'output',
    'memory/MEMORY.md': 'the old memory\n',
    '../../history.jsonl': `${JSON.stringify({ display: 'one', project: cwd, sessionId })}\n`,
  });
  const before = contentsOf(bench.root);
  await operations[name]?.(bench);
  const [record] = await readRecords(operationsFolder(bench.env));
  assert.ok(record !== undefined);
  return { bench, record, before, after: contentsOf(bench.root) };
}

/** The disk after `steps` changes of the operation. */
async function killAfter({ bench, record, before, after }: Done, steps: number, isPrepared = false): Promise<void> {
  const folder = path.join(operationsFolder(bench.env), record.id);
  const nameOf = (file: string): string => path.relative(bench.root, file);
  rmSync(bench.root, { recursive: true, force: true });
  rmSync(operationsFolder(bench.env), { recursive: true, force: true });
  writeTree(bench.root, Object.fromEntries(before));
  for (const [i, { path: file, kind, staged, backup }] of record.files.entries()) {
    const [old, result] = [before.get(nameOf(file)) ?? '', after.get(nameOf(file)) ?? ''];
    if (staged !== undefined) writeTree(folder, { [staged]: result });
    if (i >= steps) continue;
    if (backup !== undefined) writeTree(folder, { [backup]: old });
    if (kind === 'removed') rmSync(file);
    else writeTree(path.dirname(file), { [path.basename(file)]: result });
  }
  await writeRecord(operationsFolder(bench.env), { ...record, state: isPrepared ? 'prepared' : 'applying' });
  writeFileSync(path.join(operationsFolder(bench.env), 'unfinished'), '');
}

/** Bytes that must still be somewhere below the root afterwards. */
type Event = (done: Done) => readonly string[];

const lineOf = (text: string): string => `{"type":"user","text":"${text}"}\n`;

function writeIfThere(file: string, write: () => void, bytes: string): readonly string[] {
  if (!existsSync(file)) return [];
  write();
  return [bytes];
}

const events: Readonly<Record<string, Event>> = {
  nothing: () => [],
  'the user deletes the old copies': ({ record, after, bench }) => {
    const removed = record.files.filter(({ kind, path: file }) => kind === 'removed' && existsSync(file));
    const isSafe = record.files.every(({ kind, path: file }) => kind !== 'made' || existsSync(file));
    if (isSafe) for (const { path: file } of removed) rmSync(file, { force: true });
    const made = record.files
      .filter(({ kind }) => kind === 'made')
      .map(({ path: file }) => path.relative(bench.root, file));
    return isSafe && removed.length > 0 ? made.map((name) => after.get(name) ?? '') : [];
  },
  'the user deletes the source of a copy': ({ record }) => {
    const made = record.files.filter(({ kind }) => kind === 'made');
    const isCopy = made.length > 0 && !record.files.some(({ kind }) => kind === 'removed');
    if (!isCopy || !made.every(({ path: file }) => existsSync(file))) return [];
    const kept = made.map(({ path: file }) => readFileSync(file, 'latin1'));
    for (const { path: file } of record.from) rmSync(file);
    return kept;
  },
  'a client appends to every transcript that is there': ({ record }) =>
    [...record.from, ...record.to].flatMap(({ path: file }, i) => {
      const line = lineOf(`appended ${i}`);
      return writeIfThere(file, () => appendFileSync(file, line), line);
    }),
  'another client writes its history': ({ bench }) => {
    const line = lineOf('a prompt elsewhere');
    appendFileSync(path.join(bench.root, 'history.jsonl'), line);
    return [line];
  },
  'the agent writes its memory again': ({ bench, record }) => {
    const file = path.join(bench.folder, 'memory/MEMORY.md');
    // Otherwise it is the agent that overwrites the old one.
    const isKept =
      !existsSync(file) ||
      record.files.some(({ kind, path: each }) => kind === 'made' && each.endsWith('MEMORY.md') && existsSync(each));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, 'the new memory\n');
    return ['the new memory\n', ...(isKept ? ['the old memory\n'] : [])];
  },
  'the agent writes the moved memory again': ({ record }) =>
    record.files
      .filter(({ kind, path: file }) => kind === 'made' && file.endsWith('MEMORY.md'))
      .flatMap(({ path: file }) =>
        writeIfThere(file, () => writeFileSync(file, 'the moved memory\n'), 'the moved memory\n'),
      ),
};

const seed = Number(process.env.CLEW_SEED ?? 1);

for (const name of Object.keys(operations)) {
  test(`${name}, killed after any step: whatever happens before the next command, nothing is lost`, async (context) => {
    const done = await runOperation(context, name);
    const { bench, record, before, after } = done;
    const random = seededRandom(seed);
    const cases = Array.from({ length: record.files.length + 1 }, (_, steps) =>
      Object.keys(events).map((event) => [steps, event] as const),
    ).flat();
    const chosen = cases.filter(() => random() < fuzzRuns(cases.length * 3) / cases.length);
    for (const [steps, event] of chosen) {
      await killAfter(done, steps);
      const kept = events[event]?.(done) ?? [];
      const what = `${name} after ${steps} of ${record.files.length} steps, then ${event}`;
      const [first, ...others] = await recoverOperations(bench.env);
      assert.ok(first !== undefined && others.length === 0, what);
      const now = contentsOf(bench.root);
      const all = [...now.values()];
      for (const bytes of kept)
        assert.ok(
          all.some((each) => each.includes(bytes)),
          `${what}: ${bytes} is lost`,
        );
      // What the user deleted may be gone if the copy of it stays, which `kept` has.
      if (event !== 'the user deletes the source of a copy') assertSessionsWhole(now, before, after, what);
      if (event === 'nothing') assert.deepEqual(now, before, what);
      assert.ok(!mayHaveUnfinished(bench.env), what);
      assert.deepEqual(
        [...now.keys()].filter((file) => file.includes('.clew-')),
        [],
        what,
      );
      const [left] = await readRecords(operationsFolder(bench.env));
      assert.ok(left === undefined || ['done', 'undone'].includes(left.state), what);
      assert.deepEqual(await recoverOperations(bench.env, { isThorough: true }), [], `${what}: a second time`);
    }
  });
}

/** Each transcript from before begins some file there is now, as it was or as the operation makes it. */
function assertSessionsWhole(now: Tree, before: Tree, after: Tree, what: string): void {
  for (const [name, bytes] of before) {
    if (!/[0-9a-f-]{36}\.jsonl$/.test(name)) continue;
    const results = [...after].filter(([file]) => path.basename(file) === path.basename(name)).map(([, each]) => each);
    const found = [...now.values()].some((each) => [bytes, ...results].some((known) => each.startsWith(known)));
    assert.ok(found, `${what}: ${name} is lost`);
  }
}

test('an undo refuses a file that another program has written again, and changes nothing', async (context) => {
  const { bench, record } = await runOperation(context, 'tag');
  const operations = operationsFolder(bench.env);
  writeFileSync(bench.main, lineOf('another program'));
  const before = contentsOf(bench.root);
  await assert.rejects(undoOperation(operations, record, bench.env), /has changed since, so tag .* cannot be undone/);
  assert.deepEqual(contentsOf(bench.root), before);
  assert.equal((await readRecords(operations))[0]?.state, 'done');
});

test('what was staged for a move is used if the user has deleted the sessions since', async (context) => {
  const done = await runOperation(context, 'move');
  const { bench, record, after } = done;
  await killAfter(done, 0, true);
  for (const { path: file } of record.files.filter(({ kind }) => kind === 'removed')) rmSync(file);
  const [recovered] = await recoverOperations(bench.env);
  assert.equal(recovered?.outcome, 'finished');
  assert.deepEqual(contentsOf(bench.root), after);
});

test('an undo that was killed after any step is finished by the next command', async (context) => {
  const done = await runOperation(context, 'move');
  const { bench, record, before } = done;
  for (let steps = 0; steps <= record.files.length; steps++) {
    for (const event of [
      'nothing',
      'a client appends to every transcript that is there',
      'the agent writes its memory again',
    ]) {
      await killAfter(done, steps);
      await writeRecord(operationsFolder(bench.env), { ...record, state: 'undoing' });
      const kept = events[event]?.(done) ?? [];
      const [recovered] = await recoverOperations(bench.env);
      assert.equal(recovered?.outcome, 'undone');
      const now = contentsOf(bench.root);
      for (const bytes of kept)
        assert.ok(
          [...now.values()].some((each) => each.includes(bytes)),
          `${steps} steps, ${event}: ${bytes}`,
        );
      assertSessionsWhole(now, before, before, `${steps} steps, ${event}`);
      if (event === 'nothing') assert.deepEqual(now, before, `${steps} steps`);
    }
  }
});

test('what another program wrote is kept next to ours, and both are named', async (context) => {
  const done = await runOperation(context, 'move');
  const { bench, record } = done;
  await killAfter(done, record.files.length);
  events['the agent writes its memory again']?.(done);
  // A transcript with later work: the move is finished.
  for (const { path: file } of record.to) appendFileSync(file, lineOf('later'));
  const [recovered] = await recoverOperations(bench.env);
  assert.equal(recovered?.outcome, 'finished');
  assert.match(recovered?.doubts.join() ?? '', /MEMORY\.md was changed by another program, so it stays as it is/);
});

test('lines that are appended while a file is replaced go along, each once', async (context) => {
  const folder = temporaryFolder(context);
  const file = (name: string): string => path.join(folder, name);
  writeTree(folder, { 'a.jsonl': 'one\ntwo\n', staged: 'ONE\nTWO\n' });
  const expected = await readFileState(file('a.jsonl'));
  appendFileSync(file('a.jsonl'), 'before the swap\n');
  const names = { target: file('a.jsonl'), content: file('staged'), old: file('old'), temp: file('temp') };
  await swapFile({ ...names, expected, keepsMode: true });
  appendFileSync(file('old'), 'through the old file\nagain\nagain\n');
  appendFileSync(file('a.jsonl'), 'to the new file\nagain\n');
  const [from, to] = [
    { file: file('old'), start: 8 },
    { file: file('a.jsonl'), start: 8 },
  ];
  assert.equal(await carryLines(from, to), 3);
  assert.equal(await carryLines(from, to), 0, 'a second time');
  const lines = readFileSync(file('a.jsonl'), 'utf8').split('\n');
  assert.deepEqual(lines.slice(0, 2), ['ONE', 'TWO']);
  assert.deepEqual(lines.slice(2).sort(), [
    '',
    'again',
    'again',
    'before the swap',
    'through the old file',
    'to the new file',
  ]);
});

test('a file that was written again since it was read is not replaced', async (context) => {
  const folder = temporaryFolder(context);
  writeTree(folder, { a: 'one\ntwo\n', staged: 'ONE\n' });
  const file = (name: string): string => path.join(folder, name);
  const expected = await readFileState(file('a'));
  writeFileSync(file('a'), 'other\nlines, and more of them\n');
  const names = { target: file('a'), content: file('staged'), old: file('old'), temp: file('temp') };
  await assert.rejects(swapFile({ ...names, expected, keepsMode: true }), /has changed since it was read/);
  assert.equal(readFileSync(file('a'), 'utf8'), 'other\nlines, and more of them\n');
});
