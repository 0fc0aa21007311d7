import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { updateRows } from '../../../src/library/index/indexer.ts';
import { openIndex } from '../../../src/library/index/schema.ts';
import { search } from '../../../src/library/search/search.ts';
import { updateText } from '../../../src/library/search/text-indexer.ts';
import { sessionText, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { contentOf, currentIndex, update } from '../index-check.ts';
import { writeSessions } from '../library-root.ts';

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
  assert.equal(text.bytesRead, line.length);
  assert.ok(rows.bytesRead + text.bytesRead < 64 * 1024);
  assert.deepEqual([text.documentsWritten, found], [1, 1]);
});

test('the newest files are indexed first', (context) => {
  const folder = temporaryFolder(context);
  writeSessions(folder, 4, 40);
  const byAge = ['session-2', 'session-0', 'session-3', 'session-1'];
  for (const [age, name] of byAge.entries()) {
    const file = path.join(folder, `projects/-home-ada-${Number(name.at(-1)) % 3}/${name}.jsonl`);
    utimesSync(file, 1_700_000_000 - age, 1_700_000_000 - age);
  }
  const database = openIndex({ folder });
  updateRows(database, { roots: [folder] });
  const done = new Set<string>();
  const noteDone = (): void => {
    for (const row of database.prepare('SELECT path FROM files WHERE text_offset = offset').all())
      done.add(path.basename(String(row.path), '.jsonl'));
  };
  updateText(database, { roots: [folder], batchBytes: 20_000, onProgress: noteDone });
  database.close();
  assert.deepEqual([...done], byAge);
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

test('a last line without a newline is found, and only once when the file grows', (context) => {
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
  assert.deepEqual(problems, [{ path: file, code: 'ELOOP' }]);
  assert.deepEqual(
    hits.map((each) => each.session.sessionId),
    ['session-1'],
  );
});
