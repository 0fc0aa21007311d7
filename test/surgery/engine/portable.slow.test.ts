// Every session that the real client wrote, in the portable form.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { planFork } from '../../../src/surgery/operations/fork.ts';
import { benchOf, someRealSessions } from '../../support/surgery-kit.ts';

test('real sessions in the portable form send what they sent', async (context) => {
  let tried = 0;
  for (const file of someRealSessions(1)) {
    const session = await loadSession(file);
    const request = requestMessages(session);
    if (!('messages' in request) || request.messages.length === 0) continue;
    const bench = benchOf(context, file);
    const source = await loadSource(bench.main);
    const { proof } = await operate(planFork(source), [source], { env: bench.env, isPortable: true, isDryRun: true });
    assert.equal(proof.reachable.loaded, proof.reachable.of, file);
    tried++;
  }
  assert.ok(tried > 40, `${tried} sessions`);
});
