// Following real files: what counts as new, whatever is done to them.
import assert from 'node:assert/strict';
import { appendFileSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { asObject } from '../../../src/base/json/json.ts';
import { type FollowOptions, followRecords, type NewRecord } from '../../../src/library/watch/follow.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait.ts';

interface Followed {
  readonly root: string;
  readonly file: string;
  /** Waits until all of this, and nothing else, came since the last call. */
  said(...texts: readonly string[]): Promise<void>;
}

function follow(
  context: TestContext,
  tree: Readonly<Record<string, string>>,
  options: Partial<FollowOptions> = {},
): Followed {
  const root = temporaryFolder(context);
  writeTree(root, tree);
  const controller = new AbortController();
  context.after(() => controller.abort());
  let texts: string[] = [];
  followRecords({
    roots: [root],
    signal: controller.signal,
    onRecords: (records) => texts.push(...records.map(textOf)),
    onProblem: (_, error) => texts.push(String(error)),
    // One event has to be enough: no sweep helps out.
    watch: { sweepMs: 3_600_000 },
    ...options,
  });
  return {
    root,
    file: path.join(root, 'projects/-a/s1.jsonl'),
    said: async (...wanted) => {
      await waitFor(
        () => texts.length >= wanted.length,
        () => texts.join(),
      );
      assert.deepEqual(texts, wanted);
      texts = [];
    },
  };
}

function textOf({ entry }: NewRecord): string {
  return String(asObject(entry.message)?.content);
}

function line(text: string, time: number = Date.now()): string {
  const timestamp = new Date(time).toISOString();
  return `${JSON.stringify({ type: 'user', uuid: text, timestamp, message: { role: 'user', content: text } })}\n`;
}

/** One of them is empty, as some clients leave a file that they have only opened. */
const old = {
  'projects/-a/empty.jsonl': '',
  'projects/-a/s1.jsonl': line('old', 1e12),
  'projects/-a/s2.jsonl': line('old too', 1e12),
};

test('what was there is not new, what is appended is, in all sessions and their agents', async (context) => {
  const { root, file, said } = follow(context, old);
  appendFileSync(file, line('one') + line('two'));
  await said('one', 'two');
  appendFileSync(path.join(root, 'projects/-a/s2.jsonl'), line('three'));
  await said('three');
  writeTree(root, { 'projects/-a/s1/subagents/agent-x.jsonl': line('from the agent') });
  await said('from the agent');
  writeTree(root, { 'projects/-b/s3.jsonl': line('a new session') });
  await said('a new session');
  appendFileSync(path.join(root, 'projects/-a/empty.jsonl'), line('no longer empty'));
  await said('no longer empty');
});

test('a line is new once its newline is there, also where the file ended in the middle of one', async (context) => {
  const half = line('begun before');
  const { file, said } = follow(context, { 'projects/-a/s1.jsonl': line('old', 1e12) + half.slice(0, 30) });
  appendFileSync(file, half.slice(30));
  await said('begun before');
  const torn = line('torn');
  appendFileSync(file, torn.slice(0, 20));
  await setTimeout(80);
  appendFileSync(file, torn.slice(20, -1));
  await setTimeout(80);
  await said();
  appendFileSync(file, '\n');
  await said('torn');
});

test('a line of several hundred kilobytes that ends the file is found from its beginning', async (context) => {
  const long = line('x'.repeat(300_000));
  const { file, said } = follow(context, { 'projects/-a/s1.jsonl': line('old', 1e12) + long.slice(0, -10) });
  appendFileSync(file, long.slice(-10));
  await said('x'.repeat(300_000));
});

test('after a file is cut, only newer records are reported', async (context) => {
  const { file, said } = follow(context, old);
  const now = Date.now();
  appendFileSync(file, line('one', now));
  await said('one');
  truncateSync(file, 0);
  await setTimeout(80);
  appendFileSync(file, line('one', now) + line('two', now + 5));
  await said('two');
  appendFileSync(file, line('three', now + 5));
  await said('three');
});

test('a file that is replaced, by another or in place, does not repeat its history', async (context) => {
  const { root, file, said } = follow(context, old);
  const now = Date.now();
  appendFileSync(file, line('one', now));
  await said('one');
  const other = path.join(root, 'other');
  writeFileSync(other, line('old, edited', 1e12) + line('one', now) + line('two', now + 5));
  renameSync(other, file);
  await said('two');
  writeFileSync(file, line('old, edited again', 1e12) + line('one', now) + line('two', now + 5) + line('3', now + 9));
  await said('3');
  rmSync(file);
  await setTimeout(80);
  writeFileSync(file, line('one', now) + line('back', now + 20));
  await said('back');
});

test('a session replaced before anything was heard of it does not repeat its history', async (context) => {
  const { root, file, said } = follow(context, old);
  writeFileSync(path.join(root, 'other'), line('old', 1e12) + line('one', Date.now() + 50));
  renameSync(path.join(root, 'other'), file);
  await said('one');
});

test('since a time: what was written since, oldest first, then what comes', async (context) => {
  const now = Date.now();
  const tree = {
    'projects/-a/s1.jsonl': line('long ago', now - 9e6) + line('second', now - 2000),
    'projects/-a/s2.jsonl': line('first', now - 3000) + line('third', now - 1000),
  };
  const { file, said } = follow(context, tree, { sinceMs: now - 60_000 });
  await said('first', 'second', 'third');
  appendFileSync(file, line('fourth'));
  await said('fourth');
});

test('files that nobody touched since are not opened', async (context) => {
  const root = temporaryFolder(context);
  writeTree(root, old);
  utimesSync(path.join(root, 'projects/-a/s1.jsonl'), 5e8, 5e8);
  const signal = AbortSignal.abort();
  const heard: NewRecord[] = [];
  const count = followRecords({ roots: [root], signal, sinceMs: 1e12, onRecords: (records) => heard.push(...records) });
  assert.deepEqual([count, heard.map(textOf)], [3, ['old too']]);
});

test('damaged lines give what can be read of them, and end nothing', async (context) => {
  const { file, said } = follow(context, old);
  appendFileSync(file, `not json\n${line('joined').trim()}${line('with this')}${line('sound')}`);
  await said('joined', 'with this', 'sound');
});
