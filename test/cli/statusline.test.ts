import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { cleanEnv, jsonOf, type Run, runClew } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { answerLine, session1, session2 } from '../support/usage-library.ts';

interface Place {
  readonly file: string;
  readonly other: string;
  readonly env: Readonly<Record<string, string>>;
  line(input: string, ...args: readonly string[]): Run;
}

/** Two sessions of today, one of which is the current one. */
function place(context: TestContext): Place {
  const folder = temporaryFolder(context);
  const root = path.join(folder, 'root');
  const time = new Date().toISOString();
  writeTree(root, {
    [`projects/-w-p/${session1}.jsonl`]: `${answerLine({
      id: 'a',
      output: 1000,
      time,
      usage: { cache_read_input_tokens: 19_990 },
    })}\n`,
    [`projects/-w-p/${session2}.jsonl`]: `${answerLine({ id: 'b', output: 2000, time })}\n`,
  });
  const env = { CLEW_HOME: path.join(folder, 'state'), CLEW_ROOTS: root };
  return {
    file: path.join(root, `projects/-w-p/${session1}.jsonl`),
    other: path.join(root, `projects/-w-p/${session2}.jsonl`),
    env,
    line: (input, ...args) => statusline(input, env, args),
  };
}

function statusline(input: string, env: Readonly<Record<string, string>>, args: readonly string[] = []): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, [clew, 'statusline', ...args], {
    encoding: 'utf8',
    input,
    env: { ...cleanEnv(), ...env },
  });
  return { status, stdout, stderr };
}

test('one line: cost of the session, cost of today, and how full the context is', (context) => {
  const { file, env, line } = place(context);
  runClew(['usage'], { env });
  const told = JSON.stringify({ session_id: session1, transcript_path: file, model: { id: 'claude-sonnet-4-5' } });
  assert.deepEqual(line(told), {
    status: 0,
    stdout: '$0.02 session · $0.05 today · 20.0k context (10 %)\n',
    stderr: '',
  });
  const wide = JSON.stringify({ transcript_path: file, model: { id: 'claude-sonnet-4-5[1m]' } });
  assert.equal(line(wide).stdout, '$0.02 session · $0.05 today · 20.0k context (2 %)\n');
});

test('only the current transcript is read: what else is new waits for another command', (context) => {
  const { file, other, env, line } = place(context);
  const told = JSON.stringify({ transcript_path: file });
  assert.equal(line(told).stdout, '$0.02 session · $0.02 today · 20.0k context (10 %)\n');
  assert.equal(line(JSON.stringify({ transcript_path: other })).stdout.split(' · ')[1], '$0.05 today');
  appendFileSync(file, `${answerLine({ id: 'c', output: 100_000, input: 50_000, time: new Date().toISOString() })}\n`);
  assert.equal(line(told).stdout, '$1.67 session · $1.70 today · 50.0k context (25 %)\n');
  assert.deepEqual((jsonOf(['usage', '--json'], { env }) as { totals: { messages: number } }).totals.messages, 3);
});

test('whatever comes in, stdout holds no error and the exit code is 0', (context) => {
  const { env, line, file } = place(context);
  const inputs = [
    '',
    'not json',
    '[]',
    'null',
    '{"transcript_path": 5, "model": "x"}',
    '{"transcript_path": "/no/such/file.jsonl"}',
    `{"transcript_path": ${JSON.stringify(path.dirname(file))}}`,
    '{"context_window": {"context_window_size": -1}, "model": {"id": null}}',
  ];
  for (const input of inputs) {
    assert.deepEqual([input, line(input)], [input, { status: 0, stdout: '$0.00 session · $0.00 today\n', stderr: '' }]);
  }
  const broken = path.join(temporaryFolder(context), 'file');
  writeFileSync(broken, '');
  const { status, stdout, stderr } = statusline('{}', { ...env, CLEW_HOME: path.join(broken, 'below') });
  assert.deepEqual([status, stdout], [0, '\n']);
  assert.match(stderr, /^clew: .*\n$/);
});

test('a damaged index or a file of prices that is none does not break the line', (context) => {
  const { env, line, file } = place(context);
  mkdirSync(env.CLEW_HOME ?? '', { recursive: true });
  writeFileSync(
    path.join(env.CLEW_HOME ?? '', 'index.db'),
    'this is not a database, and long enough to be read as one',
  );
  assert.match(line(JSON.stringify({ transcript_path: file })).stdout, /^\$0\.02 session/);
  writeFileSync(path.join(env.CLEW_HOME ?? '', 'prices.json'), 'nor is this JSON');
  const { status, stdout } = line(JSON.stringify({ transcript_path: file }));
  assert.deepEqual([status, stdout], [0, '\n']);
});

test('as JSON the numbers are bare', (context) => {
  const { file, line } = place(context);
  assert.deepEqual(JSON.parse(line(JSON.stringify({ transcript_path: file }), '--json').stdout), {
    sessionCostMicroUsd: 21_027,
    todayCostMicroUsd: 21_027,
    contextTokens: 20_000,
    contextSizeTokens: 200_000,
    contextPercent: 10,
  });
});
