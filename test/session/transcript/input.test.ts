import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '../../../src/base/json/json.ts';
import { type Content, type Fields, text, toolResult, transcript } from '../../support/transcript-builder.ts';

const image: JsonValue = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } };

/** `kind` of a user line, and after a slash the kind of prompt if it is one. */
function kindOf(content: Content, fields: Fields = {}): string {
  const [node] = transcript().user(content, fields).transcript().nodes;
  return [node?.userKind, node?.promptKind].filter(Boolean).join('/');
}

test('what a text starts with says what it is', () => {
  const kinds = {
    'fix the bug': 'human/plain',
    '<command-name>/clear</command-name>': 'command/slash-command',
    '<command-message>init</command-message>\n<command-name>/init</command-name>': 'command/slash-command',
    '<local-command-stdout>done</local-command-stdout>': 'local-output',
    '<local-command-stderr>oops</local-command-stderr>': 'local-output',
    '<local-command-caveat>Caveat: …</local-command-caveat>': 'local-output',
    '<bash-input>ls</bash-input>': 'bash',
    '<bash-stdout>a b</bash-stdout>': 'bash',
    '<bash-stderr>no</bash-stderr>': 'bash',
    '<task-notification>done</task-notification>': 'notification',
    '[Request interrupted by user]': 'interrupt',
    '[Request interrupted by user for tool use]': 'interrupt',
    'see <command-name>': 'human/plain',
  };
  for (const [said, kind] of Object.entries(kinds)) {
    assert.equal(kindOf(said), kind, said);
    assert.equal(kindOf([text(said)]), kind, `${said} in a block`);
  }
});

test('flags come before text: injected lines and summaries are not prompts', () => {
  assert.equal(kindOf('plain words', { isMeta: true }), 'injected');
  assert.equal(kindOf('This session is being continued', { isCompactSummary: true }), 'summary');
  assert.equal(kindOf('both', { isMeta: true, isCompactSummary: true }), 'injected');
});

test('results come before everything, and a human text next to them is also a prompt', () => {
  assert.equal(kindOf([toolResult('t1')]), 'results');
  assert.equal(kindOf([toolResult('t1'), text('and now this')]), 'results/plain');
  assert.equal(kindOf([toolResult('t1'), text('[Request interrupted by user for tool use]')]), 'results');
  assert.equal(kindOf([toolResult('t1'), text('[Request interrupted by user]'), text('do it so')]), 'results/plain');
  assert.equal(kindOf([toolResult('t1'), text('<system-reminder>x</system-reminder>')]), 'results');
  assert.equal(kindOf([toolResult('t1'), text('said')], { isMeta: true }), 'results');
  assert.equal(kindOf([toolResult('t1'), image]), 'results');
});

test('what an editor or a picture adds to a prompt gives it its kind', () => {
  assert.equal(kindOf([text('<ide_selection>lines</ide_selection>'), text('what is this?')]), 'human/ide-selection');
  assert.equal(kindOf([text('<ide_opened_file>f</ide_opened_file>'), text('continue')]), 'human/ide-opened-file');
  assert.equal(kindOf([text('what is this?'), image]), 'human/image');
  assert.equal(kindOf([image]), 'human/image');
  assert.equal(kindOf([{ type: 'document', source: { type: 'text', data: 'x' } }]), 'human/plain');
});

test('a line of reminders alone was said by nobody', () => {
  assert.equal(kindOf('<system-reminder>note</system-reminder>'), 'injected');
  assert.equal(kindOf([text('<system-reminder>note</system-reminder>'), text('hello')]), 'human/plain');
  assert.equal(kindOf([]), 'human');
});

test("content next to the message, seed 002's form, is read the same way", () => {
  const kind = (content: Content): string => kindOf('', { message: undefined, content });
  assert.deepEqual(
    [kind('hello'), kind([toolResult('t1')]), kind('<bash-input>ls</bash-input>')],
    ['human/plain', 'results', 'bash'],
  );
});

test('only user lines have a kind', () => {
  const { nodes } = transcript().assistant('[Request interrupted by user]').system('local_command').transcript();
  assert.deepEqual(
    nodes.map(({ userKind, promptKind }) => [userKind, promptKind]),
    [
      [undefined, undefined],
      [undefined, undefined],
    ],
  );
});
