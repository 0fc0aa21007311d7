// The rules that random sessions found. Every expected value was seen with client 2.1.325.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { history, sent } from '../../support/outline.ts';
import { type TranscriptBuilder, text, toolResult, toolUse, transcript } from '../../support/transcript-builder.ts';
import { attached } from './attached.ts';

const m = { message: { id: 'm' } };
const opus5 = { message: { model: 'claude-opus-5-5' } };
const asked = { user: ['q'] };
const noResponse = { assistant: ['No response requested.'] };
const next = { user: ['next'] };

test('models of the newer kind receive the texts of known attachments as system messages', () => {
  const sentTo = (model: string, type: string): unknown =>
    history(
      transcript()
        .user('q')
        .assistant('a', { message: { model } })
        .attachment(type, ['see'])
        .user('q2')
        .assistant('b', { message: { model } }),
    )[2];
  assert.deepEqual(sentTo('claude-opus-5-5', 'hook_success'), { user: ['q2'] });
  assert.deepEqual(sentTo('claude-opus-5-5', 'session_context'), { user: ['see\n', 'q2'] });
  assert.deepEqual(sentTo('claude-opus-5-5', 'not_known_to_anybody'), { user: ['see\n', 'q2'] });
  assert.deepEqual(sentTo('claude-opus-4-5-20251101', 'hook_success'), { user: ['see\n', 'q2'] });
});

test('white space between the lines of one answer is not sent, in an answer of one line it is', () => {
  const blank = text('\n\n');
  const oneLine = transcript()
    .user('q')
    .assistant([blank, toolUse('t1')])
    .result('t1')
    .assistant('b');
  assert.deepEqual(history(oneLine)[1], { assistant: ['\n\n', 'call t1'] });
  const lines = transcript()
    .user('q')
    .assistant([blank, toolUse('t1')], m)
    .assistant('x', m)
    .result('t1')
    .assistant('b');
  assert.deepEqual(history(lines)[1], { assistant: ['x', 'call t1'] });
});

test('a text that is folded into an empty result is all of it', () => {
  const empty = transcript()
    .user('q')
    .call('t1')
    .user([toolResult('t1', '')])
    .attachment('custom', ['see'])
    .assistant('b');
  assert.deepEqual(history(empty)[2], { user: ['t1 → see'] });
});

test('only the last compaction that kept history counts', () => {
  const kept = (anchorUuid: string, uuids: string[]): JsonObject => ({ preservedMessages: { anchorUuid, uuids } });
  const builder = transcript()
    .user('old')
    .assistant('older')
    .boundary(kept('u2', ['u1']))
    .summary('first')
    .boundary(kept('u3', ['a1']))
    .summary('second')
    .assistant('b');
  assert.deepEqual(history(builder), [{ user: ['second'] }, { assistant: ['older'] }, { assistant: ['b'] }]);
});

test('a pin on a line without content is ignored', () => {
  const builder = transcript()
    .user([{ text: 'no type' }])
    .assistant('a')
    .from(null)
    .user('q')
    .assistant('b')
    .lastPrompt('u1');
  assert.deepEqual(history(builder), [asked, { assistant: ['b'] }]);
});

test('each text of an attachment is a message of its own, unless it joins a user message', () => {
  const rendered = [{ content: 'one' }, { content: [text('two')] }];
  assert.deepEqual(history(attached({ type: 'custom' }, rendered)).slice(2, 4), [
    { user: ['one'] },
    { user: ['two\n', 'q2'] },
  ]);
  const folded = transcript().user('q').call('t1').result('t1').attachment('custom', ['one', 'two']).assistant('b');
  assert.deepEqual(history(folded)[2], { user: ['t1 → out t1\n\none\n\ntwo'] });
});

test('lines of one message join over an attachment, not over a prompt', () => {
  const between = (add: (builder: TranscriptBuilder) => TranscriptBuilder): unknown =>
    history(add(transcript().user('q').assistant('a', m)).assistant('b', m));
  assert.deepEqual(
    between((builder) => builder.attachment('custom', ['see'])),
    [asked, { assistant: ['a', 'b'] }, { user: ['see'] }],
  );
  assert.deepEqual(
    between((builder) => builder.user('typed')),
    [asked, { assistant: ['a'] }, { user: ['typed'] }, { assistant: ['b'] }],
  );
});

test('a block without a type is not sent, and a line of nothing else is never the leaf', () => {
  const untyped = { text: 'no type' };
  assert.deepEqual(
    history(
      transcript()
        .user('q')
        .assistant([untyped, text('a')]),
    ),
    [asked, { assistant: ['a'] }],
  );
  assert.deepEqual(sent(transcript().user('q').assistant('a').user([untyped])), [asked, { assistant: ['a'] }, next]);
});

test('where a compaction kept history, a pin counts on a line without children, and a side line hides the leaf', () => {
  const kept = (): TranscriptBuilder =>
    transcript()
      .user('old')
      .assistant('kept')
      .boundary({ preservedSegment: { headUuid: 'u1', anchorUuid: 'u2', tailUuid: 'a1' } })
      .summary('so far')
      .user('q')
      .assistant('a');
  const history = [{ user: ['so far\n', 'old'] }, { assistant: ['kept'] }, { user: ['q'] }, { assistant: ['a'] }];
  assert.deepEqual(sent(kept().from('u3').user('other').lastPrompt('a2')), [...history, next]);
  assert.deepEqual(sent(kept().from(null).user('other').lastPrompt('u3')), [{ user: ['other'] }, noResponse, next]);
  assert.match(String(sent(kept().user('side', { isSidechain: true }))), /No conversation found/);
  assert.deepEqual(sent(kept().from(null).user('side', { isSidechain: true })), [...history, next]);
});

test('the answer to a user at the end is before local commands at the very end only', () => {
  const ran = { content: 'ran' };
  const builder = (): TranscriptBuilder => transcript().user('q').assistant('a', opus5).user('q2');
  assert.deepEqual(sent(builder().system('local_command', ran)).slice(2), [
    { user: ['q2'] },
    noResponse,
    { user: ['ran\n', 'next'] },
  ]);
  const noted = builder().system('local_command', ran).attachment('custom', ['see'], { renderedRole: 'system' });
  assert.deepEqual(sent(noted).slice(2), [{ user: ['q2\n', 'ran'] }, noResponse, next]);
});

test('where the last line joins its message before a result with a note below, the result is the end', () => {
  const builder = (): TranscriptBuilder => transcript().user('q').call('t1', m).result('t1');
  const answered = { assistant: ['same', 'call t1'] };
  assert.deepEqual(sent(builder().assistant('same', m)), [asked, answered, { user: ['t1 → out t1', 'next'] }]);
  assert.deepEqual(sent(builder().attachment('custom', ['see']).assistant('same', m)), [
    asked,
    answered,
    { user: ['t1 → out t1\n\nsee'] },
    noResponse,
    next,
  ]);
});

test('a pin on a line that is not in the file keeps the client from looking for a newer line', () => {
  const builder = (): TranscriptBuilder =>
    transcript()
      .user('child', { uuid: 'c', parentUuid: 'p' })
      .after(-5000)
      .user('parent', { uuid: 'p', parentUuid: null });
  assert.deepEqual(sent(builder()), [{ user: ['parent\n', 'child'] }, noResponse, next]);
  assert.deepEqual(sent(builder().lastPrompt('missing')), [{ user: ['parent'] }, noResponse, next]);
});

test('notes below a result next to the chain come along only where they do not lead to a message', () => {
  const noted = (add: (builder: TranscriptBuilder) => TranscriptBuilder): unknown => {
    const builder = transcript().user('q').call('t1', m).call('t2', m).result('t2');
    return history(add(builder).from('a1').result('t1').assistant('b'))[2];
  };
  assert.deepEqual(
    noted((builder) => builder.attachment('custom', ['see'])),
    {
      user: ['t2 → out t2\n\nsee', 't1 → out t1'],
    },
  );
  assert.deepEqual(
    noted((builder) => builder.attachment('custom', ['see']).user('aside')),
    {
      user: ['t2 → out t2', 't1 → out t1'],
    },
  );
});
