// Which sandbox is found on a machine: bubblewrap that works, one that is too old or may not make namespaces, or none.
import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { tryMechanism } from '../../../src/agent/sandbox/sandbox.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

/** A PATH on which `bwrap` is this script. */
function withBwrap(t: TestContext, script: string): { readonly PATH: string } {
  const folder = temporaryFolder(t);
  writeTree(folder, { bwrap: `#!/bin/sh\n${script}\n` });
  chmodSync(path.join(folder, 'bwrap'), 0o755);
  return { PATH: folder };
}

const none = { kind: 'none', isolation: [] };

test('a machine without bubblewrap has no sandbox', (t) => {
  assert.deepEqual(tryMechanism('linux', { PATH: temporaryFolder(t) }), none);
  assert.deepEqual(tryMechanism('win32', process.env), none);
});

test('bubblewrap that may not make namespaces is not a sandbox', (t) => {
  const env = withBwrap(t, 'echo "bwrap: No permissions to create new namespace" >&2; exit 1');
  assert.deepEqual(tryMechanism('linux', env), none);
});

test('the strictest flags that bubblewrap accepts are used', (t) => {
  assert.deepEqual(tryMechanism('linux', withBwrap(t, 'exit 0')), {
    kind: 'bubblewrap',
    isolation: ['--unshare-all', '--unshare-user', '--disable-userns'],
  });
  const old = withBwrap(t, 'case "$*" in *--disable-userns*) exit 1;; esac');
  assert.deepEqual(tryMechanism('linux', old), { kind: 'bubblewrap', isolation: ['--unshare-all'] });
});

test('macOS has its own sandbox', () => {
  assert.deepEqual(tryMechanism('darwin', {}), { kind: 'seatbelt', isolation: [] });
});
