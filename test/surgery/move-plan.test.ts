// A move of one session, planned and carried out: the old files go, a session that is in the way is not overwritten.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { planMove } from '../../src/surgery/operations/move.ts';
import { type Bench, benchWith, contentsOf, undoLast } from '../support/surgery-kit.ts';
import { writeTree } from '../support/temp-folder.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';

const text = transcript({ cwd: '/home/kim/project' }).user('in /home/kim/project').assistant('yes').text();
const side = `${sessionId}/tool-results/a.txt`;

test('a session moves with its side files, keeps its time, and undo brings it back', async (context) => {
  const bench = benchWith(context, sessionId, text, { [side]: 'a' });
  const time = new Date('2026-02-03T04:05:06Z');
  utimesSync(bench.main, time, time);
  const before = contentsOf(bench.root);
  await move(bench);
  assert.deepEqual(
    contentsOf(bench.root),
    new Map([
      [`projects/-srv-new/${sessionId}.jsonl`, text.replaceAll('"cwd":"/home/kim/project"', '"cwd":"/srv/new"')],
      [`projects/-srv-new/${side}`, 'a'],
    ]),
  );
  assert.equal(statSync(path.join(targetOf(bench), `${sessionId}.jsonl`)).mtimeMs, time.getTime());
  await undoLast(bench);
  assert.deepEqual(contentsOf(bench.root), before);
});

test('a copy leaves the old files', async (context) => {
  const bench = benchWith(context, sessionId, text, { [side]: 'a' });
  await move(bench, true);
  assert.equal(readFileSync(bench.main, 'utf8'), text);
  assert.ok(existsSync(path.join(targetOf(bench), side)));
});

test('a session with other content at the target is refused, and both stay unchanged', async (context) => {
  const bench = benchWith(context, sessionId, text);
  writeTree(targetOf(bench), { [`${sessionId}.jsonl`]: transcript().user('another').assistant('one').text() });
  const before = contentsOf(bench.root);
  await assert.rejects(move(bench), /already exists with other content/);
  assert.deepEqual(contentsOf(bench.root), before);
});

function targetOf(bench: Bench): string {
  return path.join(path.dirname(bench.folder), '-srv-new');
}

async function move(bench: Bench, isCopy = false): Promise<void> {
  const source = await loadSource(bench.main);
  const relocation = { source, folder: targetOf(bench), cwd: { from: '/home/kim/project', to: '/srv/new' } };
  const { plan, sources } = await planMove([relocation], { words: [], isCopy });
  await operate(plan, sources, { env: bench.env });
}
