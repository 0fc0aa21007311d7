// clew in a real terminal: the pager opens, is left with q, and nothing remains that should not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command, openTerminal, skipWithout } from '../support/terminal.ts';

const skip = skipWithout('tmux', 'less');

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
  // tmux cuts the old screen before less draws the new one, so the prompt alone does not say which of them is shown.
  await terminal.screen(/the harbour theme needs a dark mode[\s\S]*^:$/m);
  terminal.type('q');
  await terminal.screen(/^exit 0$/m);
});
