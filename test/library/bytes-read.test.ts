// The bytes an update reports are those that were asked of the disk: each case is counted at `fs.readSync` itself.
import assert from 'node:assert/strict';
import fs, { appendFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { type IndexReport, updateRows } from '../../src/library/index/indexer.ts';
import { openIndex } from '../../src/library/index/schema.ts';
import { assistant, sessionText, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { writeSessions } from './library-root.ts';

/** What `work` reads of files by whoever reads them. SQLite reads its own file past Node. */
function countReads<T>(work: () => T): { readonly result: T; readonly bytes: number } {
  const { readSync } = fs;
  let bytes = 0;
  fs.readSync = ((...args: Parameters<typeof readSync>) => {
    const got = readSync(...args);
    bytes += got;
    return got;
  }) as typeof readSync; // its overloads are one function
  syncBuiltinESMExports();
  try {
    return { result: work(), bytes };
  } finally {
    fs.readSync = readSync;
    syncBuiltinESMExports();
  }
}

test('every byte that an update reads is in its report: batches, proofs and unfinished lines included', (context) => {
  const root = temporaryFolder(context);
  writeSessions(root, 3, 60);
  const at = (name: string): string => path.join(root, 'projects/-home-ada-0', name);
  const line = sessionText([user('hello')], { sessionId: 'session-0' });
  writeTree(root, { 'projects/-home-ada-0/agent-flat.jsonl': line });
  const updateAll = updater(context, root);
  const seen: Record<string, IndexReport> = {};
  const check = (what: string): void => {
    const { result, bytes } = countReads(updateAll);
    assert.equal(result.bytesRead, bytes, what);
    seen[what] = result;
  };
  check('all of it, several batches to a file');
  check('nothing has changed');
  appendFileSync(at('session-0.jsonl'), line);
  check('a file has grown');
  appendFileSync(at('session-0.jsonl'), line.slice(0, 40));
  check('its last line is unfinished');
  appendFileSync(at('agent-flat.jsonl'), '{"type":"system"}\n');
  check('a flat agent continues without naming its session');
  writeFileSync(at('session-0.jsonl'), sessionText([user('new start'), assistant('x'.repeat(3 << 20))]));
  check('a file is replaced by one with a line longer than what is read at once');
  assert.deepEqual(
    Object.values(seen).map(({ filesRead, bytesRead }) => [filesRead, bytesRead > 0]),
    [
      [4, true],
      [0, false],
      [1, true],
      [0, true],
      [1, true],
      [1, true],
    ],
  );
});

function updater(context: TestContext, root: string): () => IndexReport {
  const database = openIndex({ folder: temporaryFolder(context) });
  context.after(() => database.close());
  return () => updateRows(database, { roots: [root], batchBytes: 32 * 1024 });
}
