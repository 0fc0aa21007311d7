// Headers that the user adds. What the client sends for the same variables was measured with 2.1.325.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hideSecrets, withoutOwnKeys } from '../../../src/api/connection/credentials.ts';
import { mergeHeaders } from '../../../src/api/connection/headers.ts';

test('custom headers replace ours, and betas of all sources add up', () => {
  const own = { 'anthropic-beta': 'a,b', authorization: 'Bearer own' };
  const env = {
    ANTHROPIC_CUSTOM_HEADERS: 'X-One: 1\nbroken line\n X-Two :two: 2 \r\n\nAuthorization: mine\nAnthropic-Beta: d',
    ANTHROPIC_BETAS: 'b, c,,',
  };
  assert.deepEqual(mergeHeaders(own, env), {
    'anthropic-beta': 'a,b,c,d',
    authorization: 'mine',
    'x-one': '1',
    'x-two': 'two: 2',
  });
  assert.deepEqual(mergeHeaders(own, {}), own);
  assert.deepEqual(mergeHeaders({}, {}), {});
});

test('a header that cannot be sent is an error that does not show its value', () => {
  for (const text of ['a b: secret', 'x: sec\u0000ret', 'x: sec\u2028ret'])
    assert.throws(
      () => mergeHeaders({}, { ANTHROPIC_CUSTOM_HEADERS: text }),
      (error: Error) => {
        assert.match(error.message, /^ANTHROPIC_CUSTOM_HEADERS contains a header that cannot be sent: "/);
        return !/secret|ret/.test(error.message.replace('Value', ''));
      },
    );
});

test('commands and servers do not get the keys of the agent', () => {
  const env = { PATH: '/bin', ANTHROPIC_API_KEY: 'x', AWS_BEARER_TOKEN_BEDROCK: 'x', ANTHROPIC_FOUNDRY_API_KEY: 'x' };
  assert.deepEqual(withoutOwnKeys({ ...env, ANTHROPIC_CUSTOM_HEADERS: 'x', ANTHROPIC_BASE_URL: 'u' }), {
    PATH: '/bin',
    ANTHROPIC_BASE_URL: 'u',
  });
});

test('keys are replaced in a text, wherever they are; short values are words', () => {
  assert.equal(hideSecrets('no a-long-key, a-long-key', ['a-long-key', undefined, 'no']), 'no [key], [key]');
});
