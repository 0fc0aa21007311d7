// Sub-agents: damage in their files is found, named with their file, and never more than a warning.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { diagnoseSession } from '../../src/doctor/diagnosis/diagnose.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { plain } from '../support/sound-session.ts';
import { benchWith } from '../support/surgery-kit.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';

test('a loss in the file of a sub-agent is a warning, since no resume loads it', async (context) => {
  const agent = transcript({ isSidechain: true, agentId: 'abc' })
    .user('task')
    .assistant('one')
    .assistant('another', { uuid: 'a1', parentUuid: 'u1', message: { id: 'm1' } })
    .text();
  const bench = benchWith(context, sessionId, plain, { [`${sessionId}/subagents/agent-abc.jsonl`]: agent });
  const { findings } = await diagnoseSession(await loadSession(bench.main));
  assert.deepEqual(
    findings.map(({ code, severity, file, effect }) => [code, severity, path.basename(file), effect]),
    [
      [
        'G-duplicate-uuid',
        'warn',
        'agent-abc.jsonl',
        'a resume reads only the later one: a message is left out; of a sub-agent, which a resume does not load',
      ],
    ],
  );
});

test('a sub-agent that continues the main conversation begins with no damage', async (context) => {
  const agent = transcript({ isSidechain: true, agentId: 'abc' }).user('task', { parentUuid: 'a5' }).assistant('ok');
  const bench = benchWith(context, sessionId, plain, { [`${sessionId}/subagents/agent-abc.jsonl`]: agent.text() });
  assert.deepEqual((await diagnoseSession(await loadSession(bench.main))).findings, []);
});
