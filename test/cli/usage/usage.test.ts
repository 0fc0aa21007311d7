import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { displayWidth } from '../../../src/base/text/terminal-text.ts';
import { reportKinds } from '../../../src/library/usage/report.ts';
import { jsonOf, type Run, runClew } from '../../support/clew.ts';
import { edgeCases } from '../../support/edge-cases.ts';
import { projectRoot } from '../../support/paths.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { answerLine, session1, session2 } from '../../support/usage-library.ts';

const main = `-w-p/${session1}.jsonl`;

interface Library {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  json(...args: readonly string[]): JsonObject;
  run(...args: readonly string[]): Run;
}

function library(context: TestContext, files: Readonly<Record<string, readonly string[]>>): Library {
  const folder = temporaryFolder(context);
  const root = path.join(folder, 'root');
  writeTree(
    root,
    Object.fromEntries(Object.entries(files).map(([file, lines]) => [`projects/${file}`, `${lines.join('\n')}\n`])),
  );
  const env = { CLEW_HOME: path.join(folder, 'state'), CLEW_ROOTS: root };
  return {
    root,
    env,
    json: (...args) => jsonOf(['usage', ...args, '--json'], { env }) as JsonObject,
    run: (...args) => runClew(['usage', ...args], { env }),
  };
}

test('every case has the same output tokens by day, session and model, and its receipts say why', (context) => {
  for (const [name, { files, output, dropped }] of Object.entries(edgeCases)) {
    const { json } = library(context, files);
    const totals = ['daily', 'session', 'model'].map((kind) => (json(kind).totals as JsonObject).outputTokens);
    assert.deepEqual([name, totals], [name, [output, output, output]]);
    const { receipts, totals: recounted } = json('--receipts') as {
      receipts: readonly JsonObject[];
      totals: JsonObject;
    };
    const reasons = receipts.flatMap((receipt) => receipt.dropped as readonly JsonObject[]).map((line) => line.reason);
    assert.deepEqual([name, recounted.outputTokens, reasons], [name, output, dropped]);
  }
});

test('the JSON of a report has its rows, totals, unpriced models and the version of the prices', (context) => {
  const { json } = library(context, {
    [main]: [
      answerLine({ id: 'a', output: 400 }),
      answerLine({ id: 'z', output: 5, model: 'claude-zeta-9', time: '2026-03-02T10:00:00.000Z' }),
    ],
  });
  const none = { cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 };
  const first = {
    inputTokens: 10,
    outputTokens: 400,
    ...none,
    totalTokens: 410,
    costMicroUsd: 6030,
    costUsd: 0.00603,
    messages: 1,
    unpricedMessages: 0,
    unpricedTokens: 0,
    outputIsLowerBound: false,
  };
  const missing = { unpricedMessages: 1, unpricedTokens: 15 };
  assert.deepEqual(json('daily'), {
    rows: [
      { key: '2026-03-01', ...first },
      { key: '2026-03-02', ...first, outputTokens: 5, totalTokens: 15, costMicroUsd: null, costUsd: null, ...missing },
    ],
    totals: { ...first, inputTokens: 20, outputTokens: 405, totalTokens: 425, messages: 2, ...missing },
    unpricedModels: ['claude-zeta-9'],
    unpriced: [{ model: 'claude-zeta-9', messages: 1, tokens: 15 }],
    pricesVersion: '2026-11-15',
    unread: [],
  });
});

test('a fork counts once: in the session that had it first', (context) => {
  const { json } = library(context, edgeCases['4_fork_copy']?.files ?? {});
  const rows = json('session').rows as readonly JsonObject[];
  assert.deepEqual(
    rows.map(({ key, outputTokens }) => [key, outputTokens]),
    [
      [session1, 400],
      [session2, 100],
    ],
  );
});

test('receipts name file and line of what counts and of what does not', (context) => {
  const { root, json, run } = library(context, edgeCases['4_fork_copy']?.files ?? {});
  const file = (id: string): string => path.join(root, 'projects', `-w-p/${id}.jsonl`);
  const { receipts } = json('session', '--receipts', session1) as { receipts: readonly JsonObject[] };
  assert.deepEqual(
    receipts.map(({ path: counted, line, dropped }) => [counted, line, dropped]),
    [[file(session1), 1, [{ path: file(session2), line: 1, outputTokens: 400, reason: 'copy' }]]],
  );
  const { stdout } = run('session', '--receipts', '1111');
  assert.match(stdout, new RegExp(`counted ${file(session1)}:1 `));
  assert.match(stdout, new RegExp(`dropped ${file(session2)}:1 .*copy`));
  assert.match(stdout, /1 message counted, 1 line dropped: 400 out, \$0\.0060/);
});

test('a key that names no row, or several, is an error that says where keys are', (context) => {
  const { run } = library(context, edgeCases['4_fork_copy']?.files ?? {});
  assert.deepEqual(run('daily', '--receipts', '2031-01-01'), {
    status: 2,
    stdout: '',
    stderr: 'clew: the daily report has no row "2031-01-01"; run `clew usage daily --json` for the keys\n',
  });
});

test('the name of a report may follow --receipts', (context) => {
  const { json } = library(context, edgeCases['1_stream_final']?.files ?? {});
  assert.deepEqual(json('--receipts', 'model'), json('model', '--receipts'));
});

test('days follow the time zone that is asked for', (context) => {
  const { json } = library(context, { [main]: [answerLine({ id: 'a', output: 1, time: '2026-03-29T22:30:00.000Z' })] });
  const key = (...args: readonly string[]): unknown => (json(...args).rows as readonly JsonObject[])[0]?.key;
  assert.deepEqual([key('daily'), key('daily', '--timezone', 'Europe/Berlin')], ['2026-03-29', '2026-03-30']);
  assert.equal((json('--timezone', 'Europe/Berlin', '--until', '20260329').rows as readonly JsonObject[]).length, 0);
});

test('a project is named by its folder or by a part of its path', (context) => {
  const { json } = library(context, {
    [main]: [answerLine({ id: 'a', output: 1, cwd: '/home/kim/lighthouse' })],
    [`-w-q/${session2}.jsonl`]: [answerLine({ id: 'b', output: 10, cwd: '/home/kim/recipes' })],
  });
  const output = (project: string): unknown => (json('--project', project).totals as JsonObject).outputTokens;
  assert.deepEqual(['/home/kim/recipes', 'LIGHT', 'kim', '-w-q'].map(output), [10, 1, 11, 10]);
});

test('--breakdown lists the models of each row', (context) => {
  const { json } = library(context, {
    [main]: [answerLine({ id: 'a', output: 1 }), answerLine({ id: 'b', output: 10, model: 'claude-opus-4-6' })],
  });
  const [row] = json('monthly', '--breakdown').rows as readonly JsonObject[];
  assert.deepEqual(
    (row?.models as readonly JsonObject[]).map(({ key, outputTokens }) => [key, outputTokens]),
    [
      ['claude-opus-4-6', 10],
      ['claude-sonnet-4-5-20250929', 1],
    ],
  );
});

test('the table fits the terminal, marks lower bounds and names what has no price', (context) => {
  const { env } = library(context, {
    [main]: [
      answerLine({ id: 'a', output: 400, stop: null }),
      answerLine({ id: 'z', output: 5, model: 'claude-zeta-9', time: '2026-03-02T10:00:00.000Z' }),
    ],
  });
  for (const columns of [200, 80, 60, 40, 24]) {
    for (const kind of reportKinds) {
      const { stdout, status } = runClew(['usage', kind, '--breakdown'], { env: { ...env, COLUMNS: String(columns) } });
      assert.equal(status, 0);
      const tooWide = stdout.split('\n').filter((line) => displayWidth(line) > columns);
      assert.deepEqual([columns, kind, tooWide], [columns, kind, []]);
    }
  }
  const { stdout } = runClew(['usage'], { env });
  assert.equal(
    stdout,
    `DAY         INPUT  OUTPUT  CACHE READ  CACHE WRITE  TOTAL       COST
2026-03-01     10   ≥ 400           0            0    410  ≥ $0.0060
2026-03-02     10       5           0            0     15   unpriced
total          20   ≥ 405           0            0    425  ≥ $0.0060

tokens, each message once; prices of 2026-11-15
≥: the transcript has no final count for some messages, so it is at least that
much
+ 15 tokens of claude-zeta-9 without a price; \`clew prices\` shows what has one
`,
  );
});

test('a report counts what Claude Code counted for the same usage', (context) => {
  const recorded = readFileSync(path.join(projectRoot, 'test/models/client-prices.json'), 'utf8');
  const { models } = JSON.parse(recorded) as { models: Readonly<Record<string, Readonly<Record<string, number>>>> };
  // What the mock reported, and how many micro-dollars a recorded price of 1 is.
  const write = (kind: '5m' | '1h'): JsonObject => ({
    cache_creation_input_tokens: 10_000,
    cache_creation: {
      ephemeral_5m_input_tokens: 0,
      ephemeral_1h_input_tokens: 0,
      [`ephemeral_${kind}_input_tokens`]: 10_000,
    },
  });
  const asked: Readonly<Record<string, readonly [JsonObject, number]>> = {
    input: [{ input_tokens: 10_000 }, 10_000],
    output: [{ output_tokens: 10_000 }, 10_000],
    read: [{ cache_read_input_tokens: 10_000 }, 10_000],
    w5: [write('5m'), 10_000],
    w1: [write('1h'), 10_000],
    fastIn: [{ input_tokens: 10_000, speed: 'fast' }, 10_000],
    geoIn: [{ input_tokens: 10_000, inference_geo: 'us' }, 10_000],
    longIn: [{ input_tokens: 300_000 }, 300_000],
    longOut: [{ input_tokens: 300_000, output_tokens: 10_000 }, 1_000_000],
    web: [{ server_tool_use: { web_search_requests: 1000 } }, 1_000_000],
  };
  // No fast mode, or the beta for a million tokens: test/models/price-list.test.ts says why these differ.
  const withFast = /claude-(fable-5-2|mythos-5-2|opus-5-5|opus-5|opus-4-[678]) fastIn$/;
  const isOther = (id: string): boolean =>
    (id.endsWith(' fastIn') && !withFast.test(id)) || /^claude-sonnet-4-5-20250929 long/.test(id);
  const expected = new Map<string, number | null>();
  const lines: string[] = [];
  for (const [model, row] of Object.entries(models)) {
    for (const [kind, price] of Object.entries(row)) {
      const [usage, factor] = asked[kind] ?? [{}, Number.NaN];
      const id = `${model} ${kind}`;
      lines.push(answerLine({ id, model, input: 0, usage, time: '2026-11-15T12:00:00.000Z' }));
      if (!isOther(id)) expected.set(id, Math.round(price * factor));
    }
  }
  const { json } = library(context, { [main]: lines });
  const { receipts } = json('--receipts') as { receipts: readonly JsonObject[] };
  const counted = new Map(receipts.map(({ messageId, costMicroUsd }) => [messageId, costMicroUsd]));
  assert.equal(counted.size, 160);
  assert.equal(expected.size, 149);
  assert.deepEqual(
    [...expected].map(([id]) => [id, counted.get(id)]),
    [...expected],
  );
});

test('a report of messages in the US only is $26.62, not $24.20', (context) => {
  const usage = { input_tokens: 1e6, output_tokens: 1e6, cache_read_input_tokens: 1e6, inference_geo: 'us' };
  const { json, run } = library(context, { [main]: [answerLine({ id: 'a', model: 'claude-opus-5-5', usage })] });
  assert.equal((json().totals as JsonObject).costMicroUsd, 26_620_000);
  assert.match(run().stdout, /^total .*\$26\.62$/m);
});

test('receipts say where a message ran, what was compacted for it, and what is in no cost', (context) => {
  const iteration = { type: 'compaction', input_tokens: 1000, output_tokens: 100 };
  const { json, run } = library(context, {
    [main]: [
      answerLine({
        id: 'a',
        output: 400,
        model: 'claude-opus-5-5',
        usage: { inference_geo: 'us', service_tier: 'batch', iterations: [iteration] },
      }),
      answerLine({ id: 'z', output: 5, model: 'claude-zeta-9' }),
    ],
  });
  const { receipts } = json('--receipts') as { receipts: readonly JsonObject[] };
  assert.deepEqual(
    receipts.map(({ inputTokens, outputTokens, isUsOnly, isBatch, compactions, costMicroUsd }) => {
      return { inputTokens, outputTokens, isUsOnly, isBatch, compactions, costMicroUsd };
    }),
    [
      // (1,010 × 4 + 500 × 20) × 1.1 × 0.5.
      { inputTokens: 1010, outputTokens: 500, isUsOnly: true, isBatch: true, compactions: 1, costMicroUsd: 7722 },
      { inputTokens: 10, outputTokens: 5, isUsOnly: false, isBatch: false, compactions: 0, costMicroUsd: null },
    ],
  );
  const { stdout } = run('--receipts');
  assert.match(stdout, /1,010 in, 500 out, in the US only, batch, 1 compaction by the API included {2}\$0\.0077/);
  assert.match(stdout, /2 messages counted, 0 lines dropped: 505 out, ≥ \$0\.0077 \+ 15 tokens without a price\n/);
});

test('a table of prices that is older than 60 days is said once, on stderr', (context) => {
  const { root, env } = library(context, { [main]: [answerLine({ id: 'a', output: 1 }), answerLine({ id: 'b' })] });
  const table = (version: string): string =>
    JSON.stringify({ version, models: [{ id: 'claude-zeta-9', prices: [{ input: 1, output: 1 }] }] });
  writeTree(root, { 'old.json': table('2025-01-01'), 'new.json': table('9999-01-01') });
  const stderr = (file: string, ...args: readonly string[]): string =>
    runClew(['usage', ...args], { env: { ...env, CLEW_PRICES: path.join(root, file) } }).stderr;
  const warning = /^clew: the prices are from 2025-01-01, \d+ days old; `clew prices update FILE` replaces them\n$/;
  for (const args of [[], ['--json'], ['--breakdown'], ['--receipts'], ['blocks']]) {
    assert.match(stderr('old.json', ...args), warning);
    assert.equal(stderr('new.json', ...args), '');
  }
});

test('wrong use is one line with what to do', (context) => {
  const { run } = library(context, {});
  const error = (...args: readonly string[]): readonly unknown[] => {
    const { status, stderr } = run(...args);
    return [status, stderr];
  };
  const kinds = 'daily, weekly, monthly, session, project, model, blocks';
  assert.deepEqual(error('yearly'), [2, `clew: there is no report "yearly"; name one of ${kinds}\n`]);
  assert.deepEqual(error('--since', 'monday'), [
    2,
    'clew: --since does not understand "monday"; use a day (2026-03-01), today, yesterday, or an age (10m, 12h, 7d, 2w)\n',
  ]);
  assert.deepEqual(error('--timezone', 'Mars'), [
    2,
    'clew: there is no time zone "Mars"; write it as Europe/Berlin or UTC\n',
  ]);
});

test('--since and --until take days and ages, days in the time zone of the report', (context) => {
  const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
  const { json } = library(context, {
    [main]: [
      answerLine({ id: 'a', output: 1, time: hoursAgo(24 * 8) }),
      answerLine({ id: 'b', output: 10, time: hoursAgo(50) }),
      answerLine({ id: 'c', output: 100, time: hoursAgo(11.98) }),
      answerLine({ id: 'd', output: 1000, time: hoursAgo(0.01) }),
    ],
  });
  const output = (...args: readonly string[]): unknown => (json(...args).totals as JsonObject).outputTokens;
  const cases: readonly (readonly [readonly string[], number])[] = [
    [['--since', '7d'], 1110],
    [['--since', '12h'], 1100],
    [['--since', '717m'], 1000], // inside a quarter of an hour
    [['--until', '12h'], 11],
    [['--since', '2w', '--until', '7d', 'blocks'], 1],
    [['--since', '2000-01-01', '--until', '20000102'], 0],
  ];
  for (const [args, expected] of cases) assert.deepEqual([args, output(...args)], [args, expected]);
  // Kiritimati is 25 hours ahead of Pago Pago: the same moment is on another day.
  const day = (timeZone: string): string => new Date(Date.now() - 36_000).toLocaleDateString('en-CA', { timeZone });
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    const rows = json('--since', 'today', '--timezone', zone).rows as readonly JsonObject[];
    assert.equal(rows.at(-1)?.key, day(zone));
  }
});

test('--order turns the rows around', (context) => {
  const { json, run } = library(context, {
    [main]: [
      answerLine({ id: 'a', output: 1 }),
      answerLine({ id: 'b', output: 2, time: '2026-03-02T10:00:00.000Z', model: 'claude-opus-4-5-20251101' }),
    ],
  });
  const keys = (...args: readonly string[]): unknown =>
    (json(...args).rows as readonly JsonObject[]).map((row) => row.key);
  const [sonnet, opus] = ['claude-sonnet-4-5-20250929', 'claude-opus-4-5-20251101'];
  assert.deepEqual(keys('daily', '--order', 'asc'), ['2026-03-01', '2026-03-02']);
  assert.deepEqual(keys('daily', '--order', 'desc'), ['2026-03-02', '2026-03-01']);
  assert.deepEqual(keys('blocks', '--order', 'desc'), ['2026-03-02T10:00:00.000Z', '2026-03-01T10:00:00.000Z']);
  assert.deepEqual(keys('model'), [opus, sonnet]);
  assert.deepEqual(keys('model', '--order', 'desc'), [opus, sonnet]);
  assert.deepEqual(keys('model', '--order', 'asc'), [sonnet, opus]);
  assert.equal(run('--order', 'up').stderr, 'clew: --order takes asc or desc, not "up"; for example --order desc\n');
});

test('nothing to count is reported on stderr and is not an error', (context) => {
  const { run, json, root } = library(context, {});
  const { status, stdout, stderr } = run();
  assert.deepEqual([status, stdout], [0, '']);
  assert.equal(stderr, `clew: nothing to count below ${root}; \`clew usage --demo\` counts the bundled sessions\n`);
  assert.deepEqual(json().rows, []);
});

test('--live without a terminal prints the active block once; other reports refuse it', (context) => {
  const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
  const { run, json } = library(context, {
    [main]: [
      answerLine({ id: 'a', output: 100_000, time: minutesAgo(1) }),
      answerLine({ id: 'z', output: 90, model: 'claude-zeta-9', time: minutesAgo(0) }),
    ],
  });
  const { stdout, status } = run('blocks', '--live');
  assert.equal(status, 0);
  // $1.50003 in a quarter of an hour at most.
  assert.match(
    stdout,
    /^block {6}\S+ \d\d:00 to \d\d:00\ntime {7}[█▏▎▍▌▋▊▉·]+ (?:\d h )?\d\d? min left\nspent {6}≥ \$1\.50, 100k tokens\npace {7}\$\d\.\d\d per hour, \d.* tokens per minute\nat the end \$[\d.]+, .* tokens at this pace\n\nMODEL/,
  );
  assert.match(stdout, /^claude-zeta-9 +90 +100 +unpriced$/m);
  assert.deepEqual((json('blocks', '--live').rows as readonly JsonObject[]).length, 1);
  assert.equal(
    run('daily', '--live').stderr,
    'clew: --live shows the active block only; run `clew usage blocks --live`\n',
  );
});

test('--live says so if no block is active', (context) => {
  const { run } = library(context, { [main]: [answerLine({ id: 'a', output: 400 })] });
  assert.equal(
    run('blocks', '--live').stdout,
    'no active block: nothing was used in the last five hours\nthe last one ended at 2026-03-01 15:00 with $0.0060\n',
  );
});

test('the session report has the titles of the sessions', (context) => {
  const title = JSON.stringify({ type: 'custom-title', customTitle: 'Fix the\nparser', sessionId: session1 });
  const { run, json } = library(context, {
    [main]: [answerLine({ id: 'a', output: 400 }), title],
    [`-w-p/${session2}.jsonl`]: [answerLine({ id: 'b', output: 4, sessionId: session2 })],
  });
  const rows = json('session').rows as readonly JsonObject[];
  assert.deepEqual(rows.map(({ key, title: name }) => [key, name]).sort(), [
    [session1, 'Fix the\nparser'],
    [session2, null],
  ]);
  assert.match(run('session').stdout, /^11111111 {2}Fix the parser +400 +410 +\$0\.0060$/m);
});
