// The command that prints the key: how often it runs, and each way it can fail.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { KeyHelper } from '../../../src/api/connection/key-helper.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

function makeHelper(t: TestContext, command: string, env: NodeJS.ProcessEnv = {}, timeoutMs = 60_000) {
  const cwd = temporaryFolder(t);
  const clock = { ms: 0 };
  const file = path.join(cwd, 'runs');
  const all = { PATH: process.env.PATH, ...env };
  const helper = new KeyHelper({
    command: `echo run >> runs; ${command}`,
    cwd,
    env: all,
    timeoutMs,
    nowMs: () => clock.ms,
  });
  const runs = (): number => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0);
  return { helper, clock, runs };
}

const { signal } = new AbortController();

test('a key is kept for five minutes, and requests at the same time share one run', async (t) => {
  const { helper, clock, runs } = makeHelper(t, 'echo "  key-1 "');
  assert.deepEqual(await Promise.all([helper.key(signal), helper.key(signal)]), ['key-1', 'key-1']);
  clock.ms = 299_999;
  await helper.key(signal);
  assert.equal(runs(), 1);
  clock.ms = 300_000;
  await helper.key(signal);
  assert.equal(runs(), 2);
});

test('CLAUDE_CODE_API_KEY_HELPER_TTL_MS sets how long; 0 keeps nothing; anything else is ignored', async (t) => {
  for (const [text, expected] of [
    ['1000', 2],
    ['0', 3],
    ['soon', 1],
  ] as const) {
    const { helper, clock, runs } = makeHelper(t, 'echo k', { CLAUDE_CODE_API_KEY_HELPER_TTL_MS: text });
    await helper.key(signal);
    clock.ms = 999;
    await helper.key(signal);
    clock.ms = 1000;
    await helper.key(signal);
    assert.equal(runs(), expected, text);
  }
});

test('a refused key is fetched again, but not because an older one was refused', async (t) => {
  const { helper, runs } = makeHelper(t, 'echo "key-$(wc -l < runs | tr -d " ")"');
  assert.equal(await helper.key(signal), 'key-1');
  helper.refuse('key-1');
  assert.equal(await helper.key(signal), 'key-2');
  helper.refuse('key-1');
  assert.equal(await helper.key(signal), 'key-2');
  assert.equal(runs(), 2);
});

for (const [command, message] of [
  ['echo hidden; exit 3', /^apiKeyHelper failed with exit code 3; run its command in a shell to see why$/],
  ['echo hidden >&2', /^apiKeyHelper printed no key; /],
  ['echo hidden line; echo hidden', /^apiKeyHelper printed something that is not a key; /],
  ['head -c 70000 /dev/zero | tr "\\0" h', /^apiKeyHelper printed more than 65536 bytes; /],
  ['kill -9 $$', /^apiKeyHelper was killed; /],
  ['no-such-program', /^apiKeyHelper failed with exit code 127; /],
] as const) {
  test(`a helper that fails, and its output is not shown: ${command}`, async (t) => {
    const { helper, runs } = makeHelper(t, command);
    for (const run of [1, 2]) {
      await assert.rejects(helper.key(signal), (error: Error) => {
        assert.match(error.message, message);
        assert.doesNotMatch(`${error.message} ${error.stack}`, /hidden/);
        return true;
      });
      assert.equal(runs(), run, 'a failure is not kept');
    }
  });
}

test('a helper that does not end is ended with its children, after a time or with the last request', async (t) => {
  const slow = makeHelper(t, 'sleep 60; echo k', {}, 100);
  await assert.rejects(slow.helper.key(signal), /did not end within 0\.1 s/);
  const { helper } = makeHelper(t, 'sleep 60 & wait');
  const [one, two] = [new AbortController(), new AbortController()];
  const both = [helper.key(one.signal), helper.key(two.signal)];
  const ended = Promise.allSettled(both);
  one.abort();
  two.abort();
  assert.deepEqual(
    (await ended).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
});
