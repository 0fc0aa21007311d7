// Watching real folders: each kind of change is heard by its event alone (sweeps are set an hour apart), and by the
// sweep alone where the system has no watches to give.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  type FSWatcher,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type FolderListener, type WatchOptions, watchLibrary } from '../../../src/library/watch/watch.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait.ts';

const hour = 3_600_000;

interface Watched {
  readonly projects: string;
  readonly notices: readonly string[];
  /** The batches so far. */
  readonly batches: readonly (readonly string[])[];
  /** The paths reported since the last call, once all of `names` are among them. */
  heard(...names: readonly string[]): Promise<void>;
  stop(): void;
}

function start(context: TestContext, tree: Readonly<Record<string, string>>, options: WatchOptions = {}): Watched {
  const root = temporaryFolder(context);
  const projects = path.join(root, 'projects');
  mkdirSync(projects);
  writeTree(projects, tree);
  const controller = new AbortController();
  context.after(() => controller.abort());
  const notices: string[] = [];
  const batches: (readonly string[])[] = [];
  let seen = 0;
  watchLibrary([root], (paths) => batches.push(paths.map((each) => path.relative(projects, each))), controller.signal, {
    sweepMs: hour,
    onNotice: (message) => notices.push(message),
    ...options,
  });
  return {
    projects,
    notices,
    batches,
    heard: async (...names) => {
      const isAll = (): boolean => names.every((name) => batches.slice(seen).some((batch) => batch.includes(name)));
      await waitFor(isAll, () => `${names.join()} in ${JSON.stringify(batches.slice(seen))}`);
      const others = batches.slice(seen).flatMap((batch) => batch.filter((each) => !names.includes(each)));
      assert.deepEqual(others, []);
      seen = batches.length;
    },
    stop: () => controller.abort(),
  };
}

test('an append is heard, by one event and without a sweep', async (context) => {
  const { projects, heard, batches } = start(context, { '-a/s1.jsonl': 'x\n', '-a/s2.jsonl': 'x\n' });
  appendFileSync(path.join(projects, '-a/s1.jsonl'), 'y\n');
  await heard('-a/s1.jsonl');
  assert.deepEqual(batches, [['-a/s1.jsonl']]);
});

test('appends at the same time are reported together, and unchanged files are not reported', async (context) => {
  const { projects, heard, batches } = start(context, { '-a/s1.jsonl': 'x\n', '-b/s2.jsonl': 'x\n' });
  for (let i = 0; i < 5; i++) {
    appendFileSync(path.join(projects, '-a/s1.jsonl'), 'y\n');
    appendFileSync(path.join(projects, '-b/s2.jsonl'), 'y\n');
  }
  const { atime, mtime } = statSync(path.join(projects, '-a/s1.jsonl'));
  utimesSync(path.join(projects, '-a/s1.jsonl'), atime, mtime);
  await heard('-a/s1.jsonl', '-b/s2.jsonl');
  assert.equal(batches.length, 1);
});

test('a new session is heard in a folder that is there and in one that comes', async (context) => {
  const { projects, heard } = start(context, { '-a/s1.jsonl': 'x\n' });
  writeFileSync(path.join(projects, '-a/s2.jsonl'), 'x\n');
  await heard('-a/s2.jsonl');
  writeTree(projects, { '-new/s3.jsonl': 'x\n' });
  await heard('-new/s3.jsonl');
  appendFileSync(path.join(projects, '-new/s3.jsonl'), 'y\n');
  await heard('-new/s3.jsonl');
});

test('a new sub-agent is heard, however deep, and the other files of a session are not', async (context) => {
  const { projects, heard } = start(context, { '-a/s1.jsonl': 'x\n' });
  writeTree(projects, { '-a/s1/subagents/agent-1.jsonl': 'x\n', '-a/s1/tool-results/t.jsonl': 'x\n' });
  await heard('-a/s1/subagents/agent-1.jsonl');
  appendFileSync(path.join(projects, '-a/s1/subagents/agent-1.jsonl'), 'y\n');
  await heard('-a/s1/subagents/agent-1.jsonl');
  writeTree(projects, { '-a/s1/subagents/workflows/w/agent-2.jsonl': 'x\n', '-a/s1/notes.txt': 'x' });
  await heard('-a/s1/subagents/workflows/w/agent-2.jsonl');
  appendFileSync(path.join(projects, '-a/s1/subagents/workflows/w/agent-2.jsonl'), 'y\n');
  await heard('-a/s1/subagents/workflows/w/agent-2.jsonl');
});

test('the agents of an old session are watched once the session continues', async (context) => {
  const root = temporaryFolder(context);
  const files = { 'projects/-a/s1.jsonl': 'x\n', 'projects/-a/s1/subagents/agent-1.jsonl': 'x\n' };
  writeTree(root, files);
  for (const file of Object.keys(files)) utimesSync(path.join(root, file), 1e9, 1e9);
  const controller = new AbortController();
  context.after(() => controller.abort());
  const watched: string[] = [];
  const spy = (folder: string, listen: FolderListener): FSWatcher => {
    watched.push(path.relative(root, folder));
    return watch(folder, listen);
  };
  const heard: string[] = [];
  watchLibrary([root], (paths) => heard.push(...paths), controller.signal, { sweepMs: hour, watch: spy });
  assert.deepEqual(watched, ['projects', 'projects/-a']);
  appendFileSync(path.join(root, 'projects/-a/s1.jsonl'), 'y\n');
  await waitFor(() => heard.length > 0);
  assert.deepEqual(watched.slice(2), ['projects/-a/s1', 'projects/-a/s1/subagents']);
});

test('truncating, replacing, renaming and deleting a transcript are heard', async (context) => {
  const { projects, heard } = start(context, { '-a/s1.jsonl': 'one\ntwo\n' });
  const file = path.join(projects, '-a/s1.jsonl');
  truncateSync(file, 4);
  await heard('-a/s1.jsonl');
  writeFileSync(path.join(projects, '-a/.clew-0.tmp'), 'one\nTWO\n');
  renameSync(path.join(projects, '-a/.clew-0.tmp'), file);
  await heard('-a/s1.jsonl');
  renameSync(file, path.join(projects, '-a/s2.jsonl'));
  await heard('-a/s1.jsonl', '-a/s2.jsonl');
  rmSync(path.join(projects, '-a/s2.jsonl'));
  await heard('-a/s2.jsonl');
});

test('a renamed folder is reported under both names, and watched under the new one', async (context) => {
  const { projects, heard } = start(context, { '-a/s1.jsonl': 'x\n', '-a/s1/subagents/agent-1.jsonl': 'x\n' });
  renameSync(path.join(projects, '-a'), path.join(projects, '-b'));
  await heard('-a/s1.jsonl', '-a/s1/subagents/agent-1.jsonl', '-b/s1.jsonl', '-b/s1/subagents/agent-1.jsonl');
  appendFileSync(path.join(projects, '-b/s1/subagents/agent-1.jsonl'), 'y\n');
  await heard('-b/s1/subagents/agent-1.jsonl');
});

test('a deleted folder is heard, and one of its name that comes later too', async (context) => {
  const { projects, heard } = start(context, { '-a/s1.jsonl': 'x\n', '-b/s2.jsonl': 'x\n' });
  rmSync(path.join(projects, '-a'), { recursive: true });
  await heard('-a/s1.jsonl');
  writeTree(projects, { '-a/s3.jsonl': 'x\n' });
  await heard('-a/s3.jsonl');
  appendFileSync(path.join(projects, '-a/s3.jsonl'), 'y\n');
  await heard('-a/s3.jsonl');
});

test('a folder that is a link to its neighbour says nothing twice', async (context) => {
  const { projects, heard, batches } = start(context, { '-a/s1.jsonl': 'x\n' });
  symlinkSync('-a', path.join(projects, '-old-name'));
  await setTimeout(50);
  appendFileSync(path.join(projects, '-a/s1.jsonl'), 'y\n');
  await heard('-a/s1.jsonl');
  assert.equal(batches.length, 1);
});

test('without watches it says so once, and the sweep hears everything', async (context) => {
  const refuse = (): never => {
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  };
  const options = { watch: refuse, sweepMs: 20 };
  const { projects, heard, notices } = start(context, { '-a/s1.jsonl': 'x\n' }, options);
  appendFileSync(path.join(projects, '-a/s1.jsonl'), 'y\n');
  await heard('-a/s1.jsonl');
  writeTree(projects, { '-b/s2.jsonl': 'x\n', '-b/s2/subagents/agent-1.jsonl': 'x\n' });
  await heard('-b/s2.jsonl', '-b/s2/subagents/agent-1.jsonl');
  rmSync(path.join(projects, '-b'), { recursive: true });
  await heard('-b/s2.jsonl', '-b/s2/subagents/agent-1.jsonl');
  assert.deepEqual(notices, [
    'the system has no more folder watches (ENOSPC); changes are looked for every second instead',
  ]);
});

test('a root that comes later is found by the sweep', async (context) => {
  const root = path.join(temporaryFolder(context), 'later');
  const controller = new AbortController();
  context.after(() => controller.abort());
  const heard: string[] = [];
  watchLibrary([root], (paths) => heard.push(...paths), controller.signal, { sweepMs: 20 });
  writeTree(root, { 'projects/-a/s1.jsonl': 'x\n' });
  await waitFor(() => heard.length > 0);
  assert.deepEqual(heard, [path.join(root, 'projects/-a/s1.jsonl')]);
});

test('after the signal nothing is heard', async (context) => {
  const { projects, batches, stop } = start(context, { '-a/s1.jsonl': 'x\n' }, { sweepMs: 20 });
  appendFileSync(path.join(projects, '-a/s1.jsonl'), 'y\n');
  stop();
  await setTimeout(100);
  assert.deepEqual(batches, []);
});
