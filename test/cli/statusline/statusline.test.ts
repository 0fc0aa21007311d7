import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { jsonOf, runClew } from '../../support/clew.ts';
import { writeTree } from '../../support/temp-folder.ts';
import { answerLine, session1 } from '../../support/usage-library.ts';
import { place } from '../statusline-kit.ts';

const session3 = '33333333-3333-4333-a333-333333333333';

test('one line: cost of the session, cost of today, and how full the context is', (context) => {
  const { file, env, line } = place(context);
  runClew(['usage'], { env });
  const report = JSON.stringify({ session_id: session1, transcript_path: file, model: { id: 'claude-sonnet-4-5' } });
  assert.deepEqual(line(report), {
    status: 0,
    stdout: '$0.02 session · $0.05 today · 20.0k context (10 %)\n',
    stderr: '',
  });
  const wide = JSON.stringify({ transcript_path: file, model: { id: 'claude-sonnet-4-5[1m]' } });
  assert.equal(line(wide).stdout, '$0.02 session · $0.05 today · 20.0k context (2 %)\n');
});

test('tokens without a price are shown next to the cost', (context) => {
  const { file, line } = place(context);
  const unknown = answerLine({ id: 'z', output: 1490, model: 'claude-zeta-9', time: new Date().toISOString() });
  appendFileSync(file, `${unknown}\n`);
  const report = JSON.stringify({ transcript_path: file });
  assert.match(
    line(report).stdout,
    /^≥ \$0\.02 \+ 1\.5k tokens unpriced session · ≥ \$0\.05 \+ 1\.5k tokens unpriced today · /,
  );
  const { sessionUnpricedTokens, todayUnpricedTokens } = JSON.parse(line(report, '--json').stdout);
  assert.deepEqual([sessionUnpricedTokens, todayUnpricedTokens], [1500, 1500]);
});

test('today is that of all sessions, also with a fresh index and without another command', (context) => {
  const { file, other, env, line } = place(context);
  const report = JSON.stringify({ transcript_path: file });
  assert.equal(line(report).stdout, '$0.02 session · $0.05 today · 20.0k context (10 %)\n');
  assert.equal(line(JSON.stringify({ transcript_path: other })).stdout.split(' · ')[1], '$0.05 today');
  appendFileSync(file, `${answerLine({ id: 'c', output: 100_000, input: 50_000, time: new Date().toISOString() })}\n`);
  assert.equal(line(report).stdout, '$1.67 session · $1.70 today · 50.0k context (25 %)\n');
  assert.equal(line('{}').stdout, '$0.00 session · $1.70 today\n');
  assert.deepEqual((jsonOf(['usage', '--json'], { env }) as { totals: { messages: number } }).totals.messages, 3);
});

test('while more is new than one call reads, today is unknown; the next calls continue', (context) => {
  const { file, other, line } = place(context);
  // Two of them are too much for one call, one is not.
  const filler = `${JSON.stringify({ type: 'progress', data: 'x'.repeat(5 * 1024 * 1024) })}\n`;
  appendFileSync(other, filler);
  writeFileSync(path.join(path.dirname(file), `${session3}.jsonl`), filler);
  const report = JSON.stringify({ transcript_path: file });
  assert.equal(line(report).stdout, '… session · … today · 20.0k context (10 %)\n');
  assert.equal(line(report).stdout, '$0.02 session · $0.05 today · 20.0k context (10 %)\n');
});

test('old transcripts that are still to be read do not matter for today', (context) => {
  const { file, other, line } = place(context);
  const old = path.join(path.dirname(file), `${session3}.jsonl`);
  writeFileSync(old, `${JSON.stringify({ type: 'progress', data: 'x'.repeat(9 * 1024 * 1024) })}\n`);
  utimesSync(old, 1_700_000_000, 1_700_000_000);
  assert.equal(line(JSON.stringify({ transcript_path: other })).stdout.split(' · ')[1], '$0.05 today');
});

test('a session with an empty main transcript costs what its sub-agents cost', (context) => {
  const { file, env, line } = place(context);
  const time = new Date().toISOString();
  const main = path.join(path.dirname(file), `${session3}.jsonl`);
  writeFileSync(main, '');
  const agent = answerLine({ id: 'd', output: 4000, time, sessionId: session3, top: { isSidechain: true } });
  writeTree(main.replace('.jsonl', ''), { 'subagents/agent-abc1234.jsonl': `${agent}\n` });
  assert.equal(line(JSON.stringify({ transcript_path: main })).stdout, '$0.06 session · $0.11 today\n');
  assert.match(runClew(['ls'], { env }).stdout, /\(only 1 sub-agent\)/);
  const { rows } = jsonOf(['usage', 'session', '--json'], { env }) as { rows: { key: string; outputTokens: number }[] };
  assert.equal(rows.find(({ key }) => key === session3)?.outputTokens, 4000);
  const stats = jsonOf(['stats', '--json'], { env }) as { sessions: number; agents: number };
  assert.deepEqual([stats.sessions, stats.agents], [3, 1]);
});

test('a damaged index or an invalid file of prices does not break the line', (context) => {
  const { env, line, file } = place(context);
  mkdirSync(env.CLEW_HOME ?? '', { recursive: true });
  writeFileSync(
    path.join(env.CLEW_HOME ?? '', 'index.db'),
    'this is not a database, and long enough to be read as one',
  );
  assert.match(line(JSON.stringify({ transcript_path: file })).stdout, /^\$0\.02 session/);
  writeFileSync(path.join(env.CLEW_HOME ?? '', 'prices.json'), 'nor is this JSON');
  const { status, stdout, stderr } = line(JSON.stringify({ transcript_path: file }));
  assert.equal(status, 0);
  assert.match(stdout, /^\$0\.02 session/);
  assert.match(
    stderr,
    /^clew: .*prices\.json cannot be used: it is not JSON; the prices of 2026-11-15 are used; .*\n$/,
  );
});

test('as JSON the numbers are bare', (context) => {
  const { file, line } = place(context);
  assert.deepEqual(JSON.parse(line(JSON.stringify({ transcript_path: file }), '--json').stdout), {
    sessionCostMicroUsd: 21_027,
    sessionCostUsd: 0.021027,
    sessionUnpricedTokens: 0,
    todayCostMicroUsd: 51_057,
    todayCostUsd: 0.051057,
    todayUnpricedTokens: 0,
    contextTokens: 20_000,
    contextSizeTokens: 200_000,
    contextPercent: 10,
    traceMuted: false,
    guard: null,
  });
});
