import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine, promptText, splitPrompt } from '../../../src/session/transcript/prompt-text.ts';
import { text, toolResult } from '../../support/transcript-builder.ts';

test('a prompt is its texts, without reminders and notes of the editor', () => {
  const said = [
    text('<system-reminder>x</system-reminder>'),
    text('<ide_selection>y</ide_selection>'),
    text('one'),
    text('two'),
  ];
  assert.equal(promptText([toolResult('t1'), ...said, { type: 'image' }]), 'one\ntwo');
});

test('what the editor attached is never part of the prompt, wherever it is in the text', () => {
  const opened = '<ide_opened_file>The user opened the file /w/a.ts in the IDE.</ide_opened_file>';
  const selected = '<ide_selection>The user selected the lines 1 to 2 from /w/a.ts:\nx\ny\n</ide_selection>';
  const reminder = '<system-reminder>\nBe brief.\n</system-reminder>';
  const table: readonly (readonly [text: string, words: string, attached: readonly string[]])[] = [
    [opened, '', [opened]],
    [`${opened}\nFix the bug`, 'Fix the bug', [opened]],
    [`${opened}Fix the bug`, 'Fix the bug', [opened]],
    [`${selected}\n\n${opened}\n\nWhy?\n\nReally?`, 'Why?\n\nReally?', [selected, opened]],
    [`Fix the bug\n\n${reminder}`, 'Fix the bug', [reminder]],
    [`${opened}\nFix it\n${reminder}\n`, 'Fix it', [opened, reminder]],
    [
      '<ide_diagnostics>[]</ide_diagnostics>\nand <ide_selection> in words',
      'and <ide_selection> in words',
      ['<ide_diagnostics>[]</ide_diagnostics>'],
    ],
    // The user writes about the tags.
    ['What is <ide_selection>x</ide_selection>', 'What is <ide_selection>x</ide_selection>', []],
    ['<ide_selection> is not closed', '<ide_selection> is not closed', []],
    ['  two spaces first  ', '  two spaces first  ', []],
    ['', '', []],
    // The client never closes a reminder that it cut; it is not typed.
    ['<system-reminder>cut', '', ['<system-reminder>cut']],
  ];
  for (const [stored, words, attached] of table) {
    assert.deepEqual(splitPrompt(stored), { words, attached }, stored);
    assert.equal(promptText([text(stored)]), words, stored);
  }
});

test('a text of a hundred thousand tags is taken apart in linear time', () => {
  const { words, attached } = splitPrompt(`${'<ide_x>'.repeat(50_000)}${'</ide_x>'.repeat(50_000)}`);
  assert.equal(attached.length, 1);
  assert.equal(words.length, 49_999 * '</ide_x>'.length);
});

test('a slash command is shown as it was typed', () => {
  const commands = {
    '<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>':
      '/clear',
    '<command-message>init is analyzing</command-message>\n<command-name>init</command-name>': '/init',
    '<command-name>/fix</command-name><command-args> the bug </command-args>': '/fix the bug',
    '<command-message>no name</command-message>': '<command-message>no name</command-message>',
    '<command-name>/torn': '<command-name>/torn',
    'see <command-name>/x</command-name>': 'see <command-name>/x</command-name>',
  };
  for (const [stored, typed] of Object.entries(commands)) {
    assert.equal(commandLine(stored), typed);
    assert.equal(promptText([text(stored)]), typed);
  }
});
