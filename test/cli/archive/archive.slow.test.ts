// // clew archive on a disk without room.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { randomUuid, snapshot } from '../../support/archive-kit.ts';
import { clew } from '../../support/dist.ts';
import { sessionText, user } from '../../support/session-text.ts';
import { library, old } from '../archive-kit.ts';

const noSmallDisk =
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
    ? false
    : 'no user namespace to mount a small disk in';

test(
  'on a full disk one line says so, what was archived stays whole, and rm deletes nothing',
  { skip: noSmallDisk },
  (t) => {
    const { env, root, state } = library(t);
    const noise = Array.from({ length: 40_000 }, randomUuid).join(' ').replaceAll('-', '');
    const large = path.join(root, 'projects/-home-kim-red/40000000-0000-4000-8000-000000000000.jsonl');
    writeFileSync(large, sessionText([user(noise)]));
    utimesSync(large, old, old);
    const before = snapshot(root);
    mkdirSync(state);
    const script = [
      'mount -t tmpfs -o size=128k tmpfs "$0"',
      '"$@" archive --project blue',
      '"$@" archive',
      '"$@" rm 4 --yes',
      '"$@" archive --verify',
    ].join('; ');
    const { stdout, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', script, state, process.execPath, clew], {
      encoding: 'utf8',
      env: { ...env, CLEW_ROOTS: root },
    });
    const full = `clew: cannot write ${path.join(state, 'archive/000001.pack')} (ENOSPC); make room on the disk and run it again\n`;
    assert.equal(stderr, full + full);
    assert.match(stdout, /^archived 1 session .*\n[1-4] sessions?, .*: every byte can be restored\n$/);
    assert.deepEqual(snapshot(root), before);
  },
);
