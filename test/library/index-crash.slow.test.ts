// What the index must survive: being killed at any moment, and several processes at work at once. With CLEW_LONG=1 the
// same tests kill and run for as long as the promise says.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Database } from '../../src/library/index/database.ts';
import { openIndex } from '../../src/library/index/schema.ts';
import { sessionText, user } from '../support/session-text.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { contentOf, currentIndex, update } from './index-check.ts';
import { sessionOf, writeSessions } from './library-root.ts';

const worker = path.join(path.dirname(fileURLToPath(import.meta.url)), 'index-worker.js');
const isLong = process.env.CLEW_LONG === '1';

const kills = isLong ? 200 : 15;
test(`an indexer killed at ${kills} random moments continues where it was, and ends with the same index`, async (context) => {
  const root = temporaryFolder(context);
  writeSessions(root, 6, 60);
  const whole = currentIndex(temporaryFolder(context), root);
  const expected = contentOf(whole);
  whole.close();
  const durationMs = await timeOf(temporaryFolder(context), root);
  const halfway = { rows: 0, text: 0 };
  for (let i = 0; i < kills; i++) {
    const folder = temporaryFolder(context);
    // One moment in each of as many equal parts of the work: none is left out by chance.
    await killAfter(
      spawn(process.execPath, [worker, 'index', folder, root]),
      ((i + Math.random()) / kills) * durationMs,
    );
    const database = openIndex({ folder });
    if (isPart(count(database, 'prompts'), expected.prompts.length)) halfway.rows++;
    else if (isPart(count(database, 'documents'), expected.indexed)) halfway.text++;
    update(database, root);
    const now = contentOf(database);
    database.close();
    assert.deepEqual(now, expected, `kill ${i}`);
    rmSync(folder, { recursive: true });
  }
  context.diagnostic(`${halfway.rows} of ${kills} were killed amid the rows, ${halfway.text} amid the text`);
  // How many depends on what else the machine does.
  assert.ok(halfway.rows + halfway.text > 0);
});

function isPart(some: number, all: number): boolean {
  return some > 0 && some < all;
}

function count(database: Database, table: 'prompts' | 'documents'): number {
  return Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count);
}

async function timeOf(folder: string, root: string): Promise<number> {
  const child = spawn(process.execPath, [worker, 'index', folder, root]);
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  const startedAt = performance.now();
  await ended;
  return performance.now() - startedAt;
}

async function killAfter(child: ChildProcess, ms: number): Promise<void> {
  const ended = once(child, 'exit');
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  await setTimeout(ms);
  child.kill('SIGKILL');
  await ended;
}

const seconds = isLong ? 30 : 6;
test(`two indexers and two readers at once for ${seconds} s make no error and no duplicate`, async (context) => {
  const root = temporaryFolder(context);
  const folder = temporaryFolder(context);
  writeSessions(root, 8, 30);
  const endsAt = Date.now() + seconds * 1000;
  const runs = Promise.all(
    ['index-again', 'index-again', 'search', 'search'].map((mode) => run([mode, folder, root, String(seconds * 1000)])),
  );
  for (let i = 0; Date.now() < endsAt; i++) {
    await setTimeout(120);
    change(root, i);
  }
  assert.deepEqual(
    await runs,
    [1, 2, 3, 4].map(() => ['', 0]),
  );
  const database = currentIndex(folder, root);
  const doubles = database
    .prepare('SELECT file FROM documents GROUP BY file, line, kind, part HAVING count(*) > 1')
    .all();
  const content = contentOf(database);
  database.close();
  const fresh = currentIndex(temporaryFolder(context), root);
  assert.deepEqual([doubles, content], [[], contentOf(fresh)]);
  fresh.close();
});

function run(args: readonly string[]): Promise<[said: string, code: number | null]> {
  const child = spawn(process.execPath, [worker, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  return once(child, 'exit').then(([code]) => [said, code]);
}

/** One of the changes that may happen to a library: a session grows, is rewritten, is deleted and comes back. */
function change(root: string, i: number): void {
  const file = (project: number, session: number): string =>
    path.join(root, `projects/-home-ada-${project}/session-${session}.jsonl`);
  appendFileSync(file(i % 3, i % 3), sessionText([user(`lamp ${i}`)]));
  if (i % 9 === 8) writeFileSync(file(1, 4), sessionOf(40 + i, 20));
  if (i % 12 !== 5) return;
  if (existsSync(file(2, 5))) unlinkSync(file(2, 5));
  else writeFileSync(file(2, 5), sessionOf(5, 30));
}
