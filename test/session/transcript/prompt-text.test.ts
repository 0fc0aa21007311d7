import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine, promptText } from '../../../src/session/transcript/prompt-text.ts';
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

test('a note of the editor alone is shown', () => {
  assert.equal(promptText([text('<ide_opened_file>y</ide_opened_file>')]), '<ide_opened_file>y</ide_opened_file>');
  assert.equal(promptText([text('<system-reminder>x</system-reminder>')]), '');
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
