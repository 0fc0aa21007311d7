import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findQueuedPrompts } from '../../../src/session/turns/queue.ts';
import { type TranscriptBuilder, text, transcript } from '../../support/transcript-builder.ts';

function queued(builder: TranscriptBuilder): string[] {
  const { nodes, read } = builder.transcript();
  return findQueuedPrompts(nodes, read).map(({ text: said, outcome, shownBy, whileWorking }) =>
    [JSON.stringify(said), outcome, shownBy?.uuid, whileWorking ? 'while working' : ''].filter(Boolean).join(' '),
  );
}

const notice = '<task-notification>\n<task-id>b1</task-id>\n</task-notification>';

function working(): TranscriptBuilder {
  return transcript().user('one').call('t1');
}

test('enqueue and remove: delivered to the model in the middle of a turn, with no line of its own', () => {
  const builder = working().queue('enqueue', 'wait').result('t1').queue('remove', 'wait').assistant('a');
  assert.deepEqual(queued(builder), ['"wait" delivered while working']);
});

test('a remove that names nothing takes the first prompt', () => {
  assert.deepEqual(queued(working().queue('enqueue', 'a').queue('enqueue', 'b').result('t1').queue('remove')), [
    '"a" delivered while working',
    '"b" waiting while working',
  ]);
});

test('a remove that names another text takes nothing', () => {
  assert.deepEqual(queued(working().queue('enqueue', 'a').queue('remove', 'b')), ['"a" waiting']);
});

test('enqueue and dequeue: becomes the next user line', () => {
  const direct = transcript().queue('enqueue', 'one').queue('dequeue').user('one').assistant('a');
  assert.deepEqual(queued(direct), ['"one" prompt u1']);
  const early = working().queue('enqueue', 'two').result('t1').queue('dequeue').user('two');
  assert.deepEqual(queued(early), ['"two" prompt u2 while working']);
});

test('enqueue and popAll: taken back, one by name or all', () => {
  const named = working().queue('enqueue', 'a').queue('enqueue', 'b').queue('popAll', 'a').queue('popAll', 'b');
  assert.deepEqual(queued(named), ['"a" taken-back', '"b" taken-back']);
  const all = working().queue('enqueue', 'a').queue('enqueue', 'b').queue('popAll');
  assert.deepEqual(queued(all), ['"a" taken-back', '"b" taken-back']);
});

test('notices of background tasks are nobody’s prompts, and overtake prompts', () => {
  const builder = working()
    .queue('enqueue', 'still running?')
    .queue('enqueue', notice)
    .queue('enqueue', '{"task_id":"b1","description":"Follow"}')
    .result('t1')
    .queue('dequeue')
    .user(notice)
    .assistant('a')
    .queue('dequeue')
    .user('still running?');
  assert.deepEqual(queued(builder), ['"still running?" prompt u3 while working']);
});

test('a prompt of blocks, a slash command and a picture are matched with their lines', () => {
  const command =
    '<command-message>init</command-message>\n<command-name>/init</command-name>\n<command-args>now</command-args>';
  const builder = transcript()
    .queue('enqueue', [text('one')])
    .queue('dequeue')
    .user([text('<ide_opened_file>f</ide_opened_file>'), text('one')])
    .queue('enqueue', '/init now')
    .queue('dequeue')
    .user(command)
    .queue('enqueue')
    .queue('dequeue')
    .user([text('what is this?'), { type: 'image' }]);
  assert.deepEqual(queued(builder), ['"one" prompt u1', '"/init now" prompt u2', '"what is this?" prompt u3']);
});

test('a dequeue without an enqueue, as 2.1.29 writes at the start, is nothing', () => {
  assert.deepEqual(queued(transcript().queue('dequeue').user('one').assistant('a')), []);
});

test('an attachment shows the prompt that was delivered, or replaces it', () => {
  const attachment = (prompt: string, fields: object = {}) => ({
    attachment: { type: 'queued_command', prompt, commandMode: 'prompt', ...fields },
  });
  const builder = working()
    .queue('enqueue', 'a')
    .result('t1')
    .queue('remove', 'a')
    .attachment('queued_command', undefined, attachment('a'))
    .attachment('queued_command', undefined, attachment('b'))
    .attachment('queued_command', undefined, attachment(notice))
    .attachment('queued_command', undefined, attachment('c', { commandMode: 'task-notification' }))
    .attachment('queued_command', undefined, attachment('d', { isMeta: true }));
  assert.deepEqual(queued(builder), ['"a" delivered x1 while working', '"b" delivered x2 while working']);
});

test('a long queue takes linear time', () => {
  const builder = transcript();
  for (let i = 0; i < 50_000; i++) builder.entry({ type: 'queue-operation', operation: 'enqueue', content: `p${i}` });
  for (let i = 0; i < 50_000; i++) builder.entry({ type: 'queue-operation', operation: i % 2 ? 'dequeue' : 'remove' });
  const outcomes = queued(builder).map((said) => said.split(' ')[1]);
  assert.deepEqual([outcomes.length, new Set(outcomes)], [50_000, new Set(['delivered', 'prompt'])]);
});
