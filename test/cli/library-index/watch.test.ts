// clew watch as a user runs it: it says what it took in, keeps the index current for others, and ends when asked to.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseJson } from '../../../src/base/json/json.ts';
import { indexPath, openIndex } from '../../../src/library/index/schema.ts';
import { startClew } from '../../support/running-clew.ts';
import { assistant, sessionText, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait.ts';

const id = '3f2b8c1e-1111-4000-8000-000000000001';
const talk = sessionText([user('hello'), assistant('Hi.')]);

test('it says what it reads, and SIGINT and SIGTERM end it with exit code 0', async (context) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const folder = temporaryFolder(context);
    const file = path.join(folder, `projects/-a/${id}.jsonl`);
    writeTree(folder, { [`projects/-a/${id}.jsonl`]: talk });
    const running = startClew(context, ['watch', '--root', folder], { CLEW_HOME: path.join(folder, 'state') });
    await running.says(/^clew: watching 1 transcript; press Ctrl-C to stop\n$/);
    appendFileSync(file, talk);
    await running.prints(/-a\/3f2b8c1e {2}[\d.]+ KB read, \d rows\n/);
    rmSync(file);
    await running.prints(/^\d\d:\d\d:\d\d {2}-a\/3f2b8c1e {2}gone\n/m);
    assert.deepEqual(await running.end(signal), [0, null]);
    assert.match(running.stdout(), /^(?:\d\d:\d\d:\d\d {2}\S.*\n){3}$/);
    assert.equal(running.stderr(), 'clew: watching 1 transcript; press Ctrl-C to stop\n');
  }
});

test('--json prints one object per update', async (context) => {
  const folder = temporaryFolder(context);
  const state = path.join(folder, 'state');
  const file = path.join(folder, `projects/-a/${id}.jsonl`);
  writeTree(folder, { [`projects/-a/${id}.jsonl`]: talk });
  const running = startClew(context, ['watch', '--json', '--root', folder], { CLEW_HOME: state });
  await running.prints(/\n/);
  appendFileSync(file, sessionText([user('more')]));
  const lines = (await running.prints(/\n.*\n/)).trim().split('\n');
  const [first, second] = lines.map((line) => ({ ...(parseJson(line) as object), time: '', bytesRead: 0 }));
  assert.deepEqual(first, { time: '', files: null, filesRead: 1, filesGone: 0, bytesRead: 0, rowsWritten: 2 });
  assert.deepEqual(second, { time: '', files: [file], filesRead: 1, filesGone: 0, bytesRead: 0, rowsWritten: 2 });
  assert.equal(promptsIn(state), 2);
  await running.end('SIGTERM');
});

test('--quiet prints nothing', async (context) => {
  const folder = temporaryFolder(context);
  writeTree(folder, { [`projects/-a/${id}.jsonl`]: talk });
  const state = path.join(folder, 'state');
  const quiet = startClew(context, ['watch', '--quiet', '--root', folder], { CLEW_HOME: state });
  const heard = startClew(context, ['watch', '--root', folder], { CLEW_HOME: path.join(folder, 'other') });
  await heard.says(/watching/);
  // Until its first reading is done, a signal ends the process directly.
  await waitFor(() => existsSync(indexPath(state)) && promptsIn(state) === 1);
  appendFileSync(path.join(folder, `projects/-a/${id}.jsonl`), talk);
  await heard.prints(/-a\/3f2b8c1e/);
  await waitFor(() => promptsIn(state) === 2);
  assert.deepEqual([await quiet.end('SIGTERM'), quiet.stdout(), quiet.stderr()], [[0, null], '', '']);
});

function promptsIn(state: string): unknown {
  const database = openIndex({ folder: state });
  try {
    return database.prepare('SELECT count(*) AS prompts FROM prompts').get()?.prompts;
  } finally {
    database.close();
  }
}
