// Writers that are killed.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { removeStaleTemps } from '../../src/store/replace.ts';
import { projectRoot } from '../support/paths.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

test('a writer that is killed halfway leaves the old file and a temporary one that is cleared away', async (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { 's.jsonl': 'old\n' });
  const run = spawnSync(process.execPath, [replaceForEver, path.join(folder, 's.jsonl'), 'half']);
  assert.equal(run.signal, 'SIGKILL');
  assert.equal(readFileSync(path.join(folder, 's.jsonl'), 'utf8'), 'old\n');
  assert.equal(readdirSync(folder).length, 2);
  assert.equal((await removeStaleTemps(folder, 0)).length, 1);
  assert.deepEqual(readdirSync(folder), ['s.jsonl']);
});

test('a writer that is killed at any moment leaves one of the whole contents', async (t) => {
  const folder = path.join(temporaryFolder(t), 'project');
  mkdirSync(folder);
  const file = path.join(folder, 's.jsonl');
  const whole = ['a', 'b'].map((letter) => Buffer.from(`${letter.repeat(1023)}\n`.repeat(4096)));
  writeFileSync(file, whole[0] ?? '');
  for (let round = 0; round < 12; round++) {
    const child = spawn(process.execPath, [replaceForEver, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    await delay(round * 3);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const found = readFileSync(file);
    assert.ok(
      whole.some((content) => content.equals(found)),
      `round ${round}: ${found.length} bytes that nobody wrote as a whole`,
    );
  }
  await removeStaleTemps(folder, 0);
  assert.deepEqual(readdirSync(folder), ['s.jsonl']);
});

const replaceForEver = path.join(projectRoot, 'build/test/store/replace-for-ever.js');
