import assert from 'node:assert/strict';
import fs, { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { asString, type JsonObject } from '../../../src/base/json/json.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { type AgentRun, model, openRun, placeIn } from '../../support/agent-run.ts';
import { runRandomly } from '../../support/random-run.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { entriesOf } from '../../support/surgery-kit.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

async function newRun(t: TestContext, more = {}): Promise<AgentRun> {
  const place = placeIn(temporaryFolder(t), more);
  mkdirSync(place.cwd, { recursive: true });
  const run = await openRun({ kind: 'new' }, place);
  t.after(() => run.close());
  return run;
}

async function assertAsResumed(run: AgentRun): Promise<void> {
  assert.deepEqual(requestMessages(await loadSession(run.session.file)), run.session.recorder.resumed());
}

test('a turn with parallel calls is written in the safe profile', async (t) => {
  const run = await newRun(t);
  const prompt = await run.prompt('Do it');
  await run.calls(['Read', 'Bash', 'Edit']);
  await run.answer('Done.');
  await run.endTurn();
  const entries = entriesOf(run.session.file);
  assert.deepEqual(
    entries.map(({ type, subtype }) => subtype ?? type),
    [
      'file-history-snapshot',
      'user',
      'last-prompt',
      'assistant',
      'assistant',
      'assistant',
      'user',
      'user',
      'user',
      'assistant',
      'turn_duration',
      'last-prompt',
    ],
  );
  const links = entries.filter(({ uuid }) => uuid !== undefined);
  assert.deepEqual(
    links.map(({ parentUuid }) => parentUuid),
    [null, ...links.slice(0, -1).map(({ uuid }) => uuid)],
  );
  const times = links.map(({ timestamp }) => Date.parse(asString(timestamp) ?? ''));
  assert.ok(times.every((time, i) => i === 0 || time > (times[i - 1] ?? 0)));
  const { writtenBy, slug, timestamp, promptId, ...first } = links[0] ?? {};
  assert.match(String(promptId), /^[0-9a-f-]{36}$/);
  assert.match(String(writtenBy), /^clew \d/);
  assert.match(String(slug), /^[a-z]+-[a-z]+-[a-z]+$/);
  assert.deepEqual(first, {
    parentUuid: null,
    isSidechain: false,
    userType: 'external',
    cwd: run.session.cwd,
    sessionId: run.session.sessionId,
    version: '2.1.45',
    gitBranch: '',
    type: 'user',
    message: { role: 'user', content: 'Do it' },
    permissionMode: 'default',
    promptSource: 'sdk',
    turnOrigin: 'sdk',
    turnPosition: { promptIndex: 0, turnIndex: 1 },
    uuid: prompt,
  });
  assert.deepEqual(entries.at(-1), {
    type: 'last-prompt',
    lastPrompt: 'Do it',
    leafUuid: links.at(-1)?.uuid,
    sessionId: run.session.sessionId,
  });
  await assertAsResumed(run);
});

test('a new session has no file before its first prompt, and a title given before comes with it', async (t) => {
  const run = await newRun(t);
  await run.emit({ type: 'mode', mode: 'plan' });
  assert.equal(await run.session.recorder.rename('  My \n work '), 'My work');
  assert.throws(() => readFileSync(run.session.file));
  await run.prompt('Hello');
  const entries = entriesOf(run.session.file);
  assert.equal(entries[1]?.permissionMode, 'plan');
  assert.equal(entries.at(-1)?.customTitle, 'My work');
  const side = path.join(run.session.sessionDir, 'custom-title.json');
  assert.deepEqual(JSON.parse(readFileSync(side, 'utf8')), { customTitle: 'My work' });
});

test('an abandoned answer becomes a dead branch that no resume sends', async (t) => {
  const run = await newRun(t);
  await run.prompt('Hello');
  await run.blocks([{ type: 'text', text: 'Half an ans' }], undefined, 'msg_half');
  await run.abandon('msg_half');
  await assertAsResumed(run);
  await run.retry();
  await assertAsResumed(run);
  await run.answer('A whole answer.');
  await run.endTurn();
  await assertAsResumed(run);
  assert.deepEqual(run.session.messages(model), [
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'A whole answer.' }] },
  ]);
});

test('a sub-agent has a file and a chain of its own', async (t) => {
  const run = await newRun(t);
  await run.prompt('Ask an agent');
  const [callUuid = ''] = await run.blocks([{ type: 'tool_use', id: 'toolu_agent', name: 'Agent', input: {} }]);
  await run.agent('toolu_agent', 'a1b2c3d');
  const outcome = { content: 'found', isError: false, stored: { status: 'completed', agentId: 'a1b2c3d' } };
  const call = { id: 'toolu_agent', name: 'Agent', input: {} };
  await run.emit({ type: 'result', uuid: 'f0000000-0000-4000-8000-000000000001', call, callUuid, outcome });
  await run.answer('Thanks.');
  await run.endTurn();
  await assertAsResumed(run);
  const session = await loadSession(run.session.file);
  assert.deepEqual(
    session.agents.map(({ agentId, toolUseId }) => [agentId, toolUseId]),
    [['a1b2c3d', 'toolu_agent']],
  );
  const file = path.join(run.session.sessionDir, 'subagents/agent-a1b2c3d.jsonl');
  const entries = entriesOf(file);
  assert.deepEqual(
    entries.map(({ isSidechain, agentId, toolUseResult }) => [isSidechain, agentId, toolUseResult]),
    entries.map(() => [true, 'a1b2c3d', undefined]),
  );
  assert.deepEqual(
    entries.map(({ parentUuid }) => parentUuid),
    [null, ...entries.slice(0, -1).map(({ uuid }) => uuid)],
  );
});

test('progress is written only if it is enabled, and is never a parent', async (t) => {
  for (const withProgressEntries of [false, true]) {
    const run = await newRun(t, { withProgressEntries });
    await run.prompt('Work');
    const [callUuid = ''] = await run.blocks([{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }]);
    const progress = { kind: 'output', text: 'line', totalLines: 1, elapsedMs: 2000 } as const;
    await run.emit({ type: 'call-progress', callId: 'toolu_1', progress });
    await run.emit({ type: 'hook', event: 'PreToolUse', command: 'true', callId: 'toolu_1' });
    await run.agent('toolu_1', 'a0000001');
    const outcome = { content: 'ok', isError: false, stored: 'ok' };
    const call = { id: 'toolu_1', name: 'Bash', input: {} };
    await run.emit({ type: 'result', uuid: 'f0000000-0000-4000-8000-000000000002', call, callUuid, outcome });
    await run.answer('Done.');
    await assertAsResumed(run);
    const entries = entriesOf(run.session.file);
    const kinds = entries.filter(({ type }) => type === 'progress').map(({ data }) => (data as JsonObject).type);
    const agent = Array.from({ length: 5 }, () => 'agent_progress');
    assert.deepEqual(kinds, withProgressEntries ? ['bash_progress', 'hook_progress', ...agent] : []);
    const parents = new Set(entries.map(({ parentUuid }) => parentUuid));
    assert.ok(entries.every(({ type, uuid }) => type !== 'progress' || !parents.has(uuid as string)));
  }
});

test('queued prompts are written as the client writes them', async (t) => {
  const run = await newRun(t);
  await run.prompt('First');
  await run.emit({ type: 'queued', text: 'Second' });
  await run.emit({ type: 'queued', text: 'Third' });
  await run.emit({ type: 'unqueued', operation: 'remove', text: 'Third' });
  await run.emit({ type: 'unqueued', operation: 'dequeue', text: 'Second' });
  const operations = entriesOf(run.session.file).filter(({ type }) => type === 'queue-operation');
  assert.deepEqual(
    operations.map(({ operation, content }) => [operation, content]),
    [
      ['enqueue', 'Second'],
      ['enqueue', 'Third'],
      ['popAll', 'Third'],
      ['dequeue', undefined],
    ],
  );
});

test('every line is newer than the one before, even if the clock stops or goes back', async (t) => {
  const run = await newRun(t);
  const at = (ms: number): Date => new Date(1_000_000 + ms);
  const say = (ms: number, content: string) =>
    run.session.recorder.record({ type: 'prompt', uuid: crypto.randomUUID(), content, isMeta: true, at: at(ms) });
  for (const [i, ms] of [0, 0, -500, 7].entries()) await say(ms, `Prompt ${i}`);
  const times = entriesOf(run.session.file).flatMap(({ timestamp }) =>
    timestamp === undefined ? [] : [Date.parse(String(timestamp)) - at(0).getTime()],
  );
  // The pin after each prompt has no time, but counts.
  assert.deepEqual(times, [0, 2, 4, 7]);
});

test('a line that the disk refuses did not happen: the parent of the next line is the last one in the file', async (t) => {
  const run = await newRun(t);
  await run.turn('Hello', 'Hi.');
  const before = readFileSync(run.session.file, 'utf8');
  const { leafUuid } = run.session.recorder;
  const { writeSync } = fs;
  fs.writeSync = () => {
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  };
  syncBuiltinESMExports();
  try {
    await assert.rejects(run.prompt('Lost'), /cannot write .* \(ENOSPC\); make room on the disk/);
  } finally {
    fs.writeSync = writeSync;
    syncBuiltinESMExports();
  }
  assert.equal(readFileSync(run.session.file, 'utf8'), before);
  assert.equal(run.session.recorder.leafUuid, leafUuid);
  await run.turn('Again', 'Hello again.');
  const again = entriesOf(run.session.file).find(({ message }) => (message as JsonObject)?.content === 'Again');
  assert.equal(again?.parentUuid, leafUuid);
  await assertAsResumed(run);
});

test('after every event of a random run the conversation is what a resume of the file sends', async (t) => {
  const run = await newRun(t, { withProgressEntries: true });
  const emit = run.emit.bind(run);
  let checked = 0;
  run.emit = async (...event) => {
    await emit(...event);
    await assertAsResumed(run);
    checked++;
  };
  await runRandomly(run, seededRandom(3), 2);
  // kill.slow.test.ts has longer runs.
  assert.ok(checked >= 30, `only ${checked} events`);
});

test('a lone surrogate is written as a character that every reader accepts', async (t) => {
  const run = await newRun(t);
  await run.prompt('X\ud83dY');
  await run.answer('ok');
  await assertAsResumed(run);
  assert.match(readFileSync(run.session.file, 'utf8'), /X\ufffdY/);
});

test('a file that another program wrote to is refused', async (t) => {
  const run = await newRun(t);
  await run.turn('Hello', 'Hi.');
  writeFileSync(run.session.file, '{"type":"x"}\n', { flag: 'a' });
  await assert.rejects(
    run.prompt('More'),
    /another program has written to .* nothing was written; continue in a copy: resume it with --fork-session/,
  );
});
