// clew context: the table and the JSON say the same, wrong use is one line, and the commands it names free what it says.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { asObject, asString, isArray, isObject, type JsonObject } from '../../../src/base/json/json.ts';
import { contextLedger } from '../../../src/context/ledger/ledger.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { jsonOf, type RunOptions, runClew } from '../../support/clew.ts';
import { corpusFolder } from '../../support/corpus.ts';
import { type Bench, benchOf } from '../../support/surgery-kit.ts';

const published = path.join(corpusFolder, 'corpus/public');
const samples = path.join(published, 'handgemacht-ai__claude-code-log/test/test_data/real_projects');
const sample = (name: string): string => path.join(samples, name);
/** With tool output, file reads, thinking and an image. */
const stripped = [
  sample('-Users-dain-workspace-claude-code-log-sample/37f83ec9-f2ea-42a9-925e-0d5c105cb6e8.jsonl'),
  sample('-Users-dain-workspace-JSSoundRecorder/7acd37a8-2745-4b58-a8a9-46164b22ad9e.jsonl'),
  path.join(published, 'moredip__session-share/session-viewer/test/INTEGRATION/fixtures/images-in-user-messages.jsonl'),
];
const withAgents = sample('-experiments-worktrees/ef958aa1-0e93-49f0-bb71-150f63befcd1.jsonl');

test('--json prints the ledger of the library, for the session, a turn and a sub-agent', async (context) => {
  const bench = benchOf(context, withAgents);
  const session = await loadSession(bench.main);
  for (const [flags, options] of [
    [[], {}],
    [['--turn', '1'], { turn: 1 }],
  ] as const) {
    const printed = jsonOf(['context', bench.main, '--json', ...flags], runIn(bench));
    const expected = { path: session.transcript.path, ...contextLedger(session, options) };
    assert.deepEqual(printed, JSON.parse(JSON.stringify(expected)));
  }
  const agent = asObject(jsonOf(['context', bench.main, '--json', '--agent', 'a52886'], runIn(bench)));
  // The last count in the transcript of the sub-agent.
  assert.deepEqual([agent?.agentId, agent?.apiTokens, agent?.tokens], ['a52886dc180afb356', 43_348, 43_348]);
  const frees = slicesOf(agent).map(({ free }) => free);
  assert.ok(frees.length > 5 && frees.every((free) => free === null));
});

test('the rows of the table add up to the count on the last line of the session', () => {
  const { status, stdout } = runClew(['context', stripped[0] ?? ''], { env: { COLUMNS: '120' } });
  assert.equal(status, 0);
  assert.match(stdout, /^37f83ec9 · turn 6 of 6 · claude-sonnet-4-20250514 · 104k of 200k \(52 %\) tokens\n/);
  assert.match(
    stdout,
    /The API counted 104,468 tokens for the request answered on line 346; the rows add up to that\./,
  );
  const rows = [...stdout.matchAll(/^[^└\n]+? {2,}([\d.]+)(k?) +<?\d+ %/gm)];
  const sum = rows.reduce((all, [, number, unit]) => all + Number(number) * (unit === 'k' ? 1_000 : 1), 0);
  assert.ok(Math.abs(sum - 104_468) < 500, String(sum));
});

test('a turn, a branch or a sub-agent that does not exist is one line and exit code 2', () => {
  for (const [flags, message] of [
    [['--turn', '9'], /^clew: there is no turn 9; the session has turns 1 to 6\n$/],
    [['--branch', '7'], /^clew: there is no branch 7; the session has one branch\n$/],
    [['--agent', 'x'], /^clew: there is no sub-agent "x"; the session has none\n$/],
  ] as const) {
    const { status, stdout, stderr } = runClew(['context', stripped[0] ?? '', ...flags]);
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, message);
  }
  const { status, stderr } = runClew(['context', withAgents, '--agent', 'a']);
  assert.equal(status, 2);
  assert.match(stderr, /^clew: \d+ sub-agents begin with "a"; the session has a/);
});

test('the command of a slice is a dry run that drops exactly its lines', (context) => {
  const commands: string[] = [];
  for (const [file, wanted] of [
    [stripped[0], / --tools (?:Bash|Read|Edit)$/],
    [stripped[1], / --tools (?:Read|TodoWrite)$| --thinking$/],
    [stripped[2], / --images$/],
  ] as const) {
    const bench = benchOf(context, file ?? '');
    const slices = slicesOf(asObject(jsonOf(['context', bench.main, '--json'], runIn(bench))));
    for (const command of new Set(slices.flatMap(({ free }) => asString(asObject(free)?.command) ?? []))) {
      if (!wanted.test(command)) continue;
      const of = slices.filter(({ free }) => asObject(free)?.command === command);
      const plan = dryRun(bench, command);
      commands.push(command.replace(/.* --/, '--'));
      if (command.endsWith('--images')) {
        assert.ok(Number(plan.changed) > 0, command);
        continue;
      }
      const dropped = (isArray(plan.dropped) ? plan.dropped.filter(isObject) : [])
        .filter(({ reason }) => /^thinking/.test(asString(reason) ?? '') === command.endsWith('--thinking'))
        .map(({ line }) => Number(line));
      const named = new Set(of.flatMap(linesOf));
      for (const line of named) assert.ok(dropped.includes(line), `${command} line ${line}`);
      // Only the answer to the last request, and what came after it, are not part of the context yet.
      const last = Math.max(...named);
      assert.deepEqual(
        dropped.filter((line) => line <= last && !named.has(line)),
        [],
        command,
      );
    }
  }
  assert.deepEqual(commands.sort(), [
    '--images',
    '--thinking',
    '--tools Bash',
    '--tools Edit',
    '--tools Read',
    '--tools Read',
    '--tools TodoWrite',
  ]);
});

test('clew strip estimates about what the ledger says a tool would free', (context) => {
  const bench = benchOf(context, stripped[0] ?? '');
  const slices = slicesOf(asObject(jsonOf(['context', bench.main, '--json'], runIn(bench))));
  const estimate = asObject(jsonOf(['strip', bench.main, '--json'], runIn(bench)));
  const rows = isArray(estimate?.rows) ? estimate.rows.filter(isObject) : [];
  const freed = Number(rows.find(({ flag }) => flag === '--tools')?.freedTokens);
  const perTool = new Map(
    slices.flatMap(({ free }) => {
      const { command, tokens } = asObject(free) ?? {};
      return typeof command === 'string' && command.includes('--tools') ? [[command, Number(tokens)] as const] : [];
    }),
  );
  const total = [...perTool.values()].reduce((sum, tokens) => sum + tokens, 0);
  // Claude Code resumes with a model whose tokenizer makes 1.36 times the tokens.
  assert.equal(estimate?.model, 'claude-opus-5-5');
  assert.ok(Math.abs(freed / 1.36 / total - 1) < 0.05, `${freed} ${total}`);
});

function runIn({ env }: Bench): RunOptions {
  return { env: { CLEW_HOME: env.CLEW_HOME ?? '' } };
}

function dryRun(bench: Bench, command: string): JsonObject {
  const [program, ...words] = command.split(' ');
  assert.equal(program, 'clew');
  const plan = asObject(jsonOf([...words, '--dry-run', '--json', '--root', bench.root], runIn(bench)));
  assert.ok(plan !== undefined && plan.written === false, command);
  return plan;
}

function slicesOf(ledger: JsonObject | undefined): readonly JsonObject[] {
  return isArray(ledger?.slices) ? ledger.slices.filter(isObject) : [];
}

function linesOf({ lines }: JsonObject): readonly number[] {
  return (lines as [number, number][]).flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, i) => from + i),
  );
}
