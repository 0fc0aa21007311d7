// What the README shows is run as it stands: its example of the library, its commands, and the version.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { version } from '../src/base/version.ts';
import { commands } from '../src/cli/commands.ts';
import { projectRoot } from './support/paths.ts';

const readme = readFileSync(path.join(projectRoot, 'README.md'), 'utf8');

test("the README's example of the library runs and prints what it is about", () => {
  const code = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: projectRoot, encoding: 'utf8' });
  assert.equal(run.stderr, '');
  assert.deepEqual(run.stdout.split('\n'), [
    'Keep accented letters in page addresses',
    '1 16 [',
    "  'Read',",
    "  'Read',",
    "  'Edit',",
    "  'Edit',",
    "  'Bash failed',",
    "  'Edit',",
    "  'Edit',",
    "  'Bash'",
    ']',
    "2 4 [ 'Bash' ]",
    '875',
    '19',
    '',
  ]);
});

test('every command in the README exists', () => {
  const named = [...readme.matchAll(/^clew (\w+)/gm)].map((match) => match[1]);
  const known = new Set(commands.map((command) => command.name));
  assert.deepEqual(
    named.filter((name) => name !== undefined && !known.has(name)),
    [],
  );
});

test('the version is that of the package', () => {
  const { version: packaged } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8'));
  assert.equal(version, packaged);
});
