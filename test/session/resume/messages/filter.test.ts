// Calls without answers, and answers that say nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { history, sent } from '../../../support/outline.ts';
import { text, thinking, toolUse, transcript } from '../../../support/transcript-builder.ts';

const m = { message: { id: 'm' } };
const asked = { user: ['q'] };
const closing = [{ assistant: ['No response requested.'] }, { user: ['next'] }];

test('a call open at the end gets a result that says so (rule 30)', () => {
  assert.deepEqual(sent(transcript().user('q').call('t1')), [
    asked,
    { assistant: ['call t1'] },
    { user: ['t1 → (interrupted)'] },
    ...closing,
  ]);
});

test('after a result at the end every open call back to the last typed text is closed (rule 30 a)', () => {
  const builder = transcript()
    .user('q')
    .assistant([toolUse('t1'), toolUse('t2')])
    .result('t1')
    .assistant([toolUse('t3'), toolUse('t4')])
    .result('t3');
  assert.deepEqual(sent(builder), [
    asked,
    { assistant: ['call t1', 'call t2'] },
    { user: ['t2 → (missing)', 't1 → out t1'] },
    { assistant: ['call t3', 'call t4'] },
    { user: ['t3 → out t3', 't4 → (interrupted)'] },
    ...closing,
  ]);
});

test('after an answer at the end only the calls of that message are closed (rule 30 b)', () => {
  const builder = transcript().user('q').call('t1').user('typed').call('t2', m).assistant('and', m);
  assert.deepEqual(sent(builder), [
    { user: ['q\n', 'typed'] },
    { assistant: ['and', 'call t2'] },
    { user: ['t2 → (interrupted)'] },
    ...closing,
  ]);
});

test('notes and idle answers at the end are looked past (rule 30)', () => {
  for (const idle of [[text(' ')], [thinking('hm')], [text('(no content)')]]) {
    const builder = transcript().user('q').call('t1').assistant(idle).system('turn_duration');
    assert.deepEqual(sent(builder), [asked, { assistant: ['call t1'] }, { user: ['t1 → (interrupted)'] }, ...closing]);
  }
});

test('after a typed text, a marker or an API error nothing is closed (rule 30 c)', () => {
  for (const last of ['typed', '[Request interrupted by user]']) {
    assert.deepEqual(sent(transcript().user('q').call('t1').user(last)), [{ user: ['q\n', last] }, ...closing]);
  }
  const failed = { isApiErrorMessage: true, message: { model: '<synthetic>' } };
  assert.deepEqual(sent(transcript().user('q').call('t1').assistant('failed', failed)), [{ user: ['q', 'next'] }]);
});

test('a line none of whose calls has a result goes whole, other lines of its message stay (rule 31)', () => {
  const builder = transcript()
    .user('q')
    .assistant('stays', m)
    .assistant([thinking('hm'), text('goes'), toolUse('t1')], m)
    .user('typed')
    .assistant('answer');
  assert.deepEqual(history(builder), [asked, { assistant: ['stays'] }, { user: ['typed'] }, { assistant: ['answer'] }]);
});

test('a line of which one call has a result stays, the other gets an error, first (rules 31 and 32)', () => {
  const builder = transcript()
    .user('q')
    .assistant([toolUse('t1'), toolUse('t2')])
    .result('t1')
    .user('typed')
    .assistant('answer');
  assert.deepEqual(history(builder), [
    asked,
    { assistant: ['call t1', 'call t2'] },
    { user: ['t2 → (missing)', 't1 → out t1', 'typed'] },
    { assistant: ['answer'] },
  ]);
});

test('an answer of white space is dropped by line (rule 33)', () => {
  const builder = transcript()
    .user('q')
    .assistant([text(' \n'), text('')], m)
    .assistant('said', m)
    .user('r')
    .assistant(' ')
    .user('s')
    .assistant('b');
  assert.deepEqual(history(builder), [asked, { assistant: ['said'] }, { user: ['r\n', 's'] }, { assistant: ['b'] }]);
});

test('thinking alone is dropped unless another line of its message says something (rule 33)', () => {
  const alone = transcript()
    .user('q')
    .assistant([thinking('hm')])
    .user('r')
    .assistant('b');
  assert.deepEqual(history(alone), [{ user: ['q\n', 'r'] }, { assistant: ['b'] }]);
  const aside = transcript()
    .user('q')
    .assistant([thinking('hm')], m)
    .assistant('said', m);
  assert.deepEqual(history(aside), [asked, { assistant: ['thinking hm', 'said'] }]);
});

test('neither an empty nor a blank line of the message saves its thinking (rule 33)', () => {
  for (const content of [[], [text(' ')]]) {
    const builder = transcript()
      .user('q')
      .assistant([thinking('hm')], m)
      .assistant(content, m)
      .user('r')
      .assistant('b');
    const left =
      content.length === 0 ? [asked, { assistant: ['(no content)'] }, { user: ['r'] }] : [{ user: ['q\n', 'r'] }];
    assert.deepEqual(history(builder), [...left, { assistant: ['b'] }]);
  }
});

test('thinking without any id to belong to is dropped (rule 33)', () => {
  const none = { message: { id: undefined } };
  const builder = transcript()
    .user('q')
    .assistant([thinking('hm')], none)
    .assistant('said', none);
  assert.deepEqual(history(builder), [asked, { assistant: ['said'] }]);
});

test('a message whose only text is "(no content)" is dropped, with its thinking (rule 33)', () => {
  const builder = transcript()
    .user('q')
    .assistant([thinking('hm')], m)
    .assistant('(no content)', m)
    .user('r')
    .assistant('b');
  assert.deepEqual(history(builder), [{ user: ['q\n', 'r'] }, { assistant: ['b'] }]);
  const aside = transcript().user('q').assistant('(no content)', m).assistant('said', m);
  assert.deepEqual(history(aside), [asked, { assistant: ['(no content)', 'said'] }]);
});
