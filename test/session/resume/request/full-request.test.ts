// The whole request of a resume against recordings of the client, to the API and to a gateway, and the placeholders for
// values that the session does not contain.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asObject } from '../../../../src/base/json/json.ts';
import { loadSession, type Session } from '../../../../src/session/load/session.ts';
import { normalise } from '../../../../src/session/resume/messages/normalise.ts';
import { type FullRequest, fullRequest } from '../../../../src/session/resume/request/full-request.ts';
import type { ResumeOptions } from '../../../../src/session/resume/request/request.ts';
import { type BindingCase, bindingCases } from '../../../interop/recordings.ts';
import { type Fields, transcript } from '../../../support/transcript-builder.ts';

function requestOf(session: Pick<Session, 'transcript'>, options: ResumeOptions, prompt?: string): FullRequest {
  const request = fullRequest(session, prompt, options);
  if ('refused' in request) assert.fail(request.refused);
  return request;
}

test('there are recordings of both ways', () => {
  const hosts = bindingCases().map(({ host }) => host);
  assert.equal(hosts.length, 19);
  assert.deepEqual(new Set(hosts), new Set(['anthropic', 'gateway']));
});

for (const { name, file, host, expected } of bindingCases()) {
  test(`${name}: what the client sent`, async () => {
    const request = requestOf(await loadSession(file), { host }, 'next');
    assert.deepEqual(normalise(request.messages), normalise(expected.messages));
    assert.equal(request.model, expected.model);
    assert.deepEqual(request.thinking, expected.thinking);
    assert.deepEqual(request.output_config, expected.outputConfig);
    assert.deepEqual(request.context_management, expected.contextManagement);
    assert.deepEqual(request.betas, expected.betas);
    checkSystem(request, expected);
    checkTools(request, expected);
  });
}

/** The first text is a line of the client, which the recordings do not hold. */
function checkSystem({ system }: FullRequest, expected: BindingCase['expected']): void {
  if ('ofTheClient' in expected.system) assert.equal(system, 'built by the client');
  else assert.deepEqual(system, ['built by the client', { type: 'text', text: expected.system[1] }]);
}

function checkTools({ tools }: FullRequest, expected: BindingCase['expected']): void {
  const known = expected.tools.filter(({ of }) => of === 'snapshot').map((tool) => tool.name);
  if (known.length === 0) {
    assert.equal(tools, 'built by the client');
    return;
  }
  assert.ok(typeof tools !== 'string');
  assert.equal(tools.at(-1), 'built by the client');
  const names = tools.slice(0, -1).map((tool) => asObject(tool)?.name);
  assert.deepEqual(new Set(names), new Set(known));
}

const snapshot = (text: string): Fields => ({ attachment: { type: 'prompt_snapshot', systemPrompt: [text] } });

test('the snapshot that counts is the last one on the chain after its last boundary', () => {
  const builder = transcript().user('q').attachment('x', undefined, snapshot('one')).assistant('a');
  const systemOf = (): FullRequest['system'] => requestOf(builder.session(), {}).system;
  const sent = (text: string): unknown => ['built by the client', { type: 'text', text }];
  assert.deepEqual(systemOf(), sent('one'));
  builder.from('a1').attachment('x', undefined, snapshot('aside')).from('a1').user('q2').assistant('b');
  assert.deepEqual(systemOf(), sent('one'));
  builder.attachment('x', undefined, snapshot('two')).user('q3').assistant('c');
  assert.deepEqual(systemOf(), sent('two'));
  builder.boundary().summary('so far').assistant('d');
  assert.equal(systemOf(), 'built by the client');
});

/** As client 2.1.325 sent them, in an empty folder and without settings. */
const measured: readonly (readonly [string, thinking: string | undefined, effort: string | undefined, number])[] = [
  ['claude-3-5-sonnet-20241022', undefined, undefined, 8192],
  ['claude-haiku-4-5-20251001', 'enabled', undefined, 32_000],
  ['claude-sonnet-4-5-20250929', 'enabled', undefined, 32_000],
  ['claude-opus-4-5-20251101', 'enabled', 'high', 32_000],
  ['claude-opus-4-6', 'adaptive', 'high', 64_000],
  ['claude-sonnet-4-6', 'adaptive', 'high', 32_000],
  ['claude-opus-4-7', 'adaptive', 'xhigh', 64_000],
  ['claude-opus-4-8', 'adaptive', 'high', 64_000],
  ['claude-opus-5', 'adaptive', 'high', 64_000],
  ['claude-opus-5-5', 'adaptive', 'medium', 128_000],
  ['claude-sonnet-5', 'adaptive', 'high', 64_000],
  ['claude-sonnet-5-5', 'adaptive', 'medium', 128_000],
  ['claude-haiku-5-5', 'adaptive', 'medium', 128_000],
  ['claude-fable-5', 'adaptive', 'high', 64_000],
  ['claude-fable-5-1', 'adaptive', 'high', 64_000],
  ['claude-fable-5-2', 'adaptive', 'medium', 128_000],
];

for (const [model, thinking, effort, maxTokens] of measured) {
  test(`${model}: thinking, effort and output limit`, () => {
    const session = transcript().user('q').assistant('a', { message: { model } }).session();
    const request = requestOf(session, {});
    assert.equal(request.model, model);
    assert.equal(request.thinking?.type, thinking);
    assert.equal(request.output_config?.effort, effort);
    assert.equal(request.max_tokens, maxTokens);
  });
}

test('a gateway gets neither the betas of the binding nor those of the cache', () => {
  const session = transcript()
    .user('q')
    .assistant('a', { message: { model: 'claude-sonnet-5' } })
    .session();
  const shared = [
    'claude-code-20250219',
    'interleaved-thinking-2025-05-14',
    'context-management-2025-06-27',
    'thinking-token-count-2026-05-13',
    'advanced-tool-use-2025-11-20',
    'effort-2025-11-24',
  ];
  assert.deepEqual(requestOf(session, { host: 'gateway' }).betas, shared);
  const direct = requestOf(session, { host: 'anthropic' }).betas;
  assert.deepEqual(
    direct.filter((beta) => !shared.includes(beta)),
    [
      'prompt-caching-scope-2026-01-05',
      'mid-conversation-system-clear-at-2026-08-21',
      'thinking-binding-controls-2026-08-01',
      'cache-diagnosis-2026-04-07',
    ],
  );
});

test('a file that the client refuses has no request', () => {
  assert.deepEqual(Object.keys(fullRequest(transcript().session())), ['refused']);
});
