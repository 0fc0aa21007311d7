// A worker that dies is replaced by another with the same task. Otherwise a page would silently stop updating.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Thread } from '../../../../src/web/server/workers/thread.ts';
import { temporaryFolder } from '../../../support/temp-folder.ts';
import { transcript } from '../../../support/transcript-builder.ts';
import { waitFor } from '../../../support/wait.ts';

test('the watcher restarts after its worker died', async (context) => {
  const root = temporaryFolder(context);
  const folder = path.join(root, 'projects/-p');
  mkdirSync(folder, { recursive: true });
  const events: (readonly [string, unknown])[] = [];
  const thread = new Thread(
    { role: 'watch', roots: [root], state: temporaryFolder(context), isDemo: false, archivedFolder: '' },
    {
      env: process.env,
      onFault: (message) => events.push(['fault', message]),
      on: {
        changed: (paths) => events.push(['changed', paths]),
        watching: () => events.push(['watching', null]),
        notice: (message) => events.push(['notice', message]),
      },
      task: 'watch',
    },
  );
  context.after(() => thread.close());
  const starts = (): number => events.filter(([name]) => name === 'watching').length;
  thread.begin();
  await waitFor(() => starts() === 1);
  await thread.killWorker();
  await waitFor(() => starts() === 2);
  const file = path.join(folder, 'a.jsonl');
  writeFileSync(file, transcript().user('one').text());
  await waitFor(() =>
    events.some(([name, value]) => name === 'changed' && (value as readonly string[]).includes(file)),
  );
  assert.deepEqual(
    events.filter(([name]) => name === 'fault'),
    [],
  );
  await thread.close();
  await thread.killWorker();
  assert.equal(starts(), 2);
});
