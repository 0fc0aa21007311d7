// The whole console in a real terminal with a scripted agent: typing, questions, queues, interrupts, resizing; and the
// restored terminal on every way out.
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { skipWithout, type Terminal } from '../../support/terminal.ts';
import { type FakeChat, startFakeChat } from './fake-run.ts';

const skip = skipWithout('tmux');
function start(context: TestContext, columns: number, rows: number, before = 'clear'): Promise<FakeChat> {
  return startFakeChat(context, { columns, rows, before });
}

async function isGivenBack(terminal: Terminal, code: number): Promise<void> {
  await terminal.screen(new RegExp(`^exit ${code}$`, 'm'));
  terminal.type('stty -a | grep -o -- "-\\?\\(icanon\\|echo\\|isig\\)\\b" | tr "\\n" ","', 'Enter');
  await terminal.screen(/^isig,icanon,echo,/m);
}

test('a prompt is answered, and kept for the next chat', { skip }, async (context) => {
  const chat = await start(context, 80, 24);
  const shown = await chat.say('hello there', /^ {2}- two\n\n─+\n› ask for/m);
  assert.match(shown, /^› hello there\n\n● Hello, world\. Here is `?code`?:\n\n {2}- one\n {2}- two\n\n─+\n› ask for/m);
  chat.type('Up');
  await chat.screen(/^› hello there\n─/m);
  chat.type('C-u', '/co', 'Tab');
  await chat.screen(/^› \/compact/m);
  chat.type('C-u', 'see @lam');
  await chat.screen(/^❯ @src\/lamp\.ts$/m);
  chat.type('Enter');
  await chat.screen(/^› see @src\/lamp\.ts\n─/m);
  chat.type('C-c', 'C-d');
  await isGivenBack(chat, 0);
  const history = readFileSync(path.join(chat.folder, 'state/chat-history.jsonl'), 'utf8');
  assert.equal(history, `{"prompt":"hello there","cwd":${JSON.stringify(realpathSync(chat.folder))}}\n`);
  assert.match(readFileSync(path.join(chat.folder, 'err'), 'utf8'), /^closed: exit\n/);
});

test('a question for permission shows its reason, and is refused with a message', { skip }, async (context) => {
  const chat = await start(context, 80, 24);
  const asked = await chat.say('bash', /Esc declines/);
  assert.match(asked, /^ Allow Bash\?\n {3}npm test\n {3}Run the tests\n Why: no rule allows it\n ❯ 1\. Yes$/m);
  chat.type('3', 'use make', 'Enter');
  await chat.screen(/^● I heard: The user said no, and: use make$/m);
  await chat.say('bash', /Esc declines/);
  chat.type('Enter');
  await chat.screen(/^✓ Bash npm test {2}12 lines\n\n● All tests pass\.$/m);
  await chat.say('edit', /^ {3}\+ {3}const lamp = 'bright';$/m);
  chat.type('2');
  await chat.screen(/^ℹ rule Edit\(src\/lamp\.ts\)\n\n✓ Edit src\/lamp\.ts {2}\+2 -1\n.*\n {5}4 - {3}return 'dim';$/m);
});

test('a terminal without a size counts as 80 by 24', { skip }, async (context) => {
  const chat = await start(context, 80, 24, 'clear; stty cols 0 rows 0');
  await chat.say('hello', /^› hello\n\n● Hello, world[\s\S]*^─{80}\n› ask for/m);
  chat.type('C-d');
  await isGivenBack(chat, 0);
});

test('plans and questions are answered, and Shift-Tab changes the mode', { skip }, async (context) => {
  const chat = await start(context, 80, 30);
  await chat.say('plan', /^Plan\n│ 1\. Find the lamp[\s\S]*Carry out this plan\?/m);
  chat.type('1');
  await chat.screen(/isApproved":true[\s\S]*accepts edits ·/);
  chat.type('BTab');
  await chat.screen(/plan mode ·/);
  await chat.say('ask', /1 of 2 · Lamp: Which lamp\?/);
  chat.type('Down', 'Enter');
  await chat.screen(/2 of 2 · Which colours\?/);
  chat.type('Space', 'Down', 'Down', 'Space', 'Enter');
  await chat.screen(/"Which lamp\?":"Right","Which\s+colours\?":"Red,\s+Blue"/);
});

test('prompts typed during a turn are queued, Up takes them back, and Esc interrupts', { skip }, async (context) => {
  const chat = await start(context, 80, 24);
  await chat.say('slow', /^● It begins$/m);
  await chat.say('hello second', /^ {2}⋮ hello second\n {4}queued/m);
  await chat.say('hello third', /^ {2}⋮ hello third$/m);
  chat.type('Up');
  await chat.screen(/^› hello third\n─/m);
  chat.type('C-u', 'Escape');
  const shown = await chat.screen(/^› hello second[\s\S]*- two/m);
  assert.match(shown, /^● It begins\n\n! interrupted\n\n› hello second$/m);
  assert.doesNotMatch(shown, /third/);
  chat.type('C-c');
  await chat.screen(/Ctrl-C again exits/);
  chat.type('C-c');
  await isGivenBack(chat, 0);
});

test(
  'a long answer is in the scrollback once, complete and in order, without live lines',
  { skip },
  async (context) => {
    const chat = await start(context, 60, 14);
    await chat.say('long', /Paragraph 120 of the long answer\.\n\n─/);
    const numbers = [...chat.scrollback().matchAll(/^[● ] Paragraph (\d+) of the long answer\.$/gm)].map((found) =>
      Number(found[1]),
    );
    assert.deepEqual(
      numbers,
      Array.from({ length: 120 }, (_, i) => i + 1),
    );
    await chat.say('code', /line 90\n\n─/);
    const lines = [...chat.scrollback().matchAll(/^[● ] +line (\d+)$/gm)].map((found) => Number(found[1]));
    assert.deepEqual(
      lines,
      Array.from({ length: 90 }, (_, i) => i + 1),
    );
    assert.equal(chat.scrollback().match(/Esc interrupts|─{60}/g)?.length, 2);
  },
);

test('hostile text, wide characters and a resize leave no trace on the screen', { skip }, async (context) => {
  const chat = await start(context, 80, 24);
  await chat.say('hostile', /^● red alert and gone ‹U\+202E›back 日本語のテキスト .* end$/m);
  // With the prompt at the bottom: if the screen is half empty, tmux scrolls the top out of reach when it gets
  // narrower.
  await chat.say('code', /line 90\n\n─/);
  for (const columns of [60, 44, 90, 40]) {
    chat.resize(columns, 24);
    await chat.screen(new RegExp(`^─{${columns}}\\n› ask for .*\\n─{${columns}}\\n`, 'm'));
  }
  chat.type('日本語 text 👩‍👩‍👧 that is wider than the screen is');
  await chat.screen(/^› 日本語 text .*\n {2}.*is$/m);
  chat.resize(70, 24);
  await chat.screen(/^› 日本語 text .* screen is\n─/m);
  chat.type('C-u');
  await chat.say('todo', /◐ Light it/);
  chat.type('Escape');
  await chat.screen(/^! interrupted$/m);
  const text = chat.scrollback();
  const counts = [/clew \d/g, /› hostile/g, /› todo/g, /ask for something/g, /Esc interrupts/g, /─{70}/g];
  assert.deepEqual(
    counts.map((each) => text.match(each)?.length ?? 0),
    [1, 1, 1, 1, 0, 2],
    text,
  );
});

test('resizing during a turn neither leaves nor loses rows', { skip }, async (context) => {
  const chat = await start(context, 80, 24);
  await chat.say('code', /line 90\n\n─/);
  await chat.say('todo', /◐ Light it/);
  // The footer is complete again: the size is stable.
  chat.resize(70, 24);
  await chat.screen(/^─{70}\n› type the next prompt\n─{70}\n.* · \$0\.01$/m);
  chat.resize(46, 24);
  await chat.screen(/^─{46}\n› type the next prompt\n─{46}\n.* · 12% of context$/m);
  chat.resize(46, 14);
  await chat.screen(/^✓ TodoWrite .*\n\n. Working .*\n\n─{46}\n› type the next prompt\n─{46}\n.*asks first/m);
  chat.resize(60, 24);
  await chat.screen(/^─{60}\n› type the next prompt\n─{60}\n/m);
  chat.type('Escape');
  await chat.screen(/^! interrupted$/m);
  const text = chat.scrollback();
  const counts = [/› todo/g, /✓ TodoWrite/g, /Light it/g, /Esc interrupts/g, /type the next prompt/g, /─+/g];
  assert.deepEqual(
    counts.map((each) => text.match(each)?.length ?? 0),
    [1, 1, 0, 0, 0, 2],
    text,
  );
  const lines = [...text.matchAll(/^[● ] +line (\d+)$/gm)].map((found) => Number(found[1]));
  assert.deepEqual(
    lines,
    Array.from({ length: 90 }, (_, i) => i + 1),
  );
});

test('sub-agents are shown below their call, and a retry counts down', { skip }, async (context) => {
  const chat = await start(context, 80, 24);
  await chat.say('agent', /^▸ Task find the lamps\n {2}↳ explore {2}\d calls? · 0 out · \d s\n {4}Grep lamp \d$/m);
  await chat.screen(/^✓ Task find the lamps\n {2}↳ explore {2}4 calls · 2\.1k out · .*s\n\n● There are four/m);
  await chat.say('retry', /Retrying in [12] s \(2 of 10\): Overloaded/);
  await chat.screen(/^● It worked the second time\.$/m);
});

test('commands answer from the state of the agent, and an unknown one is named', { skip }, async (context) => {
  const chat = await start(context, 80, 70);
  await chat.say('/help', /^Commands\n {2}- .?\/help.? commands and keys[\s\S]*\/deploy[\s\S]*Shift-Tab: /m);
  await chat.say('/cost', /\$0\.01 in this run[\s\S]*claude-test-1 +│? ?1\.2k/);
  await chat.say('/context', /^Context\n {2}█+▓+■+·+\n {2}24\.0k of 200k tokens \(12\.0%\), claude-test-1/m);
  await chat.say('/permissions', /Bash\(npm test:\*\)/);
  await chat.say('/mcp', /lamps connected, 1 tool/);
  await chat.say('/agents', /explore built in/);
  await chat.say('/model claude-other', /the next request uses claude-other[\s\S]*asks first · claude-other ·/);
  await chat.say('/compact', /conversation compacted from 24\.0k tokens/);
  await chat.say('/nothing', /✗ there is no command \/nothing; \/help lists them/);
  await chat.say('/rewind', /❯ 1\. now the second one/);
  chat.type('2');
  await chat.screen(/❯ 1\. Chat and files {2}1 file changed since/);
  chat.type('1');
  await chat.screen(/1 file restored, 0 removed[\s\S]*^› light the lamp\n─/m);
  chat.type('C-u');
  await chat.say('/exit', /^exit 0$/m);
});

test('a signal ends the session and restores the terminal', { skip }, async (context) => {
  for (const [name, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    const chat = await start(context, 80, 24);
    await chat.say('bash', /Esc declines/);
    process.kill(Number(readFileSync(path.join(chat.folder, 'pid'), 'utf8')), name);
    await isGivenBack(chat, code);
    assert.match(readFileSync(path.join(chat.folder, 'err'), 'utf8'), /^closed: signal\n/);
  }
});

test(
  'a signal while an editor or the whole conversation is open restores the terminal, too',
  { skip },
  async (context) => {
    const endBySignal = async (chat: FakeChat): Promise<void> => {
      process.kill(Number(readFileSync(path.join(chat.folder, 'pid'), 'utf8')), 'SIGTERM');
      await isGivenBack(chat, 143);
    };
    const viewing = await startFakeChat(context);
    await viewing.say('hello', /^ {2}- two\n\n─/m);
    viewing.type('C-o');
    await viewing.screen(/Ctrl-O closes/);
    await endBySignal(viewing);
    const edit = path.join(viewing.folder, 'edit.sh');
    writeFileSync(edit, '#!/bin/sh\ntrap "" INT HUP\necho "editing $2"\nwhile :; do sleep 1; done\n');
    chmodSync(edit, 0o700);
    const editing = await startFakeChat(context, { env: { VISUAL: `${edit} --wait` } });
    editing.type('C-g');
    await editing.screen(/^editing .*prompt\.md$/m);
    // As the terminal does: for the editor, not for the chat.
    process.kill(Number(readFileSync(path.join(editing.folder, 'pid'), 'utf8')), 'SIGINT');
    await endBySignal(editing);
  },
);
