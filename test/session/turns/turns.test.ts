import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionUsage, turnUsage } from '../../../src/session/facts/session-usage.ts';
import { countTurns, messagesOf, turnPromptText, turnsOf } from '../../../src/session/turns/turns.ts';
import { namesOf, type TranscriptBuilder, text, toolResult, transcript } from '../../support/transcript-builder.ts';

function turns(builder: TranscriptBuilder, branch = 0): unknown[] {
  const session = builder.session();
  return turnsOf(session, session.branches[branch]).map(({ index, promptKind, nodes }) => [
    index,
    promptKind,
    namesOf(nodes).join(' '),
  ]);
}

const m = { message: { id: 'm' } };

test('a turn runs from one prompt of the user to the next', () => {
  const builder = transcript()
    .user('one')
    .call('t1')
    .result('t1')
    .system('turn_duration')
    .user('injected', { isMeta: true })
    .user('[Request interrupted by user]')
    .user('<command-name>/x</command-name>')
    .user('<local-command-stdout>out</local-command-stdout>')
    .user('two')
    .assistant('a');
  assert.deepEqual(turns(builder), [
    [1, 'plain', 'u1 a1 r1 s1 u2 u3'],
    [2, 'slash-command', 'u4 u5'],
    [3, 'plain', 'u6 a2'],
  ]);
});

const opened = '<ide_opened_file>The user opened the file /w/a.ts in the IDE.</ide_opened_file>';
const at = (second: number): { timestamp: string } => ({
  timestamp: `2026-01-02T03:04:${String(second).padStart(2, '0')}.000Z`,
});

test('the lines into which a resume splits a prompt are one turn', () => {
  const builder = transcript()
    .user(opened, at(1))
    .user([{ type: 'image', source: {} }], at(1))
    .user('what is this?', at(1))
    .assistant('a robot', at(2))
    .user(opened, at(3))
    .user('and now?', at(4))
    .assistant('still one', at(5));
  assert.deepEqual(turns(builder), [
    [1, 'ide-opened-file', 'u1 u2 u3 a1'],
    [2, 'ide-opened-file', 'u4 u5 a2'],
  ]);
  const session = builder.session();
  const found = turnsOf(session).map((turn) => [
    namesOf(turn.prompt === undefined ? [] : [turn.prompt]).join(),
    namesOf(turn.promptLines).join(' '),
    turnPromptText(session, turn),
  ]);
  assert.deepEqual(found, [
    ['u3', 'u1 u2 u3', 'what is this?'],
    ['u5', 'u4 u5', 'and now?'],
  ]);
  assert.equal(countTurns(session.transcript, session.branches[0]?.nodes ?? []), 2);
});

test('two prompts at different times, or with a line between them, are two turns', () => {
  const later = transcript().user('one', at(1)).user('two', at(2)).assistant('a', at(3));
  assert.deepEqual(turns(later), [
    [1, 'plain', 'u1'],
    [2, 'plain', 'u2 a1'],
  ]);
  const apart = transcript().user('one', at(1)).system('informational', at(1)).user('two', at(1));
  assert.deepEqual(turns(apart), [
    [1, 'plain', 'u1 s1'],
    [2, 'plain', 'u2'],
  ]);
  const commands = transcript().user('one', at(1)).user('<command-name>/x</command-name>', at(1));
  assert.deepEqual(turns(commands), [
    [1, 'plain', 'u1'],
    [2, 'slash-command', 'u2'],
  ]);
});

test('a line with a result and a human text begins a turn', () => {
  const builder = transcript()
    .user('one')
    .call('t1', m)
    .user([toolResult('t1'), text('two')])
    .assistant('a');
  assert.deepEqual(turns(builder), [
    [1, 'plain', 'u1 a1'],
    [2, 'plain', 'u2 a2'],
  ]);
});

test('the lines before the first prompt are a turn only if there is a message among them', () => {
  const silent = transcript().system('informational').user('injected', { isMeta: true }).user('one').assistant('a');
  assert.deepEqual(turns(silent), [[1, 'plain', 's1 u1 u2 a1']]);
  const spoken = transcript().assistant('a').user('one');
  assert.deepEqual(turns(spoken), [
    [1, undefined, 'a1'],
    [2, 'plain', 'u1'],
  ]);
});

test('side lines of the branch are in the turn of their message', () => {
  const builder = transcript()
    .user('one')
    .call('t1', m)
    .call('t2', m)
    .from('a1')
    .result('t1')
    .from('a2')
    .result('t2')
    .user('two')
    .assistant('a');
  assert.deepEqual(turns(builder), [
    [1, 'plain', 'u1 a1 r1 a2 r2'],
    [2, 'plain', 'u2 a3'],
  ]);
});

test('another branch has turns of its own, from its fork', () => {
  const builder = transcript()
    .user('one')
    .assistant('a')
    .user('two')
    .assistant('b')
    .from('a1')
    .user('three')
    .assistant('c');
  assert.deepEqual(turns(builder, 1), [[1, 'plain', 'u2 a2']]);
});

test('a prompt that was typed while the agent worked is a queued one', () => {
  const builder = transcript()
    .user('one')
    .call('t1')
    .queue('enqueue', 'two')
    .result('t1')
    .assistant('a')
    .queue('dequeue')
    .user('two', { parentUuid: 'a2' });
  assert.deepEqual(turns(builder.assistant('b')), [
    [1, 'plain', 'u1 a1 r1 a2'],
    [2, 'queued', 'u2 a3'],
  ]);
});

test('the messages of a turn: assistant lines merged by id, results between them or not, and each user line alone', () => {
  const last = { message: { id: 'm', stop_reason: 'tool_use', model: 'other' } };
  const first = { message: { id: 'm', stop_reason: null } };
  const builder = transcript()
    .user('q')
    .assistant('x', first)
    .call('t1', first)
    .result('t1')
    .call('t2', last)
    .result('t2')
    .assistant('done');
  const [turn] = turnsOf(builder.session());
  assert.deepEqual(
    turn &&
      messagesOf(turn).map(({ role, id, model, stopReason, nodes }) => [
        role,
        id,
        model,
        stopReason,
        namesOf(nodes).join(' '),
      ]),
    [
      ['user', undefined, undefined, undefined, 'u1'],
      ['assistant', 'm', 'claude-opus-4-5-20251101', 'tool_use', 'a1 a2 a3'],
      ['user', undefined, undefined, undefined, 'r1'],
      ['user', undefined, undefined, undefined, 'r2'],
      ['assistant', 'm1', 'claude-opus-4-5-20251101', 'end_turn', 'a4'],
    ],
  );
});

test('a message that a prompt interrupts counts once, in the turn it began in, with its last usage', () => {
  const usage = (output_tokens: number) => ({ message: { id: 'm', usage: { input_tokens: 10, output_tokens } } });
  const builder = transcript()
    .user('one')
    .call('t1', usage(3))
    .user([toolResult('t1'), text('two')])
    .assistant('x', usage(40))
    .assistant('y');
  const session = builder.session();
  const [one, two] = turnsOf(session);
  assert.deepEqual([one?.continued, two?.continued], [new Set(), new Set(['m'])]);
  assert.deepEqual(
    [one, two].map((turn) => turn && [turnUsage(session, turn).messages, turnUsage(session, turn).outputTokens]),
    [
      [1, 40],
      [1, 5],
    ],
  );
  assert.equal(sessionUsage(session).outputTokens, 45);
});

test('a session without a conversation has no turns', () => {
  assert.deepEqual(turns(transcript().aside('summary', { summary: 's' })), []);
});
