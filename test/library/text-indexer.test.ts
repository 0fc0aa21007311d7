import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { updateRows } from '../../src/library/indexer.ts';
import { openIndex } from '../../src/library/schema.ts';
import { search } from '../../src/library/search.ts';
import { updateText } from '../../src/library/text-indexer.ts';
import { sessionText, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { contentOf, currentIndex, update } from './index-check.ts';
import { sessionOf, writeSessions } from './library-root.ts';

const worker = path.join(path.dirname(fileURLToPath(import.meta.url)), 'index-worker.js');

test('an unchanged library is not read again', (context) => {
  const folder = temporaryFolder(context);
  writeSessions(folder, 3, 5);
  const database = currentIndex(folder, folder);
  const { bytesRead, filesRead, documentsWritten } = update(database, folder);
  database.close();
  assert.deepEqual({ bytesRead, filesRead, documentsWritten }, { bytesRead: 0, filesRead: 0, documentsWritten: 0 });
});

test('a line that is appended is read, and little else', (context) => {
  const folder = temporaryFolder(context);
  writeSessions(folder, 2, 400);
  const database = currentIndex(folder, folder);
  const file = path.join(folder, 'projects/-home-ada-0/session-0.jsonl');
  const line = sessionText([user('a phare in the fog')]);
  appendFileSync(file, line);
  const rows = updateRows(database, { roots: [folder] });
  const text = updateText(database, { roots: [folder] });
  const found = search(database, { text: 'phare', mode: 'words', roots: [folder], limit: 5 }).total;
  database.close();
  assert.equal(text.bytesRead, 2 * line.length);
  assert.ok(rows.bytesRead + text.bytesRead < 64 * 1024);
  assert.deepEqual([text.documentsWritten, found], [1, 1]);
});

test('the chat of all files is indexed before the tool text of any', (context) => {
  const folder = temporaryFolder(context);
  writeSessions(folder, 4, 40);
  const database = openIndex({ folder });
  updateRows(database, { roots: [folder] });
  const seen: string[] = [];
  const kinds = (): string =>
    database
      .prepare(
        "SELECT DISTINCT kind LIKE 'tool-%' AS tool, (SELECT count(*) FROM files WHERE text_offset < offset) AS open FROM documents",
      )
      .all()
      .map((row) => `${row.tool} ${row.open}`)
      .join();
  updateText(database, { roots: [folder], batchBytes: 20_000, onProgress: () => seen.push(kinds()) });
  database.close();
  const firstTool = seen.findIndex((each) => each.includes('1 '));
  assert.ok(firstTool > 4, 'chat came in several batches');
  assert.equal(seen[firstTool], '0 0,1 0');
});

test('the documents of a file that was replaced, cut or removed are gone', (context) => {
  const folder = temporaryFolder(context);
  writeSessions(folder, 3, 5);
  const database = currentIndex(folder, folder);
  const file = (n: number): string => path.join(folder, `projects/-home-ada-${n}/session-${n}.jsonl`);
  writeFileSync(file(0), sessionText([user('quite another story')]));
  writeFileSync(file(1), readFileSync(file(1)).subarray(0, 1000));
  unlinkSync(file(2));
  update(database, folder);
  const again = contentOf(database);
  database.close();
  const fresh = currentIndex(temporaryFolder(context), folder);
  assert.deepEqual(again, contentOf(fresh));
  fresh.close();
});

test('a last line without a newline is found, and only once when the file goes on', (context) => {
  const folder = temporaryFolder(context);
  const text = sessionText([user('one lamp'), user('two lamps of brass')]);
  writeTree(folder, { 'projects/p/s.jsonl': text.trimEnd() });
  const file = path.join(folder, 'projects/p/s.jsonl');
  const database = currentIndex(folder, folder);
  const count = (): number => search(database, { text: 'brass', mode: 'words', roots: [folder], limit: 5 }).total;
  const counts = [count()];
  appendFileSync(file, '\n');
  update(database, folder);
  counts.push(count());
  appendFileSync(file, '{"type":"user","mess');
  update(database, folder);
  counts.push(count());
  appendFileSync(file, 'age":{"role":"user","content":"brass again"}}');
  update(database, folder);
  counts.push(count());
  assert.deepEqual(counts, [1, 1, 1, 2]);
  assert.deepEqual(update(database, folder).bytesRead, 0);
  database.close();
});

test('a text phase that is stopped anywhere goes on where it was, and ends with the same documents', async (context) => {
  const root = temporaryFolder(context);
  writeSessions(root, 6, 60);
  const whole = currentIndex(temporaryFolder(context), root);
  const expected = contentOf(whole);
  whole.close();
  const kills = process.env.CLEW_LONG === '1' ? 200 : 40;
  let stoppedHalfway = 0;
  for (let i = 0; i < kills; i++) {
    const folder = temporaryFolder(context);
    await killAfter(spawn(process.execPath, [worker, 'index', folder, root]), (i / kills) * 400);
    const database = openIndex({ folder });
    const before = Number(database.prepare('SELECT count(*) AS count FROM documents').get()?.count);
    update(database, root);
    const now = contentOf(database);
    database.close();
    assert.deepEqual(now, expected);
    if (before > 0 && before < Number((expected as { indexed: number }).indexed)) stoppedHalfway++;
    rmSync(folder, { recursive: true });
  }
  assert.ok(stoppedHalfway > 0, 'at least one kill came in the middle of the work');
});

async function killAfter(child: ChildProcess, ms: number): Promise<void> {
  const ended = once(child, 'exit');
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  await setTimeout(ms);
  child.kill('SIGKILL');
  await ended;
}

test('two indexers and two readers at once make no error and no duplicate', async (context) => {
  const root = temporaryFolder(context);
  const folder = temporaryFolder(context);
  writeSessions(root, 8, 30);
  const run = (mode: string): Promise<[string, number | null]> => {
    const child = spawn(process.execPath, [worker, mode, folder, root, '3000'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    return once(child, 'exit').then(([code]) => [said, code]);
  };
  const runs = Promise.all(['index-again', 'index-again', 'search', 'search'].map(run));
  for (let i = 0; i < 20; i++) {
    await setTimeout(120);
    appendFileSync(
      path.join(root, `projects/-home-ada-${i % 3}/session-${i % 3}.jsonl`),
      sessionText([user(`lamp ${i}`)]),
    );
    if (i === 8) writeFileSync(path.join(root, 'projects/-home-ada-1/session-4.jsonl'), sessionOf(40, 20));
    if (i === 12) unlinkSync(path.join(root, 'projects/-home-ada-2/session-5.jsonl'));
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

test('a transcript that cannot be read is named, and the others are indexed', (context) => {
  const folder = temporaryFolder(context);
  writeSessions(folder, 2, 3);
  const database = openIndex({ folder });
  updateRows(database, { roots: [folder] });
  const file = path.join(folder, 'projects/-home-ada-0/session-0.jsonl');
  unlinkSync(file);
  symlinkSync(file, file); // a link to itself cannot be read by anybody, root included
  const { problems } = updateText(database, { roots: [folder] });
  const hits = search(database, { text: 'lamp', mode: 'words', roots: [folder], limit: 5 }).sessions;
  database.close();
  assert.deepEqual(problems, [
    { path: file, code: 'ELOOP' },
    { path: file, code: 'ELOOP' },
  ]);
  assert.deepEqual(
    hits.map((each) => each.session.sessionId),
    ['session-1'],
  );
});
