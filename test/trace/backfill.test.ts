// The command for history: it sends each turn once; with --keep-forks copies as well. Which spans these are
// is the matter of copies.test.ts; a library of real sessions is sent in backfill.slow.test.ts.
import assert from 'node:assert/strict';
import { cpSync, readdirSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { asObject, type JsonObject, parseJson } from '../../src/base/json/json.ts';
import { startClew } from '../support/running-clew.ts';
import { sessionText } from '../support/session-text.ts';
import { writeTree } from '../support/temp-folder.ts';
import { homeFor, toolTurn, traceEnv } from '../support/trace-kit.ts';
import { rawSpans, repeated, startReceiver } from '../support/trace-receiver.ts';
import { toolUse, transcript } from '../support/transcript-builder.ts';

test('backfill sends each turn once, and copies only with --keep-forks', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const root = path.join(home, 'claude');
  for (const [i, sessionId] of ['origin', 'fork'].entries()) {
    const file = `projects/p/${sessionId}.jsonl`;
    writeTree(root, { [file]: sessionText([...toolTurn('a'), ...toolTurn('b')], { sessionId }) });
    // Sessions that nobody writes to any more are traced to their end, the older one first.
    utimesSync(path.join(root, file), 1_700_000_000 + i, 1_700_000_000 + i);
  }
  const env = { ...traceEnv(home, receiver.url), CLEW_ROOTS: root };
  const backfill = async (...flags: readonly string[]): Promise<JsonObject> => {
    // The receiver answers in this process, so that the command must not block it.
    const child = startClew(context, ['trace', 'backfill', ...flags, '--json'], env);
    const report = asObject(parseJson(await child.prints(/\n\}\n/)));
    assert.ok(report !== undefined);
    return report;
  };
  const counted = {
    destinations: 1,
    sessions: 2,
    openSessions: 0,
    turns: 4,
    mutedTurns: 0,
    spans: 8,
    copies: 8,
    failed: 0,
  };
  const expected = { ...counted, sentSpans: 8, waitingBatches: 0, parkedBatches: 0, unread: [] };
  assert.deepEqual(await backfill(), expected);
  assert.deepEqual([receiver.spans.length, repeated(receiver.spans)], [8, {}]);
  assert.equal((await backfill('--keep-forks')).sentSpans, 8);
  assert.deepEqual([receiver.spans.length, repeated(receiver.spans)], [16, {}]);
  assert.equal(new Set(receiver.spans.map(({ traceId }) => traceId)).size, 4);
});

test('a message is sent by the session that had it first, though its copy was written to earlier', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const root = path.join(home, 'claude');
  const copy = toolTurn('a').map((line) => ({ ...line, forkedFrom: { sessionId: 'origin', messageUuid: 'x' } }));
  writeTree(root, {
    'projects/p/copy.jsonl': sessionText([...copy, ...toolTurn('c')], { sessionId: 'copy' }),
    'projects/p/origin.jsonl': sessionText(toolTurn('a'), { sessionId: 'origin' }),
  });
  for (const [i, name] of ['copy', 'origin'].entries())
    utimesSync(path.join(root, `projects/p/${name}.jsonl`), 1_700_000_000 + i, 1_700_000_000 + i);
  const env = { ...traceEnv(home, receiver.url), CLEW_ROOTS: root };
  await startClew(context, ['trace', 'backfill', '--json'], env).prints(/\n\}\n/);
  const senders = receiver.spans.flatMap(({ attributes }) => {
    const id = attributes['langfuse.observation.metadata.message_id'];
    return id === undefined ? [] : [`${id} ${attributes['session.id']}`];
  });
  assert.deepEqual(senders.sort(), ['msg_aa origin', 'msg_ab origin', 'msg_ca copy', 'msg_cb copy']);
});

test('a library that was copied, with one time for all files, makes the same spans, byte for byte', async (context) => {
  const home = homeFor(context);
  const root = path.join(home, 'claude');
  const shared = [...toolTurn('a'), ...toolTurn('b')];
  const agent = transcript({ isSidechain: true, agentId: 'w', sessionId: 'warm' }).user('Warmup').assistant('ready');
  writeTree(root, {
    // As old clients resume: the same history, and nothing that says so. The original ended first.
    'projects/p/z-origin.jsonl': sessionText(shared, { sessionId: 'z-origin' }),
    'projects/p/a-resumed.jsonl': sessionText([...shared, ...toolTurn('c')], { sessionId: 'a-resumed' }),
    // Nothing was said in it yet, but its agent has answered.
    'projects/p/warm.jsonl': '{"type":"summary","summary":"x","leafUuid":"y"}\n',
    'projects/p/agent-w.jsonl': agent.text(),
  });
  for (const [i, name] of readdirSync(path.join(root, 'projects/p')).entries())
    utimesSync(path.join(root, 'projects/p', name), 1_700_000_000 + i, 1_700_000_000 + i);
  const copy = path.join(home, 'copy');
  cpSync(root, copy, { recursive: true });
  const [before, after] = [await bodiesOf(context, root), await bodiesOf(context, copy)];
  assert.equal(before.length, 14);
  assert.deepEqual(after, before);
  const isFirst = (span: string): boolean => span.includes('{"stringValue":"msg_aa"}');
  const senders = before.filter(isFirst).map((span) => /"session\.id","value":\{"stringValue":"(.*?)"/.exec(span)?.[1]);
  assert.deepEqual(senders, ['z-origin']);
});

test('agents whose main transcript or call is gone are sent, and a dry run counts them', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const root = path.join(home, 'claude');
  const agentOf = (agentId: string, session: string, cwd = '/w/here') =>
    transcript({ isSidechain: true, agentId, sessionId: session, cwd })
      .user('Count')
      .assistant('two', { message: { id: `msg_${agentId}` } })
      .text();
  const inner = transcript({ isSidechain: true, agentId: 'outer', cwd: '/w/here' })
    .user('Ask')
    .assistant([toolUse('toolu_in', 'Task', { prompt: 'Count' })], { message: { id: 'msg_outer' } })
    .result('toolu_in', { toolUseResult: { agentId: 'inner' } });
  writeTree(root, {
    // The main transcript was deleted by its age.
    'projects/p/gone/subagents/agent-called.jsonl': agentOf('called', 'gone'),
    'projects/p/gone/subagents/agent-called.meta.json': JSON.stringify({ toolUseId: 'toolu_gone' }),
    'projects/p/gone/subagents/agent-outer.jsonl': inner.text(),
    'projects/p/gone/subagents/agent-inner.jsonl': agentOf('inner', 'gone'),
    'projects/p/gone/subagents/agent-inner.meta.json': JSON.stringify({ toolUseId: 'toolu_in' }),
    'projects/p/agent-flat.jsonl': agentOf('flat', 'gone-too'),
    // The call was cut out of the main transcript.
    'projects/p/cut.jsonl': sessionText(toolTurn('a'), { sessionId: 'cut', cwd: '/w/here' }),
    'projects/p/cut/subagents/agent-lost.jsonl': agentOf('lost', 'cut'),
    'projects/p/cut/subagents/agent-lost.meta.json': JSON.stringify({ toolUseId: 'toolu_lost' }),
    // An agent's transcript under a name of its own, and one of a folder that is not traced.
    'projects/p/own-name.jsonl': agentOf('named', 'x'),
    'projects/p/secret/subagents/agent-secret.jsonl': agentOf('secret', 'secret', '/w/secret'),
  });
  const env = {
    ...traceEnv(home, receiver.url, { CLEW_TRACE_PROJECTS: '/w,!/w/secret', CLEW_TRACE_WRAPPER_SPAN: 'on' }),
    CLEW_ROOTS: root,
  };
  const count = async (flags: readonly string[]): Promise<unknown> => {
    const child = startClew(context, ['trace', 'backfill', '--json', ...flags], env);
    return asObject(parseJson(await child.prints(/\n\}\n/)))?.spans;
  };
  const dry = await count(['--dry-run']);
  assert.equal(receiver.requests.length, 0);
  assert.equal(await count([]), receiver.spans.length);
  assert.equal(dry, receiver.spans.length);
  const sent = receiver.spans.flatMap(({ attributes, traceId }) => {
    const id = attributes['langfuse.observation.metadata.agent_id'];
    const isAgent = attributes['langfuse.observation.type'] === 'agent' && id !== undefined;
    return isAgent ? [{ agent: `${id} ${attributes['session.id']}`, traceId }] : [];
  });
  assert.deepEqual(sent.map(({ agent }) => agent).sort(), [
    'called gone',
    'flat gone-too',
    'inner gone',
    'lost cut',
    'named own-name',
    'outer gone',
  ]);
  // One trace each, but for the agent that another one called.
  assert.equal(new Set(sent.map(({ traceId }) => traceId)).size, 5);
});

/** What a backfill of the library sends, each span as it comes, in order. */
async function bodiesOf(context: TestContext, root: string): Promise<readonly string[]> {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const env = { ...traceEnv(home, receiver.url), CLEW_ROOTS: root };
  await startClew(context, ['trace', 'backfill', '--json'], env).prints(/\n\}\n/);
  return rawSpans(receiver);
}
