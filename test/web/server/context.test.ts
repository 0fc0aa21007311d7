// The route of the context ledger: the ledger of a session, of a turn and of a sub-agent, and what it refuses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyParam, readJson } from '../../../src/web/client/client.ts';
import { sessionId, toolResult, toolUse, transcript } from '../../support/transcript-builder.ts';
import { openWebServer } from '../../support/web-server.ts';

const agentId = 'a1b2c3';

test('the page gets the ledger of a session, a turn and a sub-agent', async (context) => {
  const counted = (input: number): { readonly message: { readonly usage: Readonly<Record<string, number>> } } => ({
    message: { usage: { input_tokens: input, output_tokens: 60 } },
  });
  const main = transcript()
    .user('go')
    .assistant([toolUse('t1', 'Bash')], counted(9_000))
    .user([toolResult('t1', 'word '.repeat(300))])
    .assistant('done', counted(9_430))
    .user('on')
    .assistant('well', counted(9_500));
  const agent = transcript({ isSidechain: true, agentId }).user('look').assistant('seen', counted(3_000));
  const { client, send } = await openWebServer(context, {
    [`-p/${sessionId}.jsonl`]: main.text(),
    [`-p/${sessionId}/subagents/agent-${agentId}.jsonl`]: agent.text(),
  });
  const ask = async (query: { turn?: number; branch?: number; agent?: string }) => {
    const { ledger } = await readJson(client.sessions[':key'].context.$get({ param: keyParam(sessionId), query }));
    return ledger;
  };
  const last = await ask({});
  assert.deepEqual([last.turn, last.apiTokens, last.tokens, last.request?.line], [2, 9_500, 9_500, 6]);
  assert.deepEqual(
    last.turns.map(({ tokens }) => tokens),
    [9_430, 9_500],
  );
  const output = last.slices.find(({ kind }) => kind === 'output');
  assert.deepEqual([output?.name, output?.lines], ['Bash', [[3, 3]]]);
  assert.equal(output?.free?.command, `clew strip ${sessionId} --tools Bash`);
  assert.equal((await ask({ turn: 1 })).apiTokens, 9_430);
  const own = await ask({ agent: agentId });
  assert.deepEqual([own.agentId, own.apiTokens], [agentId, 3_000]);
  const base = `/api/sessions/${sessionId}/context`;
  for (const [query, status] of [
    ['?branch=2', 404],
    ['?turn=0', 400],
    ['?turn=x', 400],
    ['?agent=none', 404],
    ['?lines=1', 400],
  ] as const)
    assert.equal((await send({ path: `${base}${query}` })).status, status, query);
});
