// `clew` without arguments in a real terminal: typing, moving, preview, showing, resuming, resizing; and the restored
// terminal.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { runClew } from '../../support/clew.ts';
import { assistant, sessionText, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { command, openTerminal, skipWithout, type Terminal } from '../../support/terminal.ts';

const skip = skipWithout('tmux');
const lamp = '3f2b8c1e-1111-4000-8000-000000000001';

/** Forty sessions, newest first: lamp, then number 39 down to 1. */
function library(context: TestContext): { root: string; env: Record<string, string> } {
  const root = temporaryFolder(context);
  const cwd = path.join(root, 'light');
  mkdirSync(cwd);
  const tree: Record<string, string> = {};
  for (let i = 1; i < 40; i++) {
    const talk = [user(`question ${i}`), assistant(`Answer ${i}.`)];
    tree[`projects/-p/00000000-0000-4000-8000-${String(i).padStart(12, '0')}.jsonl`] = sessionText(talk, {
      startMinute: i,
    });
  }
  tree[`projects/-light/${lamp}.jsonl`] = sessionText([user('light the lamp'), assistant('It **shines**.')], {
    cwd,
    startMinute: 60,
    sessionId: lamp,
  });
  writeTree(root, tree);
  return { root, env: { CLEW_ROOTS: root, CLEW_HOME: path.join(root, 'state') } };
}

async function start(
  context: TestContext,
  columns: number,
  rows: number,
  more: Record<string, string> = {},
  before = '',
): Promise<{ root: string; terminal: Terminal }> {
  const { root, env } = library(context);
  const terminal = openTerminal(context, columns, rows, { ...env, ...more });
  terminal.type(`clear; ${before} ${command('')}; echo "exit $?"`, 'Enter');
  await terminal.screen(/type to filter/);
  return { root, terminal };
}

/** The shell has its terminal back: echo, line editing, the main screen. */
async function isGivenBack(terminal: Terminal, code: number): Promise<void> {
  const after = await terminal.screen(new RegExp(`^exit ${code}$`, 'm'));
  assert.doesNotMatch(after, /Enter show|› /);
  terminal.type('stty -a | grep -o -- "-\\?\\(icanon\\|echo\\|isig\\)\\b" | tr "\\n" ","', 'Enter');
  await terminal.screen(/^isig,icanon,echo,/m);
}

test('typing filters, moving selects, the preview follows, Ctrl-C restores the terminal', { skip }, async (context) => {
  const { terminal } = await start(context, 80, 24);
  assert.match(await terminal.screen(/It shines/), /^❯ .*light the lamp[\s\S]*^Enter show/m);
  terminal.type('Down', 'Down');
  await terminal.screen(/^❯ .*question 38[\s\S]*Answer 38\./m);
  terminal.type('NPage');
  await terminal.screen(/^❯ .*question 27[\s\S]*Answer 27\./m);
  terminal.type('question 12');
  assert.match(await terminal.screen(/Answer 12\./), /^› question 12 +1 of 40\n.*\n❯ .*question 12 /m);
  terminal.type('BSpace', 'BSpace', 'Escape');
  await terminal.screen(/type to filter +40 sessions/);
  terminal.type('C-c');
  await isGivenBack(terminal, 0);
});

test('Enter shows the session as clew show does', { skip }, async (context) => {
  const { terminal } = await start(context, 100, 30, { CLEW_PAGER: 'cat' });
  terminal.type('lamp', 'Enter');
  const shown = await terminal.screen(/^exit 0$/m);
  assert.match(shown, new RegExp(`^light the lamp\n${lamp} ·[\\s\\S]*^It shines\\.$`, 'm'));
});

test('a resize redraws it, with the preview next to the list if there is space', { skip }, async (context) => {
  const { terminal } = await start(context, 80, 24);
  terminal.resize(120, 20);
  await terminal.screen(/^❯ .*light the lamp .* │ [\s\S]*│ It shines\./m);
  terminal.resize(40, 8);
  const small = await terminal.screen(/^› type to filter +40 sessions\n.*\n❯ .*\n(?:.*\n){4}Enter show/m);
  assert.doesNotMatch(small, /shines/);
  terminal.type('?');
  await terminal.screen(/── keys/);
  terminal.type('x');
  terminal.type('Tab', 'q');
  await isGivenBack(terminal, 0);
});

test('f forks the selected session and says how to resume it', { skip }, async (context) => {
  const { terminal } = await start(context, 120, 24);
  terminal.type('lamp');
  await terminal.screen(/1 of 40/);
  terminal.type('Tab', 'f');
  const shown = await terminal.screen(/^exit 0$/m);
  assert.match(shown, new RegExp(`^fork ${lamp.slice(0, 8)} → [0-9a-f-]{36}$`, 'm'));
  assert.match(shown, /claude --resume/);
});

test("resuming starts Claude Code in the session's folder and returns its exit code", { skip }, async (context) => {
  const bin = temporaryFolder(context);
  writeTree(bin, { claude: '#!/bin/sh\necho "resumed $* in $(pwd) of $CLAUDE_CONFIG_DIR"\nexit 7\n' });
  chmodSync(path.join(bin, 'claude'), 0o755);
  const { root, terminal } = await start(context, 120, 24, { PATH: `${bin}:${process.env.PATH}` });
  terminal.type('question 1');
  await terminal.screen(/13 of 40/);
  terminal.type('C-r');
  await terminal.screen(/^its folder does not exist: \/home\/kim\/project$/m);
  terminal.type('C-u', 'lamp', 'Tab', 'r');
  const shown = await terminal.screen(/^exit 7$/m);
  assert.equal(
    shown.replaceAll('\n', '').includes(`resumed --resume ${lamp} in ${path.join(root, 'light')} of ${root}`),
    true,
    shown,
  );
});

test('without Claude Code it says so and stays', { skip }, async (context) => {
  const { terminal } = await start(context, 80, 24, {}, 'PATH=/nowhere');
  terminal.type('C-r');
  await terminal.screen(/^Claude Code is not installed: `claude` is not on PATH$/m);
  terminal.type('C-c');
  await terminal.screen(/exit 0/);
});

test('a suspension restores the terminal, and the foreground takes it again', { skip }, async (context) => {
  const { terminal } = await start(context, 80, 24);
  terminal.type('C-z');
  await terminal.screen(/^exit 1\d\d$/m);
  terminal.type('clear; fg; echo "exit $?"', 'Enter');
  await terminal.screen(/type to filter/);
  terminal.type('lamp');
  await terminal.screen(/^❯ .*light the lamp/m);
  terminal.type('C-c');
  await isGivenBack(terminal, 0);
});

test('a kill restores the terminal', { skip }, async (context) => {
  const folder = temporaryFolder(context);
  const { terminal } = await start(context, 80, 24, {}, `echo $$ > '${folder}/shell';`);
  const shell = readFileSync(path.join(folder, 'shell'), 'utf8').trim();
  const [child = ''] = spawnSync('ps', ['-o', 'pid=', '--ppid', shell], { encoding: 'utf8' })
    .stdout.trim()
    .split(/\s+/);
  process.kill(Number(child), 'SIGTERM');
  await isGivenBack(terminal, 143);
});

test('a crash restores the terminal before it prints the error', { skip }, async (context) => {
  const code = 'setTimeout(()=>{throw(Error("planted"))},2000)';
  const { terminal } = await start(context, 100, 40, {}, `NODE_OPTIONS='--import data:text/javascript,${code}'`);
  assert.match(await terminal.screen(/^exit \d+$/m), /this is a bug: planted is not defined/);
  await isGivenBack(terminal, 70);
});

test('an unusable index is reported, and the sessions are listed anyway', { skip }, async (context) => {
  const { root, terminal } = await start(context, 120, 24, { CLEW_HOME: '/dev/null/state' });
  await terminal.screen(/^❯ .*light the lamp/m);
  terminal.type('C-c');
  assert.match(
    await terminal.screen(/^exit 0$/m),
    /^clew: the index cannot be written: \/dev\/null\/state\/index\.db/m,
  );
  assert.equal(existsSync(path.join(root, 'state')), false);
});

test('without a terminal clew prints its help', () => {
  assert.match(runClew([]).stdout, /^Usage: clew/);
});
