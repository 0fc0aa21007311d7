// A session that goes to a folder that does not exist: said when it is tried and when it is done, since the client
// resumes a session only in a folder that is there.
import assert from 'node:assert/strict';
import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json/json.ts';
import { encodeSlug } from '../../src/store/roots.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { planFork } from '../../src/surgery/operations/fork.ts';
import { planMove } from '../../src/surgery/operations/move.ts';
import { jsonOf, runClew } from '../support/clew.ts';
import { benchWith, contentsOf, entriesOf } from '../support/surgery-kit.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';

const text = transcript({ cwd: '/home/kim/project' }).user('one').assistant('two').text();

test('fork, move and import say that the folder they go to does not exist, also in a dry run', (t) => {
  const bench = benchWith(t, sessionId, text);
  const outer = path.dirname(bench.root);
  const missing = path.join(outer, 'not-yet');
  const env = { CLEW_HOME: bench.env.CLEW_HOME };
  const bundle = path.join(outer, 'x.clew');
  assert.equal(runClew(['bundle', bench.main, '-o', bundle, '--root', bench.root], { env }).status, 0);
  const calls = [
    ['fork', sessionId, '--to', missing],
    ['import', bundle, '--to', missing],
    ['move', '/home/kim/project', missing],
    ['move', sessionId, '--to', missing],
  ];
  const warning = `warning: ${missing} does not exist; create it before you resume there`;
  for (const words of calls) {
    const { notes } = jsonOf([...words, '--dry-run', '--json', '--root', bench.root], { env }) as JsonObject;
    assert.ok((notes as string[]).includes(warning), `${words[0]}: ${String(notes)}`);
  }
  const { stdout } = runClew([...(calls[3] ?? []), '--root', bench.root], { env });
  assert.ok(stdout.includes(`\n  ${warning}\n`), stdout);
});

test('a plan for a folder that does not exist says so', async (t) => {
  const bench = benchWith(t, sessionId, text);
  const source = await loadSource(bench.main);
  const missing = path.join(bench.root, 'not-yet');
  const warning = `warning: ${missing} does not exist; create it before you resume there`;
  assert.deepEqual(planFork(source, { to: missing }).notes, [warning]);
  assert.deepEqual(planFork(source, { to: bench.root }).notes, []);
  assert.deepEqual(planFork(source, { to: 'C:\\Users\\kim' }).notes, []);
  const moved = await planMove([{ source, folder: `${bench.folder}-x` }], { words: [], workingFolder: missing });
  assert.deepEqual(moved.plan.notes, [warning]);
});

test('a file is not a folder to work in, and a folder that exists needs no warning', (t) => {
  const bench = benchWith(t, sessionId, text);
  const outer = path.dirname(bench.root);
  const env = { CLEW_HOME: bench.env.CLEW_HOME };
  const file = path.join(outer, 'file.txt');
  writeFileSync(file, 'x');
  const before = contentsOf(bench.root);
  for (const words of [
    ['fork', sessionId, '--to', file],
    ['move', sessionId, '--to', file],
    ['move', '/home/kim/project', file],
  ]) {
    const { status, stderr } = runClew([...words, '--root', bench.root], { env });
    assert.deepEqual([status, stderr], [2, `clew: ${file} is not a folder; name a folder\n`]);
  }
  assert.deepEqual(contentsOf(bench.root), before);
  const linked = path.join(outer, 'linked');
  symlinkSync(outer, linked);
  const { notes, to } = jsonOf(['fork', sessionId, '--to', linked, '--json', '--root', bench.root], {
    env,
  }) as JsonObject;
  assert.deepEqual(notes, []);
  const { path: main } = to as { path: string };
  // The client knows a folder by its real path.
  assert.equal(path.basename(path.dirname(main)), encodeSlug(outer));
  assert.deepEqual(entriesOf(main)[0]?.cwd, outer);
});
