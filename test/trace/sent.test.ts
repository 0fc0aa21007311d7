// What arrives by the settings: content modes, thinking, projects that are left out, rules of the user's own, labels, a
// trace seed, and agents that no call started.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { sendOutbox } from '../../src/trace/outbox/send.ts';
import { traceSession } from '../../src/trace/session/trace-session.ts';
import { assistant, sessionText, user } from '../support/session-text.ts';
import { writeTree } from '../support/temp-folder.ts';
import { contextFor, homeFor, runOf, toolTurn, traceEnv } from '../support/trace-kit.ts';
import { type ReceivedSpan, startReceiver } from '../support/trace-receiver.ts';
import { hash } from './trace-kit.ts';

test('content modes and thinking: each destination gets what its settings allow', async (context) => {
  const receivers = await Promise.all([startReceiver(context), startReceiver(context), startReceiver(context)]);
  const modes = [{ content: 'full', thinking: true }, { content: 'no-tool-content' }, { content: 'metadata' }];
  const destinations = modes.map((mode, i) => ({
    ...mode,
    name: mode.content,
    profile: 'langfuse',
    endpoint: receivers[i]?.url,
    format: 'json',
  }));
  const home = homeFor(context);
  const thought = assistant([{ type: 'thinking', thinking: 'the thought', signature: 's' }], {
    message: { id: 'msg_t' },
  });
  writeTree(home, {
    'clew/trace.json': JSON.stringify({ destinations }),
    'p/s.jsonl': sessionText([...toolTurn('q', 'the prompt'), thought], { sessionId: 's' }),
  });
  const { CLEW_TRACE_ENDPOINT: _url, CLEW_TRACE_PROFILE: _profile, ...env } = traceEnv(home, '');
  const { places, config } = contextFor(env);
  await traceSession(runOf(path.join(home, 'p', 's.jsonl')), contextFor(env));
  assert.equal((await sendOutbox({ places, destinations: config.destinations })).sentSpans, 15);
  const holders = (word: string) => receivers.map(({ bodies }) => Buffer.concat(bodies).includes(word));
  assert.deepEqual(holders('the prompt'), [true, true, false]);
  assert.deepEqual(holders('answer q'), [true, true, false]);
  assert.deepEqual(holders('the thought'), [true, false, false]);
  assert.deepEqual(holders('content of q'), [true, false, false]);
  assert.deepEqual(holders('/w/q'), [true, false, false]);
  assert.deepEqual(holders('toolu_q'), [true, true, true]);
});

test('turns of folders that are left out are not sent, also in a session that visits them', async (context) => {
  const turns = ['work', 'work/secret', 'elsewhere'].map((folder) =>
    sessionText(toolTurn(folder.replace('/', '-')), { sessionId: 's', cwd: `/home/kim/${folder}` }),
  );
  const spans = await sentOf(context, turns.join(''), { CLEW_TRACE_PROJECTS: '/home/kim/work,!/home/kim/work/secret' });
  const messages = spans.flatMap(({ attributes }) => attributes['langfuse.observation.metadata.message_id'] ?? []);
  assert.deepEqual(messages, ['msg_worka', 'msg_workb']);
  assert.equal(spans.length, 4);
});

test('a turn of an excluded folder stays excluded when it continues after a Stop, with a prompt or without', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const tracer = contextFor(traceEnv(home, receiver.url, { CLEW_TRACE_PROJECTS: '!/home/kim/secret' }));
  const { places, config } = tracer;
  const turn = [...toolTurn('x'), assistant('one more thing', { message: { id: 'msg_late' } })];
  for (const [sessionId, lines] of [['s', turn] as const, ['cut', turn.slice(1)] as const]) {
    const text = sessionText(lines, { sessionId, cwd: '/home/kim/secret' });
    const stopped = text.split(/(?<=\n)/).slice(0, lines.length - 1);
    for (const content of [stopped.join(''), text]) {
      writeTree(home, { [`p/${sessionId}.jsonl`]: content });
      await traceSession(runOf(path.join(home, 'p', `${sessionId}.jsonl`)), tracer);
      await sendOutbox({ places, destinations: config.destinations });
    }
  }
  assert.deepEqual(receiver.spans, []);
});

test('rules of the user, labels and a seed are used for what is sent', async (context) => {
  const home = homeFor(context);
  const rules = path.join(home, 'rules.json');
  writeTree(home, { 'rules.json': '{"rules":[{"kind":"badge","pattern":"BADGE-[0-9]{6}","keywords":["BADGE-"]}]}' });
  const text = sessionText(toolTurn('a', 'I am BADGE-123456'), { sessionId: 's' });
  const [turn] = await sentOf(context, text, {
    CLEW_TRACE_RULES: rules,
    CLEW_TRACE_SEED: 'ci-7',
    LANGFUSE_USER_ID: 'other',
    CC_LANGFUSE_USER_ID: 'kim',
    CLEW_TRACE_ENVIRONMENT: 'ci',
    CLEW_TRACE_TAGS: 'a, b',
  });
  assert.ok(turn !== undefined);
  assert.equal(turn.traceId, hash('ci-7:1', 32));
  const { attributes } = turn;
  assert.match(String(attributes['langfuse.trace.input']), /^\{"role":"user","content":"I am .*badge.*"\}$/i);
  assert.doesNotMatch(JSON.stringify(attributes), /123456/);
  assert.deepEqual(
    [attributes['user.id'], attributes['langfuse.environment'], attributes['langfuse.trace.tags']],
    ['kim', 'ci', ['a', 'b']],
  );
});

test('agents that no call started are sent by a backfill, not by the hook', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const warmUp = [user('warm up'), assistant('ready', { message: { id: 'msg_warm' } })];
  writeTree(home, {
    'p/s.jsonl': sessionText(toolTurn('a'), { sessionId: 's' }),
    'p/s/subagents/agent-w1.jsonl': sessionText(warmUp, { sessionId: 's', isSidechain: true, agentId: 'w1' }),
  });
  const tracer = contextFor(traceEnv(home, receiver.url));
  const { places, config } = tracer;
  const run = runOf(path.join(home, 'p', 's.jsonl'), 'session');
  await traceSession(run, tracer);
  await sendOutbox({ places, destinations: config.destinations });
  assert.equal(receiver.spans.length, 4);
  await traceSession({ ...run, fromStart: true }, tracer);
  await sendOutbox({ places, destinations: config.destinations });
  assert.deepEqual(
    receiver.spans.slice(4).map(({ name, parentSpanId }) => [name, parentSpanId === undefined]),
    [
      ['Subagent: unknown', true],
      ['claude-sonnet-4-5', false],
    ],
  );
});

/** The spans of a session that arrive with these settings. */
async function sentOf(
  context: TestContext,
  text: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly ReceivedSpan[]> {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  writeTree(home, { 'p/s.jsonl': text });
  const tracer = contextFor(traceEnv(home, receiver.url, env));
  const { places, config } = tracer;
  await traceSession(runOf(path.join(home, 'p', 's.jsonl'), 'session'), tracer);
  await sendOutbox({ places, destinations: config.destinations });
  return receiver.spans;
}
