// The model fails in every possible way: the turn completes or ends with a clear error, nothing is written twice, and
// each call runs once.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { ScriptStep } from '../../../src/api/server/script.ts';
import { asObject, isArray } from '../../../src/base/json/json.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { isReminder } from '../../../src/session/resume/messages/normalise.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { assertSound, calls, type HeadlessKit, says, startHeadless } from '../../support/headless-kit.ts';

const half: readonly { readonly type: string; readonly text: string }[] = [
  { type: 'text', text: 'a first block' },
  { type: 'text', text: 'half an answer' },
];
const count = calls(['Bash', { command: 'echo ran >> runs' }]);

const faults: Readonly<Record<string, ScriptStep>> = {
  '429 with retry-after': { status: 429, type: 'rate_limit_error', message: 'slow', headers: { 'retry-after': '1' } },
  '529': { status: 529, type: 'overloaded_error', message: 'Overloaded', headers: { 'retry-after': '0' } },
  'a cut stream': { blocks: half, cutAfterEvents: 8 },
  'a cut in the middle of an event': { blocks: half, cutAfterBytes: 700 },
  'a hang': { blocks: half, hangAfterEvents: 8 },
  'silence from the start': { hang: true },
  'malformed events': { blocks: half, malformedAfterEvents: 8 },
  'an error in the middle': { blocks: half, errorAfterEvents: 8 },
};

for (const [name, fault] of Object.entries(faults)) {
  test(`a turn with a tool survives ${name}: one retry, one run of the tool, no message twice`, async (t) => {
    const kit = await startHeadless(t, [fault, count, fault, says('whole')], { env: { CLEW_IDLE_TIMEOUT_MS: '1500' } });
    const { status, messages, result } = await run(kit);
    assert.deepEqual([status, result.result, result.num_turns], [0, 'whole', 2]);
    const retries = messages.filter(({ subtype }) => subtype === 'api_retry');
    assert.deepEqual(
      retries.map(({ attempt }) => attempt),
      [1, 1],
    );
    if (name.startsWith('429')) assert.ok(retries.every(({ retry_delay_ms }) => Number(retry_delay_ms) >= 1000));
    assert.equal(readFileSync(path.join(kit.cwd, 'runs'), 'utf8'), 'ran\n');
    await assertOnce(kit, ['go', 'Bash', 'result', 'whole']);
  });
}

test('a failure after a call runs the call once and continues', async (t) => {
  const broken = { blocks: [...count.blocks, { type: 'text', text: 'half' }], cutAfterEvents: 6 };
  const kit = await startHeadless(t, [broken, says('whole')]);
  const { status, result } = await run(kit);
  assert.deepEqual([status, result.result], [0, 'whole']);
  assert.equal(readFileSync(path.join(kit.cwd, 'runs'), 'utf8'), 'ran\n');
  await assertOnce(kit, ['go', 'Bash', 'result', 'whole']);
});

test('endless failures end with a clear error after the last retry, and the session can be resumed', async (t) => {
  const fault = faults['529'];
  assert.ok(fault !== undefined);
  const kit = await startHeadless(t, [fault, fault, fault, says('back')], { env: { CLEW_MAX_RETRIES: '2' } });
  const failed = await run(kit);
  assert.deepEqual([failed.status, failed.result.is_error, failed.result.terminal_reason], [1, true, 'api_error']);
  assert.match(String(failed.result.result), /Overloaded/);
  const { result } = await kit.print(['-p', 'again', '--continue', '--output-format', 'json']);
  assert.equal(result.result, 'back');
  await assertOnce(kit, ['go', 'again', 'back']);
});

async function run(kit: HeadlessKit) {
  return kit.print(['-p', 'go', '--output-format', 'stream-json', '--dangerously-skip-permissions']);
}

/** The active branch has exactly these messages: no message and no call twice. */
async function assertOnce(kit: HeadlessKit, expected: readonly string[]): Promise<void> {
  const [file = ''] = kit.transcripts();
  await assertSound(file);
  const session = await loadSession(file);
  const sent = requestMessages(session);
  assert.ok(!('refused' in sent));
  const blocks = sent.messages
    .flatMap(({ content }) => (isArray(content) ? content : []))
    .filter((block) => !isReminder(block))
    .map(asObject);
  assert.deepEqual(
    blocks.map((block) => (block?.type === 'tool_result' ? 'result' : String(block?.text ?? block?.name).trim())),
    expected,
  );
  // Each of them is one message, except for two prompts in a row.
  assert.equal(sent.messages.length, expected.length - (expected.includes('again') ? 1 : 0));
}
