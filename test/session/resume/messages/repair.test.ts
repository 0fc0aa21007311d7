// Messages that the API accepts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestMessages } from '../../../../src/session/resume/request/request.ts';
import { history, sent } from '../../../support/outline.ts';
import {
  type Content,
  type TranscriptBuilder,
  text,
  toolResult,
  toolUse,
  transcript,
} from '../../../support/transcript-builder.ts';

const asked = { user: ['q'] };

function blocksOf(builder: TranscriptBuilder, message: number): unknown {
  const request = requestMessages({ transcript: builder.transcript() });
  return 'messages' in request ? request.messages[message]?.content : request.refused;
}

test('half of a surrogate pair is sent as U+FFFD, wherever it is (rule 1)', () => {
  const builder = transcript()
    .user('\ud800')
    .assistant([toolUse('t', 'Bash', { command: ['\udc00x', { '\ud801': '😀' }] })])
    .result('t')
    .assistant('a');
  assert.deepEqual(blocksOf(builder, 0), [text('\ufffd')]);
  assert.deepEqual(blocksOf(builder, 1), [toolUse('t', 'Bash', { command: ['\ufffdx', { '\ufffd': '😀' }] })]);
});

test('a call without a result in the next message gets an error (rule 32)', () => {
  const builder = transcript()
    .user('q')
    .assistant([toolUse('t1'), toolUse('t2')])
    .result('t1')
    .assistant('a');
  assert.deepEqual(history(builder), [
    asked,
    { assistant: ['call t1', 'call t2'] },
    { user: ['t2 → (missing)', 't1 → out t1'] },
    { assistant: ['a'] },
  ]);
});

test('a message for the errors is made where another answer follows (rule 32)', () => {
  const builder = transcript().user('q').call('t1').assistant('between').result('t1').assistant('a');
  assert.deepEqual(history(builder), [
    asked,
    { assistant: ['call t1'] },
    { user: ['t1 → (missing)'] },
    { assistant: ['between'] },
    { user: ['(no content)'] },
    { assistant: ['a'] },
  ]);
});

test('an empty text of an answer goes, white space next to other text stays (rule 57)', () => {
  assert.deepEqual(
    history(
      transcript()
        .user('q')
        .assistant([text(''), text(' '), text('said')]),
    ),
    [asked, { assistant: [' ', 'said'] }],
  );
});

test('an answer of which nothing is left says so, with citations (rule 57)', () => {
  const builder = transcript().user('q').assistant([]).user('r').assistant('b');
  assert.deepEqual(blocksOf(builder, 1), [{ type: 'text', text: '(no content)', citations: [] }]);
});

test('a call that an earlier message made goes, and what is left empty says so (rule 58)', () => {
  const builder = transcript()
    .user('q')
    .call('t1')
    .result('t1')
    .user('r')
    .call('t1')
    .user('s')
    .assistant([text('x'), toolUse('t1')])
    .assistant('a');
  assert.deepEqual(history(builder), [
    asked,
    { assistant: ['call t1'] },
    { user: ['t1 → out t1', 'r'] },
    { assistant: ['[Tool use interrupted]'] },
    { user: ['s'] },
    { assistant: ['x'] },
    { assistant: ['a'] },
  ]);
  assert.deepEqual(blocksOf(builder, 3), [{ type: 'text', text: '[Tool use interrupted]', citations: [] }]);
});

test('a result belongs to the message right before it, and the first one wins (rule 59)', () => {
  const builder = transcript()
    .user('q')
    .call('t1')
    .user([toolResult('t1', 'first'), toolResult('t1', 'second'), toolResult('other')])
    .user('r')
    .assistant('a')
    .result('t1')
    .user('s')
    .assistant('b');
  assert.deepEqual(history(builder), [
    asked,
    { assistant: ['call t1'] },
    { user: ['t1 → first', 'r'] },
    { assistant: ['a'] },
    { user: ['s'] },
    { assistant: ['b'] },
  ]);
});

test('a message that loses all its results says so, in other words at the start (rule 59)', () => {
  assert.deepEqual(history(transcript().result('t1').assistant('a').result('t1').assistant('b')), [
    { user: ['[Orphaned tool result removed due to conversation resume]'] },
    { assistant: ['a'] },
    { user: ['(no content)'] },
    { assistant: ['b'] },
  ]);
});

test('blank text goes from a message of blocks or of several lines, a bare string is sent as it is (rule 60)', () => {
  const said = (...contents: readonly Content[]): unknown => {
    const builder = transcript();
    for (const content of contents) builder.user(content);
    return history(builder.assistant('a'))[0];
  };
  assert.deepEqual(said(''), { user: [''] });
  assert.deepEqual(said(' \n'), { user: [' \n'] });
  assert.deepEqual(said([text(' ')]), { user: ['(no content)'] });
  assert.deepEqual(said([text(' '), text('x')]), { user: ['x'] });
  assert.deepEqual(said('u1', ' '), { user: ['u1\n'] });
  assert.deepEqual(said('', ''), { user: ['(no content)'] });
});

test('the tool Task is called Agent now, no other name changes (rule 62)', () => {
  const builder = transcript()
    .user('q')
    .assistant([toolUse('t1', 'Task'), toolUse('t2', 'TodoWrite')])
    .result(['t1', 't2'])
    .assistant('a');
  assert.deepEqual(history(builder)[1], { assistant: ['call t1 Agent', 'call t2 TodoWrite'] });
});

test('the input of SendMessage is cut down where it has a receiver and a message (rule 63)', () => {
  const input = { to: 'x', message: 'hi', type: 'a', recipient: 'b', content: 'c', request_id: 'd', approve: true };
  const { to, ...rest } = input;
  const inputs = (given: typeof rest): unknown =>
    blocksOf(
      transcript()
        .user('q')
        .assistant([toolUse('t', 'SendMessage', given)])
        .result('t')
        .assistant('a'),
      1,
    );
  assert.deepEqual(inputs(input), [toolUse('t', 'SendMessage', { to: 'x', message: 'hi' })]);
  assert.deepEqual(inputs(rest), [toolUse('t', 'SendMessage', rest)]);
  const unsaid = { to: 'x', type: 'a', content: 'c' };
  assert.deepEqual(inputs(unsaid as unknown as typeof rest), [toolUse('t', 'SendMessage', unsaid)]);
});

test('a file of notes alone resumes with the prompt alone', () => {
  assert.deepEqual(sent(transcript().system('informational').boundary()), [{ user: ['next'] }]);
});
