// The instrument of the explorer: the calls of a small program are numbered, and each fault happens exactly at its call.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type ChangingCall, numberCalls, runWithFault } from '../support/changing-calls.ts';
import { cleanEnv } from '../support/clew.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { skipWithout } from '../support/terminal.ts';

const skip = skipWithout('strace');

const code = `
const { appendFileSync, renameSync, writeFileSync, readFileSync } = require('node:fs');
writeFileSync('FOLDER/a', 'one');
appendFileSync('FOLDER/a', 'two');
readFileSync('FOLDER/a');
renameSync('FOLDER/a', 'FOLDER/b');
appendFileSync('FOLDER/log', readFileSync('FOLDER/b'));
`;

test('changing calls are numbered by name and path, and reached one by one', { skip }, async (context) => {
  const folder = temporaryFolder(context);
  const at = (name: string): string => path.join(folder, name);
  const program = {
    argv: [process.execPath, '-e', code.replaceAll('FOLDER', folder)],
    env: cleanEnv(),
    cwd: folder,
  };
  const { calls } = await numberCalls(program, [folder]);
  const call = (name: string, file: string, nth: number): ChangingCall => ({ name, path: at(file), nth });
  assert.deepEqual(
    calls.map((each) => ({ ...each, name: each.name.replace(/^(rename)at2?$/, '$1') })),
    [
      call('openat', 'a', 1),
      call('write', 'a', 1),
      call('openat', 'a', 2),
      call('write', 'a', 2),
      call('rename', 'a', 1),
      call('openat', 'log', 1),
      call('write', 'log', 1),
    ],
  );
  assert.equal(readFileSync(at('log'), 'utf8'), 'onetwo');

  const [, , , second, rename] = calls as [ChangingCall, ChangingCall, ChangingCall, ChangingCall, ChangingCall];
  writeFileSync(at('b'), 'old');
  const failed = await runWithFault(program, second, { kind: 'error', error: 'ENOSPC' });
  assert.match(failed.stderr, /ENOSPC: no space left on device, write/);
  assert.deepEqual([failed.isReached, failed.status], [true, 1]);
  assert.deepEqual(
    ['a', 'b'].map((name) => readFileSync(at(name), 'utf8')),
    ['one', 'old'],
  );

  const killed = await runWithFault(program, rename, { kind: 'kill', ms: 5000 });
  assert.deepEqual([killed.isReached, killed.status], [true, null]);
  assert.deepEqual(
    ['a', 'b'].map((name) => readFileSync(at(name), 'utf8')),
    ['onetwo', 'old'],
  );

  const act = async (): Promise<void> => writeFileSync(at('a'), 'of another process');
  const paused = await runWithFault(program, rename, { kind: 'pause', ms: 2000, act });
  assert.deepEqual([paused.isReached, paused.status, existsSync(at('a'))], [true, 0, false]);
  assert.equal(readFileSync(at('b'), 'utf8'), 'of another process');

  const missed = await runWithFault(program, { ...rename, nth: 2 }, { kind: 'error', error: 'EIO' });
  assert.deepEqual([missed.isReached, missed.status], [false, 0]);
});
