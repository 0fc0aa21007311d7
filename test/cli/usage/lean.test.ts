// clew usage as a lean command prints what the full command prints.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { reportKinds } from '../../../src/library/usage/report.ts';
import { type Run, runClew } from '../../support/clew.ts';
import { edgeCases } from '../../support/edge-cases.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { answerLine } from '../../support/usage-library.ts';

const run = (env: Readonly<Record<string, string>>, ...args: readonly string[]): Run =>
  runClew(['usage', ...args], { env });

test('every report is the same, as JSON and as a table in a pipe', (context) => {
  const folder = temporaryFolder(context);
  const root = path.join(folder, 'root');
  for (const [name, { files }] of Object.entries(edgeCases)) {
    const lines = Object.entries(files).map(([file, list]) => [`projects/${name}-${file}`, `${list.join('\n')}\n`]);
    writeTree(root, Object.fromEntries(lines));
  }
  const env = { CLEW_HOME: path.join(folder, 'state'), CLEW_ROOTS: root };
  for (const kind of reportKinds) {
    for (const flags of [['--json'], ['--json', '--breakdown'], [], ['--breakdown']]) {
      const lean = run(env, kind, ...flags);
      assert.deepEqual([lean.status, lean.stderr], [0, '']);
      assert.ok(lean.stdout.length > 100);
      // The lean command does not know --root.
      assert.deepEqual(lean, run(env, kind, ...flags, '--root', root), `${kind} ${flags.join(' ')}`);
    }
  }
});

test('what is unusual is said by the full command', (context) => {
  const folder = temporaryFolder(context);
  const root = path.join(folder, 'root');
  const file = path.join(root, 'projects/-w-p/11111111-1111-4111-a111-111111111111.jsonl');
  writeTree(root, {
    'projects/-w-p/11111111-1111-4111-a111-111111111111.jsonl': `${answerLine({ id: 'a', output: 1 })}\n`,
  });
  const env = { CLEW_HOME: path.join(folder, 'state'), CLEW_ROOTS: root };
  assert.deepEqual(run(env, 'yearly').status, 2);
  assert.match(run(env, 'yearly').stderr, /there is no report "yearly"/);
  assert.equal(run(env, '--jsno').status, 2);
  assert.equal(run({ ...env, CLEW_PRICES: '/nowhere' }, '--json').status, 2);
  const nothing = run({ ...env, CLEW_ROOTS: folder });
  assert.match(nothing.stderr, /nothing to count below/);
  // A state folder that cannot be made.
  const blocked = path.join(folder, 'a-file');
  writeFileSync(blocked, '');
  const unsaved = run({ ...env, CLEW_HOME: blocked }, '--json');
  assert.equal(unsaved.status, 0);
  assert.match(
    unsaved.stderr,
    /cannot be written \(E\w+\); set CLEW_HOME .*; until then every call reads all sessions/,
  );
  assert.equal(JSON.parse(unsaved.stdout).totals.outputTokens, 1);
  // A pipe instead of a transcript is a problem of its own.
  mkdirSync(path.join(root, 'projects/-w-q'));
  spawnSync('mkfifo', [path.join(root, 'projects/-w-q/22222222-2222-4222-a222-222222222222.jsonl')]);
  appendFileSync(file, `${answerLine({ id: 'b', output: 10 })}\n`);
  chmodSync(file, 0o600);
  assert.equal(JSON.parse(run(env, '--json').stdout).totals.outputTokens, 11);
});
