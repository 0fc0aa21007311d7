// clew prices: the table, what it does not know, and a newer table from a file or from a server on loopback.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { displayWidth } from '../../../src/base/text/terminal-text.ts';
import { jsonOf, type Run, runClew } from '../../support/clew.ts';
import { projectRoot } from '../../support/paths.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { answerLine, session1 } from '../../support/usage-library.ts';

interface Place {
  readonly folder: string;
  readonly kept: string;
  readonly env: Readonly<Record<string, string>>;
  run(...args: readonly string[]): Run;
  write(name: string, content: JsonObject | string): string;
}

function place(context: TestContext, lines: readonly string[] = []): Place {
  const folder = temporaryFolder(context);
  const root = path.join(folder, 'root');
  writeTree(root, { [`projects/-w-p/${session1}.jsonl`]: lines.map((line) => `${line}\n`).join('') });
  const state = path.join(folder, 'state');
  mkdirSync(state);
  const env = { CLEW_HOME: state, CLEW_ROOTS: root };
  return {
    folder,
    kept: path.join(state, 'prices.json'),
    env,
    run: (...args) => runClew(['prices', ...args], { env, cwd: folder }),
    write: (name, content) => {
      const file = path.join(folder, name);
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
      return file;
    },
  };
}

const zeta = { id: 'claude-zeta-9', prices: [{ from: '2026-12-01', input: 7, output: 9, cacheRead: 1 }] };
const newer = { version: '9000-01-02', models: [zeta, { id: 'claude-opus-5-5', prices: [{ input: 3, output: 12 }] }] };

test('the table has today’s prices, bands, fast mode and earlier prices', (context) => {
  const { run } = place(context);
  const { status, stdout, stderr } = run();
  assert.deepEqual([status, stderr], [0, '']);
  const lines = stdout.split('\n').map((line) => line.replace(/ +/g, ' ').trim());
  for (const line of [
    'MODEL INPUT OUTPUT READ WRITE 5M WRITE 1H CONTEXT',
    'claude-opus-5-5 4.00 20.00 0.20 5.00 8.00 1.0M',
    'claude-haiku-5-5 0.10 0.50 0.01 0.125 0.20 1.0M',
    '└ prompts over 100k 0.50 2.50 0.05 0.625 1.00',
    '└ 2026-09-28 to 2026-10-06 2.00 10.00 0.20 2.50 4.00',
    '└ then, prompts over 200k 10.00 37.50 1.00 12.50 20.00',
    '└ fast 8.00 40.00 0.40 10.00 16.00',
    'every model in your sessions has a price',
  ]) {
    assert.ok(lines.includes(line), `${line}\n${stdout}`);
  }
  assert.match(stdout, /^prices of 2026-11-15, [\d,]+ days? old, included in Clew$/m);
});

test('it fits the terminal, in every width', (context) => {
  const { env } = place(context, [answerLine({ id: 'z', model: `claude-${'long-'.repeat(30)}9` })]);
  for (const columns of [200, 100, 80, 60, 40]) {
    const { stdout } = runClew(['prices'], { env: { ...env, COLUMNS: String(columns) } });
    assert.deepEqual(
      stdout.split('\n').filter((line) => displayWidth(line) > columns),
      [],
    );
  }
});

test('what sessions use and the table does not know is listed with how much of it', (context) => {
  const { run, env } = place(context, [
    answerLine({ id: 'a', output: 5 }),
    answerLine({ id: 'y', output: 5, model: 'claude-zeta-9' }),
    answerLine({ id: 'z', output: 5, model: 'claude-zeta-9' }),
    answerLine({ id: 'f', output: 5, usage: { speed: 'fast' } }),
    answerLine({ id: 'n', output: 90, model: '\u001b[31mred' }),
  ]);
  const { unknown } = jsonOf(['prices', '--json'], { env }) as JsonObject;
  assert.deepEqual(unknown, [
    { model: '\u001b[31mred', messages: 1, tokens: 100 },
    { model: 'claude-sonnet-4-5-20250929 (fast)', messages: 1, tokens: 15 },
    { model: 'claude-zeta-9', messages: 2, tokens: 30 },
  ]);
  const { stdout } = run();
  assert.ok(!stdout.includes('\u001b[31m'));
  assert.match(stdout.replace(/\n/g, ' '), /no price is known for .*claude-zeta-9 \(2 messages, 30 tokens\)/);
});

test('a newer table is checked and written whole, and prices messages from then on', (context) => {
  const line = answerLine({ id: 'z', output: 5, model: 'claude-zeta-9', time: '2026-12-02T00:00:00Z' });
  const { run, write, kept, env } = place(context, [line]);
  const file = write('new.json', newer);
  assert.deepEqual(run('update', 'new.json', '--dry-run'), {
    status: 0,
    stdout: `would write ${kept}: prices of 9000-01-02, 2 models\nnew: claude-zeta-9\nchanged: claude-opus-5-5\n`,
    stderr: '',
  });
  assert.ok(!existsSync(kept));
  assert.deepEqual(jsonOf(['prices', 'update', file, '--json'], { env }), {
    file: kept,
    version: '9000-01-02',
    previousVersion: '2026-11-15',
    models: 2,
    added: ['claude-zeta-9'],
    changed: ['claude-opus-5-5'],
    backup: null,
    dryRun: false,
  });
  assert.equal(readFileSync(kept, 'utf8'), readFileSync(file, 'utf8'));
  assert.equal(statSync(kept).mode & 0o777, 0o600);
  const { totals, pricesVersion } = jsonOf(['usage', '--json'], { env }) as {
    totals: JsonObject;
    pricesVersion: string;
  };
  // 10 × 7 + 5 × 9.
  assert.deepEqual([totals.costMicroUsd, pricesVersion], [115, '9000-01-02']);
  // Again, over the one that is there now.
  write('newest.json', { ...newer, version: '9001-01-01' });
  assert.equal(run('update', 'newest.json').stdout, `wrote ${kept}: prices of 9001-01-01, 2 models\n`);
  assert.deepEqual(
    readdirSync(path.dirname(kept)).filter((name) => /prices|tmp/.test(name)),
    ['prices.json'],
  );
});

test('the table of the sources is one that can be taken', (context) => {
  const { run, kept } = place(context);
  const source = path.join(projectRoot, 'src/models/models.json');
  assert.deepEqual(run('update', source), {
    status: 0,
    stdout: `wrote ${kept}: prices of 2026-11-15, 28 models\n`,
    stderr: '',
  });
});

test('what is not a newer table is refused in one line, and nothing changes', (context) => {
  const { run, write, kept, folder } = place(context);
  const how = 'nothing was changed: docs/prices.md shows how a table is written';
  write('bad.json', { version: '9000-01-01', models: [{ id: 'm', prices: [{ input: 1 }] }] });
  write('flat.json', { version: '9000-01-01', models: { m: { input: 1, output: 2 } } });
  write('old.json', { ...newer, version: '2026-01-01' });
  const cases: readonly (readonly [readonly string[], number, string])[] = [
    [['update', 'bad.json'], 2, `bad.json is not a table of prices: "m", price 1: "output" is missing; ${how}`],
    [['update', 'flat.json'], 2, `flat.json is not a table of prices: "models" is not a list; ${how}`],
    [
      ['update', 'old.json'],
      3,
      'old.json is of 2026-01-01, older than the prices of 2026-11-15 in use; nothing was changed: name a newer table',
    ],
    [
      ['update', 'https://example.com/p.json', '--dry-run'],
      2,
      'a dry run asks no server; download the table and name the file, or leave out --dry-run',
    ],
    [['update'], 2, '`clew prices update` takes one table; give a file or an https address'],
    [['refresh'], 2, 'there is no action "refresh"; run `clew prices` or `clew prices update FILE`'],
    [
      ['update', 'http://example.com/p.json'],
      2,
      'http://example.com/p.json is not an https address; name a file, or an address that begins with https://',
    ],
    [
      ['update', 'ftp://127.0.0.1/p.json'],
      2,
      'ftp://127.0.0.1/p.json is not an https address; name a file, or an address that begins with https://',
    ],
    [
      ['update', 'https://me:secret@example.com/p.json'],
      2,
      'an address with a name or a password is not read; name a file, or an address that begins with https://',
    ],
  ];
  for (const [args, status, message] of cases)
    assert.deepEqual(run(...args), { status, stdout: '', stderr: `clew: ${message}\n` });
  const missing = run('update', 'none.json');
  assert.equal(missing.status, 2);
  assert.match(missing.stderr, /^clew: .*none\.json.*\n$/);
  const device = run('update', '/dev/zero');
  assert.deepEqual(
    [device.status, device.stderr],
    [2, 'clew: /dev/zero is a device, not a file; name a regular file\n'],
  );
  assert.equal(run('update', folder).status, 2);
  assert.ok(!existsSync(kept));
});

test('prices that the user wrote by hand are not replaced', (context) => {
  const { run, write, kept } = place(context);
  const own = JSON.stringify({ models: { 'claude-zeta-9': { input: 1, output: 2 } } });
  writeFileSync(kept, own);
  write('new.json', newer);
  assert.deepEqual(run('update', 'new.json'), {
    status: 3,
    stdout: '',
    stderr: `clew: ${kept} holds prices of your own; nothing was changed: move it elsewhere, set CLEW_PRICES to it, and run this again\n`,
  });
  assert.equal(readFileSync(kept, 'utf8'), own);
});

test('a prices.json that could not be used is kept next to the new one', (context) => {
  const { run, write, kept } = place(context);
  writeFileSync(kept, '{"models": {"m": ');
  write('new.json', newer);
  const { status, stdout } = run('update', 'new.json');
  assert.equal(status, 0);
  const backup = /^the previous file is kept as (.*)$/m.exec(stdout)?.[1];
  assert.ok(backup !== undefined);
  assert.equal(readFileSync(backup, 'utf8'), '{"models": {"m": ');
  assert.equal(readFileSync(kept, 'utf8'), JSON.stringify(newer));
});
