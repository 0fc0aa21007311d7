// Sub-agents in all three layouts, and the calls that started them.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { sessionUsage, turnUsage } from '../../../src/session/facts/session-usage.ts';
import type { AgentSource } from '../../../src/session/load/agents.ts';
import { loadAgent, loadSession, type Session } from '../../../src/session/load/session.ts';
import { toolCallsOf } from '../../../src/session/turns/tool-calls.ts';
import { turnsOf } from '../../../src/session/turns/turns.ts';
import { recordings } from '../../interop/recordings.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { namesOf, sessionId, type TranscriptBuilder, toolUse, transcript } from '../../support/transcript-builder.ts';

const side = { isSidechain: true };

function task(id: string, prompt: string, fields: JsonObject = {}): JsonObject {
  return toolUse(id, 'Agent', { prompt, description: `about ${id}`, subagent_type: 'Explore', ...fields });
}

/** An agent's transcript: its prompt, and an answer that may call further agents. */
function agent(agentId: string, prompt: string, ...calls: readonly JsonObject[]): TranscriptBuilder {
  const builder = transcript({ ...side, agentId }).user(prompt, { uuid: `${agentId}-u` });
  builder.assistant([{ type: 'text', text: 'done' }, ...calls], {
    uuid: `${agentId}-a`,
    message: { id: `m-${agentId}` },
  });
  return builder;
}

async function load(
  context: TestContext,
  main: TranscriptBuilder,
  files: Readonly<Record<string, string>>,
): Promise<Session> {
  const folder = temporaryFolder(context);
  writeTree(folder, { [`${sessionId}.jsonl`]: main.text(), ...files });
  return loadSession(path.join(folder, `${sessionId}.jsonl`));
}

function outline({ agentId, path: file, nodes, agentType, description, toolUseId, workflow }: AgentSource): string {
  const place = file === undefined ? namesOf(nodes).join(' ') : path.basename(file);
  return [agentId, place, toolUseId ?? 'no call', agentType, description, workflow].filter(Boolean).join(' | ');
}

test('an agent file next to the session is linked by its meta file', async (context) => {
  const main = transcript()
    .user('q')
    .assistant([task('t1', 'look')])
    .result('t1')
    .assistant('done');
  const session = await load(context, main, {
    [`${sessionId}/subagents/agent-a1b2c3d.jsonl`]: agent('a1b2c3d', 'other words').text(),
    [`${sessionId}/subagents/agent-a1b2c3d.meta.json`]:
      '{"agentType":"Plan","description":"what for","toolUseId":"t1"}',
  });
  assert.deepEqual(session.agents.map(outline), ['a1b2c3d | agent-a1b2c3d.jsonl | t1 | Plan | what for']);
  assert.deepEqual(
    turnsOf(session).flatMap((turn) => toolCallsOf(session, turn).map((call) => call.agentId)),
    ['a1b2c3d'],
  );
});

test('else by the result that names it, else by what it was asked', async (context) => {
  const main = transcript()
    .user('q')
    .assistant([task('t1', 'look here'), task('t2', 'same'), task('t3', 'same')])
    .result('t1', { toolUseResult: { agentId: 'named' } })
    .result(['t2', 't3']);
  const folder = `${sessionId}/subagents`;
  const session = await load(context, main, {
    [`${folder}/agent-named.jsonl`]: agent('named', 'look here').text(),
    [`${folder}/agent-second.jsonl`]: agent('second', 'same').text(),
    [`${folder}/agent-third.jsonl`]: agent('third', 'same').text(),
    [`${folder}/agent-stray.jsonl`]: agent('stray', 'Warmup').text(),
    [`${folder}/agent-stray.meta.json`]: 'torn',
    [`${folder}/workflows/w1/agent-step.jsonl`]: agent('step', 'a step').text(),
  });
  assert.deepEqual(session.agents.map(outline), [
    'named | agent-named.jsonl | t1',
    'second | agent-second.jsonl | t2 | Explore | about t2',
    'stray | agent-stray.jsonl | no call',
    'third | agent-third.jsonl | t3 | Explore | about t3',
    'step | agent-step.jsonl | no call | w1',
  ]);
});

test('a flat agent belongs to the session that its first line names', async (context) => {
  const main = transcript()
    .user('q')
    .assistant([task('t1', 'look')])
    .result('t1', { toolUseResult: { agentId: 'mine' } });
  const theirs = agent('theirs', 'look').text().replaceAll(sessionId, '22222222-2222-4222-a222-222222222222');
  const session = await load(context, main, {
    'agent-mine.jsonl': agent('mine', 'look').text(),
    'agent-theirs.jsonl': theirs,
    'agent-empty.jsonl': '',
  });
  assert.deepEqual(session.agents.map(outline), ['mine | agent-mine.jsonl | t1']);
});

test('agents of 1.0 are in the main file, linked by prompt and order', () => {
  const builder = transcript()
    .user('q')
    .assistant([toolUse('t1', 'Task', { prompt: 'same' }), toolUse('t2', 'Task', { prompt: 'same' })])
    .assistant([toolUse('t3', 'Task', { prompt: 'other' })])
    .from(null)
    .user('other', side)
    .from(null)
    .user('same', side)
    .assistant('x', side)
    .from('u2')
    .assistant('y', side)
    .from(null)
    .user('same', side)
    .from(null)
    .user('unknown', side);
  assert.deepEqual(builder.session().agents.map(outline), [
    'inline-1 | u2 a4 | t3',
    'inline-2 | u3 a3 | t1',
    'inline-3 | u4 | t2',
    'inline-4 | u5 | no call',
  ]);
});

test('a call after the agent did not start it', () => {
  const builder = transcript()
    .user('q')
    .from(null)
    .user('look', side)
    .from('u1')
    .assistant([task('t1', 'look')]);
  assert.deepEqual(builder.session().agents.map(outline), ['inline-1 | u2 | no call']);
});

test('an inline agent is a session of its own, without itself among its agents', async () => {
  const builder = transcript()
    .user('q')
    .assistant([task('t1', 'look')])
    .from(null)
    .user('look', side)
    .assistant('x', side)
    .from('a1')
    .result('t1');
  const session = builder.session();
  const [found] = session.agents;
  assert.ok(found);
  const own = await loadAgent(session, found);
  assert.deepEqual(
    [own.isAgent, own.agents, turnsOf(own).map((turn) => namesOf(turn.nodes))],
    [true, [], [['u2', 'a2']]],
  );
});

test('an agent’s own file is its conversation, and it is not among its own agents', async (context) => {
  const folder = temporaryFolder(context);
  writeTree(folder, { 'agent-x.jsonl': agent('x', 'look').text() });
  const session = await loadSession(path.join(folder, 'agent-x.jsonl'));
  assert.deepEqual([session.isAgent, session.agents, turnsOf(session).length], [true, [], 1]);
});

test('nested agents are agents of the agent that started them, and their tokens count in the turn', async (context) => {
  const main = transcript()
    .user('q')
    .assistant([task('t1', 'look')])
    .result('t1')
    .user('r')
    .assistant('done');
  const folder = `${sessionId}/subagents`;
  const session = await load(context, main, {
    [`${folder}/agent-outer.jsonl`]: agent('outer', 'look', task('t2', 'deeper'), task('t3', 'by meta')).text(),
    [`${folder}/agent-inner.jsonl`]: agent('inner', 'deeper', task('t4', 'deepest')).text(),
    [`${folder}/agent-meta.jsonl`]: agent('meta', 'other words').text(),
    [`${folder}/agent-meta.meta.json`]: '{"toolUseId":"t3"}',
    [`${folder}/agent-innermost.jsonl`]: agent('innermost', 'deepest', task('t5', 'look')).text(),
  });
  const below = async (parent: Session, agentId: string): Promise<Session> => {
    const found = parent.agents.find((each) => each.agentId === agentId);
    assert.ok(found, agentId);
    return loadAgent(session, found);
  };
  const outer = await below(session, 'outer');
  assert.deepEqual(outer.agents.map(outline), [
    'inner | agent-inner.jsonl | t2 | Explore | about t2',
    'meta | agent-meta.jsonl | t3',
  ]);
  const inner = await below(outer, 'inner');
  assert.deepEqual(
    inner.agents.map((each) => each.agentId),
    ['innermost'],
  );
  assert.deepEqual(
    turnsOf(session).map((turn) => turnUsage(session, turn).messages),
    [5, 1],
  );
  assert.equal(sessionUsage(session).messages, 6);
});

test('agents of real sessions are linked in every layout', async () => {
  const files = {
    '1.0.57/agent/-home-dev-widgets/c68a4eba-132b-4fa0-971f-5a77efc8d2c4.jsonl': [2, 0],
    '2.0.50/agent/-home-dev-widgets/98d749ee-ea13-4170-95df-4cce12d176b5.jsonl': [2, 2],
    '2.1.45/agent/-home-dev-widgets/497273d2-eb43-4a22-a38d-e8481a13dd2e.jsonl': [2, 0],
    '2.1.150/agent/-home-dev-widgets/7b0cc8ab-86a7-4494-943e-6f4fe05cfb85.jsonl': [2, 0],
  };
  const found: Record<string, number[]> = {};
  for (const file of Object.keys(files)) {
    const { agents } = await loadSession(path.join(recordings, 'real', file));
    const linked = agents.filter((each) => each.toolUseId !== undefined);
    found[file] = [linked.length, agents.length - linked.length];
  }
  assert.deepEqual(found, files);
});
