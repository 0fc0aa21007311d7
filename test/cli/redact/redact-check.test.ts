// `clew redact --check` in this process: its exit code, its output without values, and which files it looks into.
import assert from 'node:assert/strict';
import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import type { FlagValues } from '../../../src/cli/command/command.ts';
import { Unread } from '../../../src/cli/command/unread.ts';
import { check } from '../../../src/cli/redact/check.ts';
import { createStyle } from '../../../src/cli/terminal/style.ts';
import { type Refusal, refusalOf } from '../../support/refusal.ts';
import { benchWith, contentsOf } from '../../support/surgery-kit.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';

const token = `gh${'p_'}${'a1B2c3D4e5F6'.repeat(3)}`;
const failure = (count: string): Refusal => ({
  message: `${count} found; run \`clew redact SESSION\` and rotate them`,
  exitCode: 1,
});

test('a secret in any file of a session ends with exit code 1, and nothing is written', async (t) => {
  for (const name of ['tool-results/a.txt', 'subagents/agent-a1.jsonl', 'subagents/agent-a1.meta.json']) {
    const { bench, run } = library(t, 'nothing', { [`${sessionId}/${name}`]: JSON.stringify({ note: token }) });
    const before = contentsOf(bench.root);
    const { refusal, stdout } = await run([sessionId]);
    assert.deepEqual(refusal, failure('1 secret'), name);
    assert.match(
      stdout,
      new RegExp(`^${sessionId}: 1 secret\n  found:\n {4}github-token {2}${name.replaceAll('.', '\\.')} line 1: `),
    );
    assert.ok(!stdout.includes(token.slice(4)));
    assert.deepEqual(contentsOf(bench.root), before);
  }
});

test('what was checked is counted, what was found is listed, and a clean library ends well', async (t) => {
  const { run, bench } = library(t, token);
  writeFileSync(path.join(bench.folder, '22222222-2222-4222-a222-222222222222.jsonl'), transcript().user('hi').text());
  const dirty = await run([], { all: true, json: true });
  assert.deepEqual(dirty.refusal, failure('1 secret'));
  assert.deepEqual(JSON.parse(dirty.stdout), {
    checked: 2,
    sessions: [
      {
        sessionId,
        path: bench.main,
        secrets: [
          {
            kind: 'github-token',
            placeholder: '[redacted:github-token:1]',
            count: 1,
            rotate: 'https://github.com/settings/tokens',
            places: [{ file: bench.main, line: 1, turn: 1, excerpt: '"content":"use ghp_********' }],
          },
        ],
      },
    ],
    unread: [],
  });
  assert.deepEqual(await run([], { all: true, allow: [token] }), {
    refusal: undefined,
    stdout: 'no secrets found, 2 checked\n',
    unread: [],
  });
  assert.equal((await run([], { all: true, kind: ['npm-token'] })).refusal, undefined);
  assert.deepEqual((await run([], { all: true, kind: ['npm-token', 'github-token'] })).refusal, failure('1 secret'));
});

test('each finding has a line, a turn and an excerpt with at most four characters of the value', async (t) => {
  const password = ['k9Zq', 'r7Lm2xT'].join('');
  const text = transcript()
    .user('hi')
    .assistant('ok')
    .user(`cat .env\nDB_PASSWORD=${password}\nAPI_TOKEN=${token}`)
    .text();
  const old = `tool-results/out-${token}.txt`;
  const { run } = library(t, 'nothing', {
    [`${sessionId}.jsonl`]: text,
    [`${sessionId}/${old}`]: `first\nexport A=1 T=${token}\n${`${password} `.repeat(8).replaceAll(' ', '\n')}`,
  });
  const { refusal, stdout } = await run([sessionId]);
  assert.deepEqual(refusal, failure('2 secrets'));
  const file = 'tool-results/out-redacted-github-token-1.txt';
  assert.deepEqual(stdout.split('\n').slice(0, -4), [
    `${sessionId}: 2 secrets`,
    '  found:',
    '    env-secret    line 3 (turn 2): DB_PASSWORD=k9********',
    ...[3, 4, 5, 6, 7].map((line) => `    env-secret    ${file} line ${line}: k9********`),
    '    env-secret    the same value in 3 more places: see --json',
    '    github-token  line 3 (turn 2): API_TOKEN=ghp_********',
    `    github-token  ${file} line 2: export A=1 T=ghp_********`,
    `    github-token  ${file} (its name): out-ghp_********`,
  ]);
  const { stdout: json } = await run([sessionId], { json: true });
  assert.ok(!json.includes(token.slice(0, 5)) && !json.includes(password.slice(0, 3)));
});

test('a file that cannot be read is an error, not a session without secrets', async (t) => {
  const { run, bench } = library(t, 'nothing', { [`${sessionId}/tool-results/a.txt`]: 'out' });
  const loop = path.join(bench.folder, sessionId, 'tool-results/loop.txt');
  symlinkSync(loop, loop);
  for (const looked of [await run([sessionId]), await run([], { all: true })]) {
    assert.deepEqual(looked.unread, [{ path: loop, code: 'ELOOP' }]);
    assert.equal(looked.stdout, 'nothing was checked; 1 file or folder could not be read\n');
  }
});

function library(t: TestContext, said: string, files: Readonly<Record<string, string>> = {}) {
  const bench = benchWith(t, sessionId, transcript().user(`use ${said}`).assistant('ok').text(), files);
  const run = async (words: readonly string[], flags: FlagValues = {}) => {
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    const io = { stdout, stderr, env: bench.env, cwd: bench.root, style: createStyle(false) };
    const unread = new Unread(stderr);
    const input = { argument: words[0], words, flags: { ...flags, root: [bench.root] }, io, unread };
    const refusal = await refusalOf(check(input));
    stdout.end();
    return { refusal, stdout: await text(stdout), unread: unread.problems };
  };
  return { bench, run };
}
