// Forks of every session that the real client wrote send what their originals send.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { isMessage } from '../../../src/session/transcript/node.ts';
import { operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { planFork } from '../../../src/surgery/operations/fork.ts';
import { type Bench, benchOf, contentsOf, realSessions } from '../../support/surgery-kit.ts';

test('the fork of every real session sends what its original sends, and the original is as it was', async (context) => {
  let count = 0;
  for (const file of realSessions()) {
    const bench = benchOf(context, file);
    const before = contentsOf(bench.folder);
    const original = await loadSession(bench.main);
    if (!original.transcript.nodes.some(isMessage)) continue;
    const expected = requestMessages(original);
    const { to, proof } = await fork(bench);
    assert.deepEqual(requestMessages(await loadSession(to.path)), expected, file);
    assert.ok(proof.untouchedIdentical);
    const after = contentsOf(bench.folder);
    for (const [name, bytes] of before) assert.equal(after.get(name), bytes, name);
    assert.equal(after.size, before.size + (await loadSource(bench.main)).files.length);
    count++;
  }
  assert.ok(count > 150, `${count} sessions`);
});

async function fork(bench: Bench, at?: string): ReturnType<typeof operate> {
  const source = await loadSource(bench.main);
  return operate(planFork(source, at === undefined ? {} : { at }), [source], { env: bench.env });
}
