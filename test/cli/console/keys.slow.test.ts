// The keys of the prompt in a real terminal, with a scripted agent: pastes, the history and its search, undo, the list of
// keys, shell commands, and what the window shows.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { skipWithout } from '../../support/terminal.ts';
import { waitFor } from '../../support/wait.ts';
import { startFakeChat } from './fake-run.ts';

const skip = skipWithout('tmux');

function linesOf(count: number): string {
  return Array.from({ length: count }, (_, i) => `row ${i + 1}`).join('\n');
}

test(
  'a long paste is folded in the prompt, the transcript and the history, and deleted in one',
  { skip },
  async (context) => {
    const chat = await startFakeChat(context, { columns: 60 });
    chat.type('-l', 'hello ');
    chat.paste(linesOf(500));
    await chat.screen(/^› hello \[Pasted 500 lines\]\n─/m);
    chat.paste(linesOf(500));
    await chat.screen(/^› hello \[Pasted 500 lines\]\[Pasted 500 lines #2\]\n─/m);
    chat.type('BSpace');
    await chat.screen(/^› hello \[Pasted 500 lines\]\n─/m);
    chat.type('Enter');
    await chat.screen(/^› hello \[Pasted 500 lines\]\n\n● Hello, world[\s\S]*- two\n\n─/m);
    await chat.say('/cost', /\$0\.01 in this run/);
    chat.type('Up');
    await chat.screen(/^› \/cost\n─/m);
    chat.type('Up');
    await chat.screen(/^› hello \[Pasted 500 lines\]\n─/m);
    chat.type('Up');
    chat.type('Down');
    await chat.screen(/^› \/cost\n─/m);
    assert.doesNotMatch(chat.scrollback(), /row 499/);
    const history = readFileSync(path.join(chat.folder, 'state/chat-history.jsonl'), 'utf8').split('\n');
    assert.deepEqual(JSON.parse(history[0] ?? '').pastes, { '[Pasted 500 lines]': linesOf(500) });
  },
);

test(
  'a pasted command does not run before Enter, and the output of one that runs can be stopped',
  { skip },
  async (context) => {
    const chat = await startFakeChat(context);
    chat.paste('!touch it\n');
    await chat.screen(/^\$ !touch it\n\n─+\n {2}Enter runs it in the shell/m);
    assert.doesNotMatch(chat.scrollback(), /ran touch it/);
    chat.type('BSpace', 'Enter');
    await chat.screen(/^! touch it\n {2}│ ran touch it\n\n─/m);
    await chat.say('!hang', /^! hang {2}\d s · Esc stops it\n {2}┊ running hang$/m);
    await chat.say('!second', /^ {2}⋮ !second\n {4}queued; Up edits it$/m);
    chat.type('Up');
    await chat.screen(/^\$ !second\n─/m);
    chat.type('Enter');
    await chat.screen(/⋮ !second/);
    chat.type('Escape');
    await chat.screen(/^! hang\n {2}│ ran hang\n {2}interrupted\n\n! second\n {2}│ ran second\n\n─/m);
    await chat.say('slow', /^● It begins$/m);
    await chat.say('!third', /⋮ !third/);
    chat.type('Escape');
    await chat.screen(/^! interrupted\n\n! third\n {2}│ ran third\n\n─/m);
  },
);

test('Ctrl-R searches the prompts of this project first, then all, and Enter takes one', { skip }, async (context) => {
  const prepare = (folder: string): void => {
    const file = path.join(folder, 'state/chat-history.jsonl');
    mkdirSync(path.dirname(file));
    const lines = [
      { prompt: 'light the old lamp', cwd: folder },
      { prompt: 'elsewhere: a lamp \u001b]0;evil\u0007', cwd: '/elsewhere' },
      { prompt: 'light the new lamp', cwd: folder },
      { prompt: 'turn it off', cwd: folder },
    ];
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  };
  const chat = await startFakeChat(context, { prepare });
  chat.type('-l', 'my draft');
  chat.type('C-r');
  await chat.screen(
    /^search:\s*\n❯ turn it off\n {2}light the new lamp\n {2}light the old lamp\n {2}elsewhere: a lamp\s*\n─/m,
  );
  chat.type('-l', 'LAMP');
  await chat.screen(/^search: LAMP\n❯ light the new lamp\n {2}light the old lamp\n {2}elsewhere.*\n─+\n {2}1 of 3/m);
  chat.type('C-r');
  await chat.screen(/^ {2}light the new lamp\n❯ light the old lamp\n/m);
  chat.type('-l', 'xyz');
  await chat.screen(/no earlier prompt contains this/);
  chat.type('Escape');
  await chat.screen(/^› my draft\n─/m);
  chat.type('C-r');
  chat.type('-l', 'the');
  await chat.screen(/^search: the\n/m);
  chat.type('C-r', 'Enter');
  await chat.screen(/^› light the old lamp\n─/m);
  chat.type('C-_');
  await chat.screen(/^› my draft\n─/m);
  assert.notEqual(chat.title(), 'evil');
});

test('? lists the keys, Ctrl-_ undoes, Ctrl-Y yanks, and Ctrl-L draws the screen again', { skip }, async (context) => {
  const chat = await startFakeChat(context, { columns: 70, rows: 30 });
  await chat.say('hello', /^ {2}- two\n\n─/m);
  chat.type('-l', '?');
  await chat.screen(/^ {2}Ctrl-R +search earlier prompts$[\s\S]*^ {2}Ctrl-O +the whole conversation/m);
  chat.type('Escape');
  await chat.screen(/^› ask for.*\n─+\n {2}asks first/m);
  chat.type('-l', '日本語 abc');
  chat.type('C-w', 'C-w');
  await chat.screen(/^› ask for/m);
  chat.type('C-y');
  await chat.screen(/^› 日本語\s*\n─/m);
  chat.type('C-_', 'C-_');
  await chat.screen(/^› 日本語\s*\n─/m);
  chat.type('C-u');
  const before = await chat.screen(/^› ask for/m);
  chat.type('C-l');
  assert.equal(await chat.screen(/^› ask for/m), before);
  chat.resize(24, 20);
  await chat.screen(/^─{24}\n› ask for/m);
  chat.type('C-r');
  await chat.screen(/^search:\s*\n❯ hello\n─{24}\n/m);
});

test(
  'the title names the session and what it does, a question rings, and the end restores the title',
  { skip },
  async (context) => {
    const chat = await startFakeChat(context);
    const before = `${path.basename(chat.folder)} · clew`;
    assert.equal(chat.title(), before);
    await chat.say('slow down \u001b[31mnow', /^● It begins$/m);
    await waitFor(() => /^… slow down .*now · clew$/.test(chat.title()));
    chat.type('Escape');
    await chat.screen(/! interrupted/);
    assert.equal(chat.bells(), 0);
    await chat.say('bash', /Esc declines/);
    await waitFor(() => chat.title().startsWith('? slow down'));
    await waitFor(() => chat.bells() === 1);
    chat.type('Enter');
    await chat.screen(/All tests pass/);
    // As a terminal reports that its window has the focus.
    chat.type('-l', '\u001b[I');
    await chat.say('bash', /Esc declines/);
    chat.type('Enter');
    await chat.screen(/All tests pass[\s\S]*All tests pass/);
    chat.type('-l', '\u001b[O');
    await chat.say('bash', /Esc declines/);
    await waitFor(() => chat.bells() === 2);
    chat.type('Escape', 'C-d');
    await chat.screen(/^exit 0$/m);
    assert.doesNotMatch(chat.title(), /clew$/);
  },
);

test('the setting of the client turns the bell off', { skip }, async (context) => {
  const chat = await startFakeChat(context, {
    env: { CLEW_ROOTS: 'root' },
    prepare: (folder) => {
      mkdirSync(path.join(folder, 'root'));
      writeFileSync(path.join(folder, 'root/settings.json'), '{"preferredNotifChannel":"notifications_disabled"}');
    },
  });
  await chat.say('bash', /Esc declines/);
  chat.type('Enter');
  await chat.screen(/All tests pass/);
  assert.equal(chat.bells(), 0);
});
