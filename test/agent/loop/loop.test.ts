// The loop with a model that plays a list: the order of its steps, and what is left after failures.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HookVerdict } from '../../../src/agent/contract/hook.ts';
import type { ToolOutcome } from '../../../src/agent/contract/tool.ts';
import { CostMeter } from '../../../src/agent/loop/cost.ts';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { bundledPrices } from '../../../src/models/price-list.ts';
import { allowAll, call, fakeTool, model, playAnswer, resultsOf, say, startLoop } from '../../support/loop-kit.ts';

const done: ToolOutcome = { content: 'done', isError: false, stored: {} };

test('an answer without calls ends the turn, and its last line has the final usage', async (t) => {
  const kit = await startLoop(t, [{ blocks: [say('one'), say('two')], usage: { output_tokens: 77 } }]);
  const ended = await kit.turn('hello');
  assert.deepEqual(kit.types(), ['prompt', 'request', 'block', 'block', 'answer', 'turn-end']);
  assert.deepEqual(
    kit.events.flatMap((event) => (event.type === 'block' ? [[event.stopReason, event.usage.output_tokens]] : [])),
    [
      [null, 1],
      ['end_turn', 77],
    ],
  );
  assert.deepEqual([ended.outcome, ended.rounds, ended.text], ['success', 1, 'one\ntwo']);
});

test('calls run and their results go out with the next request, in the order of the calls', async (t) => {
  const started: string[] = [];
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const tools = [
    fakeTool('Slow', {
      isReadOnly: true,
      run: async () => {
        started.push('Slow');
        await gate;
        return { ...done, content: 'slow' };
      },
    }),
    fakeTool('Quick', {
      isReadOnly: true,
      run: async () => {
        started.push('Quick');
        release();
        return { ...done, content: 'quick' };
      },
    }),
    fakeTool('Write', { run: doing(() => started.push('Write'), 'written') }),
  ];
  const blocks = [say('looking'), call('Slow'), call('Quick'), call('Write')];
  const kit = await startLoop(t, [{ blocks }, { blocks: [say('done')] }], { tools });
  const ended = await kit.turn('go');
  assert.equal(ended.outcome, 'success');
  // Slow waits for Quick: they can only end because they run together.
  assert.deepEqual(started, ['Slow', 'Quick', 'Write']);
  assert.deepEqual(resultsOf(kit.events), ['Slow: slow', 'Quick: quick', 'Write: written']);
  const last = kit.requests[1]?.messages.at(-1);
  assert.deepEqual(
    (last?.content as JsonObject[]).map(({ type, content }) => [type, content]),
    [
      ['tool_result', 'slow'],
      ['tool_result', 'quick'],
      ['tool_result', 'written'],
    ],
  );
});

test('calls that change something run one after the other', async (t) => {
  const log: string[] = [];
  const run = (name: string) => async () => {
    log.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`${name} ends`);
    return done;
  };
  const tools = ['A', 'B'].map((name) => fakeTool(name, { run: run(name) }));
  const kit = await startLoop(t, [{ blocks: [call('A'), call('B')] }, { blocks: [say('ok')] }], { tools });
  await kit.turn('go');
  assert.deepEqual(log, ['A begins', 'A ends', 'B begins', 'B ends']);
});

test('a tool starts only after the line of its call is written', async (t) => {
  const heard: string[] = [];
  const tools = [fakeTool('Look', { run: doing(() => heard.push('runs')) })];
  const kit = await startLoop(t, [{ blocks: [call('Look')] }, { blocks: [say('ok')] }], {
    tools,
    onEvent: async (event) => {
      await new Promise((resolve) => setImmediate(resolve));
      heard.push(event.type);
    },
  });
  await kit.turn('go');
  assert.deepEqual(heard.slice(0, heard.indexOf('result') + 1), [
    'prompt',
    'request',
    'block',
    'answer',
    'call',
    'runs',
    'result',
  ]);
});

test('unknown tools, wrong inputs, broken tools and refusals are results that the model can read', async (t) => {
  const tools = [
    fakeTool('Fails', {
      run: () => {
        throw new Error('boom');
      },
    }),
    fakeTool('Denied'),
    fakeTool('Asked'),
  ];
  const judge = {
    ...allowAll,
    judge: ({ name }: { readonly name: string }) =>
      name === 'Denied'
        ? ({ kind: 'deny', why: 'a rule forbids it' } as const)
        : name === 'Asked'
          ? ({ kind: 'ask', why: 'it writes', always: [] } as const)
          : ({ kind: 'allow', why: 'ok' } as const),
  };
  const blocks = [
    call('None'),
    call('Fails', { bad: 1 }),
    call('Fails'),
    call('Denied', {}, 'toolu_d'),
    call('Asked', {}, 'toolu_a'),
  ];
  const kit = await startLoop(t, [{ blocks }, { blocks: [say('I see')] }], { tools, judge });
  const ended = await kit.turn('go');
  assert.deepEqual(resultsOf(kit.events), [
    'None (input): <tool_use_error>Error: No such tool available: None</tool_use_error>',
    'Fails (input): <tool_use_error>InputValidationError: "bad" is not known</tool_use_error>',
    'Fails: The tool itself failed: boom',
    'Denied (permission): a rule forbids it',
    'Asked (permission): nobody is here to ask',
  ]);
  assert.deepEqual(ended.denials, [
    { tool_name: 'Denied', tool_use_id: 'toolu_d', tool_input: {} },
    { tool_name: 'Asked', tool_use_id: 'toolu_a', tool_input: {} },
  ]);
});

test('an input that the user changed is what runs, and a rule that the user accepted is remembered', async (t) => {
  const inputs: JsonObject[] = [];
  const rules: string[] = [];
  const tools = [fakeTool('Write', { run: doing((input) => inputs.push(input)) })];
  const offer = { rule: 'Write(a)', scope: 'session' } as const;
  const kit = await startLoop(t, [{ blocks: [call('Write', { file: 'a' })] }, { blocks: [say('ok')] }], {
    tools,
    judge: {
      judge: () => ({ kind: 'ask', why: 'it writes', always: [offer] }),
      addRule: async ({ rule }) => void rules.push(rule),
    },
    approve: async ({ always }) => ({
      kind: 'allow',
      input: { file: 'b' },
      ...(always[0] ? { always: always[0] } : {}),
    }),
  });
  await kit.turn('go');
  assert.deepEqual([inputs, rules], [[{ file: 'b' }], ['Write(a)']]);
});

test('a user who refuses and wants to talk ends the turn, and every call has its result', async (t) => {
  const tools = [fakeTool('Write')];
  const kit = await startLoop(t, [{ blocks: [call('Write'), call('Write')] }, { blocks: [say('so?')] }], {
    tools,
    judge: { ...allowAll, judge: () => ({ kind: 'ask', why: 'it writes', always: [] }) },
    approve: async () => ({ kind: 'deny', message: 'not like this', isInterrupt: true }),
  });
  const ended = await kit.turn('go');
  assert.equal(ended.outcome, 'interrupted');
  assert.deepEqual(resultsOf(kit.events), [
    'Write (permission): not like this',
    'Write (interrupted): [Request interrupted by user for tool use]',
  ]);
  assert.deepEqual(kit.types().slice(-2), ['interrupted', 'turn-end']);
  await kit.turn('do it otherwise');
});

test('an interrupt in a text keeps the text, and the next prompt follows it', async (t) => {
  const stop = new AbortController();
  const kit = await startLoop(t, [
    async function* (request, signal) {
      yield { type: 'start', id: 'msg_half', model: request.model, requestId: 'r', usage: {} };
      yield { type: 'part', index: 0, kind: 'text', text: 'I was about to', raw: {} };
      stop.abort();
      assert.equal(signal.aborted, true);
    },
    { blocks: [say('fine')] },
  ]);
  const ended = await kit.turn('explain', stop.signal);
  assert.equal(ended.outcome, 'interrupted');
  assert.deepEqual(kit.types(), ['prompt', 'request', 'block', 'interrupted', 'turn-end']);
  await kit.turn('proceed');
  assert.deepEqual(
    kit.requests[1]?.messages.map(({ role, content }) => [role, (content as JsonObject[]).map(({ text }) => text)]),
    [
      ['user', ['explain']],
      ['assistant', ['I was about to']],
      ['user', ['[Request interrupted by user]\n', 'proceed']],
    ],
  );
});

test('an interrupt in a tool gives every open call its result before anything else', async (t) => {
  const stop = new AbortController();
  const tools = [
    fakeTool('Wait', {
      run: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ ...done, content: 'half done', isError: true }));
          stop.abort();
        }),
    }),
    fakeTool('Later'),
  ];
  const kit = await startLoop(t, [{ blocks: [call('Wait'), call('Later'), call('Later')] }], { tools });
  const ended = await kit.turn('go', stop.signal);
  assert.equal(ended.outcome, 'interrupted');
  assert.deepEqual(resultsOf(kit.events), [
    'Wait: half done',
    'Later (interrupted): [Request interrupted by user for tool use]',
    'Later (interrupted): [Request interrupted by user for tool use]',
  ]);
  assert.deepEqual(kit.types().slice(-5), ['result', 'result', 'result', 'interrupted', 'turn-end']);
});

test('a tool that does not stop is abandoned', async (t) => {
  const stop = new AbortController();
  const tools = [fakeTool('Deaf', { run: neverEnding(() => stop.abort()) })];
  const kit = await startLoop(t, [{ blocks: [call('Deaf')] }], { tools });
  const ended = await kit.turn('go', stop.signal);
  assert.equal(ended.outcome, 'interrupted');
  assert.deepEqual(resultsOf(kit.events), ['Deaf: [Request interrupted by user for tool use]']);
});

test('an interrupt while calls are streamed closes them without running any', async (t) => {
  const stop = new AbortController();
  let runs = 0;
  const tools = [fakeTool('Write', { run: doing(() => runs++) })];
  const kit = await startLoop(
    t,
    [
      async function* (request) {
        yield { type: 'start', id: 'msg_c', model: request.model, requestId: 'r', usage: {} };
        yield { type: 'block', index: 0, block: call('Write') };
        yield { type: 'block', index: 1, block: call('Write') };
        stop.abort();
      },
    ],
    { tools },
  );
  const ended = await kit.turn('go', stop.signal);
  assert.deepEqual([ended.outcome, runs, resultsOf(kit.events).length], ['interrupted', 0, 2]);
});

test('failures are retried with growing delays that the events show', async (t) => {
  const kit = await startLoop(t, [
    { failure: {} },
    { failure: { retryAfterMs: 7000 } },
    { failure: {}, after: [say('half an answer'), say('more')] },
    { blocks: [say('whole')] },
  ]);
  const ended = await kit.turn('hello');
  assert.deepEqual([ended.outcome, ended.text, kit.clock.waits], ['success', 'whole', [500, 7000, 2000]]);
  assert.deepEqual(kit.types(), [
    'prompt',
    ...['request', 'retry'],
    ...['request', 'retry'],
    ...['request', 'block', 'answer-abandoned', 'retry'],
    ...['request', 'block', 'answer', 'turn-end'],
  ]);
  assert.deepEqual(
    kit.requests.map(({ messages }) => messages),
    kit.requests.map(() => kit.requests[0]?.messages),
  );
});

test('permanent and too many failures end the turn with a message', async (t) => {
  const refused = await startLoop(t, [{ failure: { status: 401, kind: 'authentication_error', isRetryable: false } }]);
  const first = await refused.turn('hello');
  assert.deepEqual([first.outcome, first.error?.kind], ['error_during_execution', 'authentication_error']);
  assert.deepEqual(refused.types(), ['prompt', 'request', 'request-failed', 'turn-end']);
  const busy = await startLoop(t, [{ failure: {} }, { failure: {} }, { failure: {} }, { failure: {} }]);
  const second = await busy.turn('hello');
  assert.deepEqual([second.outcome, second.error?.status], ['error_during_execution', 529]);
  assert.equal(busy.requests.length, 4);
});

test('an answer that is cut after a complete call ends there, and the call runs once', async (t) => {
  let runs = 0;
  const tools = [fakeTool('Write', { run: doing(() => runs++) })];
  const kit = await startLoop(
    t,
    [{ failure: { kind: 'stream_cut' }, after: [say('writing'), call('Write')] }, { blocks: [say('written')] }],
    { tools },
  );
  const ended = await kit.turn('go');
  assert.deepEqual([ended.outcome, runs, kit.requests.length], ['success', 1, 2]);
  assert.deepEqual(
    kit.events.flatMap((event) => (event.type === 'answer' ? [event.stopReason] : [])),
    [null, 'end_turn'],
  );
});

test('an interrupt during a wait ends the turn at once', async (t) => {
  const stop = new AbortController();
  const kit = await startLoop(t, [{ failure: {} }], {
    onEvent: (event) => {
      if (event.type === 'retry') stop.abort();
    },
  });
  const ended = await kit.turn('hello', stop.signal);
  assert.deepEqual([ended.outcome, kit.types().slice(-3)], ['interrupted', ['retry', 'interrupted', 'turn-end']]);
});

test('the limits of turns and money end a turn when no call is open', async (t) => {
  const tools = [fakeTool('Look')];
  const turns = await startLoop(t, [{ blocks: [call('Look')] }, { blocks: [call('Look')] }], {
    tools,
    limits: { maxTurns: 2 },
  });
  assert.deepEqual([(await turns.turn('go')).outcome, resultsOf(turns.events).length], ['error_max_turns', 2]);
  const money = await startLoop(t, [{ blocks: [call('Look')], usage: { output_tokens: 1_000_000 } }], {
    tools,
    limits: { maxBudgetUsd: 1 },
  });
  assert.deepEqual([(await money.turn('go')).outcome, resultsOf(money.events).length], ['error_max_budget_usd', 1]);
  for (const [costMicros, outcome] of [
    [2_499_999, 'success'],
    [2_500_000, 'error_max_budget_usd'],
  ] as const) {
    const meter = new (class extends CostMeter {
      override get costAgainstLimit(): number {
        return costMicros;
      }
    })(bundledPrices);
    const kit = await startLoop(t, [{ blocks: [say('ok')] }], { limits: { maxBudgetUsd: 2.5 }, meter });
    assert.equal((await kit.turn('go')).outcome, outcome);
  }
});

test('an answer at its output limit is continued, and a call that it cut does not run', async (t) => {
  const kit = await startLoop(t, [
    { blocks: [say('first half')], stopReason: 'max_tokens' },
    { blocks: [say('second half')] },
  ]);
  assert.deepEqual([(await kit.turn('write')).text, kit.requests.length], ['second half', 2]);
  const tools = [fakeTool('Write')];
  const cut = await startLoop(t, [{ blocks: [call('Write')], stopReason: 'max_tokens' }, { blocks: [say('ok')] }], {
    tools,
  });
  await cut.turn('write');
  assert.match(resultsOf(cut.events)[0] ?? '', /^Write \(input\): .*output limit/);
  const endless = await startLoop(
    t,
    Array.from({ length: 4 }, () => ({ blocks: [say('…')], stopReason: 'max_tokens' })),
  );
  assert.equal((await endless.turn('write')).outcome, 'success');
});

test('a paused answer is sent back as it is', async (t) => {
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
  const kit = await startLoop(t, [{ blocks: [search, found], stopReason: 'pause_turn' }, { blocks: [say('found')] }]);
  assert.equal((await kit.turn('search')).text, 'found');
  assert.deepEqual(kit.requests[1]?.messages.at(-1), { role: 'assistant', content: [search, found] });
});

test('a refusal and an empty answer have clear ends', async (t) => {
  const refusal = await startLoop(t, [{ blocks: [say('I can')], stopReason: 'refusal' }]);
  const ended = await refusal.turn('hello');
  assert.deepEqual([ended.outcome, ended.error?.kind], ['error_during_execution', 'refusal']);
  const empty = await startLoop(t, [{ blocks: [] }, { blocks: [say('here')] }]);
  assert.deepEqual(
    [(await empty.turn('hello')).outcome, empty.types()],
    ['success', ['prompt', 'request', 'answer', 'notice', 'turn-end']],
  );
  await empty.turn('are you there?');
});

test('ids that a gateway sends twice are written once', async (t) => {
  const tools = [fakeTool('Look')];
  const same = { blocks: [call('Look', {}, 'call_1')], id: 'msg_same' };
  const kit = await startLoop(t, [same, same, { blocks: [say('ok')], id: 'msg_same' }], { tools });
  await kit.turn('go');
  const calls = kit.requests[2]?.messages.flatMap(({ content }) =>
    (content as JsonObject[]).flatMap(({ type, id }) => (type === 'tool_use' ? [id] : [])),
  );
  assert.deepEqual([calls?.length, new Set(calls).size], [2, 2]);
});

test('thinking goes back to the model that wrote it, also when it answers under its full name', async (t) => {
  const tools = [fakeTool('Look')];
  const thinking = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
  const kit = await startLoop(
    t,
    [
      async function* () {
        yield* playAnswer({ blocks: [thinking, call('Look')] }, `${model}-20261101`);
      },
      { blocks: [say('ok')] },
    ],
    { tools },
  );
  await kit.turn('go');
  assert.deepEqual((kit.requests[1]?.messages[1]?.content as JsonObject[])[0], thinking);
});

test('hooks may block, allow, change and comment on a call, and end the turn', async (t) => {
  const inputs: JsonObject[] = [];
  const tools = ['Blocked', 'Allowed', 'Changed', 'Last', 'Never'].map((name) =>
    fakeTool(name, { run: doing((input) => inputs.push({ name, ...input })) }),
  );
  const verdicts: Readonly<Record<string, Partial<HookVerdict>>> = {
    'PreToolUse Blocked': { blocked: 'not this one' },
    'PreToolUse Allowed': { permission: { decision: 'allow', reason: 'known' } },
    'PreToolUse Changed': { updatedInput: { file: 'b' }, permission: { decision: 'allow', reason: 'changed' } },
    'PostToolUse Changed': { blocked: 'run the tests', context: ['the tests are red'] },
    'PostToolUse Last': { stop: 'enough' },
    'PreToolUse Last': { permission: { decision: 'allow', reason: 'known' } },
  };
  const blocks = tools.map(({ name }) => call(name, { file: 'a' }));
  const kit = await startLoop(t, [{ blocks }], {
    tools,
    judge: { ...allowAll, judge: () => ({ kind: 'ask', why: 'asks', always: [] }) },
    hooks: { run: async (name, subject) => ({ context: [], messages: [], ...verdicts[`${name} ${subject}`] }) },
  });
  const ended = await kit.turn('go');
  assert.equal(ended.outcome, 'success');
  assert.deepEqual(inputs, [
    { name: 'Allowed', file: 'a' },
    { name: 'Changed', file: 'b' },
    { name: 'Last', file: 'a' },
  ]);
  assert.deepEqual(resultsOf(kit.events), [
    'Blocked (hook): not this one',
    'Allowed: done',
    'Changed: done',
    'Last: done',
    'Never (hook): enough',
  ]);
  const said = kit.events.flatMap((event) => (event.type === 'prompt' && event.isMeta ? [event.content] : []));
  assert.deepEqual(said, ['A hook says of Changed: run the tests', 'the tests are red']);
});

test('a hook that blocks the end of the turn gives the reason, and gets the flag that it did so before', async (t) => {
  const active: boolean[] = [];
  const kit = await startLoop(t, [{ blocks: [say('done')] }, { blocks: [say('really done')] }], {
    askStop: async (_, isActive) => {
      active.push(isActive);
      return isActive ? { isFinal: false } : { isFinal: false, blocked: 'The tests were not run.' };
    },
  });
  const ended = await kit.turn('go');
  assert.deepEqual([ended.text, active], ['really done', [false, true]]);
});

test('news are sent when no call is open', async (t) => {
  const news = [[], ['a task has ended'], []];
  const tools = [fakeTool('Look')];
  const kit = await startLoop(t, [{ blocks: [call('Look')] }, { blocks: [say('ok')] }], {
    tools,
    takeNews: () => news.shift() ?? [],
  });
  await kit.turn('go');
  const last = kit.requests[1]?.messages.at(-1)?.content as JsonObject[];
  assert.deepEqual(
    last.map(({ type, text }) => text ?? type),
    ['tool_result', 'a task has ended'],
  );
});

function doing(effect: (input: JsonObject) => unknown, content = 'done'): (input: JsonObject) => Promise<ToolOutcome> {
  return async (input) => {
    effect(input);
    return { ...done, content };
  };
}

function neverEnding(effect: () => void): () => Promise<ToolOutcome> {
  return () => {
    effect();
    return new Promise(() => undefined);
  };
}
