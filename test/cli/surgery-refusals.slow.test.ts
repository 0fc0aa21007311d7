// Operations without room on the disk.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { cleanEnv } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { noSmallDisk } from '../support/small-disk.ts';
import { contentsOf } from '../support/surgery-kit.ts';
import { transcript } from '../support/transcript-builder.ts';
import { library, prompt } from './surgery-refusals-kit.ts';

test(
  'without room on the disk everything is refused in one line before it is begun',
  { skip: noSmallDisk },
  (context) => {
    const bench = library(context);
    const big = transcript({ sessionId: prompt })
      .user(`a long one ${'x'.repeat(200_000)}`)
      .assistant('read')
      .user('two')
      .assistant('done');
    writeFileSync(path.join(bench.folder, `${prompt}.jsonl`), big.text());
    const state = bench.env.CLEW_HOME;
    mkdirSync(state, { recursive: true });
    const before = contentsOf(bench.root);
    const script = 'mount -t tmpfs -o size=64k tmpfs "$CLEW_HOME" && exec "$@"';
    for (const words of [
      'fork S',
      'tag S t',
      'compress S --keep-turns 1',
      'rewind S --to 1',
      'split S --at 1',
      'move S --to /w/q',
    ]) {
      const args = words.split(' ').map((word) => (word === 'S' ? prompt : word));
      const command = ['-rm', 'sh', '-c', script, 'sh', process.execPath, clew, ...args, '--root', bench.root];
      const env = { ...cleanEnv(), CLEW_HOME: state };
      const { status, stderr } = spawnSync('unshare', command, { encoding: 'utf8', env });
      assert.deepEqual([words, status], [words, 3], stderr);
      assert.match(
        stderr,
        /^clew: not enough disk space in \S+: \d{3} KB needed, \d+ KB free; free disk space and run it again\n$/,
      );
    }
    assert.deepEqual(contentsOf(bench.root), before);
  },
);
