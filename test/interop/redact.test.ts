// Real sessions with secrets planted in what was said, called and answered: redacted, the real client resumes them and
// sends exactly the messages we said, without a secret in them.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { loadSession } from '../../src/session/load/session.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { planRedact } from '../../src/surgery/redact/redact.ts';
import { plantSecrets } from '../support/planted-session.ts';
import { benchOf, realSessions } from '../support/surgery-kit.ts';
import { type FakeSecret, fakeSecrets } from '../surgery/secrets/fake-secrets.ts';
import { assertPredicted, resumeLive } from './live.ts';

const current = '2.1.325';
const old = '2.1.45';

test(`redacted sessions are resumed by ${current} as predicted, portable ones by ${old} too`, async (t) => {
  for (const [i, file] of (await chosenSessions(3)).entries()) {
    await t.test(file.slice(-80), async (context) => {
      const fakes = fakeSecrets(20 + i);
      const redacted = await redactedCopy(context, file, fakes, false);
      await assertPredicted(current, redacted);
      await assertSendsNone(current, redacted, fakes);
      if (i < 2) await assertPredicted(old, await redactedCopy(context, file, fakes, true));
    });
  }
});

async function redactedCopy(
  context: TestContext,
  file: string,
  fakes: readonly FakeSecret[],
  isPortable: boolean,
): Promise<string> {
  const bench = benchOf(context, file);
  const texts = fakes.map(({ text }) => text);
  const planted = plantSecrets(readFileSync(bench.main, 'utf8'), texts);
  writeFileSync(bench.main, planted.text);
  const source = await loadSource(bench.main);
  const { plan, secrets } = await planRedact(source);
  assert.ok(planted.count > 3 && secrets.length > 3, `${planted.count} planted, ${secrets.length} found`);
  const { to } = await operate(plan, [source], { env: bench.env, isPortable });
  return to.path;
}

async function assertSendsNone(version: string, file: string, fakes: readonly FakeSecret[]): Promise<void> {
  const live = await resumeLive(version, file);
  assert.ok('messages' in live);
  const sent = JSON.stringify(live.messages);
  assert.ok(sent.includes('[redacted:'));
  for (const { kind, value } of fakes) assert.ok(!sent.includes(value), kind);
}

/** Sessions with calls that both clients send alike (2.1.45 empties the input of plans), evenly spread. */
async function chosenSessions(count: number): Promise<readonly string[]> {
  const files = realSessions();
  const fitting: string[] = [];
  for (const file of files) {
    const request = requestMessages(await loadSession(file));
    const text = JSON.stringify(request);
    const isLong = 'messages' in request && request.messages.length > 5;
    if (isLong && text.includes('"name":"Bash"') && !text.includes('ExitPlanMode')) fitting.push(file);
  }
  const step = Math.max(1, fitting.length / count);
  return Array.from({ length: Math.min(count, fitting.length) }, (_, i) => fitting[Math.floor(i * step)] ?? '');
}
