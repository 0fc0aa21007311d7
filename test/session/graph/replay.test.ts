import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { sessionUsage, turnUsage } from '../../../src/session/facts/session-usage.ts';
import { findReplayed } from '../../../src/session/graph/replay.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { turnsOf } from '../../../src/session/turns/turns.ts';
import { recordings } from '../../interop/recordings.ts';
import {
  namesOf,
  type TranscriptBuilder,
  text,
  thinking,
  toolResult,
  toolUse,
  transcript,
} from '../../support/transcript-builder.ts';

function copies(builder: TranscriptBuilder): string[] {
  const lines = builder.transcript();
  return namesOf(findReplayed(lines, lines.nodes));
}

/** A prompt, an answer of three lines with a call, its result, an interrupt, all in messages `m` and `n`. */
function history(builder: TranscriptBuilder): TranscriptBuilder {
  const m = { message: { id: 'm' } };
  return builder
    .user('question')
    .assistant([thinking('hm')], m)
    .assistant('on it', m)
    .assistant([toolUse('t1')], m)
    .result('t1')
    .assistant('done', { message: { id: 'n' } })
    .user('[Request interrupted by user]');
}

test('a history chained after itself is recognised line by line, also with new times', () => {
  const builder = history(history(transcript())).user('next').assistant('answer');
  assert.deepEqual(copies(builder), ['u3', 'a5', 'a6', 'a7', 'r2', 'a8', 'u4']);
});

test('a replay may begin in the middle, and come twice', () => {
  const m = { message: { id: 'm' } };
  const builder = transcript()
    .user('q')
    .assistant('a', m)
    .user('stop')
    .assistant('a', m)
    .user('stop')
    .assistant('a', m)
    .user('go');
  assert.deepEqual(copies(builder), ['a2', 'u3', 'a3']);
});

test('a replay that repeats the times of its prompts is recognised without neighbours', () => {
  const at = { timestamp: '2026-01-03T10:00:00.000Z' };
  const builder = transcript()
    .user('q', at)
    .assistant('a', { message: { id: 'm' } })
    .user('r')
    .user('q', at);
  builder.assistant('a', { message: { id: 'm' } });
  assert.deepEqual(copies(builder), ['u3', 'a2']);
});

test('the same prompt given twice is not a replay', () => {
  assert.deepEqual(copies(transcript().user('continue').assistant('a').user('continue').assistant('b')), []);
});

test('a message that a prompt interrupts is not a replay', () => {
  const m = { message: { id: 'm' } };
  const builder = transcript()
    .user('q')
    .call('t1', m)
    .user([toolResult('t1'), text('and')])
    .assistant('x', m)
    .user('r')
    .call('t2', m);
  assert.deepEqual(copies(builder), []);
});

test('two lines of one message with the same kinds of blocks are not copies of each other', () => {
  const m = { message: { id: 'm' } };
  const at = { timestamp: '2026-01-03T10:00:00.000Z' };
  const builder = transcript()
    .user('q')
    .assistant('one', { ...m, ...at })
    .assistant('two', { ...m, ...at })
    .user('stop');
  assert.deepEqual(copies(builder.assistant('one', m).assistant('two', m)), ['a3', 'a4']);
});

test('a chained replay is shown once and counted once', () => {
  const session = history(history(transcript())).user('next').assistant('answer').session();
  const turns = turnsOf(session);
  assert.deepEqual(
    turns.map((turn) => namesOf(turn.nodes).join(' ')),
    ['u1 a1 a2 a3 r1 a4 u2', 'u5 a9'],
  );
  assert.deepEqual(
    turns.map((turn) => turnUsage(session, turn).messages),
    [2, 1],
  );
  assert.equal(sessionUsage(session).messages, 3);
});

test('the replay that client 1.0.57 writes after an interrupt is shown once, with its prompt', async () => {
  const file = '1.0.57/interrupt/-home-dev-widgets/4d0d9165-c704-4d9f-938b-d76fc2c99155.jsonl';
  const session = await loadSession(path.join(recordings, 'real', file));
  assert.deepEqual(
    turnsOf(session).map((turn) => [
      turn.prompt?.line,
      turn.nodes.map((node) => node.line),
      turnUsage(session, turn).outputTokens,
    ]),
    [
      [1, [1, 2, 3, 4, 5], 42],
      [10, [10, 11], 31],
    ],
  );
  assert.equal(session.branches.length, 1);
  assert.equal(sessionUsage(session).outputTokens, 73);
});
