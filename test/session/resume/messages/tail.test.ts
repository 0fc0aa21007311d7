// An end that a prompt can follow, and the prompt.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestMessages } from '../../../../src/session/resume/request/request.ts';
import { sent } from '../../../support/outline.ts';
import { type TranscriptBuilder, transcript } from '../../../support/transcript-builder.ts';

const talk = [{ user: ['q'] }, { assistant: ['a'] }];
const answered = (text: string): unknown => [
  ...talk,
  { user: [text] },
  { assistant: ['No response requested.'] },
  { user: ['next'] },
];
const failed = { isApiErrorMessage: true, message: { model: '<synthetic>' } };

function conversation(): TranscriptBuilder {
  return transcript().user('q').assistant('a');
}

test('a conversation that ends with the user gets an answer (rule 35)', () => {
  assert.deepEqual(sent(conversation().user('more')), answered('more'));
});

test('the answer is after the attachments of the last line and before a local command (rule 35)', () => {
  const builder = conversation()
    .user('more')
    .attachment('custom', ['seen'])
    .system('local_command', { content: 'ran' });
  assert.deepEqual(sent(builder), [
    ...talk,
    { user: ['seen\n', 'more'] },
    { assistant: ['No response requested.'] },
    { user: ['ran\n', 'next'] },
  ]);
});

test('after an API error there is no answer: the prompt joins the last one (rules 35 and 51)', () => {
  assert.deepEqual(sent(conversation().user('more').assistant('failed', failed)), [
    ...talk,
    { user: ['more', 'next'] },
  ]);
});

test('a local command at the end joins the prompt (rule 36)', () => {
  assert.deepEqual(sent(conversation().system('local_command', { content: 'ran' })), [
    ...talk,
    { user: ['ran\n', 'next'] },
  ]);
});

test('a command that the user ran outside the conversation needs no answer (rule 37)', () => {
  const caveat = '<local-command-caveat>Caveat</local-command-caveat>';
  const command = '<command-name>/x</command-name>';
  const output = '<local-command-stdout>out</local-command-stdout>';
  const run = (...lines: readonly string[]): unknown => {
    const builder = conversation().user(caveat, { isMeta: true });
    for (const line of lines) builder.user(line);
    return sent(builder);
  };
  for (const lines of [[], [command], [command, output], ['<local-command-stderr>e</local-command-stderr>']]) {
    assert.deepEqual(run(...lines), [...talk, { user: [...[caveat, ...lines].map((line) => `${line}\n`), 'next'] }]);
  }
});

test('a command without its caveat, a caveat that is not meta and bash mode get an answer (rule 37)', () => {
  const caveat = '<local-command-caveat>Caveat</local-command-caveat>';
  assert.deepEqual(
    sent(conversation().user('<command-name>/x</command-name>')),
    answered('<command-name>/x</command-name>'),
  );
  assert.deepEqual(sent(conversation().user(caveat)), answered(caveat));
  assert.deepEqual(sent(conversation().user(caveat, { isMeta: true }).user('<bash-input>ls</bash-input>')), [
    ...talk,
    { user: [`${caveat}\n`, '<bash-input>ls</bash-input>'] },
    { assistant: ['No response requested.'] },
    { user: ['next'] },
  ]);
});

test('the reminders of the client are between an API error and the prompt, where they keep a newline away (rule 51)', () => {
  const model = 'claude-opus-5-5';
  const builder = (): TranscriptBuilder => transcript().user('q').assistant('a', { message: { model } }).user('more');
  const joined = (text: string): unknown => [...talk, { user: [text, 'next'] }];
  assert.deepEqual(sent(builder().assistant('failed', failed)), joined('more'));
  const changed = builder()
    .attachment('remote_session_change', ['<system-reminder>x</system-reminder>'], { renderedRole: 'system' })
    .assistant('failed', failed);
  assert.deepEqual(sent(changed), joined('more\n'));
});

test('the prompt is sent as it is, in a message of its own (rule 68)', () => {
  const request = requestMessages({ transcript: conversation().transcript() }, ' as\nis ');
  assert.deepEqual('messages' in request && request.messages.at(-1), {
    role: 'user',
    content: [{ type: 'text', text: ' as\nis ' }],
  });
});

test('without a prompt only the history is sent', () => {
  const request = requestMessages({ transcript: conversation().user('more').transcript() });
  assert.deepEqual('messages' in request && request.messages.map(({ role }) => role), [
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
});
