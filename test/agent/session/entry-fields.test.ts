// The fields that client 2.1.325 writes: which lines share a prompt, who decided about a call, how long a block took, and
// what a resume adds before its first prompt. Values are those that the client writes for the same events
// (test/interop/entries.test.ts compares whole sessions).
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { entrypointOf } from '../../../src/agent/session/turn-facts.ts';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { encodeSlug } from '../../../src/store/roots.ts';
import { type AgentRun, openRun, placeIn } from '../../support/agent-run.ts';
import { assistant, sessionText, user } from '../../support/session-text.ts';
import { entriesOf } from '../../support/surgery-kit.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

const foreignId = '7b1f6a52-3c0e-4d8a-9b5e-2f4c6d8e0a13';
const typed = { origin: { kind: 'human' }, promptSource: 'typed', turnOrigin: 'human' };

function newPlace(t: TestContext, more = {}) {
  const place = placeIn(temporaryFolder(t), more);
  mkdirSync(place.cwd, { recursive: true });
  return place;
}

function users({ session }: AgentRun): JsonObject[] {
  return entriesOf(session.file).filter(({ type }) => type === 'user');
}

test('all user lines of a turn have the id of its prompt, and so have the lines of its sub-agents', async (t) => {
  const run = await openRun({ kind: 'new' }, newPlace(t));
  t.after(() => run.close());
  await run.prompt('Work');
  await run.prompt('The folder', undefined, true);
  const [callId = ''] = await run.calls(['Agent']);
  await run.agent(callId, 'a1b2c3d');
  await run.interrupt('tool');
  await run.endTurn();
  await run.turn('More', 'Yes.');
  const ids = users(run).map(({ promptId }) => promptId);
  assert.equal(ids.length, 5);
  assert.equal(new Set(ids).size, 2);
  assert.deepEqual(ids.slice(0, 4), [ids[0], ids[0], ids[0], ids[0]]);
  const agent = entriesOf(path.join(run.session.sessionDir, 'subagents/agent-a1b2c3d.jsonl'));
  const said = agent.filter(({ type }) => type === 'user');
  assert.deepEqual(new Set(said.map(({ promptId }) => promptId)), new Set([ids[0]]));
  assert.ok(said.every((line) => !('permissionMode' in line) && !('turnPosition' in line)));
  const answers = agent.filter(({ type }) => type === 'assistant');
  assert.deepEqual(new Set(answers.map(({ attributionAgent }) => attributionAgent)), new Set(['general-purpose']));
});

test('a session counts its turns, over resumes too; only typed prompts count as prompts', async (t) => {
  const place = newPlace(t);
  const first = await openRun({ kind: 'new' }, { ...place, entrypoint: 'cli' });
  await first.turn('One', 'Yes.');
  await first.turn('Two', 'Yes.');
  await first.emit({
    type: 'prompt',
    uuid: crypto.randomUUID(),
    content: 'Done',
    isMeta: false,
    origin: { kind: 'task-notification' },
  });
  await first.endTurn();
  await first.close();
  const second = await openRun({ kind: 'resume', session: first.session.sessionId }, place);
  await second.turn('Four', 'Yes.');
  await second.close();
  const found = users(second).map(({ origin, promptSource, turnOrigin, turnPosition, entrypoint }) => ({
    ...(origin === undefined ? {} : { origin }),
    promptSource,
    turnOrigin,
    turnPosition,
    entrypoint,
  }));
  assert.deepEqual(found, [
    { ...typed, turnPosition: { promptIndex: 1, turnIndex: 1 }, entrypoint: 'cli' },
    { ...typed, turnPosition: { promptIndex: 2, turnIndex: 2 }, entrypoint: 'cli' },
    {
      origin: { kind: 'task-notification', producer: 'session-task' },
      promptSource: 'system',
      turnOrigin: 'task_notification',
      turnPosition: { promptIndex: 2, turnIndex: 3 },
      entrypoint: 'cli',
    },
    { promptSource: 'sdk', turnOrigin: 'sdk', turnPosition: { promptIndex: 2, turnIndex: 4 }, entrypoint: undefined },
  ]);
});

test('the entrypoint is `cli` in a terminal, the name of a program that gives one, and otherwise absent', () => {
  const named = (value: string) => entrypointOf(false, { CLAUDE_CODE_ENTRYPOINT: value });
  assert.equal(entrypointOf(true, { CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' }), 'cli');
  assert.deepEqual(['sdk-ts', 'sdk-py', 'cli', 'sdk-cli', '', 'two words'].map(named), [
    'sdk-ts',
    'sdk-py',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('an answer line has the number of its block, the requested model, and the time of thinking and of inputs', async (t) => {
  const run = await openRun({ kind: 'new' }, newPlace(t));
  t.after(() => run.close());
  await run.prompt('Go');
  const message = { id: 'msg_1', model: 'claude-opus-5-5', requestId: 'req_1', requestedModel: 'opus' };
  const usage = { input_tokens: 1, output_tokens: 2 };
  const blocks: JsonObject[] = [
    { type: 'thinking', thinking: 'Hm', signature: 's' },
    { type: 'text', text: 'Half' },
    { type: 'tool_use', id: 'toolu_1', name: 'Read', input: {} },
  ];
  for (const [index, block] of blocks.entries())
    await run.emit({
      type: 'block',
      uuid: crypto.randomUUID(),
      message,
      block,
      stopReason: null,
      usage,
      index,
      streamMs: 10 + index,
      ...(block.type === 'text' ? { isAborted: true } : {}),
    });
  const answers = entriesOf(run.session.file).filter(({ type }) => type === 'assistant');
  const fields = ['apiBlockIndex', 'thinkingDurationMs', 'toolInputStreamMs', 'isAbortedMidStream'];
  assert.deepEqual(
    answers.map((line) => Object.fromEntries(fields.flatMap((name) => (name in line ? [[name, line[name]]] : [])))),
    [
      { apiBlockIndex: 0, thinkingDurationMs: 10 },
      { apiBlockIndex: 1, isAbortedMidStream: true },
      { apiBlockIndex: 2, toolInputStreamMs: 12 },
    ],
  );
  assert.ok(answers.every((line) => line.requestedModel === 'opus' && line.madeBy === 'model'));
});

test('a result names who decided about its call', async (t) => {
  const run = await openRun({ kind: 'new' }, newPlace(t));
  t.after(() => run.close());
  await run.prompt('Go');
  const call = { id: 'toolu_1', name: 'Bash', input: {} };
  const outcome = { content: 'no', isError: true, stored: 'Error: no' };
  const result = { type: 'result', call, callUuid: crypto.randomUUID() } as const;
  const accepted = { decision: 'accept', source: 'user_temporary', grantScope: 'once' } as const;
  const isSandboxed = false;
  for (const more of [
    { outcome: { ...outcome, isSandboxed }, permission: accepted },
    { outcome, refused: 'hook', permission: { decision: 'reject', source: 'hook', reasonType: 'hook' } },
    { outcome, refused: 'permission', permission: { decision: 'reject', source: 'user_reject' } },
    { outcome, refused: 'interrupted' },
    { outcome, refused: 'input' },
  ] as const)
    await run.emit({ ...result, ...more, uuid: crypto.randomUUID() });
  assert.deepEqual(
    users(run)
      .slice(1)
      .map(({ permissionDecision, toolDenialKind, sandboxed }) => [permissionDecision, toolDenialKind, sandboxed]),
    [
      [accepted, undefined, false],
      [{ decision: 'reject', source: 'hook', reasonType: 'hook' }, 'permission-rule', undefined],
      [{ decision: 'reject', source: 'user_reject' }, 'user-rejected', undefined],
      [undefined, 'user-rejected', undefined],
      [undefined, undefined, undefined],
    ],
  );
});

test('the side file of a sub-agent says when it has ended', async (t) => {
  const run = await openRun({ kind: 'new' }, newPlace(t));
  t.after(() => run.close());
  await run.prompt('Work');
  const [parentCallId = ''] = await run.calls(['Agent']);
  const mark = { agentId: 'a1b2c3d', parentCallId };
  const started = { agentType: 'Explore', description: 'Look', isBuiltIn: true, isBackground: true };
  await run.emit({ type: 'agent-started', ...mark, ...started });
  const file = path.join(run.session.sessionDir, 'subagents/agent-a1b2c3d.meta.json');
  const meta = {
    agentType: 'Explore',
    isBuiltIn: true,
    description: 'Look',
    toolUseId: parentCallId,
    spawnDepth: 1,
    requestShape: 'background',
    requestNonInteractive: true,
  };
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), meta);
  const outcome = { content: 'found', isError: false, stored: {} };
  await run.emit({ type: 'agent-finished', ...mark, outcome });
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { ...meta, finished: true });
});

for (const [name, end, isAnswered] of [
  ['an interrupt', (run: AgentRun) => run.interrupt('text'), false],
  [
    'a call without a result',
    (run: AgentRun) => run.blocks([{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }]),
    false,
  ],
  ['an answer', (run: AgentRun) => run.answer('Yes.'), true],
  ['a failed request', (run: AgentRun) => run.fail(), true],
] as const)
  test(`a resume after ${name} sends what a resume of the client would send`, async (t) => {
    const place = newPlace(t);
    const first = await openRun({ kind: 'new' }, place);
    await first.prompt('Work');
    await end(first);
    await first.close();
    const predicted = requestMessages(await loadSession(first.session.file), 'Again');
    assert.ok('messages' in predicted);
    const second = await openRun({ kind: 'resume', session: first.session.sessionId }, place);
    t.after(() => second.close());
    await second.prompt('Again');
    assert.deepEqual(withoutNewlines(second.session.messages(predicted.model)), withoutNewlines(predicted.messages));
    const fillers = JSON.stringify(predicted.messages).split('No response requested.').length - 1;
    assert.equal(fillers, isAnswered ? 0 : 1);
    const lines = entriesOf(second.session.file).filter(({ message }) =>
      JSON.stringify(message ?? null).includes('No response'),
    );
    assert.equal(lines.length, fillers);
    await second.answer('Done.');
    await second.prompt('And more');
    assert.equal(JSON.stringify(second.session.messages(predicted.model)).split('No response').length - 1, fillers);
  });

for (const [model, types] of [
  ['claude-sonnet-4-5-20250929', ['assistant', 'assistant']],
  ['claude-opus-5-5', ['clew-thinking', 'assistant']],
] as const)
  test(`in a session of another client, thinking of ${model} is a ${types[0]} line`, async (t) => {
    const place = newPlace(t);
    const file = path.join(place.root, 'projects', encodeSlug(place.cwd), `${foreignId}.jsonl`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, sessionText([user('Hi'), assistant('Hello.')], { sessionId: foreignId }));
    const run = await openRun({ kind: 'resume', session: foreignId }, place);
    t.after(() => run.close());
    await run.prompt('Think');
    const message = { id: 'msg_1', model, requestId: 'req_1' };
    for (const block of [
      { type: 'thinking', thinking: 'Hm', signature: 's' },
      { type: 'text', text: 'Yes.' },
    ])
      await run.emit({ type: 'block', uuid: crypto.randomUUID(), message, block, stopReason: null, usage: {} });
    assert.deepEqual(
      entriesOf(file)
        .slice(-2)
        .map(({ type }) => type),
      types,
    );
  });

/** After a failed request the client's own reminders are between the two prompts, and no newline. */
function withoutNewlines(messages: readonly object[]): unknown {
  return JSON.parse(JSON.stringify(messages).replaceAll('"text":"Work\\n"', '"text":"Work"'));
}
