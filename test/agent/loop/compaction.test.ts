// Compaction: when it is due, what the model is asked, what is left, and that a failed one changes nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compactConversation,
  fitMessages,
  isCompactionDue,
  summaryRequest,
  summaryText,
} from '../../../src/agent/loop/compaction.ts';
import type { TurnCompaction } from '../../../src/agent/loop/context.ts';
import type { ModelRequest } from '../../../src/api/client/model.ts';
import { estimateTextTokens } from '../../../src/api/request/json-size.ts';
import { checkRequest } from '../../../src/api/rules/check-request.ts';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { startAgent } from '../../support/agent-kit.ts';
import { says } from '../../support/headless-kit.ts';
import {
  assertResumable,
  call,
  type FakeAnswer,
  fakeTool,
  type LoopKit,
  say,
  startLoop,
} from '../../support/loop-kit.ts';

const full = { input_tokens: 190_000, output_tokens: 1000 };
const tooLong = {
  failure: {
    status: 400,
    kind: 'invalid_request_error',
    message: 'prompt is too long: 210000 tokens > 200000 maximum',
    isRetryable: false,
  },
};

test('it is due by the real usage of the last answer, with room for one more', () => {
  const cases: readonly (readonly [number, number])[] = [
    [0, 200_000],
    [166_000, 200_000],
    [166_999, 200_000],
    [167_000, 200_000],
    [966_999, 1_000_000],
    [967_000, 1_000_000],
    [7999, 10_000],
    [8000, 10_000],
  ];
  assert.deepEqual(
    cases.map(([used, window]) => isCompactionDue(used, window)),
    [false, false, false, true, false, true, false, true],
  );
});

test('a full window is summarised between two requests, and the turn continues from the summary', async (t) => {
  const tools = [fakeTool('Look')];
  const kit = await startWithCompaction(
    t,
    [
      { blocks: [call('Look')], usage: full },
      { blocks: [say('They asked to look, and we looked.')] },
      { blocks: [say('done')] },
    ],
    tools,
  );
  const ended = await kit.turn('look at it');
  assert.deepEqual([ended.outcome, ended.text, ended.rounds], ['success', 'done', 2]);
  assert.deepEqual(kit.types(), [
    ...['prompt', 'request', 'block', 'answer', 'call', 'result'],
    ...['compacting', 'compacted', 'request', 'block', 'answer', 'turn-end'],
  ]);
  const [first, ...others] = kit.requests[2]?.messages ?? [];
  assert.deepEqual([first?.role, others], ['user', []]);
  const text = String((first?.content as JsonObject[])[0]?.text);
  assert.match(text, /- look at it[\s\S]*They asked to look, and we looked\.[\s\S]*Go on with the next open step/);
  await assertResumable(kit.session);
});

test('a window that is full before a prompt is summarised before it', async (t) => {
  const kit = await startWithCompaction(t, [
    { blocks: [say('much')], usage: full },
    { blocks: [say('They said much.')] },
    { blocks: [say('hello')] },
  ]);
  await kit.turn('explain much');
  await kit.turn('and now?');
  const content = kit.requests[2]?.messages[0]?.content as JsonObject[];
  assert.deepEqual([kit.requests[2]?.messages.length, content.at(-1)?.text], [1, 'and now?']);
  assert.doesNotMatch(String(content[0]?.text), /Go on with the next open step/);
});

test('a prompt that is too long is summarised once, and the second time it is an error', async (t) => {
  const kit = await startWithCompaction(t, [tooLong, { blocks: [say('short')] }, { blocks: [say('ok')] }]);
  assert.equal((await kit.turn('go')).text, 'ok');
  const again = await startWithCompaction(t, [tooLong, { blocks: [say('short')] }, tooLong]);
  const ended = await again.turn('go');
  assert.deepEqual([ended.outcome, ended.error?.status], ['error_during_execution', 400]);
});

test('a summary that fails changes nothing, and is not paid for at every step', async (t) => {
  const failed = { failure: { status: 401, isRetryable: false, message: 'no' } };
  const tools = [fakeTool('Look')];
  const kit = await startWithCompaction(
    t,
    [
      { blocks: [call('Look')], usage: full },
      failed,
      { blocks: [call('Look')], usage: full },
      { blocks: [say('done')], usage: full },
    ],
    tools,
  );
  const ended = await kit.turn('look');
  assert.equal(ended.outcome, 'success');
  assert.equal(kit.requests[3]?.messages.length, 5);
  assert.deepEqual(
    kit.events.flatMap((event) => (event.type === 'compacted' ? [event.result] : [])),
    [{ problem: 'no' }],
  );
});

test('an answer that is not a summary is a failure too', async (t) => {
  for (const answer of [
    { blocks: [] },
    { blocks: [say('half')], stopReason: 'max_tokens' },
    { blocks: [say('no')], stopReason: 'refusal' },
    { blocks: [call('Look')] },
  ]) {
    const kit = await startWithCompaction(t, [{ blocks: [say('hi')] }, answer]);
    await kit.turn('hello');
    assert.equal(await kit.context.compaction?.run(false, new AbortController().signal), false);
    await assertResumable(kit.session);
  }
});

test('the request for a summary breaks no rule of the API, however long the history is', () => {
  const messages: ModelRequest['messages'][number][] = [];
  for (let i = 0; i < 40; i++) {
    const use = { ...call('Look'), id: `toolu_${i}` };
    if (i % 10 === 0) messages.push({ role: 'user', content: [say(`wish ${i}`)] });
    messages.push({ role: 'assistant', content: [say('looking'), use] });
    messages.push({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: use.id, content: 'x'.repeat(25_000) }],
    });
    if (i % 10 === 9) messages.push({ role: 'assistant', content: [say('seen')] });
  }
  const base = {
    model: 'claude-sonnet-4-5',
    system: ['You help.'],
    messages,
    tools: [],
    maxTokens: 8000,
    thinkingTokens: 4000,
  };
  for (const budget of [190_000, 60_000, 15_000, 3000, 10]) {
    const request = summaryRequest(base, 'the tests', budget);
    const { messages: sent } = request;
    if (budget >= 3000) assert.ok(estimateTextTokens(sent) <= budget + 500);
    assert.deepEqual(checkRequest({ model: request.model, messages: sent }), []);
    assert.match(String((sent.at(-1)?.content as JsonObject[]).at(-1)?.text), /the tests/);
  }
});

test('a history that fits is not touched, and the words of the user are kept', () => {
  const messages = [{ role: 'user', content: [say('a wish'), say('<command-name>/x</command-name>')] }] as const;
  assert.equal(fitMessages(messages, 1000), messages);
  assert.match(summaryText(['a wish'], 'S', false), /- a wish\n\n## Summary\n\nS$/);
});

test('the last six of many prompts are kept, in order', () => {
  const typed = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
  const [, kept] = summaryText(typed, 'S', false).split('\n\n## ');
  assert.equal(
    kept,
    'The last things the user said, word for word\n\n- three\n- four\n- five\n- six\n- seven\n- eight',
  );
});

test('only typed prompts are quoted, whatever they begin with', async (t) => {
  const files = { 'project/notes.txt': 'words of a file', 'claude/commands/greet.md': 'words of a command' };
  const kit = await startAgent(t, () => says('An answer.'), { files });
  for (const prompt of ['[first] wish', '<b>second</b> wish @notes.txt', '/greet kim']) await kit.agent.prompt(prompt);
  await kit.agent.compact();
  await kit.agent.prompt('third wish');
  await kit.agent.compact();
  const summaries = kit.events.flatMap((event) =>
    event.type === 'compacted' && 'summary' in event.result ? [event.result.summary.split('\n\n## ')[1]] : [],
  );
  assert.deepEqual(summaries, [
    'The last things the user said, word for word\n\n- [first] wish\n- <b>second</b> wish @notes.txt\n- /greet kim',
    'The last things the user said, word for word\n\n- third wish',
  ]);
});

async function startWithCompaction(
  t: Parameters<typeof startLoop>[0],
  answers: readonly FakeAnswer[],
  tools = [fakeTool('Look')],
): Promise<LoopKit> {
  const holder: { kit?: LoopKit } = {};
  const kitOf = (): LoopKit => {
    assert.ok(holder.kit !== undefined);
    return holder.kit;
  };
  const compaction: TurnCompaction = {
    isDue: () => isCompactionDue(kitOf().meter.contextTokens(), 200_000),
    run: async (isTurnOpen, signal) =>
      (await compactConversation({ trigger: 'auto', isTurnOpen }, kitOf().context, signal)) !== undefined,
  };
  holder.kit = await startLoop(t, answers, { tools, compaction });
  return holder.kit;
}
