import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolCallsOf } from '../../../src/session/turns/tool-calls.ts';
import { turnsOf } from '../../../src/session/turns/turns.ts';
import { type TranscriptBuilder, text, toolResult, toolUse, transcript } from '../../support/transcript-builder.ts';

function calls(builder: TranscriptBuilder): unknown[] {
  const session = builder.session();
  return turnsOf(session).flatMap((turn) =>
    toolCallsOf(session, turn).map(({ id, name, node, result, isError, agentId }) =>
      [id, name, node.uuid, result?.uuid ?? 'open', isError ? 'error' : '', agentId ?? ''].filter(Boolean).join(' '),
    ),
  );
}

const m = { message: { id: 'm' } };

test('a call is paired with its result by id, never by parent', () => {
  const builder = transcript()
    .user('q')
    .assistant([text('two'), toolUse('t1'), toolUse('t2', 'Bash')], m)
    .call('t3', m)
    .result(['t3', 't1'])
    .from('a1')
    .result('t2')
    .from('r1')
    .assistant('done');
  assert.deepEqual(calls(builder), ['t1 Read a1 r1', 't2 Bash a1 r2', 't3 Read a2 r1']);
});

test('a call without a result is open, an orphaned result makes no call', () => {
  assert.deepEqual(calls(transcript().user('q').call('t1').result('t9').assistant('done')), ['t1 Read a1 open']);
});

test('the first of several results is the one, and an error is one only for its own call', () => {
  const failed = toolResult('t1', 'no', { is_error: true });
  const builder = transcript()
    .user('q')
    .assistant([toolUse('t1'), toolUse('t2')])
    .user([failed, toolResult('t2')])
    .result('t1');
  assert.deepEqual(calls(builder), ['t1 Read a1 u2 error', 't2 Read a1 u2']);
});

test('a call made again in the same turn is one call', () => {
  assert.deepEqual(calls(transcript().user('q').call('t1', m).call('t1', m).result('t1')), ['t1 Read a1 r1']);
});

test('a call names the agent that its result came from', () => {
  const builder = transcript()
    .user('q')
    .call('t1')
    .result('t1', { toolUseResult: { agentId: 'abc1234' } });
  assert.deepEqual(calls(builder), ['t1 Read a1 r1 abc1234']);
});
