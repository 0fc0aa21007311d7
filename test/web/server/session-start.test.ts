// A page shows the beginning of a large session while the rest is read, and then asks again from the first part that
// changed.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { SessionAnswers } from '../../../src/web/server/answers/session-answers.ts';
import { SessionCache } from '../../../src/web/server/answers/session-cache.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { type TranscriptBuilder, transcript } from '../../support/transcript-builder.ts';

const turns = 100;

function largeSession(): TranscriptBuilder {
  const builder = transcript();
  for (let i = 1; i <= turns; i++) builder.user(`prompt ${i}`).assistant('x'.repeat(100_000));
  return builder;
}

function open(context: TestContext, text: string) {
  const file = path.join(temporaryFolder(context), 'a.jsonl');
  writeFileSync(file, text);
  const cache = new SessionCache({ startBytes: 1_000_000 });
  return { cache, answers: new SessionAnswers(cache, temporaryFolder(context)), of: { path: file, key: 'a' } };
}

test('the head of the beginning comes first, then the whole with the first changed part', async (context) => {
  const { cache, answers, of } = open(context, largeSession().text());
  const start = await answers.head({ ...of, start: true });
  const begun = start.head.turnCount;
  assert.equal(start.isWhole, false);
  assert.ok(begun >= 10 && begun < 25, `${begun} turns`);
  const shown = await answers.turns({ ...of, version: start.version, from: 0, to: 3 });
  assert.deepEqual([shown.version, shown.total], [start.version, start.head.parts]);
  const whole = await answers.head({ ...of, since: start.version });
  assert.deepEqual(
    [whole.isWhole, whole.head.turnCount, whole.fromPart, cache.counts],
    [true, turns, start.head.parts - 1, { whole: 1, grown: 0 }],
  );
  // The rows that the page keeps are unchanged; the last turn may have been incomplete.
  assert.deepEqual(whole.head.turns.slice(0, begun - 1), start.head.turns.slice(0, -1));
  const again = await answers.turns({ ...of, from: 0, to: 3 });
  assert.deepEqual(again.parts, shown.parts);
});

test('a prepared session is read once', async (context) => {
  const { cache, answers, of } = open(context, largeSession().text());
  await answers.prepare(of);
  const start = await answers.head({ ...of, start: true });
  assert.ok(start.head.turnCount >= 10);
  const whole = await answers.head({ ...of, since: start.version });
  assert.deepEqual([whole.head.turnCount, cache.counts], [turns, { whole: 1, grown: 0 }]);
});

test('a request without `start` gets the whole session', async (context) => {
  const { answers, of } = open(context, largeSession().text());
  const [start, turnsOfWhole, whole] = await Promise.all([
    answers.head({ ...of, start: true }),
    answers.turns({ ...of, from: 98 }),
    answers.head(of),
  ]);
  assert.deepEqual([start.isWhole, turnsOfWhole.total, whole.isWhole, whole.fromPart], [false, turns, true, 0]);
  assert.deepEqual((await answers.head({ ...of, start: true })).version, whole.version);
  // A page that still has the version of the beginning is answered from the whole.
  assert.equal((await answers.turns({ ...of, version: start.version, to: 1 })).total, turns);
});

test('a session that switches branches after its beginning changes from part 0', async (context) => {
  const builder = largeSession();
  builder.from('u1').assistant('another answer').user('and on').assistant('to the end');
  const { answers, of } = open(context, builder.text());
  const start = await answers.head({ ...of, start: true });
  const whole = await answers.head({ ...of, since: start.version });
  assert.deepEqual([start.isWhole, whole.fromPart, whole.head.turnCount], [false, 0, 2]);
  const unknown = await answers.head({ ...of, since: 'start-of-another-server' });
  assert.equal(unknown.fromPart, 0);
});

test('other branches wait for the whole session', async (context) => {
  const builder = largeSession();
  builder.from('u1').assistant('another answer').user('and on').assistant('to the end');
  const { answers, of } = open(context, builder.text());
  const second = await answers.head({ ...of, start: true, branch: 2 });
  assert.deepEqual([second.isWhole, second.head.branches.length], [true, 2]);
});
