// The profile for sandbox-exec, compared with one that is written by hand. It cannot be run here: only macOS has the
// program.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seatbeltArgs } from '../../../src/agent/sandbox/mechanism.ts';

const plan = {
  home: '/Users/ada',
  cwd: '/Users/ada/app',
  searchPath: '/usr/bin',
  shown: ['/Users/ada/.claude/s/tool-results'],
  files: new Map(),
};

test('the profile of a command that may change the project', () => {
  const [program, flag, profile] = seatbeltArgs({
    ...plan,
    readable: [],
    writable: ['/Users/ada/app'],
    hidden: ['/Users/ada/app/.env', '/Users/ada/app/a "b"\\c'],
    guarded: ['/Users/ada/app/.git'],
  });
  assert.deepEqual([program, flag], ['sandbox-exec', '-p']);
  assert.equal(
    profile,
    String.raw`(version 1)
(allow default)
(deny network*)
(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.securityd.xpc"))
(deny file-write*)
(allow file-write* (literal "/dev/null") (literal "/dev/stdout") (literal "/dev/stderr") (subpath "/dev/fd"))
(deny file-read* (subpath "/Users/ada") (subpath "/Users") (subpath "/Volumes") (subpath "/private/tmp") (subpath "/private/var/folders"))
(allow file-read* (subpath "/Users/ada/app"))
(allow file-write* (subpath "/Users/ada/app"))
(deny file-write* (subpath "/Users/ada/app/.git"))
(deny file-read* file-write* (subpath "/Users/ada/app/.env") (subpath "/Users/ada/app/a \"b\"\\c"))
(allow file-read* (subpath "/Users/ada/.claude/s/tool-results"))`,
  );
});

test('the profile of a command that only reads allows no change in the project', () => {
  const [, , profile = ''] = seatbeltArgs({
    ...plan,
    readable: ['/Users/ada/app'],
    writable: [],
    hidden: [],
    guarded: [],
  });
  const writes = profile.split('\n').filter((line) => line.includes('file-write*'));
  assert.deepEqual(writes, [
    '(deny file-write*)',
    '(allow file-write* (literal "/dev/null") (literal "/dev/stdout") (literal "/dev/stderr") (subpath "/dev/fd"))',
  ]);
  assert.ok(profile.includes('(allow file-read* (subpath "/Users/ada/app"))'));
});
