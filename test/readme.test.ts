// Runs what the README shows: its example of the library, its commands, and the version.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { version } from '../src/base/version/version.ts';
import { commands } from '../src/cli/commands.ts';
import { dist } from './support/dist.ts';
import { projectRoot } from './support/paths.ts';
import { temporaryFolder } from './support/temp-folder.ts';

const readme = readFileSync(path.join(projectRoot, 'README.md'), 'utf8');

test("the README's example of the library runs and prints what it is about", () => {
  assert.deepEqual(runExample(readme), [
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

test('the example in docs/library.md runs and prints what it is about', (context) => {
  const page = readFileSync(path.join(projectRoot, 'docs/library.md'), 'utf8');
  assert.deepEqual(runExample(page, { TMPDIR: temporaryFolder(context) }), [
    '6 0',
    '2 Find out why the build is slow',
    '2 Draw the lighthouse logo as SVG',
    "Keep accented letters in page addresses 21 [ 'slugify', 'slugify', 'tests' ]",
    'claude-opus-4-5-20251101 1483 459312',
    'claude-sonnet-4-5-20250929 2830 432673',
    '40',
    '1 true',
    '',
  ]);
});

test('the example of an operation in docs/library.md runs, and takes back what it made', (context) => {
  const page = readFileSync(path.join(projectRoot, 'docs/library.md'), 'utf8');
  const second = page.slice(page.indexOf('An operation is a plan first'));
  assert.deepEqual(runExample(second, { TMPDIR: temporaryFolder(context) }), ['true true', '']);
});

test('the example of the agent in docs/library.md runs, and leaves a session', (context) => {
  const page = readFileSync(path.join(projectRoot, 'docs/library.md'), 'utf8');
  const third = page.slice(page.indexOf('The agent writes a session'));
  const folder = temporaryFolder(context);
  assert.deepEqual(runExample(third, { TMPDIR: folder }), [
    `asked: Write changes ${folder}/clew-agent-example/work/hello.txt`,
    'Write done',
    'success It is written. Hello!',
    'A greeting 1',
    '',
  ]);
});

test('the example in docs/replay.md runs, and both servers answer', () => {
  const page = readFileSync(path.join(projectRoot, 'docs/replay.md'), 'utf8');
  assert.deepEqual(runExample(page), [
    '529',
    "[ 'text', 'tool_use' ] tool_use",
    'messages: at least one message is required',
    '3',
    "1/4 [ 'the prompt' ]",
    'true',
    '',
  ]);
});

test('importing the library loads no database; opening one does', (context) => {
  const code = `
    const loaded = () => process.moduleLoadList.includes('NativeModule sqlite') || opened;
    let opened = false;
    const { dlopen } = process;
    process.dlopen = (...args) => { opened = true; return dlopen(...args); };
    const { openLibrary } = await import('clew');
    console.log(loaded());
    openLibrary({ roots: [], state: ${JSON.stringify(temporaryFolder(context))} }).close();
    console.log(loaded());`;
  assert.deepEqual(runExample(`\`\`\`ts\n${code}\`\`\``), ['false', 'true', '']);
});

/** The lines that the first example of a page prints. */
function runExample(page: string, env: Readonly<Record<string, string>> = {}): readonly string[] {
  const code = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: path.dirname(dist),
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  assert.equal(stderr, '');
  return stdout.split('\n');
}

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
