// Hook callbacks over the control protocol. What a missing, late or wrong answer does was measured with Claude Code 2.1.325
// and the Agent SDK 0.3.325.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { asObject, isObject, type JsonObject } from '../../../../src/base/json/json.ts';
import { calls, results, says } from '../../../support/agent-talk.ts';
import { type FakeHost, type HostAnswer, startHost } from '../../../support/fake-host.ts';

const touch: JsonObject = { command: 'touch x', description: 'make it' };
const bypass = { mode: 'bypassPermissions' } as const;

async function start(
  t: Parameters<typeof startHost>[0],
  matcher: JsonObject,
  callback: HostAnswer,
  event = 'PreToolUse',
): Promise<FakeHost> {
  const host = startHost(t, [calls(['Bash', touch]), says('done'), says('next')], {
    answers: { hook_callback: callback },
    agent: bypass,
  });
  const answer = await host.request('initialize', {
    hooks: { [event]: [{ hookCallbackIds: ['hook_0'], ...matcher }] },
  });
  assert.ok(isObject(answer) && answer.hooks_applied === true && answer.hook_on_failure_supported === true);
  return host;
}

const specific = (more: JsonObject): JsonObject => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...more } });
const made = (host: FakeHost): boolean => existsSync(path.join(host.kit().cwd, 'x'));
const resultOf = (host: FakeHost): string => String(results(host.kit().events)[0]?.content);

test('a callback gets the input of the event, and an empty answer lets the call run', async (t) => {
  const host = await start(t, { matcher: 'Bash|Write' }, () => ({}));
  await host.prompt('go');
  const [asked] = host.asked('hook_callback');
  const { sessionId, file } = host.kit().agent.state;
  const callId = String(asked?.tool_use_id);
  assert.match(callId, /^toolu_/);
  const promptId = String(asObject(asked?.input)?.prompt_id);
  assert.match(promptId, /^[0-9a-f-]{36}$/);
  assert.deepEqual(asked, {
    subtype: 'hook_callback',
    callback_id: 'hook_0',
    input: {
      prompt_id: promptId,
      cwd: host.kit().cwd,
      session_id: sessionId,
      transcript_path: file,
      permission_mode: 'bypassPermissions',
      effort: { level: 'medium' },
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: touch,
      tool_use_id: callId,
    },
    tool_use_id: callId,
  });
  assert.ok(made(host));
});

test('a guard refuses, in every way that the protocol has', async (t) => {
  for (const [answer, said] of [
    [specific({ permissionDecision: 'deny', permissionDecisionReason: 'because deny' }), 'because deny'],
    [{ decision: 'block', reason: 'because block' }, 'because block'],
    [{ continue: false, stopReason: 'because stop' }, 'because stop'],
  ] as const) {
    const host = await start(t, {}, () => answer);
    await host.prompt('go');
    assert.match(resultOf(host), new RegExp(said));
    assert.ok(!made(host), said);
  }
});

test('a callback changes the input, adds context and says something to the user', async (t) => {
  const changed = { command: 'touch other', description: 'make it' };
  const host = await start(t, {}, () => ({
    ...specific({ permissionDecision: 'allow', updatedInput: changed, additionalContext: 'MORE' }),
    systemMessage: 'watch out',
  }));
  await host.prompt('go');
  assert.ok(!made(host) && existsSync(path.join(host.kit().cwd, 'other')));
  assert.match(JSON.stringify(host.kit().bodies()[1]), /MORE/);
  const notices = host.kit().events.flatMap((event) => (event.type === 'notice' && event.isOfHook ? [event.text] : []));
  assert.match(notices.join(), /watch out/);
});

test('only callbacks whose matcher fits are called', async (t) => {
  const host = await start(t, { matcher: 'Write' }, () => ({ decision: 'block' }));
  await host.prompt('go');
  assert.deepEqual(host.asked('hook_callback'), []);
  assert.ok(made(host));
});

test('a guard that fails is reported and the call runs; with onFailure "block" it is refused', async (t) => {
  const failing = await start(t, {}, () => new Error('it broke'));
  await failing.prompt('go');
  assert.ok(made(failing));
  const notices = failing.kit().events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  assert.match(notices.join(), /hook_0 failed: it broke/);
  // What 2.1.325 says of an answer that is not an object: it counts as empty, and a notice says so.
  const wrong = await start(t, {}, () => 'deny' as unknown as JsonObject);
  await wrong.prompt('go');
  assert.ok(made(wrong));
  const warned = wrong.kit().events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  assert.match(warned.join(), /hook_0 failed: the answer is not a JSON object/);
  const blocking = await start(t, { onFailure: 'block' }, () => new Error('it broke'));
  await blocking.prompt('go');
  assert.ok(!made(blocking));
});

test('a guard that answers for another event refuses the call, as in 2.1.325', async (t) => {
  const answer = { hookSpecificOutput: { hookEventName: 'PostToolUse', permissionDecision: 'deny' } };
  const host = await start(t, {}, () => answer);
  await host.prompt('go');
  assert.ok(!made(host));
  assert.match(resultOf(host), /answered for PostToolUse, not for PreToolUse/);
});

test('hooks of a turn get the effort of its model, and StopFailure the name of the error and its text', async (t) => {
  const seen: JsonObject[] = [];
  const unpaid = { status: 402, type: 'some_error', message: 'pay first' };
  const host = startHost(t, [says('done'), unpaid], {
    answers: {
      hook_callback: ({ input }) => {
        seen.push(asObject(input) ?? {});
        return {};
      },
    },
    agent: { ...bypass, model: 'claude-opus-4-6', effort: 'low' },
  });
  const hook = [{ hookCallbackIds: ['hook_0'] }];
  await host.request('initialize', { hooks: { UserPromptSubmit: hook, Stop: hook, StopFailure: hook } });
  await host.prompt('go');
  await host.prompt('again');
  assert.deepEqual(
    seen.map(({ hook_event_name, effort, error, last_assistant_message }) => [
      hook_event_name,
      effort,
      error,
      last_assistant_message,
    ]),
    [
      ['UserPromptSubmit', undefined, undefined, undefined],
      ['Stop', { level: 'low' }, undefined, 'done'],
      ['UserPromptSubmit', undefined, undefined, undefined],
      ['StopFailure', undefined, 'billing_error', 'API Error: 402 pay first'],
    ],
  );
});

test('a guard that does not answer in time refuses the call, and its request is withdrawn', async (t) => {
  const host = await start(t, { timeout: 0.05 }, () => undefined);
  await host.prompt('go');
  assert.ok(!made(host));
  assert.equal(
    resultOf(host),
    'PreToolUse hook did not respond before its timeout (host client may be unreachable). ' +
      'The tool call was not executed; other configured hooks may not have completed.',
  );
  assert.ok(host.written.some(({ type }) => type === 'control_cancel_request'));
});

test('a guard whose program is gone refuses the call', async (t) => {
  const host: { it?: FakeHost } = {};
  host.it = await start(t, {}, () => {
    void host.it?.end();
    return undefined;
  });
  host.it.send({ type: 'user', message: { role: 'user', content: 'go' } });
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if ((host.it?.turns.length ?? 0) > 0) resolve();
      else setTimeout(look, 10);
    };
    look();
  });
  assert.ok(!made(host.it));
  assert.match(resultOf(host.it), /^PreToolUse hook did not respond/);
});

test('a prompt is refused by a callback, and by one that does not answer', async (t) => {
  for (const [matcher, callback] of [
    [{}, () => ({ decision: 'block', reason: 'no such prompts' })],
    [{ timeout: 0.05 }, () => undefined],
  ] as const) {
    const host = await start(t, matcher, callback, 'UserPromptSubmit');
    await host.prompt('go');
    assert.deepEqual(host.kit().bodies(), []);
  }
});

test('hooks that cannot be registered end the run before anything happens', async (t) => {
  const cases: readonly (readonly [JsonObject[string], RegExp])[] = [
    ['nonsense', /hooks of initialize must map events/],
    [{ Nonsense: [{ hookCallbackIds: ['a'] }] }, /"Nonsense", which is not known/],
    [{ PreToolUse: [{ matcher: 5, hookCallbackIds: ['a'] }] }, /need a matcher that is a text/],
    [{ PreToolUse: [{ matcher: 'Bash' }] }, /need hookCallbackIds/],
    [{ PreToolUse: {} }, /must be a list of matchers/],
    [{ PreToolUse: [{ matcher: 'Bash(', hookCallbackIds: ['a'] }] }, /"Bash\(", which is not a regular expression/],
    [{ PreModelSwitch: [{ hookCallbackIds: ['a'] }] }, /PreModelSwitch, for which Clew runs no hooks/],
  ];
  for (const [hooks, why] of cases) {
    const host = startHost(t, [says('never')]);
    assert.match(String(await host.request('initialize', { hooks })), why);
    host.send({ type: 'user', message: { role: 'user', content: 'go' } });
    assert.match(String(await host.end()), why);
    assert.throws(() => host.kit(), /not open/);
  }
});

test('matchers that the client takes are registered, and so are hooks whose cause never happens', async (t) => {
  const matchers = ['', '*', 'Bash', 'Write | Bash', 'mcp__.*', '^Ba'].map((matcher) => ({
    matcher,
    hookCallbackIds: ['a'],
  }));
  const host = startHost(t, [says('done')]);
  const hooks = { PreToolUse: matchers, WorktreeCreate: [{ hookCallbackIds: ['a'] }] };
  assert.ok(isObject(await host.request('initialize', { hooks })));
});

test('an initialize with guards that comes after a prompt ends the turn that runs without them', async (t) => {
  const slow: JsonObject = { command: 'sleep 0.3; touch x', description: 'make it' };
  const host = startHost(t, [calls(['Bash', slow]), says('done')], { agent: bypass });
  host.send({ type: 'user', message: { role: 'user', content: 'go' } });
  host.send({ type: 'user', message: { role: 'user', content: 'more' } });
  const answer = await host.request('initialize', { hooks: { PreToolUse: [{ hookCallbackIds: ['hook_0'] }] } });
  assert.match(String(answer), /after the first prompt/);
  assert.match(String(await host.end()), /after the first prompt/);
  assert.ok(!made(host));
  assert.ok(host.turns.every(({ outcome }) => outcome === 'interrupted'));
});

test('a callback that only watches is silent when its program has ended', async (t) => {
  const host = await start(t, {}, () => ({}), 'SessionEnd');
  await host.prompt('go');
  await host.end();
  await host.kit().agent.close('exit');
  assert.deepEqual(
    host.kit().events.flatMap((event) => (event.type === 'notice' ? [event.text] : [])),
    [],
  );
});

test('a program that initializes again registers its callbacks again', async (t) => {
  const host = await start(t, {}, ({ callback_id }) => (callback_id === 'hook_9' ? { decision: 'block' } : {}));
  await host.request('initialize', { hooks: { PreToolUse: [{ hookCallbackIds: ['hook_9'] }] } });
  await host.prompt('go');
  assert.deepEqual(
    host.asked('hook_callback').map(({ callback_id }) => callback_id),
    ['hook_9'],
  );
  assert.ok(!made(host));
});
