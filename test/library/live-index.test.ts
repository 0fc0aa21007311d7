// An index that is kept current while its transcripts change: what is read, what is forgotten, and what cannot end it.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { IndexReport } from '../../src/library/indexer.ts';
import { keepCurrent } from '../../src/library/live-index.ts';
import { indexPath, openIndex } from '../../src/library/schema.ts';
import { assistant, sessionText, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { waitFor } from '../support/wait.ts';

interface Live {
  readonly root: string;
  readonly state: string;
  readonly reports: readonly IndexReport[];
  readonly notices: readonly string[];
  /** The reports since the last call, once there is one. */
  next(): Promise<readonly IndexReport[]>;
  /** `prompts` of every session, by its id, as another process sees them. */
  prompts(): Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

async function start(
  context: TestContext,
  tree: Readonly<Record<string, string>>,
  prepare: (root: string) => void = () => {},
): Promise<Live> {
  const folder = temporaryFolder(context);
  const [root, state] = [path.join(folder, 'root'), path.join(folder, 'state')];
  writeTree(root, tree);
  prepare(root);
  const controller = new AbortController();
  const reports: IndexReport[] = [];
  const notices: string[] = [];
  const ended = keepCurrent({
    folder: state,
    roots: [root],
    signal: controller.signal,
    onUpdate: (report) => reports.push(report),
    onNotice: (message) => notices.push(message),
    watch: { sweepMs: 3_600_000 },
  });
  const stop = (): Promise<void> => {
    controller.abort();
    return ended;
  };
  context.after(stop);
  let seen = 0;
  const live: Live = {
    root,
    state,
    reports,
    notices,
    next: async () => {
      await waitFor(
        () => reports.length > seen,
        () => notices.join(),
      );
      const fresh = reports.slice(seen);
      seen = reports.length;
      return fresh;
    },
    prompts: () => {
      const database = openIndex({ folder: state });
      const rows = database.prepare('SELECT session_id, prompts FROM sessions').all();
      database.close();
      return Object.fromEntries(rows.map((row) => [String(row.session_id), Number(row.prompts)]));
    },
    stop,
  };
  await live.next();
  return live;
}

const talk = sessionText([user('hello'), assistant('Hi.')]);
const more = sessionText([user('go on')]);

test('an append to one of 1,000 transcripts reads less than 64 KB, and asks no other file for its size', async (context) => {
  const tree: Record<string, string> = {};
  const filler = sessionText(Array.from({ length: 40 }, (_, i) => user(`prompt ${i} ${'word '.repeat(40)}`)));
  for (let i = 0; i < 1000; i++) tree[`projects/-p${i % 50}/s${i}.jsonl`] = i === 17 ? filler : talk;
  const live = await start(context, tree);
  assert.deepEqual(
    live.reports.map(({ files, filesRead }) => [files, filesRead]),
    [[1000, 1000]],
  );
  const before = bytesReadByThisProcess();
  appendFileSync(path.join(live.root, 'projects/-p17/s17.jsonl'), more);
  const [report, ...others] = await live.next();
  const after = bytesReadByThisProcess();
  assert.deepEqual(others, []);
  assert.ok(report !== undefined && report.bytesRead < 64 * 1024, `${report?.bytesRead} bytes`);
  assert.deepEqual([report.files, report.filesRead, report.problems], [1, 1, []]);
  // What the process read from all files, its database included, as the system counts it.
  if (before !== undefined && after !== undefined) assert.ok(after - before < 64 * 1024, `${after - before} bytes`);
  assert.equal(live.prompts().s17, 41);
});

function bytesReadByThisProcess(): number | undefined {
  try {
    return Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  } catch {
    return undefined; // only Linux counts
  }
}

test('sessions, agents and folders that come and go are in the index and out of it', async (context) => {
  const live = await start(context, { 'projects/-a/s1.jsonl': talk });
  const projects = path.join(live.root, 'projects');
  writeTree(projects, { '-a/s2.jsonl': talk, '-b/s3.jsonl': talk + more });
  await waitFor(() => live.prompts().s3 === 2 && live.prompts().s2 === 1);
  renameSync(path.join(projects, '-b'), path.join(projects, '-c'));
  truncateSync(path.join(projects, '-a/s1.jsonl'), 0);
  rmSync(path.join(projects, '-a/s2.jsonl'));
  await waitFor(() => live.prompts().s1 === 0);
  await waitFor(() => live.prompts().s2 === undefined);
  assert.deepEqual(live.prompts(), { s1: 0, s3: 2 });
  writeFileSync(path.join(projects, '-a/s1.jsonl'), talk + more);
  await waitFor(() => live.prompts().s1 === 2);
});

test('a main transcript that comes back to its agents is counted once', async (context) => {
  const live = await start(context, {
    'projects/-a/s1.jsonl': talk,
    'projects/-a/s1/subagents/agent-1.jsonl': talk,
  });
  const main = path.join(live.root, 'projects/-a/s1.jsonl');
  rmSync(main);
  await waitFor(() => live.prompts().s1 === 0);
  writeFileSync(main, talk);
  await waitFor(() => live.prompts().s1 === 1);
});

test('a line is taken when its newline comes', async (context) => {
  const live = await start(context, { 'projects/-a/s1.jsonl': talk });
  const file = path.join(live.root, 'projects/-a/s1.jsonl');
  appendFileSync(file, more.slice(0, 50));
  assert.deepEqual(
    (await live.next()).map((report) => report.filesRead),
    [0],
  );
  appendFileSync(file, more.slice(50));
  await live.next();
  assert.equal(live.prompts().s1, 2);
});

test('a file that cannot be read is named once, and the others go on', async (context) => {
  const live = await start(context, { 'projects/-a/s1.jsonl': talk }, (root) =>
    symlinkSync('loop.jsonl', path.join(root, 'projects/-a/loop.jsonl')),
  );
  appendFileSync(path.join(live.root, 'projects/-a/s1.jsonl'), more);
  await live.next();
  const loop = path.join(live.root, 'projects/-a/loop.jsonl');
  assert.deepEqual([live.prompts(), live.notices], [{ s1: 2 }, [`cannot read ${loop} (ELOOP)`]]);
});

test('an index that is removed meanwhile is made anew, whole', async (context) => {
  const live = await start(context, { 'projects/-a/s1.jsonl': talk, 'projects/-a/s2.jsonl': talk });
  for (const ending of ['', '-wal', '-shm']) rmSync(`${indexPath(live.state)}${ending}`, { force: true });
  appendFileSync(path.join(live.root, 'projects/-a/s1.jsonl'), more);
  await live.next();
  assert.deepEqual(live.prompts(), { s1: 2, s2: 1 });
});

test('an index that turns out to be broken is said to be, once, and made anew', async (context) => {
  const live = await start(context, { 'projects/-a/s1.jsonl': talk });
  const other = openIndex({ folder: live.state });
  other.exec('ALTER TABLE prompts RENAME TO elsewhere');
  appendFileSync(path.join(live.root, 'projects/-a/s1.jsonl'), more);
  await waitFor(() => live.notices.length > 0);
  other.close();
  await live.next();
  assert.deepEqual(live.prompts(), { s1: 2 });
});
