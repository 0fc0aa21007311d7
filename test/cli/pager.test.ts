// clew in a real terminal: the pager opens, is left with q, and nothing stays behind that should not.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { cleanEnv } from '../support/clew.ts';
import { clew } from '../support/paths.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const missing = ['tmux', 'less'].filter((program) => spawnSync(program, ['-V']).error !== undefined);
const skip = missing.length === 0 ? false : `${missing.join(' and ')} is not on this machine`;

interface Terminal {
  type(...keys: readonly string[]): void;
  resize(columns: number, rows: number): void;
  /** The screen, once it shows what is waited for; it fails with the screen where that never comes. */
  screen(wanted: RegExp): Promise<string>;
}

test(
  'a long session opens the pager, and q leaves with exit code 0 and the screen as it was',
  { skip },
  async (context) => {
    const terminal = openTerminal(context, 80, 24);
    terminal.type(`${command('show --demo 463b11e7')}; echo "exit $?"`, 'Enter');
    const first = await terminal.screen(/^:$/m);
    assert.match(first, /^Find out why the build is slow$/m);
    assert.match(first, /^── 1 ── 2026-03-04 19:40 ── 43\.5k in, 574 out ─+$/m);
    terminal.type('Space');
    assert.match(await terminal.screen(/# |Where the nine seconds go/), /Where the nine seconds go/);
    terminal.type('q');
    const after = await terminal.screen(/^exit 0$/m);
    assert.match(after, /^exit 0\n[$#] *$/m);
    assert.doesNotMatch(after, /\(END\)|^:$|ESC/m);
  },
);

test('what fits the screen is printed without the pager', { skip }, async (context) => {
  const terminal = openTerminal(context, 80, 24);
  terminal.type(`${command('ls --demo')}; echo "exit $?"`, 'Enter');
  assert.match(await terminal.screen(/^exit 0$/m), /5 sessions in 2 folders/);
});

test('a terminal of 40 columns shows no line cut in two by its edge, and can be resized', { skip }, async (context) => {
  const terminal = openTerminal(context, 40, 30);
  terminal.type('clear', 'Enter', `${command('show --demo b9147db8')}; echo "exit $?"`, 'Enter');
  const narrow = await terminal.screen(/^:$/m);
  assert.match(narrow, /^── 1 ── 2026-03-07 21:02 ─+$/m);
  assert.match(
    narrow,
    /^❯ the harbour theme needs a dark mode\.\n {2}follow the system, but let readers\n {2}choose$/m,
  );
  terminal.resize(70, 20);
  assert.match(await terminal.screen(/^:$/m), /the harbour theme needs a dark mode/);
  terminal.type('q');
  await terminal.screen(/^exit 0$/m);
});

function command(args: string): string {
  return `'${process.execPath}' '${clew}' ${args}`;
}

function openTerminal(context: TestContext, columns: number, rows: number): Terminal {
  const socket = path.join(temporaryFolder(context), 'tmux');
  const tmux = (...args: readonly string[]): string => {
    const env = { ...cleanEnv(), NO_COLOR: '', TERM: 'xterm-256color', LC_ALL: 'C.UTF-8', PS1: '$ ' };
    return spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8', env }).stdout;
  };
  tmux('new-session', '-d', '-s', 't', '-x', String(columns), '-y', String(rows), 'sh');
  context.after(() => tmux('kill-server'));
  return {
    type: (...keys) => void tmux('send-keys', '-t', 't', ...keys),
    resize: (width, height) => void tmux('resize-window', '-t', 't', '-x', String(width), '-y', String(height)),
    screen: async (wanted) => {
      let shown = '';
      for (let tries = 0; tries < 300; tries++) {
        shown = tmux('capture-pane', '-p', '-t', 't');
        if (wanted.test(shown)) return shown;
        await setTimeout(100);
      }
      throw new Error(`the screen never showed ${wanted}:\n${shown}`);
    },
  };
}
