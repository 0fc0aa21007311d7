// An index that is kept current while its transcripts change: what is read, what is forgotten, and what cannot end it.
import assert from 'node:assert/strict';
import { appendFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { indexPath, openIndex } from '../../../src/library/index/schema.ts';
import { writeTree } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait.ts';
import { more, start, talk } from '../live-index-kit.ts';

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

test('a file that cannot be read is reported once, and the others stay current', async (context) => {
  const live = await start(context, { 'projects/-a/s1.jsonl': talk }, (root) =>
    symlinkSync('loop.jsonl', path.join(root, 'projects/-a/loop.jsonl')),
  );
  appendFileSync(path.join(live.root, 'projects/-a/s1.jsonl'), more);
  await live.next();
  const loop = path.join(live.root, 'projects/-a/loop.jsonl');
  assert.deepEqual([live.prompts(), live.notices], [{ s1: 2 }, [`cannot read ${loop} (ELOOP)`]]);
});

test('an index that is removed in the meantime is rebuilt completely', async (context) => {
  const live = await start(context, { 'projects/-a/s1.jsonl': talk, 'projects/-a/s2.jsonl': talk });
  for (const ending of ['', '-wal', '-shm']) rmSync(`${indexPath(live.state)}${ending}`, { force: true });
  appendFileSync(path.join(live.root, 'projects/-a/s1.jsonl'), more);
  await live.next();
  assert.deepEqual(live.prompts(), { s1: 2, s2: 1 });
});

test('a broken index is reported once and rebuilt', async (context) => {
  const live = await start(context, { 'projects/-a/s1.jsonl': talk });
  const other = openIndex({ folder: live.state });
  other.exec('ALTER TABLE prompts RENAME TO elsewhere');
  appendFileSync(path.join(live.root, 'projects/-a/s1.jsonl'), more);
  await waitFor(() => live.notices.length > 0);
  other.close();
  await live.next();
  assert.deepEqual(live.prompts(), { s1: 2 });
});
