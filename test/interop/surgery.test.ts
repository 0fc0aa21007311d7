// What Clew writes, the real client resumes, and sends exactly the messages we said: forks as they are in the current
// client, and in the portable form in every client back to 1.0.57.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { type TestContext, test } from 'node:test';
import { loadSession } from '../../src/session/load/session.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { planFork } from '../../src/surgery/operations/fork.ts';
import { benchOf, realSessions } from '../support/surgery-kit.ts';
import { describeDifference } from './difference.ts';
import { assertPredicted, resumeLive } from './live.ts';
import { predict } from './predict.ts';

const current = '2.1.325';
const old = '2.1.45';
const all = ['1.0.57', '2.0.50', '2.1.29', old, '2.1.150', current];
const concurrency = availableParallelism() + 1;

test(
  `forks of real sessions are resumed by ${current} as predicted, portable ones by ${old} too`,
  { concurrency },
  async (t) => {
    const files = await chosenSessions(12);
    assert.ok(files.length === 12, `only ${files.length} sessions to try`);
    await Promise.all(
      files.map((file) =>
        t.test(file.slice(-80), async (context) => {
          await assertPredicted(current, await forkOf(context, file, false));
          if (!(await plans(file))) await assertPredicted(old, await forkOf(context, file, true));
        }),
      ),
    );
  },
);

test('a portable session is resumed alike by every client from 1.0.57 on', { concurrency }, async (t) => {
  const files = await chosenSessions(3);
  await Promise.all(
    files.flatMap((file) =>
      all.map((version) =>
        t.test(`${version} ${file.slice(-60)}`, async (context) => {
          const portable = await forkOf(context, file, true);
          const [live, predicted] = [await resumeLive(version, portable), await predict(portable)];
          assert.ok('messages' in live && 'messages' in predicted, JSON.stringify(live).slice(0, 300));
          assert.equal(describeDifference(live.messages, predicted.messages), undefined);
        }),
      ),
    ),
  );
});

/** Client 2.1.45 empties the input of every ExitPlanMode call that it sends again, whatever the file says. */
async function plans(file: string): Promise<boolean> {
  const request = requestMessages(await loadSession(file));
  return JSON.stringify(request).includes('"name":"ExitPlanMode","input":{"plan"');
}

/** Sessions with tools, from all versions that wrote some, evenly spread. */
async function chosenSessions(count: number): Promise<readonly string[]> {
  const files = realSessions();
  const resumable: string[] = [];
  for (const file of files) {
    const request = requestMessages(await loadSession(file));
    if ('messages' in request && request.messages.length > 3) resumable.push(file);
  }
  const step = Math.max(1, resumable.length / count);
  return Array.from({ length: Math.min(count, resumable.length) }, (_, i) => resumable[Math.floor(i * step)] ?? '');
}

async function forkOf(context: TestContext, file: string, isPortable: boolean): Promise<string> {
  const bench = benchOf(context, file);
  const source = await loadSource(bench.main);
  const { to } = await operate(planFork(source), [source], { env: bench.env, isPortable });
  return to.path;
}
