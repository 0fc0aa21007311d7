// Help, version, and the messages for wrong calls.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { displayWidth } from '../../src/base/text/terminal-text.ts';
import { version } from '../../src/base/version/version.ts';
import { commands } from '../../src/cli/commands.ts';
import { cleanEnv, runClew } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { projectRoot } from '../support/paths.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const commandNames = commands.map((row) => row.name);

test('--version and -V print the version of package.json', () => {
  const wanted = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8')).version;
  assert.equal(version, wanted);
  for (const flag of ['--version', '-V']) {
    assert.deepEqual(runClew([flag]), { status: 0, stdout: `${wanted}\n`, stderr: '' });
  }
});

test('help names every command, fits 80 columns, and is the same in all ways of asking', () => {
  const help = runClew(['--help']);
  assert.deepEqual([help.status, help.stderr], [0, '']);
  for (const name of commandNames) assert.match(help.stdout, new RegExp(`^ {2}${name}\\b.*\\S`, 'm'));
  for (const args of [[], ['-h'], ['help']]) assert.deepEqual(runClew(args), help);
  assert.deepEqual(wideLines(help.stdout), []);
});

test('the help of a command says how to call it, its options and examples, within 80 columns', () => {
  for (const name of commandNames) {
    const help = runClew([name, '--help']);
    assert.deepEqual([help.status, help.stderr], [0, '']);
    assert.match(help.stdout, new RegExp(`^Usage: clew ${name}\\b`));
    assert.match(help.stdout, /^Examples:\n {2}\S/m);
    assert.match(help.stdout, /^ {2}--no-color +\S/m);
    assert.deepEqual(wideLines(help.stdout), []);
    assert.deepEqual(runClew(['help', name]), help);
  }
});

test('hidden options stay out of the help', () => {
  assert.doesNotMatch(runClew(['ls', '--help']).stdout, /--ids|--or-demo/);
});

test('a call that cannot be understood gets one line that says why and where to look, and exit code 2', () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['bogus'], 'there is no command "bogus"; run `clew --help`'],
    [['shwo', 'x'], 'there is no command "shwo" (did you mean show?); run `clew --help`'],
    [["it's"], 'there is no command "it\'s"; run `clew --help`'],
    [['--bogus'], 'there is no option "--bogus"; run `clew --help`'],
    [['ls', '--bogus'], 'there is no option "--bogus"; run `clew ls --help`'],
    [['ls', '--projct', 'x'], 'there is no option "--projct" (did you mean --project?); run `clew ls --help`'],
    [['ls', 'x'], 'ls takes no argument; run `clew ls --help`'],
    [['ls', '--project'], '--project needs a value; run `clew ls --help`'],
    [['show'], 'show needs a SESSION; run `clew show --help`'],
    [['show', 'a', 'b'], 'show takes one SESSION, not more; run `clew show --help`'],
    [['show', 'a', '--turn'], '--turn needs a value; run `clew show --help`'],
    [['messages'], 'messages needs a SESSION; run `clew messages --help`'],
    [['cat'], 'cat needs a SESSION; run `clew cat --help`'],
    [['completion'], 'completion needs a SHELL; run `clew completion --help`'],
    [['show', ''], 'the session argument is empty; run `clew ls` to list the sessions'],
  ];
  for (const [args, said] of cases) {
    assert.deepEqual(runClew(args), { status: 2, stdout: '', stderr: `clew: ${said}\n` });
  }
});

test('--debug adds where an error arose, before or after the command', () => {
  for (const args of [
    ['--debug', 'show', 'nope'],
    ['show', 'nope', '--debug'],
  ]) {
    const { status, stderr } = runClew(args);
    assert.equal(status, 2);
    assert.match(stderr, /^clew: no session "nope" below .*\n.*UserError: no session "nope".*\n +at /);
  }
});

test('--no-color works before and after the command, and overrides FORCE_COLOR', () => {
  const env = { FORCE_COLOR: '1', NO_COLOR: '' };
  const coloured = runClew(['ls', '--demo'], { env }).stdout;
  assert.match(coloured, /\x1b\[/);
  for (const args of [
    ['--no-color', 'ls', '--demo'],
    ['ls', '--demo', '--no-color'],
  ]) {
    assert.equal(runClew(args, { env }).stdout, coloured.replace(/\x1b\[\d+m/g, ''));
  }
});

test('a reader who leaves early is not an error, whatever is printed', (context) => {
  const folder = temporaryFolder(context);
  for (const args of ['--help', '--version', 'ls --demo', 'show --demo 463b11e7', 'completion bash']) {
    const script = `"${process.execPath}" "${clew}" ${args} | true; exit "\${PIPESTATUS[0]}"`;
    const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8', cwd: folder, env: cleanEnv() });
    assert.deepEqual([args, status, stderr], [args, 0, '']);
  }
});

function wideLines(text: string): string[] {
  return text.split('\n').filter((line) => displayWidth(line) > 80);
}
