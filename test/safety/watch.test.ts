// A few of the calls that watch.slow.test.ts watches: each kind of harm once.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { cleanEnv } from '../support/clew.ts';
import { makeHostilePlace } from '../support/hostile-place.ts';
import { ordinaryUser } from '../support/ordinary-user.ts';
import { argsOf, watchCall } from '../support/safety-watch.ts';
import { watchProgram } from '../support/system-calls.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { skipWithout } from '../support/terminal.ts';

const skip = skipWithout('strace');

test('the watch sees what a program and its children do', { skip }, async (context) => {
  const folder = temporaryFolder(context);
  writeTree(folder, { 'old.txt': 'old', 'gone.txt': 'gone', 'read.txt': 'read' });
  const shell = 'cat read.txt; echo new > new.txt; mv old.txt moved.txt; rm gone.txt; ln -s read.txt link.txt';
  const connect = "require('net').connect(28617, '127.0.0.1').on('error', () => {})";
  const code = `require('child_process').execSync(${JSON.stringify(shell)}); ${connect}`;
  const run = await watchProgram([process.execPath, '-e', code], { env: cleanEnv(), cwd: folder, seconds: 60 });
  const own = (paths: ReadonlySet<string>): readonly string[] =>
    [...paths].filter((file) => file.startsWith(`${folder}/`)).map((file) => path.relative(folder, file));
  assert.deepEqual(
    { reads: own(run.reads), writes: own(run.writes), deletes: own(run.deletes), connects: [...run.connects] },
    {
      reads: ['read.txt'],
      writes: ['new.txt', 'moved.txt', 'link.txt'],
      deletes: ['old.txt', 'gone.txt'],
      connects: ['127.0.0.1:28617'],
    },
  );
});

test('a watched call shows what it did, in the words of docs/safety.md', { skip }, async (context) => {
  const place = makeHostilePlace(context, { uid: ordinaryUser.uid });
  const { done, faults } = await watchCall(place, argsOf(place, 'rm {sound} --yes'));
  assert.deepEqual(
    { faults, writes: [...done.writes], deletes: [...done.deletes], sends: [...done.sends] },
    { faults: [], writes: ['operations', 'archive'], deletes: ['sessions'], sends: [] },
  );
});

for (const line of ['redact {linked files inside} --in-place', 'rm {link to a file outside} --yes --no-archive']) {
  test(`${line} harms nothing outside the root`, { skip }, async (context) => {
    const place = makeHostilePlace(context, { uid: ordinaryUser.uid });
    const { faults } = await watchCall(place, argsOf(place, line));
    assert.deepEqual(faults, []);
  });
}
