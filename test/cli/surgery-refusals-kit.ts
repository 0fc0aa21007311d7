// Sessions for the tests of refusals.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Bench, benchWith } from '../support/surgery-kit.ts';
import { sessionId, toolResult, toolUse, transcript } from '../support/transcript-builder.ts';

export const empty = '00000000-0000-4000-8000-000000000001';

export const junk = '00000000-0000-4000-8000-000000000002';

export const prompt = '00000000-0000-4000-8000-000000000003';

export const qwen = '00000000-0000-4000-8000-000000000004';

export const agent: string = `${sessionId}/subagents/agent-abc.jsonl`;

export function library(context: Parameters<typeof benchWith>[0]): Bench {
  const main = transcript()
    .user('one')
    .assistant([toolUse('t1')])
    .user([toolResult('t1')])
    .assistant('done')
    .user('two')
    .assistant('done again');
  const foreign = { type: 'user', uuid: 'a', sessionId: qwen, version: '0.1', message: { role: 'user', parts: [] } };
  const bench = benchWith(context, sessionId, main.text(), {
    [`${empty}.jsonl`]: '',
    [`${junk}.jsonl`]: 'not a record\n',
    [`${prompt}.jsonl`]: transcript({ sessionId: prompt }).user('only this').text(),
    [`${qwen}.jsonl`]: `${JSON.stringify(foreign)}\n`,
    [agent]: transcript({ isSidechain: true, agentId: 'abc' }).user('sub').assistant('done').text(),
  });
  writeFileSync(path.join(bench.root, 'there.clew'), 'no bundle\n');
  return bench;
}
