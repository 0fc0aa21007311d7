// The tests of everything that remembers files by their inodes, with numbers above 2^53: two neighbours are one JavaScript
// number, and `node:sqlite` does not read them back. `large-inodes.test.ts` has a file system with numbers above 2^63.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { clew } from '../support/dist.ts';
import { filesBelow, projectRoot } from '../support/paths.ts';

const folders = [
  'library/index',
  'library/usage',
  'library/watch',
  'library/search',
  'library/spending',
  'library/places',
];
const more = ['store/append.test.js', 'cli/ls', 'cli/usage', 'trace/backfill.test.js', 'team/collect.test.js'];
const tests = path.join(projectRoot, 'build/test');

test('the tests of the library pass with 2^53 added to each inode', () => {
  const files = filesBelow(tests, '.test.js').filter((file) => {
    const name = path.relative(tests, file);
    return !name.endsWith('.slow.test.js') && [...folders, ...more].some((part) => name.startsWith(part));
  });
  assert.ok(existsSync(clew));
  assert.ok(files.length > 30, `only ${files.length} files`);
  const preload = `--import=${path.join(tests, 'support/large-inodes.js')}`;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=spec', preload, ...files], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...env, CLEW_INODES: String(2n ** 53n), CLEW_FAST_TESTS: '1', NODE_OPTIONS: preload },
  });
  assert.equal(status, 0, stdout.slice(stdout.indexOf('failing tests')));
  assert.match(stdout, /ℹ tests [1-9]\d\d/);
});
