// clew completion: a script for each shell, made from the table of commands. completion.test.ts tests what the scripts do.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { runClew } from '../support/clew.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

for (const shell of ['bash', 'zsh', 'fish']) {
  test(`the ${shell} script names every command and its options, and no hidden one`, () => {
    const { status, stdout, stderr } = runClew(['completion', shell]);
    assert.deepEqual([status, stderr], [0, '']);
    for (const word of [
      'ls',
      'show',
      'messages',
      'cat',
      'completion',
      'turn',
      'branch',
      'project',
      'prompt',
      'no-color',
      'unmute',
    ]) {
      assert.match(stdout, new RegExp(`\\b${word}\\b`), word);
    }
    assert.doesNotMatch(stdout, /or-demo/);
  });

  const isThere = spawnSync(shell, ['-c', 'exit 0']).status === 0;
  test(`${shell} can parse its script`, { skip: isThere ? false : `${shell} is not on this machine` }, (context) => {
    const script = path.join(temporaryFolder(context), 'script');
    writeFileSync(script, runClew(['completion', shell]).stdout);
    const { status, stderr } = spawnSync(shell, ['-n', script], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });
}

test('another shell is refused with the names of the known shells', () => {
  assert.deepEqual(runClew(['completion', 'tcsh']), {
    status: 2,
    stdout: '',
    stderr: 'clew: no completion for "tcsh"; use one of bash, zsh, fish\n',
  });
});
