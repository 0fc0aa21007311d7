// A repair never makes it worse: the real client resumes damaged sessions and their repaired copies, and everything that it
// sends for the damaged file it also sends for the repaired one.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type TestContext, test } from 'node:test';
import { diagnoseSession } from '../../src/doctor/diagnosis/diagnose.ts';
import { planRepair } from '../../src/doctor/repair/repair.ts';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { benchWith } from '../support/surgery-kit.ts';
import { type DamagedSession, damagedSessions, missingIn } from './damaged-sessions.ts';
import { resumeLive } from './live.ts';

const current = '2.1.325';
const count = process.env.CLEW_LONG === '1' ? 300 : 16;

test(
  `${count} damaged sessions: ${current} sends nothing less after the repair`,
  { concurrency: availableParallelism() + 1 },
  async (t) => {
    const outcomes = await Promise.all(
      damagedSessions(count).map(async (session) => {
        let outcome = '';
        await t.test(session.name, async (context) => {
          outcome = await compare(context, session);
        });
        return outcome;
      }),
    );
    for (const outcome of new Set(outcomes))
      t.diagnostic(`${outcome}: ${outcomes.filter((each) => each === outcome).length}`);
  },
);

async function compare(context: TestContext, { sessionId, bytes }: DamagedSession): Promise<string> {
  const bench = benchWith(context, sessionId, bytes);
  const before = await resumeLive(current, bench.main);
  const source = await loadSource(bench.main);
  const plan = await planRepair(source, await diagnoseSession(source.session));
  if (plan === undefined) {
    assert.ok('messages' in before, 'the client refuses it, and no repair is planned');
    return 'nothing to repair';
  }
  const { to, others } = await operate(plan, [source], { env: bench.env });
  assert.deepEqual(readFileSync(bench.main), bytes);
  const after = await resumeLive(current, to.path);
  assert.ok('messages' in after, `the client refuses the repaired session: ${JSON.stringify(after)}`);
  if ('refused' in before) return 'refused before, resumed after';
  // Lines of another session are in a session of their own now.
  const moved = await Promise.all(others.map((other) => resumeLive(current, other.path)));
  const all = [after, ...moved].flatMap((each) => ('messages' in each ? each.messages : []));
  assert.deepEqual(missingIn(all, before.messages), []);
  return missingIn(before.messages, after.messages).length > 0 ? 'more is sent than before' : 'the same is sent';
}
