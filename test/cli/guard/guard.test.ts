// clew guard as a hook, as a part of the status line, and as a command for its limits.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { cleanEnv, jsonOf, type Run, runClew } from '../../support/clew.ts';
import { clew } from '../../support/dist.ts';
import { giveToOrdinaryUser, ordinaryProgram, ordinaryUser } from '../../support/ordinary-user.ts';
import { answerLine, session1 } from '../../support/usage-library.ts';
import { place, statusline } from '../statusline-kit.ts';

interface HookOptions {
  readonly args?: readonly string[];
  readonly input?: string;
  /** `ordinaryUser`: the user that runs it. */
  readonly uid?: number;
}

interface Guarded {
  readonly env: Readonly<Record<string, string>>;
  readonly file: string;
  set(...words: readonly string[]): Run;
  /** What the hook prints, parsed; `undefined` if it prints nothing. */
  hook(event: string, options?: HookOptions): unknown;
  line(): string;
}

/** How many hours after UTC it is noon now: what a test says of today does not depend on the hour at which it runs. */
const noonHours = 12 - new Date().getUTCHours();
/** In its name, a minus is east of Greenwich. */
const noonZone = `Etc/GMT${noonHours > 0 ? '-' : '+'}${Math.abs(noonHours)}`;

/** Two sessions of today, one of which runs the hook: $0.021027 of $0.051057. */
function guarded(context: TestContext): Guarded {
  const { env: ownEnv, file } = place(context);
  const env = { ...ownEnv, TZ: noonZone };
  return {
    env,
    file,
    set: (...words) => runGuard(['guard', 'set', ...words], env),
    hook: (event, { args = [], input, uid } = {}) => {
      const usual = {
        session_id: session1,
        transcript_path: file,
        cwd: '/w/p',
        hook_event_name: event,
        tool_name: 'Bash',
      };
      const [node = '', ...program] = uid === undefined ? [process.execPath, clew] : ordinaryProgram();
      const run = spawnSync(node, [...program, 'guard', ...args], {
        input: input ?? JSON.stringify({ ...usual, tool_input: { command: 'ls' } }),
        encoding: 'utf8',
        env: { ...cleanEnv(), ...env },
        ...(uid === undefined ? {} : { uid }),
      });
      // Exit code 2 would block the call, every other one shows an error.
      assert.deepEqual([run.status, run.stderr], [0, '']);
      return run.stdout === '' ? undefined : JSON.parse(run.stdout);
    },
    line: () => statusline(JSON.stringify({ transcript_path: file }), env).stdout.trim(),
  };
}

/** A thread has the time zone of its process. */
function runGuard(args: readonly string[], env: Readonly<Record<string, string>>): Run {
  return runClew(args, { env, isAlone: true });
}

test('without limits the hook passes everything and writes nothing', (context) => {
  const { hook, env } = guarded(context);
  assert.equal(hook('PreToolUse'), undefined);
  assert.equal(existsSync(env.CLEW_HOME ?? ''), false);
});

test('at the hard limit a call is denied and the turn ends, a prompt is blocked; below it nothing is printed', (context) => {
  const { hook, set } = guarded(context);
  set('--hard', '0.051058');
  assert.equal(hook('PreToolUse'), undefined);
  set('--hard', '0.051057'); // exactly what was spent
  const reason =
    'clew guard: $0.05 spent today, the hard limit is $0.051057; the count starts again at 00:00; to continue now, the user can run clew guard set --hard 1 in a terminal';
  assert.deepEqual(hook('PreToolUse'), {
    continue: false,
    stopReason: reason,
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  });
  assert.deepEqual(hook('UserPromptSubmit'), { decision: 'block', reason });
  // Another event cannot block.
  assert.deepEqual(hook('Stop'), { systemMessage: reason });
});

test('limits in the command of the hook win over those of the file, and the session counts alone', (context) => {
  const { hook, set } = guarded(context);
  set('--hard', '0.01');
  assert.equal(hook('PreToolUse', { args: ['--hard', '0.03', '--per', 'session'] }), undefined);
  const { reason } = hook('UserPromptSubmit', { args: ['--hard=0.021027', '--per=session'] }) as { reason: string };
  assert.equal(
    reason,
    'clew guard: $0.02 spent in this session, the hard limit is $0.021027; a new session starts at $0; to continue now, the user can raise --hard in the hook of settings.json',
  );
});

test('the soft limit is a notice, once for each step of the way to the hard limit', (context) => {
  const { hook, set, file } = guarded(context);
  set('--soft', '0.05', '--hard', '0.13'); // steps of two cents
  const notice = hook('PreToolUse') as { systemMessage: string };
  assert.match(
    notice.systemMessage,
    /^clew guard: \$0\.05 spent today, the soft limit is \$0\.05, calls are blocked at \$0\.13; /,
  );
  assert.deepEqual(Object.keys(notice), ['systemMessage']);
  assert.equal(hook('PreToolUse'), undefined);
  const time = new Date().toISOString();
  appendFileSync(file, `${answerLine({ id: 'c', output: 1000, time })}\n`); // $0.066087: the same step
  assert.equal(hook('PreToolUse'), undefined);
  appendFileSync(file, `${answerLine({ id: 'd', output: 1000, time })}\n`); // $0.081117
  assert.match((hook('UserPromptSubmit') as { systemMessage: string }).systemMessage, /\$0\.08 spent today/);
  assert.equal(hook('PreToolUse'), undefined);
});

test('tokens without a price are named once, and are not part of the sum', (context) => {
  const { hook, set, file } = guarded(context);
  set('--soft', '5');
  const line = answerLine({ id: 'z', output: 990, model: 'claude-zeta-9', time: new Date().toISOString() });
  appendFileSync(file, `${line}\n`);
  assert.deepEqual(hook('PreToolUse'), {
    systemMessage:
      'clew guard: 1,000 tokens of claude-zeta-9 have no price and are not part of the sum; clew prices update FILE adds prices',
  });
  assert.equal(hook('PreToolUse'), undefined);
});

test('whatever fails, the call passes with a notice', (context) => {
  const { hook, set, env } = guarded(context);
  const message = (answer: unknown): string => (answer as { systemMessage: string }).systemMessage;
  const state = env.CLEW_HOME ?? '';
  set('--hard', '0.01');
  for (const input of ['', 'not json', '[]', '{"hook_event_name":"PreToolUse"}', '{"hook_event_name":'])
    assert.equal(
      message(hook('', { input })),
      'clew guard: the input is not that of a hook: it has no hook_event_name or transcript_path; until then no limit is checked',
    );
  for (const args of [
    ['--hard', 'much'],
    ['--hard'],
    ['--herd', '5'],
    ['--per', 'year'],
    ['frob'],
    ['--soft', '9', '--hard', '5'],
  ])
    assert.match(
      message(hook('PreToolUse', { args })),
      /^clew guard: .*; until then no limit is checked$/,
      args.join(' '),
    );
  assert.match(message(hook('PreToolUse', { args: ['--timezone', 'Mars/Olympus'] })), /no time zone "Mars\/Olympus"/);
  // What was counted is not readable any more: it is counted again.
  const usage = path.join(state, 'usage');
  runGuard(['usage', '--json'], env);
  assert.ok(existsSync(usage));
  for (const text of ['', '{', '{"hard":0}', '{"hard":-1}', '{"soft":"x"}', '[1]']) {
    writeFileSync(path.join(state, 'guard.json'), text);
    assert.match(message(hook('PreToolUse')), /guard\.json .*; until then no limit is checked$/, text);
  }
});

test('a transcript that cannot be read is named, and what was counted still blocks', (context) => {
  const { hook, set, file, env } = guarded(context);
  set('--hard', '0.03');
  const folder = path.dirname(env.CLEW_HOME ?? '');
  giveToOrdinaryUser(folder);
  assert.ok('continue' in (hook('PreToolUse', ordinaryUser) as object));
  chmodSync(file, 0);
  assert.ok('continue' in (hook('PreToolUse', ordinaryUser) as object));
});

test('a transcript path that leads nowhere counts the other sessions', (context) => {
  const { hook, set } = guarded(context);
  set('--hard', '0.05');
  const input = JSON.stringify({ hook_event_name: 'UserPromptSubmit', transcript_path: '/nowhere/x.jsonl' });
  assert.ok('decision' in (hook('', { input }) as object));
});

test('set, status and off; the status line shows where the session is', (context) => {
  const { set, env, line, file } = guarded(context);
  const status = () => jsonOf(['guard', 'status', '--json'], { env, isAlone: true }) as Record<string, unknown>;
  assert.equal(
    runGuard(['guard', 'status'], env).stdout,
    'no limits; clew guard set --soft 5 --hard 15 --per day sets them\n',
  );
  assert.equal(line(), '$0.02 session · $0.05 today · 20.0k context (10 %)');
  const { stderr, stdout } = set('--soft', '0.04', '--hard', '$0.06');
  assert.match(stderr, /^clew: the limits are in .*guard\.json\n$/);
  assert.match(
    stdout,
    /^limits {6}soft \$0\.04, hard \$0\.06 per day\nspent {7}\$0\.05 today\nstate {7}soft limit reached\nends {8}00:00, then the count starts again\nforecast {4}at \$0\.\d\d per hour: /,
  );
  assert.deepEqual(JSON.parse(readFileSync(path.join(env.CLEW_HOME ?? '', 'guard.json'), 'utf8')), {
    soft: 0.04,
    hard: 0.06,
    per: 'day',
  });
  const { level, spentMicroUsd, spentUsd, softUsd, hardUsd, period } = status();
  const today = new Date(Date.now() + noonHours * 3_600_000).toISOString().slice(0, 10);
  assert.deepEqual(
    [level, spentMicroUsd, spentUsd, softUsd, hardUsd, period],
    ['soft', 51_057, 0.051057, 0.04, 0.06, today],
  );
  assert.match(line(), / · guard \$0\.05 of \$0\.06\/day, over soft limit, hard at \d\d:\d\d$/);
  set('--hard', '0.05'); // the rest stays
  assert.equal(status().softUsd, 0.04);
  assert.match(line(), / · guard \$0\.05 of \$0\.05\/day, blocked until 00:00$/);
  const own = runGuard(['guard', '--per', 'session', '--session', path.basename(file, '.jsonl')], env);
  assert.match(own.stdout, /^limits {6}soft \$0\.04, hard \$0\.05 per session\nspent {7}\$0\.02 in this session\n/);
  assert.equal(runGuard(['guard', 'off'], env).stdout, 'the limits are removed; hooks of clew guard pass everything\n');
  assert.equal(status().level, null);
});

test('wrong limits are refused in one line, and nothing is written', (context) => {
  const { set, env } = guarded(context);
  const cases: readonly (readonly [readonly string[], string])[] = [
    [[], 'there is no limit to set; for example clew guard set --soft 5 --hard 15 --per day'],
    [
      ['--soft', '5', '--hard', '4'],
      'the soft limit $5 is above the hard limit $4; give a lower --soft or a higher --hard',
    ],
    [['--hard', '0'], '--hard takes an amount in dollars above 0, not "0"; for example --hard 5 or 2.50'],
    [['--hard', '1e3'], '--hard takes an amount in dollars above 0, not "1e3"; for example --hard 5 or 2.50'],
    [['--hard', '5', '--per', 'week'], '--per takes day, session or block, not "week"; for example --per day'],
    [['--hard', '5', '--timezone', 'Mars'], 'there is no time zone "Mars"; write it as Europe/Berlin or UTC'],
  ];
  for (const [words, expected] of cases) {
    const { status, stderr } = set(...words);
    assert.deepEqual([words, status, stderr], [words, 2, `clew: ${expected}\n`]);
  }
  assert.equal(existsSync(path.join(env.CLEW_HOME ?? '', 'guard.json')), false);
  mkdirSync(env.CLEW_HOME ?? '', { recursive: true });
});
