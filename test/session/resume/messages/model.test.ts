// The model a request goes to, and what it may see of other models' thinking.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOffered, takesSystemRole } from '../../../../src/models/facts.ts';
import { requestMessages } from '../../../../src/session/resume/request/request.ts';
import { history, sent } from '../../../support/outline.ts';
import {
  type Content,
  type Fields,
  type TranscriptBuilder,
  text,
  thinking,
  transcript,
} from '../../../support/transcript-builder.ts';

const sonnet = 'claude-sonnet-4-5-20250929';
const opus = 'claude-opus-4-5-20251101';

function modelOf(builder: TranscriptBuilder): string {
  const request = requestMessages({ transcript: builder.transcript() });
  return 'refused' in request ? request.refused : request.model;
}

/** One answer after the other, each `[model, content]`. */
function answers(...all: readonly (readonly [string | undefined, Content])[]): TranscriptBuilder {
  const builder = transcript();
  for (const [i, [model, content]] of all.entries())
    builder.user(`q${i + 1}`).assistant(content, { message: { id: `m${i}`, model } });
  return builder;
}

test('the request goes to the model of the last answer, if the client offers it (rule 40)', () => {
  assert.equal(modelOf(answers([opus, 'a'], [sonnet, 'b'])), sonnet);
  assert.equal(modelOf(answers([opus, 'a'], ['<synthetic>', 'b'])), opus);
  assert.equal(modelOf(answers([opus, 'a'], ['claude-opus-4-1-20250805', 'b'])), 'claude-opus-5-5');
  assert.equal(modelOf(answers([undefined, 'a'])), 'claude-opus-5-5');
});

test('an answer that is dropped takes its model along (rule 40)', () => {
  assert.equal(modelOf(answers([opus, 'a'], [sonnet, ' '])), opus);
});

test('thinking goes where its model is not the one of the request (rule 41)', () => {
  const both = (first: string | undefined, last: string | undefined): unknown =>
    history(answers([first, [thinking('1'), text('a')]], [last, [thinking('2'), text('b')]]));
  const talk = (first: string[], last: string[]): unknown => [
    { user: ['q1'] },
    { assistant: [...first, 'a'] },
    { user: ['q2'] },
    { assistant: [...last, 'b'] },
  ];
  assert.deepEqual(both(opus, opus), talk(['thinking 1'], ['thinking 2']));
  assert.deepEqual(both(opus, sonnet), talk([], ['thinking 2']));
  assert.deepEqual(both('<synthetic>', sonnet), talk(['thinking 1'], ['thinking 2']));
  assert.deepEqual(both(undefined, sonnet), talk([], ['thinking 2']));
  assert.deepEqual(both('claude-unknown-9', 'claude-unknown-9'), talk([], []));
});

test('thinking without a signature stays, redacted thinking goes (rule 42)', () => {
  const redacted = { type: 'redacted_thinking', data: 'secret' };
  const builder = answers(
    [opus, [thinking('1', ''), { type: 'thinking', thinking: '2' }, redacted, text('a')]],
    [sonnet, 'b'],
  );
  assert.deepEqual(history(builder), [
    { user: ['q1'] },
    { assistant: ['thinking 1', 'thinking 2', 'a'] },
    { user: ['q2'] },
    { assistant: ['b'] },
  ]);
});

test('names of one model differ in case and in the long-context mark (rule 43)', () => {
  const builder = answers([opus, [thinking('1'), text('a')]], [`${opus.toUpperCase()}[1m]`, 'b']);
  assert.equal(modelOf(builder), opus);
  assert.deepEqual(history(builder), [
    { user: ['q1'] },
    { assistant: ['thinking 1', 'a'] },
    { user: ['q2'] },
    { assistant: ['b'] },
  ]);
});

test('which models are offered (rule 43)', () => {
  const yes = ['claude-3-5-sonnet-20241022', sonnet, opus, 'claude-haiku-4-5', 'claude-opus-4-6', 'claude-sonnet-4-6'];
  const newer = [
    'claude-opus-4-7',
    'claude-opus-4-8',
    'claude-opus-5',
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-fable-5',
  ];
  const spelled = ['us.anthropic.claude-opus-4-5-v1:0', 'claude-opus-4-5@20251101'];
  for (const model of [...yes, ...newer, ...spelled]) assert.equal(isOffered(model), true, model);
  const no = [
    'claude-3-5-haiku-20241022',
    'claude-3-7-sonnet',
    'claude-3-opus',
    'claude-opus-4-20250514',
    'claude-sonnet-4-0',
  ];
  const others = ['claude-opus-4-1', 'claude-haiku-5', 'claude-opus-4-9', 'claude-opus-6', 'opus', 'sonnet', 'gpt-5'];
  for (const model of [...no, ...others]) assert.equal(isOffered(model), false, model);
});

test('an answer that loses all its thinking becomes "(no content)" (rule 44)', () => {
  const builder = transcript()
    .user('q1')
    .assistant([thinking('1')], { message: { id: 'm', model: opus } })
    .assistant([], { message: { id: 'm', model: opus } })
    .user('q2')
    .assistant('b', { message: { model: sonnet } });
  const request = requestMessages({ transcript: builder.transcript() });
  assert.deepEqual('messages' in request && request.messages[1], {
    role: 'assistant',
    content: [{ type: 'text', text: '(no content)', citations: [] }],
  });
});

test('reminders of the newer models travel as system messages, so no user text is left of them (rule 45)', () => {
  const reminded = (model: string): unknown =>
    sent(answers([model, 'a']).attachment('custom', ['remember'], { renderedRole: 'system' }));
  const talk = [{ user: ['q1'] }, { assistant: ['a'] }];
  assert.deepEqual(reminded('claude-opus-4-8'), [...talk, { user: ['next'] }]);
  assert.deepEqual(reminded(opus), [...talk, { user: ['remember', 'next'] }]);
  assert.deepEqual(
    ['claude-opus-5-5', 'claude-sonnet-5', 'claude-fable-5', 'claude-opus-4-7', sonnet].map(takesSystemRole),
    [true, true, true, false, false],
  );
});

test('to api.anthropic.com the thinking of other models is sent, that of an unnamed model is not (BINDING 9.1)', () => {
  const redacted = { type: 'redacted_thinking', data: 'secret' };
  const builder = (model: string | undefined): TranscriptBuilder =>
    answers([model, [thinking('1'), redacted, text('a')]], [sonnet, [thinking('2'), text('b')]]);
  assert.deepEqual(history(builder(opus), 'anthropic')[1], { assistant: ['thinking 1', '[redacted_thinking]', 'a'] });
  assert.deepEqual(history(builder(opus), 'gateway')[1], { assistant: ['a'] });
  for (const host of ['anthropic', 'gateway'] as const) {
    assert.deepEqual(history(builder(undefined), host)[1], { assistant: ['a'] });
    assert.deepEqual(history(builder(opus), host)[3], { assistant: ['thinking 2', 'b'] });
  }
});

test('no thinking before the last mark of a stripped history is sent, on either way (BINDING 9.3)', () => {
  const marked = (fields: Fields = {}): TranscriptBuilder =>
    transcript()
      .user('q')
      .assistant([thinking('1'), thinking('unsigned', ''), text('a')])
      .attachment('thinking_stripped', undefined, fields)
      .user('q2')
      .assistant([thinking('2'), text('b')]);
  const stripped = [{ user: ['q'] }, { assistant: ['a'] }, { user: ['q2'] }, { assistant: ['thinking 2', 'b'] }];
  assert.deepEqual(history(marked(), 'anthropic'), stripped);
  assert.deepEqual(history(marked(), 'gateway'), stripped);
  assert.deepEqual(
    history(marked({ attachment: { type: 'thinking_stripped', scope: 'unknown' } }), 'anthropic'),
    stripped,
  );
  const aside = marked({ parentUuid: 'a1' }).from('a1').user('q3').assistant('c');
  assert.deepEqual(history(aside, 'anthropic')[1], { assistant: ['thinking 1', 'thinking unsigned', 'a'] });
});
