// The entry point: which calls are lean, and how their output is written.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { version } from '../../src/base/version/version.ts';
import { cleanEnv, type Run } from '../support/clew.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

/** The compiled source instead of the bundle: the same code, which mutants change. */
const main = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const folder = temporaryFolder({ after });

/** Runs a script before the command, in its process. */
function run(
  args: readonly string[],
  { before = '', stdout = 'pipe' }: { before?: string; stdout?: 'pipe' | number } = {},
): Run {
  writeTree(folder, { 'before.cjs': before });
  const { status, ...texts } = spawnSync(
    process.execPath,
    ['--require', path.join(folder, 'before.cjs'), main, ...args],
    {
      input: '{}',
      encoding: 'utf8',
      stdio: ['pipe', stdout, 'pipe'],
      env: { ...cleanEnv(), CLEW_ROOTS: folder },
    },
  );
  return { status, stdout: texts.stdout ?? '', stderr: texts.stderr };
}

/** Replaces `writeSync` for stdout by a function of the bytes. */
function replaceWrite(body: string): string {
  return `const fs = require('node:fs');
    const { writeSync } = fs;
    let calls = 0;
    fs.writeSync = (file, bytes, ...rest) => {
      if (file !== 1) return writeSync(file, bytes, ...rest);
      calls++;
      ${body}
    };
    require('node:module').syncBuiltinESMExports();`;
}

const fail = (code: string): string => `throw Object.assign(new Error('${code}: write'), { code: '${code}' });`;

test('output that is taken in parts is written to its end', () => {
  const before = replaceWrite('return writeSync(1, bytes, 0, 2);');
  assert.deepEqual(run(['--version'], { before }), { status: 0, stdout: `${version}\n`, stderr: '' });
  assert.deepEqual(run(['statusline'], { before }), {
    status: 0,
    stdout: '$0.00 session · $0.00 today\n',
    stderr: '',
  });
});

test('a full pipe that does not block gets the rest when it is read', () => {
  const before = replaceWrite(`if (calls === 1) return writeSync(1, bytes, 0, 2); ${fail('EAGAIN')}`);
  assert.deepEqual(run(['--version'], { before }), { status: 0, stdout: `${version}\n`, stderr: '' });
});

test('a reader that has left is a success', async () => {
  for (const name of ['--version', 'statusline']) {
    writeTree(folder, { 'wait.cjs': "require('node:fs').readSync(0, Buffer.alloc(1));" });
    const child = spawn(process.execPath, ['--require', path.join(folder, 'wait.cjs'), main, name], {
      stdio: 'pipe',
      env: { ...cleanEnv(), CLEW_ROOTS: folder },
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdout.destroy();
    await once(child.stdout, 'close');
    child.stdin.end('\n{}');
    const [status, signal] = await once(child, 'close');
    assert.deepEqual([name, status, signal, stderr], [name, 0, null, '']);
  }
});

test('a full disk is one line and exit code 2', () => {
  const { status, stderr } = run(['--version'], { stdout: openSync('/dev/full', 'w') });
  assert.equal(status, 2);
  assert.match(
    stderr,
    /^clew: the output could not be written \(.*ENOSPC.*\); check the disk or the receiving program\n$/,
  );
});

test('an error of a lean command that is not expected is a bug', () => {
  const before = "process.cwd = () => { throw new Error('no folder'); };";
  assert.deepEqual(run(['statusline'], { before }), {
    status: 70,
    stdout: '',
    stderr: 'clew: this is a bug: no folder; run it again with --debug and report the output\n',
  });
});

test('flags, arguments and other words reach the full command', () => {
  const json = run(['statusline', '--json']);
  assert.deepEqual([json.status, json.stderr], [0, '']);
  assert.equal(JSON.parse(json.stdout).todayCostMicroUsd, 0);
  assert.match(run(['statusline', '--help']).stdout, /^Usage: clew statusline \[OPTIONS\]\n/);
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['statusline', '--bogus'], 'there is no option "--bogus"; run `clew statusline --help`'],
    [['statusline', 'x'], 'statusline takes no argument; run `clew statusline --help`'],
    [['statuslin'], 'there is no command "statuslin" (did you mean statusline?); run `clew --help`'],
    [['constructor'], 'there is no command "constructor"; run `clew --help`'],
  ];
  for (const [args, message] of cases)
    assert.deepEqual(run(args), { status: 2, stdout: '', stderr: `clew: ${message}\n` });
});
