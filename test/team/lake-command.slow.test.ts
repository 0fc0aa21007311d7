// `clew export --store`: what it prints, and what it refuses before it asks the store.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json/index.ts';
import { connect, DatabaseTarget } from '../../src/team/database/index.ts';
import { jsonOf, runClew } from '../support/clew.ts';
import { projectRoot } from '../support/paths.ts';
import { noPostgres } from '../support/postgres.ts';
import { startTeamStore } from '../support/team-store.ts';
import { filesOf, lakeFolder, planned } from './lake-kit.ts';

test('an export prints what docs/json.md lists', { skip: noPostgres }, async (context) => {
  const store = await startTeamStore(context, { ada: 'developer' });
  const target = new DatabaseTarget(await connect(store.addressOf('ada')));
  context.after(() => target.close());
  await target.push(planned('ada', { id: 'a1', level: 3 }));
  const place = lakeFolder(context);
  const env = { CLEW_STORE: store.addressOf('ada') };
  const report = jsonOf(['export', '--store', '--format', 'parquet', '--to', place, '--json'], { env }) as JsonObject;
  assert.deepEqual(Object.keys(report), fieldsOf('export --store'));
  assert.deepEqual(Object.keys(report.sessions as JsonObject), fieldsOf('export --store.sessions'));
  const tables = report.tables as readonly JsonObject[];
  for (const table of tables) assert.deepEqual(Object.keys(table), fieldsOf('export --store.tables[]'));
  assert.deepEqual(
    [report.path, report.level, report.sessions],
    [place, 'metrics', { written: 1, removed: 0, unchanged: 0, outdated: 0 }],
  );
  await target.push(planned('ada', { id: 'a1', level: 3, revision: 2 }));
  const text = runClew(['export', '--store', '--format', 'parquet', '--to', place], { env });
  assert.deepEqual(text.stdout.split('\n').slice(0, 2), [
    `wrote 1 session at the level metrics to ${place}`,
    '  sessions         1 rows in 1 file',
  ]);
  assert.match(text.stdout, /1 older version in files: remove with --purge/);
  const other = runClew(['export', '--store', '--format', 'parquet', '--to', place, '--level', 'text'], { env });
  assert.deepEqual([other.status, /has the level metrics/.test(other.stderr)], [3, true]);
  assert.ok(filesOf(place).length > 5);
});

test('wrong use is one line, and asks no store', () => {
  const store = 'postgres://ada@127.0.0.1:9/clew';
  const parquet = ['--format', 'parquet'];
  for (const [args, message] of [
    [['--store', store, '--to', '/x'], /--to is for tables of the team's store; add --store and --format parquet/],
    [['--store', store, ...parquet], /the tables need a place; add --to DIR, or --to s3:/],
    [['--store', ...parquet, '--to', '/x'], /there is no store to read; give --store postgres:/],
    [['--store', 'https://gateway.example', ...parquet, '--to', '/x'], /a gateway takes pushes only/],
    [
      ['--store', store, ...parquet, '--to', '/x', '--level', 'files'],
      /there is no level "files"; use metrics, titles, text/,
    ],
    [['--store', store, ...parquet, '--to', '/x', '--tables', 'usage,packs'], /there is no table "packs"/],
    [['--store', store, ...parquet, '--to', '/x', '--since', '2026-13'], /--since takes a month, not "2026-13"/],
    [['--store', store, ...parquet, '--to', 's3://UPPER/x'], /is not an address of S3/],
    [['a1', '--store', store, ...parquet, '--to', '/x'], /all sessions of the store are exported/],
    [
      ['--all', ...parquet, '-o', '/x', '--purge'],
      /--purge is for tables of the team's store; add --store and --format parquet/,
    ],
  ] as const) {
    const { status, stderr, stdout } = runClew(['export', ...args]);
    assert.deepEqual([status, stdout, stderr.trim().split('\n').length], [2, '', 1], `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, message);
  }
});

function fieldsOf(place: string): readonly string[] {
  const page = readFileSync(path.join(projectRoot, 'docs/json.md'), 'utf8');
  const [section = ''] = page.split(`### \`${place}\`\n`)[1]?.split('\n#') ?? [];
  return [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name ?? '');
}
