// A worker that is stopped in the middle of its database calls must not take the process with it. libsql panics, and
// the process aborts, when V8 terminates the thread inside one of its calls; so the stop waits for the end of the call.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../support/temp-folder.ts';

const rounds = 12;

const queries = {
  'many short calls': 'SELECT 1 AS one',
  'few long calls':
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT count(*) AS many FROM n',
};

for (const [name, query] of Object.entries(queries))
  test(`a worker can be terminated in the middle of ${name} to a database`, (context) => {
    const file = path.join(temporaryFolder(context), 'index.db');
    const { status, signal, stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', program(file, query)],
      { encoding: 'utf8' },
    );
    assert.deepEqual({ status, signal, stdout, stderr }, { status: 0, signal: null, stdout: `${rounds}`, stderr: '' });
  });

/** Starts workers that read rows in a loop, and terminates each after a few milliseconds. */
function program(file: string, query: string): string {
  const calls = new URL('../../../src/base/process/native-calls.js', import.meta.url);
  const database = new URL('../../../src/library/index/database.js', import.meta.url);
  const worker = `
    import { parentPort, workerData } from 'node:worker_threads';
    import { shareNativeCalls } from ${JSON.stringify(calls)};
    import { openDatabase } from ${JSON.stringify(database)};
    shareNativeCalls(workerData);
    const database = openDatabase(${JSON.stringify(file)});
    parentPort.postMessage('ready');
    const statement = database.prepare(${JSON.stringify(query)});
    for (;;) statement.get();`;
  return `
    import { once } from 'node:events';
    import { Worker } from 'node:worker_threads';
    import { newNativeCallState, terminateWorker } from ${JSON.stringify(calls)};
    let ended = 0;
    for (let i = 0; i < ${rounds}; i++) {
      const state = newNativeCallState();
      const code = new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(worker)}));
      const worker = new Worker(code, { workerData: state });
      await once(worker, 'message');
      await new Promise((resolve) => setTimeout(resolve, i % 4 * 3));
      await terminateWorker(worker, state);
      ended++;
    }
    process.stdout.write(String(ended));`;
}
