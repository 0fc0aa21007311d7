import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type CommandSpec, completionScript, type Shell } from '../../../src/cli/completion/command.ts';

const commands: readonly CommandSpec[] = [
  {
    name: 'ls',
    summary: 'List sessions',
    flags: [
      { name: '--json', summary: 'As JSON' },
      { name: '--root', value: 'DIR', summary: "The user's root [repeatable]: a folder" },
    ],
  },
  {
    name: 'show',
    summary: "Show a session's text: all of it",
    flags: [
      { name: '--json', summary: 'As JSON' },
      { name: '--format', value: 'md|html', summary: 'Which format' },
      { name: '--out', value: 'FILE', summary: 'Where to' },
      { name: '--since', value: 'DATE', summary: 'From when' },
      { name: '--against', value: 'SESSION', summary: 'Compare with' },
      { name: '-n', value: 'COUNT', summary: 'How many' },
    ],
    takesSession: true,
  },
  { name: 'trace', summary: 'Send turns', flags: [], actions: ['mute', 'unmute'] },
];

const ids = ['4f1c2d3e-0000-4000-8000-000000000001', '4f99aaaa-0000-4000-8000-000000000002', '$(touch hacked)'];
let folder: string;

before(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'clew-completion-'));
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    writeFileSync(path.join(folder, `clew.${shell}`), completionScript(shell, commands));
  }
  mkdirSync(path.join(folder, 'bin'));
  mkdirSync(path.join(folder, 'work/a folder'), { recursive: true });
  writeFileSync(path.join(folder, 'work/a file.jsonl'), '');
  const program = path.join(folder, 'bin/clew');
  writeFileSync(
    program,
    `#!/bin/sh\n[ "$*" = "ls --ids" ] && printf '%s\\n' ${ids.map((id) => `'${id}'`).join(' ')}\n`,
  );
  chmodSync(program, 0o755);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** What a real shell offers for the last of these words. */
function complete(...words: string[]): string[] {
  const script = `source ../clew.bash
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _clew
if ((\${#COMPREPLY[@]} > 0)); then printf '%s\\n' "\${COMPREPLY[@]}"; fi`;
  const { stdout, stderr } = run('bash', ['--norc', '-c', script, 'bash', 'clew', ...words], 'work');
  assert.equal(stderr, '');
  return stdout.split('\n').filter((line) => line !== '');
}

function run(program: string, args: readonly string[], cwd: string): { stdout: string; stderr: string } {
  return spawnSync(program, args, {
    cwd: path.join(folder, cwd),
    encoding: 'utf8',
    env: { ...process.env, PATH: `${path.join(folder, 'bin')}:${process.env.PATH}` },
  });
}

describe('bash completion', { skip: missing('bash') }, () => {
  test('offers the action words of a command', () => {
    assert.deepEqual(complete('trace', 'm'), ['mute']);
    assert.deepEqual(complete('trace', 'un'), ['unmute']);
  });

  test('offers the commands first', () => {
    assert.deepEqual(complete(''), ['ls', 'show', 'trace']);
    assert.deepEqual(complete('s'), ['show']);
    assert.deepEqual(complete('x'), []);
  });

  test('offers the flags of the command that was given', () => {
    assert.deepEqual(complete('ls', '-'), ['--json', '--root']);
    assert.deepEqual(complete('show', 'x', '--f'), ['--format']);
  });

  test('offers session ids and files where a session is wanted, and expands neither', () => {
    // Paths come in the order of the folder, which differs between machines.
    assert.deepEqual(complete('show', '').sort(), [...ids, 'a folder', 'a file.jsonl'].sort());
    assert.deepEqual(complete('show', '4f1'), [ids[0]]);
    assert.deepEqual(complete('show', 'a fi'), ['a file.jsonl']);
    assert.deepEqual(complete('ls', 'hack'), []);
  });

  test('offers what a flag takes', () => {
    assert.deepEqual(complete('show', '--format', ''), ['md', 'html']);
    assert.deepEqual(complete('show', '--format', 'h'), ['html']);
    assert.deepEqual(complete('ls', '--root', ''), ['a folder']);
    assert.deepEqual(complete('show', '--out', 'a').sort(), ['a file.jsonl', 'a folder']);
    assert.deepEqual(complete('show', '--against', '4f9'), [ids[1]]);
    assert.deepEqual(complete('show', '--since', ''), []);
  });

  test('is registered for clew', () => {
    const { stdout } = run('bash', ['--norc', '-c', 'source ../clew.bash; complete -p clew'], 'work');
    assert.equal(stdout, 'complete -F _clew clew\n');
  });
});

for (const shell of ['zsh', 'fish'] as const) {
  test(`the ${shell} script is good ${shell}`, { skip: missing(shell) }, () => {
    const { stdout, stderr } = run(shell, ['-n', `clew.${shell}`], '.');
    assert.deepEqual({ stdout, stderr }, { stdout: '', stderr: '' });
  });
}

test('the zsh script escapes what means something in a flag description', () => {
  const script = completionScript('zsh', commands);
  assert.ok(script.includes(`'--root[The user'\\''s root \\[repeatable\\]\\: a folder]:dir:_files -/'`));
  assert.ok(script.includes(`'--format[Which format]:md html:(md html)'`));
});

test('the fish script has a line for every command, flag and session argument', () => {
  assert.deepEqual(completionScript('fish', commands).split('\n').slice(1), [
    "complete -c clew -n __fish_use_subcommand -f -a 'ls' -d 'List sessions'",
    "complete -c clew -n '__fish_seen_subcommand_from ls' -l 'json' -d 'As JSON'",
    `complete -c clew -n '__fish_seen_subcommand_from ls' -l 'root' -x -a '(__fish_complete_directories)' -d 'The user\\'s root [repeatable]: a folder'`,
    `complete -c clew -n __fish_use_subcommand -f -a 'show' -d 'Show a session\\'s text: all of it'`,
    "complete -c clew -n '__fish_seen_subcommand_from show' -l 'json' -d 'As JSON'",
    "complete -c clew -n '__fish_seen_subcommand_from show' -l 'format' -x -a 'md html' -d 'Which format'",
    "complete -c clew -n '__fish_seen_subcommand_from show' -l 'out' -r -d 'Where to'",
    "complete -c clew -n '__fish_seen_subcommand_from show' -l 'since' -x -d 'From when'",
    "complete -c clew -n '__fish_seen_subcommand_from show' -l 'against' -x -a '(clew ls --ids 2>/dev/null)' -d 'Compare with'",
    "complete -c clew -n '__fish_seen_subcommand_from show' -s 'n' -x -d 'How many'",
    "complete -c clew -n '__fish_seen_subcommand_from show' -a '(clew ls --ids 2>/dev/null)'",
    "complete -c clew -n __fish_use_subcommand -f -a 'trace' -d 'Send turns'",
    "complete -c clew -n '__fish_seen_subcommand_from trace' -a 'mute unmute'",
    '',
  ]);
});

function missing(shell: Shell): string | false {
  const { error } = spawnSync(shell, ['-c', 'exit 0']);
  return error === undefined ? false : `no ${shell} on this machine (Debian package ${shell})`;
}
