// Damaged requests and what is sent instead, written by hand; the corpora are in request.slow.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repairRequest } from '../../../src/api/repair/request.ts';
import { checkRequest } from '../../../src/api/rules/check-request.ts';
import { asString, type JsonObject } from '../../../src/base/json/json.ts';
import type { WireMessage } from '../../../src/session/resume/messages/draft.ts';
import { assistant, call, image, result, text, thought, user } from '../../support/api-request.ts';

const model = 'claude-opus-5-5';

function repaired(...messages: readonly JsonObject[]): readonly WireMessage[] {
  assert.notDeepEqual(checkRequest({ messages: wire(messages), model }), []);
  const request = repairRequest(wire(messages), { model });
  assert.deepEqual(checkRequest({ messages: request.messages, model }), []);
  assert.notDeepEqual(request.notes, []);
  return request.messages;
}

/** The builders' messages have a role and blocks or text. */
function wire(messages: readonly JsonObject[]): readonly WireMessage[] {
  return messages.map((message) => message as unknown as WireMessage);
}

test('a valid request is not changed', () => {
  const messages = wire([user('go'), assistant(call('t1')), user(result('t1'), text('and?'))]);
  const request = repairRequest(messages);
  assert.equal(request.messages, messages);
  assert.deepEqual(request.notes, []);
});

test('calls have one result, right after their message, before anything else', () => {
  const interrupted = /^\[Tool call interrupted/;
  const [, , answered, , last] = repaired(
    user('go'),
    assistant(call('t1'), call('t2')),
    user(text('typed'), result('t2')),
    assistant(call('t2'), text('on')),
    user(result('t1'), result('t9', 'lost')),
  );
  const [missing, ...others] = answered?.content ?? [];
  assert.match(asString(missing?.content) ?? '', interrupted);
  assert.deepEqual(others, [result('t2'), text('typed')]);
  assert.deepEqual(last?.content, [text('[Result of a tool call that is not in this session: t9]\nlost')]);
});

test('altered, empty or too large blocks are removed, and the request still ends with the user', () => {
  assert.deepEqual(
    repaired(
      assistant(text('first')),
      user(image('png', 9000, 10), text(' ')),
      assistant(thought({ signature: '' }), text('said')),
      user('go'),
    ),
    wire([
      user(text('[The beginning of this conversation is not in the file.]')),
      assistant(text('first')),
      user(text('[image taken out of the request: image/png, 9000 × 10 pixels]')),
      assistant(text('said')),
      user(text('go')),
    ]),
  );
});

test('a repeated call is kept once, and an open one at the end is closed', () => {
  const [first, ...others] = repaired(
    user('go'),
    assistant(call('t1')),
    user(result('t1', 'one')),
    assistant(text('again'), call('t1'), call('t2')),
  );
  assert.deepEqual(first?.content, [text('go')]);
  const last = others.pop()?.content[0];
  assert.deepEqual([last?.tool_use_id, last?.is_error], ['t2', true]);
  assert.deepEqual(
    others,
    wire([assistant(call('t1')), user(result('t1', 'one')), assistant(text('again'), call('t2'))]),
  );
});

test('a text that is too long for the model loses its middle, and nothing else changes', () => {
  const long = `begin ${'word '.repeat(220_000)}end`;
  const small = { model: 'claude-haiku-4-5' };
  const messages = wire([user(text(long)), assistant(text('read')), user(text('and now?'))]);
  const request = repairRequest(messages, small);
  assert.deepEqual(checkRequest({ messages: request.messages, ...small }), []);
  const [first, second, third] = request.messages;
  const kept = asString(first?.content[0]?.text) ?? '';
  assert.match(kept, /^begin word [\s\S]* characters left out of the request …\]\n[\s\S]*word end$/);
  assert.ok(kept.length < long.length / 2);
  assert.deepEqual([second, third], wire([assistant(text('read')), user(text('and now?'))]));
});

test('a call without an id gets one, and the same one in every request', () => {
  const messages = [user('go'), assistant({ type: 'tool_use', name: 'Bash', input: {} }), user('and?')];
  const [first, second] = [repaired(...messages), repaired(...messages)];
  assert.deepEqual(first, second);
  const id = asString(first[1]?.content[0]?.id) ?? '';
  assert.match(id, /^toolu_[0-9a-f]{24}$/);
  assert.equal(first[2]?.content[0]?.tool_use_id, id);
});
