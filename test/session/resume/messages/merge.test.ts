// Lines become messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsLast } from '../../../../src/session/resume/messages/merge.ts';
import { history } from '../../../support/outline.ts';
import { text, thinking, toolResult, toolUse, transcript } from '../../../support/transcript-builder.ts';

const m = { message: { id: 'm' } };
const asked = { user: ['q'] };

test('attachments move up past user lines to the answer before them, in their order (rule 50)', () => {
  const builder = transcript()
    .user('q')
    .assistant('a')
    .user('r')
    .attachment('custom', ['one'])
    .user('s')
    .attachment('custom', ['two'])
    .assistant('b');
  assert.deepEqual(history(builder), [
    asked,
    { assistant: ['a'] },
    { user: ['one', 'two\n', 'r\n', 's'] },
    { assistant: ['b'] },
  ]);
});

test('attachments at the start of the history come first (rule 50)', () => {
  assert.deepEqual(history(transcript().user('q').attachment('custom', ['one']).assistant('a')), [
    { user: ['one\n', 'q'] },
    { assistant: ['a'] },
  ]);
});

test('lines of one message are merged over results (rule 52)', () => {
  const builder = transcript().user('q').call('t1', m).result('t1').call('t2', m).result('t2').assistant('done');
  assert.deepEqual(history(builder), [
    asked,
    { assistant: ['call t1', 'call t2'] },
    { user: ['t1 → out t1', 't2 → out t2'] },
    { assistant: ['done'] },
  ]);
});

test('lines of one message are not merged over a typed text (rule 52)', () => {
  const builder = transcript().user('q').assistant('one', m).user('typed').assistant('two', m);
  assert.deepEqual(history(builder), [asked, { assistant: ['one'] }, { user: ['typed'] }, { assistant: ['two'] }]);
});

test('the request id replaces the message id, without both nothing is merged (rule 52)', () => {
  const pair = (fields: { requestId?: string }): unknown =>
    history(
      transcript()
        .user('q')
        .assistant('1', { ...fields, message: { id: undefined } })
        .assistant('2', { ...fields, message: { id: undefined } }),
    );
  assert.deepEqual(pair({ requestId: 'req' }), [asked, { assistant: ['1', '2'] }]);
  assert.deepEqual(pair({}), [asked, { assistant: ['1'] }, { assistant: ['2'] }]);
});

test('answers with different ids stay messages of their own (rule 52)', () => {
  assert.deepEqual(history(transcript().user('q').assistant('1').assistant('2')), [
    asked,
    { assistant: ['1'] },
    { assistant: ['2'] },
  ]);
});

test('a typed text that has joined a result does not stop the merging (rule 53)', () => {
  const builder = transcript()
    .user('q')
    .call('t1', m)
    .result('t1')
    .user('typed')
    .assistant('more', m)
    .user('r')
    .assistant('b');
  assert.deepEqual(history(builder), [
    asked,
    { assistant: ['more', 'call t1'] },
    { user: ['t1 → out t1', 'typed\n', 'r'] },
    { assistant: ['b'] },
  ]);
});

test('a text gets a newline where a text of the next line follows, not within a line (rule 54)', () => {
  const builder = transcript()
    .user([text('1'), text('2')])
    .user([text('3')])
    .user('4')
    .assistant('a');
  assert.deepEqual(history(builder), [{ user: ['1', '2\n', '3\n', '4'] }, { assistant: ['a'] }]);
});

test('results of joined lines come first, and between a result and a text there is no newline (rule 54)', () => {
  const builder = transcript()
    .user('q')
    .assistant([toolUse('t1'), toolUse('t2')])
    .user([text('before'), toolResult('t1')])
    .user('between')
    .result('t2')
    .assistant('a');
  assert.deepEqual(history(builder), [
    asked,
    { assistant: ['call t1', 'call t2'] },
    { user: ['t1 → out t1', 't2 → out t2', 'before', 'between'] },
    { assistant: ['a'] },
  ]);
});

test('a single line keeps the order of its blocks (rule 54)', () => {
  const builder = transcript()
    .user('q')
    .call('t1')
    .user([text('before'), toolResult('t1')])
    .assistant('a');
  assert.deepEqual(history(builder), [
    asked,
    { assistant: ['call t1'] },
    { user: ['before', 't1 → out t1'] },
    { assistant: ['a'] },
  ]);
});

test('an attachment after a result becomes part of it (rule 55)', () => {
  const folded = (...contents: readonly (string | readonly object[])[]): unknown => {
    const builder = transcript()
      .user('q')
      .assistant(contents.map((_, i) => toolUse(`t${i}`)));
    builder.user(contents.map((content, i) => toolResult(`t${i}`, JSON.parse(JSON.stringify(content)))));
    const messages = history(builder.attachment('custom', ['note']).assistant('a'));
    return Array.isArray(messages) ? messages[2] : messages;
  };
  assert.deepEqual(folded('out'), { user: ['t0 → out\n\nnote'] });
  assert.deepEqual(folded('first', 'out'), { user: ['t0 → first', 't1 → out\n\nnote'] });
  assert.deepEqual(folded([text('out')]), { user: ['t0 → out\n + note'] });
  assert.deepEqual(folded([text('out'), { type: 'image' }]), { user: ['t0 → out + [image] + note'] });
  assert.deepEqual(folded([]), { user: ['t0 → note'] });
});

test('several attachments are folded one after the other (rule 55)', () => {
  const builder = transcript()
    .user('q')
    .call('t')
    .result('t')
    .attachment('custom', ['1'])
    .attachment('custom', ['2'])
    .assistant('a');
  assert.deepEqual(history(builder), [
    asked,
    { assistant: ['call t'] },
    { user: ['t → out t\n\n1\n\n2'] },
    { assistant: ['a'] },
  ]);
});

test('calls come last in their message, also within one line (rule 56)', () => {
  const builder = transcript()
    .user('q')
    .assistant([thinking('hm'), toolUse('t1'), text('said'), toolUse('t2')])
    .result(['t1', 't2'])
    .assistant('a');
  assert.deepEqual(history(builder)[1], { assistant: ['thinking hm', 'said', 'call t1', 'call t2'] });
});

test('a message with two thinking blocks that only calls keep apart is left as it is (rule 56)', () => {
  const apart = [thinking('1'), toolUse('t1'), toolUse('t2'), thinking('2'), text('said')];
  assert.deepEqual(callsLast(apart), apart);
  const joined = [thinking('1'), toolUse('t1'), text('said'), thinking('2'), toolUse('t2')];
  assert.deepEqual(callsLast(joined), [thinking('1'), text('said'), thinking('2'), toolUse('t1'), toolUse('t2')]);
  const last = [thinking('1'), toolUse('t1')];
  assert.deepEqual(callsLast(last), last);
});
