// Scripts of events, and the resulting state of the screen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentEvent, AgentHappening, TurnEnded } from '../../../../src/agent/contract/event.ts';
import { emptyView, type ViewState, viewAfter } from '../../../../src/cli/console/transcript/view-state.ts';
import { block, call, part, result } from '../agent-scripts.ts';

const startMs = Date.UTC(2026, 2, 4, 12, 0, 0);

type Step = AgentHappening | (AgentHappening & { readonly agent: AgentEvent['agent'] });

/** Each event is one second after the previous one. */
function play(...steps: readonly Step[]): ViewState {
  return steps.reduce<ViewState>(
    (view, step, i) => viewAfter(view, { at: new Date(startMs + 1000 * i), ...step } as AgentEvent),
    emptyView,
  );
}

const prompt: Step = { type: 'prompt', uuid: 'u', content: 'light the lamp', isMeta: false };
const request: Step = { type: 'request', model: 'm', attempt: 1 };
const failure = {
  status: 529,
  kind: 'overloaded_error',
  message: 'Overloaded',
  requestId: undefined,
  retryAfterMs: undefined,
  isRetryable: true,
};

function turnEnd(outcome: TurnEnded['outcome'], durationMs = 1000): TurnEnded {
  return { type: 'turn-end', outcome, durationMs, apiDurationMs: 1, rounds: 2, text: '', denials: [] };
}

test('a prompt and its streaming answer', () => {
  assert.deepEqual(play(prompt, request, part('It '), part('shines')), {
    ...emptyView,
    finished: [{ kind: 'prompt', text: 'light the lamp' }],
    streams: [{ index: 0, kind: 'text', text: 'It shines', settledChars: 0, isEnded: false }],
    busySinceMs: startMs,
  });
  assert.deepEqual(play(prompt, request, part('It '), part('shin'), block('It shines.'), turnEnd('success')), {
    ...emptyView,
    finished: [
      { kind: 'prompt', text: 'light the lamp' },
      { kind: 'answer', text: 'It shines.', isContinued: false },
    ],
  });
});

test('a long answer goes to the scrollback piece by piece, and nothing of it twice', () => {
  const text = Array.from({ length: 60 }, (_, i) => `Paragraph ${i} has some words in it.\n\n`).join('');
  const parts = text.match(/[\s\S]{1,11}/g) ?? [];
  const streaming = play(prompt, request, ...parts.map((each) => part(each)));
  assert.equal(streaming.finished.length > 3, true);
  assert.equal((streaming.streams[0]?.text.length ?? 0) - (streaming.streams[0]?.settledChars ?? 0) < 700, true);
  const done = play(prompt, request, ...parts.map((each) => part(each)), block(text));
  const answers = done.finished.flatMap((item) => (item.kind === 'answer' ? [item] : []));
  assert.equal(answers.map((item) => item.text).join(''), text);
  assert.deepEqual([...new Set(answers.map((item) => item.isContinued))], [false, true]);
});

test('a block whose line is written late is shown once, before what came after it', () => {
  const late = { type: 'part', index: 1, kind: 'input', text: '{"command":', raw: {} } as const;
  const next = { ...part('Then this'), index: 2 } as Step;
  const before = play(request, part('I run it'), late, next);
  assert.deepEqual(
    [before.streams.map(({ text }) => text), before.inputChars, before.finished],
    [['I run it', 'Then this'], 11, []],
  );
  const after = play(request, part('I run it'), late, next, block('I run it.'));
  assert.deepEqual(after.finished, [{ kind: 'answer', text: 'I run it.', isContinued: false }]);
  assert.deepEqual(
    after.streams.map(({ text }) => text),
    ['Then this'],
  );
});

test('a block is in the scrollback when it ends, not when the next one comes, and only once', () => {
  const stop = (index: number): Step => ({
    type: 'part',
    index,
    kind: 'other',
    text: '',
    raw: { type: 'content_block_stop', index },
  });
  const second = { ...part('Then this.'), index: 1 } as Step;
  const ended = play(prompt, request, part('It shines.'), stop(0));
  const shines = { kind: 'answer', text: 'It shines.', isContinued: false } as const;
  assert.deepEqual(ended.finished.slice(1), [shines]);
  const later = play(prompt, request, part('It shines.'), stop(0), second, block('It shines.'), stop(1));
  assert.deepEqual(later.finished.slice(1), [shines, { ...shines, text: 'Then this.' }]);
  const all = play(request, part('It shines.'), stop(0), second, block('It shines.'), stop(1), block('Then this.'));
  assert.deepEqual([all.finished, all.streams], [[shines, { ...shines, text: 'Then this.' }], []]);
});

test('a thought is in the scrollback when it ends', () => {
  const stop: Step = { type: 'part', index: 0, kind: 'other', text: '', raw: { type: 'content_block_stop', index: 0 } };
  assert.deepEqual(play(request, part('a lamp', 'thinking'), stop).finished, [{ kind: 'thinking', text: 'a lamp' }]);
});

test('a call runs with its output, then is one item with its result', () => {
  const bash = call('Bash', { command: 'npm test' });
  const progress = { kind: 'output', text: 'a\nb', totalLines: 2, elapsedMs: 5 } as const;
  const running = play({ type: 'call', call: bash }, { type: 'call-progress', callId: bash.id, progress });
  assert.deepEqual(running.calls, [{ call: bash, startedMs: startMs, progress }]);
  const outcome = { content: 'ok', isError: false, stored: 'ok' };
  assert.deepEqual(play({ type: 'call', call: bash }, result(bash, 'ok')), {
    ...emptyView,
    finished: [{ kind: 'call', call: bash, outcome, agents: [], durationMs: 1000 }],
  });
});

test('a sub-agent is shown below its call: its current step, then its totals', () => {
  const task = call('Task', { description: 'look' });
  const mark = { agentId: 'a1', parentCallId: task.id };
  const started: Step = { type: 'agent-started', ...mark, agentType: 'explore', description: 'look' };
  const message = { id: 'm', model: 'm', requestId: undefined };
  const steps: readonly Step[] = [
    { type: 'call', call: task },
    started,
    { ...request, agent: mark },
    { ...part('inner text'), agent: mark },
    { type: 'call', call: call('Grep', { pattern: 'lamp' }), agent: mark },
    { type: 'answer', message, stopReason: null, usage: { output_tokens: 70 }, durationMs: 1, agent: mark },
  ];
  const work = { ...mark, agentType: 'explore', description: 'look', startedMs: startMs + 1000, calls: 1, tokens: 70 };
  const running = play(...steps);
  assert.deepEqual([running.agents, running.streams, running.calls.length], [[{ ...work, doing: 'Grep lamp' }], [], 1]);
  const outcome = { content: 'found', isError: false, stored: null };
  const done = play(...steps, { type: 'agent-finished', ...mark, outcome }, result(task, 'found'));
  assert.deepEqual(
    done.finished.map((item) => (item.kind === 'call' ? item.agents : item.kind)),
    [[{ ...work, endedMs: startMs + 6000, isFailed: false, doing: '' }]],
  );
  assert.deepEqual(done.agents, []);
});

test('a retry counts down until the next request; its failure is shown once', () => {
  const retry: Step = { type: 'retry', uuid: 'e', attempt: 2, maxRetries: 10, delayMs: 4000, error: failure };
  assert.deepEqual(play(prompt, request, retry).retry, {
    attempt: 2,
    maxRetries: 10,
    untilMs: startMs + 6000,
    reason: 'Overloaded',
  });
  assert.equal(play(prompt, request, retry, request).retry, undefined);
  const failed = play(
    prompt,
    request,
    { type: 'request-failed', uuid: 'f', error: failure },
    turnEnd('error_during_execution'),
  );
  assert.deepEqual(failed.finished.slice(1), [{ kind: 'notice', level: 'error', text: 'Overloaded (HTTP 529)' }]);
});

test('an answer that was cut off or interrupted keeps its text', () => {
  const interrupted = play(
    prompt,
    request,
    part('half a'),
    { type: 'interrupted', uuid: 'i', during: 'text' },
    turnEnd('interrupted'),
  );
  assert.deepEqual(interrupted.finished.slice(1), [
    { kind: 'answer', text: 'half a', isContinued: false },
    { kind: 'notice', level: 'warn', text: 'interrupted' },
  ]);
  const message = { id: 'm', model: 'm', requestId: undefined };
  const abandoned = play(
    prompt,
    request,
    part('half a'),
    { type: 'answer-abandoned', message },
    request,
    part('whole'),
  );
  assert.equal(abandoned.streams[0]?.text, 'whole');
});

test('the ends of a turn', () => {
  const ends = (
    ['success', 'interrupted', 'error_max_turns', 'error_max_budget_usd', 'error_during_execution'] as const
  ).map((outcome) => play(turnEnd(outcome, 7000)).finished);
  assert.deepEqual(ends, [
    [{ kind: 'note', text: 'took 7.0 s, 2 requests' }],
    [],
    [{ kind: 'notice', level: 'warn', text: 'stopped after 2 requests, the limit of --max-turns' }],
    [{ kind: 'notice', level: 'warn', text: 'stopped: the budget of --max-budget-usd is used up' }],
    [{ kind: 'notice', level: 'error', text: 'the turn failed' }],
  ]);
});

test('text of the program for the model is not shown as a prompt', () => {
  const meta: Step = { type: 'prompt', uuid: 'u', content: 'a reminder', isMeta: true };
  const command: Step = {
    type: 'prompt',
    uuid: 'u',
    content: '<command-name>/deploy</command-name>\n<command-args>now</command-args>',
    isMeta: false,
  };
  assert.deepEqual(play(meta, command).finished, [{ kind: 'prompt', text: '/deploy now' }]);
});

test('a failed compaction says that the conversation is unchanged', () => {
  const compacting: Step = { type: 'compacting', trigger: 'auto', preTokens: 150_000 };
  assert.equal(play(compacting).isCompacting, true);
  const failed = play(compacting, {
    type: 'compacted',
    trigger: 'auto',
    preTokens: 150_000,
    result: { problem: 'Overloaded' },
  });
  const text = 'the conversation could not be compacted and is unchanged: Overloaded';
  assert.deepEqual(failed, { ...emptyView, finished: [{ kind: 'notice', level: 'error', text }] });
});
