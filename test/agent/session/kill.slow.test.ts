import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { checkRequest } from '../../../src/api/rules/check-request.ts';
import { diagnoseSession } from '../../../src/doctor/diagnosis/diagnose.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { AgentRun, model, openRun, placeIn } from '../../support/agent-run.ts';
import { filesBelow } from '../../support/paths.ts';
import { runRandomly } from '../../support/random-run.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

const isLong = process.env.CLEW_LONG === '1';

/** The length of every file after an event. */
type Sizes = ReadonlyMap<string, number>;

class WatchedRun extends AgentRun {
  readonly points: Sizes[] = [];
  onEvent: () => Promise<void> = async () => undefined;

  override async emit(...event: Parameters<AgentRun['emit']>): Promise<void> {
    await super.emit(...event);
    const files = existsSync(this.session.file) ? [this.session.file, ...agentFiles(this)] : [];
    this.points.push(new Map(files.map((file) => [file, statSync(file).size])));
    await this.onEvent();
  }
}

function agentFiles({ session }: AgentRun): readonly string[] {
  return existsSync(session.sessionDir) ? filesBelow(session.sessionDir, '.jsonl') : [];
}

async function watchedRun(t: TestContext, seed: number): Promise<WatchedRun> {
  const place = placeIn(temporaryFolder(t), { withProgressEntries: seed % 2 === 0 });
  mkdirSync(place.cwd, { recursive: true });
  const { session } = await openRun({ kind: 'new' }, place);
  return new WatchedRun(session);
}

test('after every event the conversation is what a resume of the file sends', async (t) => {
  let events = 0;
  for (let seed = 1; seed <= (isLong ? 200 : 8); seed++) {
    const run = await watchedRun(t, seed);
    run.onEvent = async () => {
      events++;
      if (!run.session.recorder.isStarted) return;
      const session = await loadSession(run.session.file);
      assert.deepEqual(requestMessages(session), run.session.recorder.resumed(), `seed ${seed}, event ${events}`);
    };
    await runRandomly(run, seededRandom(seed), 4);
    await run.close();
  }
  assert.ok(events > 100, `only ${events} events`);
});

test('a kill after any event, or within its write, leaves a complete session', async (t) => {
  let points = 0;
  for (let seed = 101; seed <= (isLong ? 130 : 102); seed++) {
    const run = await watchedRun(t, seed);
    await runRandomly(run, seededRandom(seed), 4);
    await run.close();
    const random = seededRandom(seed * 7);
    for (const [i, sizes] of run.points.entries()) {
      if (!sizes.has(run.session.file)) continue;
      points++;
      await assertWhole(t, run, sizes, `seed ${seed}, after event ${i}`);
      if (!isLong && i % 3 !== 0) continue;
      points++;
      const before = run.points[i - 1] ?? new Map<string, number>();
      const torn = new Map([...sizes].map(([file, size]) => [file, within(before.get(file) ?? 0, size, random)]));
      await assertWhole(t, run, torn, `seed ${seed}, within event ${i}: ${JSON.stringify([...torn.values()])}`, true);
    }
  }
  assert.ok(points >= (isLong ? 1000 : 60), `only ${points} points`);
});

function within(from: number, to: number, random: () => number): number {
  return to === from ? to : from + 1 + Math.floor(random() * (to - from - 1));
}

/** The same session as a kill would have left it, in a library of its own. */
async function assertWhole(
  t: TestContext,
  run: WatchedRun,
  sizes: Sizes,
  where: string,
  isTorn = false,
): Promise<void> {
  const folder = temporaryFolder(t);
  const from = path.resolve(run.session.file, '../../../..');
  for (const [file, size] of sizes) {
    const copy = path.join(folder, path.relative(from, file));
    mkdirSync(path.dirname(copy), { recursive: true });
    copyFileSync(file, copy);
    truncateSync(copy, size);
    const meta = file.replace(/\.jsonl$/, '.meta.json');
    if (existsSync(meta)) writeFileSync(copy.replace(/\.jsonl$/, '.meta.json'), readFileSync(meta));
  }
  const main = path.join(folder, path.relative(from, run.session.file));
  const session = await loadSession(main);
  const request = requestMessages(session);
  if ('refused' in request) {
    // Only a kill within the very first write can leave no prompt.
    assert.ok(
      session.transcript.nodes.every(({ type }) => type !== 'user'),
      where,
    );
    return;
  }
  const { findings } = await diagnoseSession(session);
  // Only what a cut write left after the last complete line may be wrong.
  const isOwn = (code: string): boolean => !isTorn || !['L-torn-tail', 'L-no-newline'].includes(code);
  assert.deepEqual(
    findings
      .filter(({ severity, code }) => severity !== 'info' && isOwn(code))
      .map(({ code, line, message }) => ({ code, line, message })),
    [],
    where,
  );
  const resumed = await openRun({ kind: 'resume', session: run.session.sessionId }, placeIn(folder));
  await resumed.prompt('Proceed');
  assert.deepEqual(checkRequest({ messages: resumed.session.messages(model), model }), [], where);
  await resumed.answer('I do.');
  assert.deepEqual(requestMessages(await loadSession(main)), resumed.session.recorder.resumed(), where);
  await resumed.close();
}
