import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckableRequest } from '../../../src/api/request/request-view.ts';
import { apiRules, checkRequest } from '../../../src/api/rules/check-request.ts';
import { assistant, call, image, imageBlock, result, text, thought, user } from '../../support/api-request.ts';
import { tinyImage } from '../../support/tiny-images.ts';
import { ruleCases } from '../rule-cases.ts';

for (const { what, request, violations } of ruleCases) {
  test(`${violations[0]?.rule}: ${what}`, () => assert.deepEqual(checkRequest(request), violations));
}

test('every rule has a case that breaks it', () => {
  const broken = new Set(ruleCases.flatMap(({ violations }) => violations.map(({ rule }) => rule)));
  assert.deepEqual(
    apiRules.map(({ code }) => code).filter((code) => !broken.has(code)),
    [],
  );
});

const toolTurn = [user('a'), assistant(text('b'), call('t1'), call('t2')), user(result('t1'), result('t2'), text('c'))];

const mebibyteFive = tinyImage('jpeg', 8000, 8000).toString('base64').padEnd(5_242_880, 'A');

const healthy: Readonly<Record<string, CheckableRequest>> = {
  'a string': [user('a')],
  'a conversation': [user('a'), assistant('b'), user('c')],
  'neighbours of one role': [user('a'), user('b'), assistant('c'), assistant('d'), user('e')],
  'calls, their results, and a text after them': toolTurn,
  'a reminder between call and result': {
    model: 'claude-opus-5-5',
    messages: [user('a'), assistant(call('t1')), { role: 'system', content: 'b' }, user(result('t1'))],
  },
  'empty and absent results': [
    user('a'),
    assistant(call('t1'), call('t2'), call('t3')),
    user(result('t1', ''), result('t2', [text('')]), { type: 'tool_result', tool_use_id: 't3' }),
  ],
  'a blank text next to others': [user(text('a'), text(' ')), assistant(text('\n\n'), call('t1')), user(result('t1'))],
  'a prefill, on a model that takes one': { model: 'claude-sonnet-4-5', messages: [user('a'), assistant('{')] },
  'an empty last answer': { model: 'claude-sonnet-4-5', messages: [user('a'), { role: 'assistant', content: [] }] },
  'thinking that was left out by the API': {
    model: 'claude-opus-4-8',
    messages: [user('a'), assistant(thought({ thinking: '' }), text('b')), user('c')],
  },
  'thinking whose text was removed: the signature carries it': {
    model: 'claude-3-7-sonnet-20250219',
    messages: [user('a'), assistant(thought({ thinking: '' }), text('b')), user('c')],
  },
  'redacted thinking': [user('a'), assistant({ type: 'redacted_thinking', data: 'abc' }, text('b')), user('c')],
  'a tool loop with thinking at its start only': {
    thinking: { type: 'enabled', budget_tokens: 1024 },
    messages: [
      user('a'),
      assistant(thought(), call('t1')),
      user(result('t1')),
      assistant(call('t2')),
      user(result('t2')),
    ],
  },
  'a tool loop without thinking, when it is adaptive': { thinking: { type: 'adaptive' }, messages: toolTurn },
  'a finished turn without thinking': {
    thinking: { type: 'enabled', budget_tokens: 1024 },
    messages: [...toolTurn, assistant('d'), user('e')],
  },
  'the largest image': [user(imageBlock('image/jpeg', mebibyteFive))],
  'twenty large images': [user(...Array.from({ length: 20 }, () => image('png', 8000, 10)))],
  'an image elsewhere': [user({ type: 'image', source: { type: 'url', url: 'https://example.com/a.bmp' } })],
  'four cache marks, and one that is null': [
    user(...[1, 2, 3, 4].map(() => ({ ...text('a'), cache_control: { type: 'ephemeral' } })), {
      ...text('b'),
      cache_control: null,
    }),
  ],
  'block types of the future': [
    user({ type: 'hologram', data: 1 }),
    assistant({ type: 'server_tool_use', id: 's.1' }),
    user('a'),
  ],
  'a prompt that just fits, by estimate': { model: 'claude-haiku-4-5', messages: [user('abc '.repeat(200_000))] },
  'a model of the future': { model: 'claude-zeta-9', messages: [user('a'), assistant('b')] },
};

for (const [what, request] of Object.entries(healthy)) {
  test(`nothing is wrong with ${what}`, () => assert.deepEqual(checkRequest(request), []));
}

test('violations are sorted by place, whatever rule they break', () => {
  const request = {
    model: 'claude-opus-5-5',
    messages: [
      user(text('')),
      assistant(call('t1', { input: null }), text(''), thought()),
      user(result('t9'), text('')),
    ],
  };
  assert.deepEqual(
    checkRequest(request).map(({ rule, path }) => [path, rule]),
    [
      ['messages.0.content.0', 'empty-text'],
      ['messages.1.content.0', 'unanswered-tool'],
      ['messages.1.content.0', 'tool-input'],
      ['messages.1.content.1', 'empty-text'],
      ['messages.1.content.2', 'thinking-last'],
      ['messages.2.content.0', 'orphan-result'],
      ['messages.2.content.1', 'empty-text'],
    ],
  );
});

test('a request is not changed by checking it', () => {
  for (const { request } of ruleCases.slice(0, 40)) {
    const before = structuredClone(request);
    checkRequest(request);
    assert.deepEqual(request, before);
  }
});

test('values that are not requests have no messages', () => {
  for (const request of [null, undefined, 7, 'a', { messages: {} }]) {
    assert.deepEqual(
      checkRequest(request as unknown as CheckableRequest).map(({ rule }) => rule),
      ['no-messages'],
    );
  }
});

test('values nested deeper than the stack are checked', () => {
  let deep: unknown = '\ud800';
  for (let i = 0; i < 100_000; i++) deep = i % 2 === 0 ? [deep] : { a: deep };
  const messages = [user('a'), assistant({ ...call('t1'), input: { deep } } as never), user(result('t1'))];
  assert.deepEqual(
    checkRequest(messages).map(({ rule }) => rule),
    ['lone-surrogate'],
  );
});

test('twice the request is twice the work', () => {
  const [once, twice] = [200, 400].map((turns) => countReads(largeRequest(turns), checkRequest)) as [number, number];
  assert.ok(once > 2000, `${once} reads`);
  assert.ok(twice < once * 2.2, `${once} reads for the half, ${twice} for the whole`);
});

test('thousands of open calls in one message give a bounded message', () => {
  const calls = Array.from({ length: 5000 }, (_, i) => call(`t${i}`));
  const violations = checkRequest([user('a'), assistant(...calls), user('b')]);
  assert.equal(violations.length, 5000);
  assert.ok(violations.every(({ message }) => message.length < 1000));
});

/** Whole turns with every kind of content, and an unanswered call in each. */
function largeRequest(turns: number): CheckableRequest {
  return Array.from({ length: turns }, (_, i) => [
    user(text('a'), image('png', 20, 20)),
    assistant(thought(), text('b'), call(`t${i}`), call(`u${i}`)),
    user(result(`t${i}`, [text('c'), image('gif', 20, 20)])),
  ]).flat();
}

/** Counts every property access in the request. */
function countReads(request: CheckableRequest, look: (request: CheckableRequest) => unknown): number {
  let reads = 0;
  const watched = (value: unknown): unknown =>
    typeof value !== 'object' || value === null
      ? value
      : new Proxy(value, {
          get(target, key) {
            reads++;
            return watched(Reflect.get(target, key));
          },
        });
  look(watched(request) as CheckableRequest); // the same shape
  return reads;
}
