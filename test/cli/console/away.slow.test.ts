// `clew chat` with the real agent and a scripted model, in a real terminal: shell commands and what is written of them,
// the whole conversation, the editor, other sessions, exports, and blocks that are shown when they end.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { MessagesServer } from '../../../src/api/server/messages-server.ts';
import { asObject, asString, isArray } from '../../../src/base/json/json.ts';
import { diagnoseSession } from '../../../src/doctor/diagnosis/diagnose.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { bash, type ChatRun, startChat, text } from '../../support/chat-run.ts';
import { isAlive } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { skipWithout } from '../../support/terminal.ts';
import { waitFor } from '../../support/wait.ts';

const skip = skipWithout('tmux');

function say({ terminal }: ChatRun, prompt: string, wanted: RegExp): Promise<string> {
  terminal.type('-l', prompt);
  terminal.type('Enter');
  return terminal.screen(wanted);
}

/** The texts of the user's last message. */
function lastTexts(server: MessagesServer): readonly string[] {
  const body = asObject(server.requests.filter(({ path: at }) => at === '/v1/messages').at(-1)?.body);
  const messages = isArray(body?.messages) ? body.messages : [];
  const content = asObject(messages.at(-1))?.content;
  return isArray(content) ? content.map((block) => asString(asObject(block)?.text) ?? '') : [asString(content) ?? ''];
}

/** Without what Clew adds. */
function lastSaid(server: MessagesServer): readonly string[] {
  return lastTexts(server)
    .filter((each) => !each.startsWith('<system-reminder>'))
    .map((each) => each.trimEnd());
}

test(
  'a shell command runs without a question, is sent with the next prompt, and can be stopped',
  { skip },
  async (context) => {
    const chat = await startChat(context, [text('I see.'), text('Again.')]);
    const { terminal, server, folder, sessionFile } = chat;
    await say(chat, '!echo "a<b" > ../made; cat ../made; cd ..; ls lamp.ts; false', /exit code 1$/m);
    assert.equal(readFileSync(path.join(folder, 'made'), 'utf8'), 'a<b\n');
    await say(chat, '!sleep 600 & echo $! > ../child; echo started; wait', /^ {2}┊ started$/m);
    const child = Number(readFileSync(path.join(folder, 'child'), 'utf8'));
    terminal.type('C-c');
    await terminal.screen(/^ {2}interrupted$/m);
    await waitFor(() => !isAlive(child));
    await say(chat, '!pwd; true', /^! pwd; true\n {2}│ .*\/project\n/m);
    assert.equal(server.requests.filter(({ path: at }) => at === '/v1/messages').length, 0);
    await say(chat, 'what did I do?', /^● I see\.$/m);
    // Measured: client 2.1.325 stores these lines and sends them with the prompt. A command that fails has all of its
    // output in stderr.
    const project = path.join(folder, 'project');
    assert.deepEqual(lastSaid(server), [
      '<bash-input>echo "a<b" > ../made; cat ../made; cd ..; ls lamp.ts; false</bash-input>',
      `<bash-stdout></bash-stdout><bash-stderr>a&lt;b\nls: cannot access 'lamp.ts': No such file or directory\n\nShell cwd was reset to ${project}</bash-stderr>`,
      '<bash-input>sleep 600 & echo $! > ../child; echo started; wait</bash-input>',
      '<bash-stdout>started</bash-stdout><bash-stderr>The user interrupted the command.</bash-stderr>',
      '<bash-input>pwd; true</bash-input>',
      `<bash-stdout>${project}</bash-stdout><bash-stderr></bash-stderr>`,
      'what did I do?',
    ]);
    const { findings } = await diagnoseSession(await loadSession(sessionFile()));
    assert.deepEqual(findings, []);
  },
);

test(
  'Ctrl-O shows all output on another screen, scrolls, follows, and changes nothing below it',
  { skip },
  async (context) => {
    const chat = await startChat(context, [bash('seq 1 200'), text('Counted.'), { ...text('Later.'), delayMs: 2500 }]);
    const { terminal } = chat;
    const before = await say(chat, 'count', /^✓ Bash seq 1 200 .*200 lines[\s\S]*^● Counted\.$/m);
    const scrollback = terminal.scrollback();
    terminal.type('C-o');
    await terminal.screen(/ 200\n[\s\S]*Counted\.\n\n*─{80}\n {2}\d+–(\d+) of \1 · Ctrl-O closes/);
    terminal.type('Home');
    await terminal.screen(/^❯ count\n[\s\S]*\n {2}1–28 of \d+ /);
    terminal.type('PageDown', 'Down', 'k');
    await terminal.screen(/\n {2}29–56 of \d+ /);
    terminal.resize(40, 20);
    await terminal.screen(/^─{40}\n {2}\d+–\d+ of \d+ · Ctrl-O closes$/m);
    terminal.resize(80, 30);
    await terminal.screen(/^─{80}\n/m);
    terminal.type('C-o');
    assert.equal(await terminal.screen(/^› ask for/m), before);
    assert.equal(terminal.scrollback(), scrollback);
    await say(chat, 'and now?', /Working/);
    terminal.type('C-o');
    await terminal.screen(/❯ and now\?[\s\S]*Later\.\n/);
    terminal.type('-l', 'q');
    await terminal.screen(/^› and now\?\n\n● Later\.\n\n─/m);
  },
);

test(
  'Ctrl-G opens the editor with its arguments, and the text comes back, with its pastes',
  { skip },
  async (context) => {
    const edit = path.join(temporaryFolder(context), 'edit.sh');
    writeFileSync(
      edit,
      '#!/bin/sh\n[ "$1" = --wait ] || exit 9\ncp "$2" seen\ngrep -q fail "$2" && exit 3\nstty -a | grep -q -- " icanon" || exit 8\nprintf "one more line\\n" >> "$2"\n',
    );
    chmodSync(edit, 0o700);
    const chat = await startChat(context, [text('Read.')], '', { VISUAL: `${edit} --wait`, EDITOR: 'false' });
    const { terminal, server, folder } = chat;
    const long = Array.from({ length: 60 }, (_, i) => `row ${i + 1}`).join('\n');
    terminal.type('-l', 'see ');
    terminal.paste(`${long}\n`);
    await terminal.screen(/^› see \[Pasted 60 lines\]\n─/m);
    terminal.type('C-g');
    await terminal.screen(/^› see \[Pasted 60 lines\]one more line\n─/m);
    assert.equal(readFileSync(path.join(folder, 'project/seen'), 'utf8'), `see ${long}\n`);
    terminal.type('Enter');
    await terminal.screen(/^● Read\.$/m);
    assert.deepEqual(lastSaid(server), [`see ${long}\none more line`]);
    terminal.type('-l', 'fail');
    terminal.type('C-g');
    await terminal.screen(/✗ the editor ".*" ended with exit code 3; the\s+text is unchanged\n[\s\S]*^› fail\n─/m);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('clew-prompt-')),
      [],
    );
  },
);

test('without an editor Ctrl-G says how to set one', { skip }, async (context) => {
  const { terminal } = await startChat(context, [], '', { VISUAL: '', EDITOR: '' });
  terminal.type('C-g');
  await terminal.screen(/✗ no editor is set; set VISUAL or EDITOR, for example: export EDITOR=vim/);
});

test(
  '/resume finds a session by words, /export writes or copies, /init and /memory work on CLAUDE.md',
  { skip },
  async (context) => {
    const script = [text('The lamp is lit.'), text('The tide is high.'), text('Still lit.'), text('Written.')];
    const chat = await startChat(context, script, '', { EDITOR: 'sh -c \'echo "Be brief." > "$1"\' sh' });
    const { terminal, server, folder } = chat;
    await say(chat, 'light the lamp', /^● The lamp is lit\.$/m);
    await say(chat, '/clear', /^› ask for/m);
    await say(chat, 'what of the tide?', /^● The tide is high\.$/m);
    await say(chat, '/resume', /light the lamp/);
    terminal.type('-l', 'lamp');
    await terminal.screen(/1 of 2|light the lamp/);
    terminal.type('Enter');
    await terminal.screen(/resuming [0-9a-f-]{36}, 2 messages so far\n\n─/);
    await say(chat, 'and?', /^● Still lit\.$/m);
    await say(chat, '/export', /❯ 1\. Write clew-[0-9a-f]{8}\.md/);
    terminal.type('1');
    await terminal.screen(/clew-[0-9a-f]{8}\.md/);
    const written = await waitFor(() =>
      readdirSync(path.join(folder, 'project')).find((name) => /^clew-.*\.md$/.test(name)),
    );
    assert.match(readFileSync(path.join(folder, 'project', written), 'utf8'), /The lamp is lit\.[\s\S]*Still lit\./);
    await say(chat, '/export', /❯ 1\. Write/);
    terminal.type('2');
    await terminal.screen(/sent [\d.]+ K?B to the clipboard of the terminal/);
    await say(chat, '/memory', /^ ❯ 1\. .*CLAUDE\.md {2}new: for everyone in this project$/m);
    terminal.type('1');
    await terminal.screen(/the next prompt is sent with .*CLAUDE\.md as it is now/);
    assert.equal(readFileSync(path.join(folder, 'project/CLAUDE.md'), 'utf8'), 'Be brief.\n');
    await say(chat, '/init', /is now\n\n› \/init\n\n● Written\.$/m);
    assert.match(
      JSON.stringify(lastTexts(server)),
      /Be brief\.[\s\S]*Write the file CLAUDE\.md for this project|Write the file CLAUDE\.md for this project[\s\S]*Be brief\./,
    );
    await say(chat, '/status', /^ {2}- session: light the lamp \([0-9a-f-]{36}\)$/m);
  },
);

test('a block is in the scrollback when it ends, not when the next one comes', { skip }, async (context) => {
  const pauseMs = 3000;
  const blocks = [
    { type: 'text', text: 'First.' },
    { type: 'text', text: 'Second.' },
  ] as const;
  const chat = await startChat(context, [{ blocks, betweenBlocksMs: pauseMs }]);
  // A finished block is above the status line; the unfinished one would be "Writing".
  await say(chat, 'two blocks', /^● First\.\n\n. Working .*\n\n─/m);
  await chat.terminal.screen(/^● First\.\n\n● Second\.\n\n─/m);
  assert.ok(existsSync(chat.sessionFile()));
});
