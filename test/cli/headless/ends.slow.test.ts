// Every headless run ends with a result and an exit code for its kind of end.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { asObject } from '../../../src/base/json/json.ts';
import { clew } from '../../support/dist.ts';
import { assertSound, calls, says, startHeadless, textsOf } from '../../support/headless-kit.ts';
import { isAlive } from '../../support/processes.ts';
import { noSmallDisk } from '../../support/small-disk.ts';
import { waitFor } from '../../support/wait.ts';

const stream = ['--output-format', 'stream-json'] as const;
const all = '--dangerously-skip-permissions';

test('bad use ends with one line and exit code 2, before any session is made', async (t) => {
  const kit = await startHeadless(t, []);
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['-p'], 'there is no prompt; write one after -p and before flags that take lists, or pipe it in'],
    [['-p', 'x', '--output-format', 'xml'], '--output-format does not know "xml"; choose text, json, stream-json'],
    [['-p', 'x', '--max-turns', '0'], '--max-turns must be at least 1; write --max-turns 1'],
    [['-p', 'x', '--price', '3'], '--price takes two prices, not "3"; write --price 3,15 for input and output'],
    [['-p', 'x', '--max-budget-usd', 'a'], '--max-budget-usd takes dollars, not "a"; write --max-budget-usd 0.50'],
    [['-p', 'x', '-c', '-r', 'y'], '--continue and --resume exclude each other; use one of them'],
    [['-p', 'x', '--fork-session'], '--fork-session has nothing to copy; add --resume SESSION or --continue'],
    [['-p', 'x', '--session-id', 'y'], '--session-id takes a UUID, not "y"; leave it out for a new one'],
    [['-p', 'x', 'y'], 'print takes one PROMPT, not more; run `clew print --help`'],
    [['-p', 'x', '--bogus'], 'there is no option "--bogus"; run `clew print --help`'],
    [
      ['-p', 'x', '--include-partial-messages'],
      '--include-partial-messages requires --output-format stream-json; add it',
    ],
  ];
  for (const [args, said] of cases) {
    const { status, stdout, stderr } = await kit.print(args);
    assert.deepEqual([status, stdout, stderr], [2, '', `clew: ${said}\n`]);
  }
  assert.deepEqual(kit.transcripts(), []);
});

test('a session that cannot be resumed ends with a result and exit code 2', async (t) => {
  const kit = await startHeadless(t, []);
  const { status, result, messages } = await kit.print(['-p', 'x', '--resume', 'nothing-like-it', ...stream]);
  assert.deepEqual([status, messages.length, result.type, result.is_error], [2, 1, 'result', true]);
  assert.match(String(result.errors), /nothing-like-it/);
});

test('no key, a refused request and limits end with an error result and exit code 1', async (t) => {
  const kit = await startHeadless(t, ({ body }) =>
    textsOf(asObject(body))[0] === 'refuse'
      ? { status: 403, type: 'permission_error', message: 'not for you' }
      : calls(['Bash', { command: 'true' }]),
  );
  const noKey = await kit.print(['-p', 'x', ...stream], '', { ANTHROPIC_API_KEY: '' });
  assert.deepEqual([noKey.status, noKey.result.subtype, noKey.result.is_error], [1, 'error_during_execution', true]);
  assert.match(String(noKey.result.errors), /ANTHROPIC_API_KEY/);
  const refused = await kit.print(['-p', 'refuse', '--output-format', 'json']);
  // As in the Agent SDK, a failure of the API is an answer with an error text.
  const { subtype, is_error, terminal_reason, api_error_status } = refused.result;
  assert.deepEqual([refused.status, subtype, is_error, terminal_reason], [1, 'success', true, 'api_error']);
  assert.deepEqual([api_error_status, refused.result.result], [403, 'API Error: 403 not for you']);
  assert.match(refused.stderr, /^clew: .*not for you.*\n$/);
  const turns = await kit.print(['-p', 'x', all, '--max-turns', '2', ...stream]);
  assert.deepEqual([turns.status, turns.result.subtype, turns.result.num_turns], [1, 'error_max_turns', 3]);
  assert.deepEqual(turns.result.errors, ['Reached maximum number of turns (2)']);
  const budget = await kit.print(['-p', 'x', all, '--max-budget-usd', '0.000001', ...stream]);
  assert.deepEqual([budget.status, budget.result.subtype], [1, 'error_max_budget_usd']);
  for (const file of kit.transcripts()) await assertSound(file);
});

test('under a limit a model without a price needs --price; without a limit its tokens are reported as unpriced', async (t) => {
  const kit = await startHeadless(t, () => says('fine'));
  const model = 'model-of-nobody-1';
  const run = ['-p', 'x', '--model', model, '--output-format', 'json'];
  const refused = await kit.print([...run, '--max-budget-usd', '0.01']);
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /^clew: no price is known for model-of-nobody-1, .*; add --price INPUT,OUTPUT .*\n$/);
  assert.equal(kit.bodies().length, 0);
  const priced = await kit.print([...run, '--max-budget-usd', '1', '--price', '3,15']);
  assert.equal(priced.status, 0);
  assert.ok(Number(priced.result.total_cost_usd) > 0);
  const unpriced = await kit.print(run);
  const usage = asObject(asObject(unpriced.result.modelUsage)?.[model]);
  assert.deepEqual([unpriced.result.total_cost_usd, usage?.costUSD, usage?.costBasis], [0, 0, 'unknown']);
  assert.ok(Number(unpriced.result.unpriced_tokens) > 0);
  assert.match(unpriced.stderr, /no price is known for model-of-nobody-1, so its cost is not counted/);
});

test('an invalid line of input ends the run with a result and exit code 2, after the prompts before it', async (t) => {
  const kit = await startHeadless(t, () => says('fine'));
  const good = JSON.stringify({ type: 'user', message: { role: 'user', content: 'hello' } });
  for (const [bad, why] of [
    ['{"type":"user",', /line 2 of the input is not a JSON object/],
    [
      '{"type":"user","message":{"role":"user","content":[{"type":"tool_result"}]}}',
      /line 2 of the input needs a message/,
    ],
  ] as const) {
    const input = `${good}\n${bad}\n${good}\n`;
    const { status, messages } = await kit.print(['-p', '--input-format', 'stream-json', ...stream], input);
    const results = messages.filter(({ type }) => type === 'result');
    assert.deepEqual([status, results.map(({ is_error }) => is_error)], [2, [false, true]]);
    assert.match(String(results[1]?.errors), why);
  }
});

test('messages that Clew does not know are reported and skipped, as the client skips them', async (t) => {
  const kit = await startHeadless(t, () => says('fine'));
  const good = JSON.stringify({ type: 'user', message: { role: 'user', content: 'hello' } });
  const odd = [
    '{"type":"other"}',
    '{"type":"control_request","request":{"subtype":"interrupt"}}',
    '{"type":"control_response"}',
  ];
  const input = [...odd, '{"type":"control_cancel_request"}', '{"type":"keep_alive"}', good].join('\n');
  const { status, result, stderr } = await kit.print(['-p', '--input-format', 'stream-json', ...stream], input);
  assert.deepEqual([status, result.result], [0, 'fine']);
  assert.deepEqual(stderr.trim().split('\n'), [
    'clew: line 1 of the input is skipped: a message of the type "other"',
    'clew: line 2 of the input is skipped: a control_request without a request_id, which cannot be answered',
    'clew: a control_response without response.request_id is ignored',
    'clew: line 4 of the input is skipped: a control_cancel_request without a request_id',
  ]);
});

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  test(`${signal} in a tool ends the tool's processes, closes its call, and ends with a result and ${code}`, async (t) => {
    const kit = await startHeadless(t, [calls(['Bash', { command: 'echo $$ > pid; sleep 600 & wait' }])]);
    const run = kit.start(['-p', 'wait', all, ...stream]);
    run.child.stdin.end();
    const pidFile = path.join(kit.cwd, 'pid');
    const pid = await waitFor(() => existsSync(pidFile) && Number(readFileSync(pidFile, 'utf8')));
    run.child.kill(signal);
    const { status, result } = await run.ended;
    assert.deepEqual([status, result.type, result.subtype], [code, 'result', 'error_during_execution']);
    await waitFor(() => !isAlive(pid));
    await assertSound(kit.transcripts()[0] ?? '');
    assert.match(readFileSync(kit.transcripts()[0] ?? '', 'utf8'), /Request interrupted by user for tool use/);
  });
}

test('SIGINT while the model is silent ends with a result and 130', async (t) => {
  const kit = await startHeadless(t, [{ hang: true }]);
  const run = kit.start(['-p', 'wait', ...stream]);
  run.child.stdin.end();
  await waitFor(() => kit.bodies().length === 1);
  run.child.kill('SIGINT');
  const { status, result } = await run.ended;
  assert.deepEqual(
    [status, result.subtype, result.errors],
    [130, 'error_during_execution', ['the turn was interrupted']],
  );
  await assertSound(kit.transcripts()[0] ?? '');
});

test('a reader that closes stdout ends the run with 141, and the session stays complete', async (t) => {
  const kit = await startHeadless(t, [calls(['Bash', { command: 'sleep 600' }])]);
  const run = kit.start(['-p', 'wait', all, ...stream, '--include-partial-messages']);
  run.child.stdin.end();
  await run.prints(/"init"/);
  run.child.stdout.destroy();
  const { status, stderr } = await run.ended;
  assert.deepEqual([status, stderr], [141, '']);
  await assertSound(kit.transcripts()[0] ?? '');
});

test(
  'a full disk ends with a result that says so, exit code 2, and a session that loads',
  { skip: noSmallDisk },
  async (t) => {
    const kit = await startHeadless(t, () => says('word '.repeat(4000)));
    // The disk has space for the first turns only.
    const script = `mount -t tmpfs -o size=64k tmpfs "$HOME/.claude" || exit 99
for i in 1 2 3 4 5 6; do "$0" "$1" -p go --continue --output-format json || "$0" "$1" -p go --output-format json; echo "code $?"; done
cat "$HOME"/.claude/projects/*/*.jsonl > "$HOME/kept.jsonl"`;
    const child = spawn('unshare', ['-rm', 'bash', '-c', script, process.execPath, clew], {
      cwd: kit.cwd,
      env: kit.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    await once(child, 'close');
    const lines = printed.trim().split('\n');
    assert.ok(lines.includes('code 0') && lines.includes('code 2'), printed.slice(-600));
    const last = lines.findLast((line) => line.startsWith('{')) ?? '';
    assert.match(last, /"subtype":"error_during_execution".*"errors":\["[^"]*(?:no space|full|ENOSPC)/i);
    const kept = readFileSync(path.join(kit.folder, 'home/kept.jsonl'), 'utf8');
    assert.doesNotThrow(() =>
      kept
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    );
  },
);
