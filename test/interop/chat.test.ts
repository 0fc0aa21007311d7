// Sessions that `clew chat` writes, driven by keys in a real terminal, are resumed by the real clients, which send exactly
// the messages that `clew messages` predicts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { ScriptStep } from '../../src/api/server/script.ts';
import { bash, type ChatRun, startChat, text } from '../support/chat-run.ts';
import { skipWithout } from '../support/terminal.ts';
import { assertPredicted, assertPredictedByOld } from './live.ts';

const current = '2.1.325';
const old = '2.1.45';
/** Known to both clients. */
const flags = '--model claude-sonnet-4-6';

interface Scenario {
  readonly name: string;
  readonly script: readonly ScriptStep[];
  drive(chat: ChatRun): Promise<void>;
  /** What the file must show, so that a scenario that did not happen fails. */
  readonly written: readonly RegExp[];
}

async function say({ terminal }: ChatRun, prompt: string, wanted: RegExp): Promise<string> {
  terminal.type('-l', prompt);
  terminal.type('Enter');
  return terminal.screen(wanted);
}

const parallelTools: ScriptStep = {
  blocks: [
    { type: 'text', text: 'I look at it in two ways.' },
    { type: 'tool_use', name: 'Read', input: { file_path: 'lamp.ts' } },
    { type: 'tool_use', name: 'Grep', input: { pattern: 'lamp' } },
  ],
};

const scenarios: readonly Scenario[] = [
  {
    name: 'tools, one of them asked for',
    script: [parallelTools, bash('cat lamp.ts > copy; wc -l copy'), text('It is **one** line.'), text('Nothing else.')],
    written: [/"name":"Read"/, /"name":"Grep"/, /1 copy/, /Nothing else/],
    drive: async (chat) => {
      await say(chat, 'look at lamp.ts', /Allow Bash\?/);
      chat.terminal.type('1');
      await chat.terminal.screen(/^● It is one line\.$/m);
      await say(chat, 'anything else?', /^● Nothing else\.$/m);
    },
  },
  {
    name: 'a tool that Esc interrupts',
    script: [bash('cat lamp.ts; sleep 600 > copy'), text('Stopped, I see.')],
    written: [/\[Request interrupted by user for tool use\]/, /Stopped, I see/],
    drive: async (chat) => {
      await say(chat, 'wait for it', /Allow Bash\?/);
      chat.terminal.type('1');
      await chat.terminal.screen(/Running a tool/);
      chat.terminal.type('Escape');
      await chat.terminal.screen(/^! interrupted/m);
      await say(chat, 'why?', /^● Stopped, I see\.$/m);
    },
  },
  {
    name: 'a chat that /rewind takes back',
    script: [text('First answer.'), text('Second answer.'), text('Another second.')],
    written: [/Second answer/, /Another second/],
    drive: async (chat) => {
      await say(chat, 'the first', /^● First answer\.$/m);
      await say(chat, 'the second', /^● Second answer\.$/m);
      await say(chat, '/rewind', /❯ 1\. the second/);
      chat.terminal.type('Enter');
      await chat.terminal.screen(/Chat/);
      chat.terminal.type('Enter');
      await chat.terminal.screen(/^› the second\n─/m);
      chat.terminal.type('C-u');
      await say(chat, 'not that one', /^● Another second\.$/m);
    },
  },
  {
    name: 'shell commands, a long paste, and a command that Esc stops',
    script: [text('I see.'), text('And more.')],
    written: [/<bash-input>ls lamp\.ts<\/bash-input>/, /row 40/, /And more/],
    drive: async (chat) => {
      await say(chat, '!ls lamp.ts', /^ {2}│ lamp\.ts$/m);
      await say(chat, '!echo "<b>"; false', /exit code 1/);
      chat.terminal.type('-l', 'see ');
      chat.terminal.paste(Array.from({ length: 40 }, (_, i) => `row ${i + 1}`).join('\n'));
      await chat.terminal.screen(/Pasted 40 lines/);
      chat.terminal.type('Enter');
      await chat.terminal.screen(/^● I see\.$/m);
      await say(chat, '!echo begun; sleep 600', /┊ begun/);
      chat.terminal.type('Escape');
      await chat.terminal.screen(/interrupted/);
      await say(chat, 'and now?', /^● And more\.$/m);
    },
  },
];

for (const scenario of scenarios) {
  test(`clew chat: ${scenario.name}`, { skip: skipWithout('tmux') }, async (context) => {
    const file = await written(context, scenario);
    await assertPredicted(current, file);
    await assertPredictedByOld(old, file);
  });
}

async function written(context: TestContext, { script, drive, written: shown }: Scenario): Promise<string> {
  const chat = await startChat(context, script, flags);
  await drive(chat);
  chat.terminal.type('C-d');
  await chat.terminal.screen(/^exit 0$/m);
  const file = chat.sessionFile();
  const lines = readFileSync(file, 'utf8');
  for (const wanted of shown) assert.match(lines, wanted);
  return file;
}
