// The index worker sends rows in the order in which a page needs them: the newest from the index, all files on disk, and
// after `proceed` what must be read.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { updateRows } from '../../../../src/library/index/indexer.ts';
import { openIndex } from '../../../../src/library/index/schema.ts';
import { indexMethods } from '../../../../src/web/server/workers/index-work.ts';
import type { Emit, WorkerEvents } from '../../../../src/web/server/workers/worker-methods.ts';
import { writeSessions } from '../../../library/library-root.ts';
import { temporaryFolder } from '../../../support/temp-folder.ts';
import { waitFor } from '../../../support/wait.ts';

const sessions = 210;

test('the newest rows come before the files are listed, and nothing is read before proceed', async (context) => {
  const [root, state] = [temporaryFolder(context), temporaryFolder(context)];
  writeSessions(root, sessions, 1);
  const before = openIndex({ folder: state });
  updateRows(before, { roots: [root] });
  before.close();
  rmSync(path.join(root, 'projects/-home-ada-0/session-0.jsonl'));
  const rows: WorkerEvents['index']['rows'][] = [];
  const phases: string[] = [];
  const emit: Emit<'index'> = (name, value) => {
    if (name === 'rows') rows.push(value as WorkerEvents['index']['rows']); // see Emit
    if (name === 'state') phases.push((value as WorkerEvents['index']['state']).phase); // see Emit
  };
  const work = indexMethods({ roots: [root], state }, emit);
  work.changed({});
  const [newest, all] = rows;
  assert.deepEqual(
    {
      rows: rows.length,
      newest: [newest?.changed.length, newest?.changed[0]?.id, newest?.total],
      all: [all?.changed.length, all?.total],
    },
    { rows: 2, newest: [200, `session-${sessions - 1}`, sessions], all: [sessions - 1, null] },
  );
  await new Promise(setImmediate);
  assert.deepEqual([rows.length, phases], [2, ['rows']]);
  work.proceed({});
  await waitFor(
    () => phases.includes('current'),
    () => `the index is at ${phases.at(-1)}`,
  );
});
