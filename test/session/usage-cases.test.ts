// Thirteen files that other counters get wrong, and what is right.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../src/base/json/json.ts';
import { usageLinesOf } from '../../src/session/facts/session-usage.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { countUsage, totalUsage, type UsageLine } from '../../src/session/usage/usage.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { text, transcript } from '../support/transcript-builder.ts';

const first = '11111111-1111-4111-a111-111111111111';
const second = '22222222-2222-4222-a222-222222222222';

interface Answer {
  readonly id?: string;
  readonly request?: string | null;
  readonly stop?: string;
  readonly model?: string;
  readonly usage?: JsonObject;
  readonly side?: boolean;
}

/** A line of an answer with so many output tokens, message `msg_a` of request `req_a` unless said otherwise. */
function line(output: number, answer: Answer = {}): string {
  const {
    id = 'msg_a',
    request = 'req_a',
    stop = null,
    model = 'claude-sonnet-4-5-20250929',
    usage,
    side = false,
  } = answer;
  const message = { id, model, stop_reason: stop, usage: { input_tokens: 10, output_tokens: output, ...usage } };
  const fields = { isSidechain: side, message, ...(request === null ? {} : { requestId: request }) };
  return transcript({ parentUuid: null })
    .assistant([text('x')], fields)
    .text()
    .trimEnd();
}

interface Count {
  readonly output: number;
  readonly dropped: readonly string[];
}

/** The library of `files`, counted as one: the sessions in the order of their names. */
async function count(
  context: TestContext,
  files: Readonly<Record<string, readonly string[]>>,
): Promise<Count & { lines: readonly UsageLine[] }> {
  const folder = temporaryFolder(context);
  writeTree(folder, Object.fromEntries(Object.entries(files).map(([name, lines]) => [name, `${lines.join('\n')}\n`])));
  const lines: UsageLine[] = [];
  for (const name of Object.keys(files).filter((each) => !each.includes('/'))) {
    lines.push(...usageLinesOf(await loadSession(path.join(folder, name))));
  }
  const { messages, dropped } = countUsage(lines);
  return {
    output: totalUsage(messages).outputTokens,
    dropped: dropped.map(({ line: each, reason }) => `${each.usage.outputTokens} ${reason}`),
    lines,
  };
}

function right(name: string, files: Readonly<Record<string, readonly string[]>>, expected: Count): void {
  test(name, async (context) => {
    const { output, dropped } = await count(context, files);
    assert.deepEqual({ output, dropped }, expected);
  });
}

const main = `${first}.jsonl`;
const none = { request: null };

right(
  '1. a stream of lines counts by its last',
  { [main]: [line(3), line(3), line(400, { stop: 'end_turn' })] },
  {
    output: 400,
    dropped: ['3 smaller-line', '3 smaller-line'],
  },
);
right(
  '2. two lines of one message without a request id are one message',
  { [main]: [line(400, none), line(400, none)] },
  {
    output: 400,
    dropped: ['400 smaller-line'],
  },
);
const gateway = { id: 'chatcmpl-1', ...none };
right(
  '3. so they are with the id of a gateway',
  { [main]: [line(400, gateway), line(400, gateway)] },
  {
    output: 400,
    dropped: ['400 smaller-line'],
  },
);
right(
  '4. a fork counts only what it added, over both sessions together',
  { [main]: [line(400)], [`${second}.jsonl`]: [line(400), line(100, { id: 'msg_b', request: 'req_b' })] },
  { output: 500, dropped: ['400 copy'] },
);
const agent = (name: string): string => `${first}/subagents/agent-${name}.jsonl`;
right(
  '5. a sub-agent in its own file counts with its session',
  { [main]: [line(400)], [agent('a1b2c3d')]: [line(50, { id: 'msg_c', request: 'req_c', side: true })] },
  { output: 450, dropped: [] },
);
right(
  '6. a sub-agent that replays a message under another request is a copy',
  { [main]: [line(400)], [agent('aside')]: [line(400, { request: 'req_z', side: true })] },
  { output: 400, dropped: ['400 copy'] },
);
right(
  '7. a torn last line counts nothing',
  { [main]: [line(400), line(100, { id: 'msg_b' }).slice(0, 200)] },
  {
    output: 400,
    dropped: [],
  },
);
right(
  '8. a last line that is smaller does not win',
  { [main]: [line(400, { stop: 'end_turn' }), line(1)] },
  {
    output: 400,
    dropped: ['1 smaller-line'],
  },
);

test('9. one-hour cache writes are kept apart from five-minute ones', async (context) => {
  const usage = {
    cache_creation_input_tokens: 1_000_000,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1_000_000 },
  };
  const { lines } = await count(context, { [main]: [line(0, { usage })] });
  assert.deepEqual(totalUsage(countUsage(lines).messages), {
    inputTokens: 10,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 1_000_000,
    messages: 1,
    outputIsLowerBound: true,
  });
});

test('10. an unknown model counts, under its own name', async (context) => {
  const { output, lines } = await count(context, { [main]: [line(400, { model: 'claude-zeta-9' })] });
  assert.deepEqual([output, lines.map(({ model }) => model)], [400, ['claude-zeta-9']]);
});

right(
  '11. a byte-order mark and carriage returns hide nothing',
  { [main]: [`\ufeff${line(400)}\r`, `${line(100, { id: 'msg_b', request: 'req_b' })}\r`] },
  { output: 500, dropped: [] },
);
right(
  '12. spaces between the tokens hide nothing',
  { [main]: [JSON.stringify(JSON.parse(line(400)), null, 1).replace(/\n\s*/g, ' ')] },
  { output: 400, dropped: [] },
);
right(
  '13. a text that looks like usage is text',
  {
    [main]: [
      line(400).replace('"text":"x"', '"text":"fake \\"usage\\":{\\"input_tokens\\":999,\\"output_tokens\\":999}"'),
    ],
  },
  { output: 400, dropped: [] },
);
