// The complete output of commands, so that every changed line is visible in review. CLEW_UPDATE_GOLDEN=1 rewrites the
// files.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { listTable, type Row } from '../../src/cli/ls/render.ts';
import { shortIds } from '../../src/cli/render/wording.ts';
import { createStyle } from '../../src/cli/terminal/style.ts';
import { summariseFile } from '../../src/session/facts/summary.ts';
import { discoverSessions } from '../../src/store/discover.ts';
import { runClew } from '../support/clew.ts';
import { projectRoot } from '../support/paths.ts';

const folder = path.join(projectRoot, 'test/cli/golden');

const cases: readonly (readonly [name: string, columns: number, ...args: string[]])[] = [
  ['show-agent-80', 80, 'show', '--demo', '463b11e7'],
  ['show-agent-50', 50, 'show', '--demo', '463b11e7'],
  ['show-branch-80', 80, 'show', '--demo', 'b8f420a0'],
  ['show-branch-50', 50, 'show', '--demo', 'b8f420a0'],
  ['show-full-80', 80, 'show', '--demo', 'e45ab231', '--full', '--turn', '2'],
  ['doctor-80', 80, 'doctor', '--demo', 'e45ab231'],
  ['doctor-50', 50, 'doctor', '--demo', 'b8f420a0'],
  ['context-80', 80, 'context', '--demo', 'e45ab231'],
  ['context-50', 50, 'context', '--demo', 'e45ab231', '--turn', '1'],
  ['help-80', 80, '--help'],
  ['help-show-80', 80, 'show', '--help'],
  ['help-prices-80', 80, 'prices', '--help'],
];

for (const [name, columns, ...args] of cases) {
  test(`clew ${args.join(' ')} at ${columns} columns prints what ${name}.txt holds`, () => {
    const { status, stdout, stderr } = runClew(args, { env: { COLUMNS: String(columns) } });
    assert.deepEqual([status, stderr], [0, '']);
    assertGolden(name, stdout);
  });
}

// Ages grow: the table is made for a given moment, and the command is held against it without them.
for (const columns of [80, 50]) {
  test(`the demo list at ${columns} columns is what ls-${columns}.txt holds`, async () => {
    assertGolden(`ls-${columns}`, await demoTable(columns, Date.UTC(2026, 2, 20)));
  });
}

test('clew ls --demo prints the same table, with ages of today', async () => {
  const { stdout } = runClew(['ls', '--demo'], { env: { COLUMNS: '120' } });
  assert.equal(withoutAges(stdout), withoutAges(await demoTable(120, Date.UTC(2026, 2, 20))));
});

async function demoTable(width: number, nowMs: number): Promise<string> {
  const rows: Row[] = [];
  for (const { path: file, slug: project, mtimeMs } of (await discoverSessions([path.join(projectRoot, 'demo')]))
    .sessions) {
    const summary = await summariseFile(file);
    if (summary !== undefined) rows.push({ ...summary, project, mtimeMs, relations: [], repository: null });
  }
  rows.sort((a, b) => b.endedAt - a.endedAt);
  const ids = shortIds(rows.map((row) => row.sessionId));
  return listTable(rows, ids, { width, style: createStyle(false), nowMs, showFlags: '--demo' });
}

function withoutAges(table: string): string {
  return table.replace(/^ *(?:AGE|now|\d+ (?:min|h|d|mo|y)) {2}/gm, '');
}

function assertGolden(name: string, text: string): void {
  const file = path.join(folder, `${name}.txt`);
  if (process.env.CLEW_UPDATE_GOLDEN === '1') writeFileSync(file, text);
  assert.equal(text, readFileSync(file, 'utf8'));
}
