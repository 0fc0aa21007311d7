// A list before anything is read: the sessions that were used last, as an index of before has them.
import assert from 'node:assert/strict';
import { appendFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { updateRows } from '../../../src/library/index/indexer.ts';
import { openIndex } from '../../../src/library/index/schema.ts';
import { newestSessions } from '../../../src/library/index/session-list.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { writeSessions } from '../library-root.ts';

test('the newest sessions are those of the index that are still there, each as large as it is now', (context) => {
  const [root, elsewhere] = [temporaryFolder(context), temporaryFolder(context)];
  // Session n was used n minutes after the first.
  writeSessions(root, 6, 2);
  writeSessions(elsewhere, 9, 2);
  const database = openIndex({ folder: temporaryFolder(context) });
  context.after(() => database.close());
  updateRows(database, { roots: [root, elsewhere] });
  const fileOf = (session: number): string =>
    path.join(root, 'projects', `-home-ada-${session % 3}`, `session-${session}.jsonl`);
  rmSync(fileOf(5));
  appendFileSync(fileOf(4), '\n');
  const { sessions, total } = newestSessions(database, [root], 3);
  assert.deepEqual(
    { total, sessions: sessions.map(({ sessionId, sizeBytes, firstPrompt }) => [sessionId, sizeBytes, firstPrompt]) },
    {
      total: 5,
      sessions: [4, 3].map((session) => [
        `session-${session}`,
        statSync(fileOf(session)).size,
        `question 0 of session ${session}: The keeper lights the lamp before dusk and writes the hour into the log.`,
      ]),
    },
  );
  assert.deepEqual(newestSessions(database, [temporaryFolder(context)], 3), { sessions: [], total: 0 });
});
