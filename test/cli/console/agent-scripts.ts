// The scripts of the fake agent, by the first word of a prompt.
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentHappening, ToolCallView } from '../../../src/agent/contract/event.ts';
import type { ToolOutcome } from '../../../src/agent/contract/tool.ts';
import type { JsonValue } from '../../../src/base/json/json.ts';
import type { Play } from './fake-agent.ts';

type Script = (play: Play, prompt: string) => Promise<void>;

const message = { id: 'msg_1', model: 'claude-test-1', requestId: undefined };
let calls = 0;

export function call(name: string, input: ToolCallView['input']): ToolCallView {
  return { id: `toolu_${++calls}`, name, input };
}

export function part(text: string, kind: 'text' | 'thinking' = 'text'): AgentHappening {
  return { type: 'part', index: 0, kind, text, raw: {} };
}

export function block(text: string): AgentHappening {
  const whole = { type: 'text', text };
  return { type: 'block', uuid: 'b', message, block: whole, stopReason: null, usage: {} };
}

export function result(made: ToolCallView, content: string, more: Partial<ToolOutcome> = {}): AgentHappening {
  const outcome = { content, isError: false, stored: content as JsonValue, ...more };
  return { type: 'result', uuid: 'r', call: made, callUuid: 'c', outcome };
}

async function stream(play: Play, text: string, pauseMs = 5): Promise<void> {
  for (let at = 0; at < text.length && !play.signal.aborted; at += 7) {
    await play.emit(part(text.slice(at, at + 7)));
    if (pauseMs > 0) await wait(pauseMs);
  }
  if (!play.signal.aborted) await play.emit(block(text));
}

async function approve(play: Play, made: ToolCallView, why: string): Promise<boolean> {
  const always = [{ rule: `${made.name}(${Object.values(made.input)[0]})`, scope: 'session' as const }];
  const approval = await play.options.approve({ call: made, why, always, signal: play.signal });
  if (approval.kind === 'allow') {
    if (approval.always !== undefined)
      await play.emit({ type: 'notice', level: 'info', text: `rule ${approval.always.rule}` });
    return true;
  }
  await play.emit({ ...result(made, approval.message, { isError: true }), refused: 'permission' } as AgentHappening);
  await stream(play, approval.isInterrupt ? 'I stop here.' : `I heard: ${approval.message}`);
  return false;
}

export const patch: readonly JsonValue[] = [
  {
    oldStart: 3,
    oldLines: 3,
    newStart: 3,
    newLines: 4,
    lines: [' export function light() {', "-  return 'dim';", "+  const lamp = 'bright';", '+  return lamp;', ' }'],
  },
];

const editInput = {
  file_path: 'src/lamp.ts',
  old_string: "  return 'dim';",
  new_string: "  const lamp = 'bright';\n  return lamp;",
};

export const scripts: Readonly<Record<string, Script>> = {
  hello: (play) => stream(play, 'Hello, **world**. Here is `code`:\n\n- one\n- two\n'),
  slow: async (play) => {
    await play.emit(part('It begins'));
    while (!play.signal.aborted) await wait(20);
  },
  long: (play) =>
    stream(play, Array.from({ length: 120 }, (_, i) => `Paragraph ${i + 1} of the long answer.`).join('\n\n'), 0),
  code: (play) =>
    stream(play, `\`\`\`\n${Array.from({ length: 90 }, (_, i) => `line ${i + 1}`).join('\n')}\n\`\`\`\n`, 0),
  hostile: (play) =>
    stream(play, 'red \x1b[31malert\x1b]0;title\x07 and \x1b[2J gone \u202Eback 日本語のテキスト 👩‍👩‍👧 end'),
  bash: async (play) => {
    const made = call('Bash', { command: 'npm test', description: 'Run the tests' });
    if (!(await approve(play, made, 'no rule allows it'))) return;
    await play.emit({ type: 'call', call: made });
    for (let i = 1; i <= 12; i++) {
      const text = Array.from({ length: i }, (_, n) => `test ${n + 1} passed`).join('\n');
      await play.emit({
        type: 'call-progress',
        callId: made.id,
        progress: { kind: 'output', text, totalLines: i, elapsedMs: i },
      });
      await wait(15);
    }
    await play.emit(result(made, Array.from({ length: 12 }, (_, n) => `test ${n + 1} passed`).join('\n')));
    await stream(play, 'All tests pass.');
  },
  edit: async (play) => {
    const made = call('Edit', editInput);
    if (!(await approve(play, made, 'it changes a file'))) return;
    await play.emit({ type: 'call', call: made });
    await play.emit(
      result(made, 'The file has been updated.', { stored: { filePath: 'src/lamp.ts', structuredPatch: patch } }),
    );
    await stream(play, 'The lamp is *bright* now.');
  },
  plan: async (play) => {
    const plan = '1. Find the lamp\n2. Light it\n3. Test it';
    const answer = await play.options.askUser({ kind: 'plan', plan }, play.signal);
    await stream(play, `The plan: ${JSON.stringify(answer)}`);
  },
  ask: async (play) => {
    const questions = [
      {
        question: 'Which lamp?',
        header: 'Lamp',
        options: [{ label: 'Left', description: 'the old one' }, { label: 'Right' }],
      },
      {
        question: 'Which colours?',
        multiSelect: true,
        options: [{ label: 'Red' }, { label: 'Green' }, { label: 'Blue' }],
      },
    ];
    const answer = await play.options.askUser({ kind: 'questions', questions }, play.signal);
    await stream(play, `Answered: ${JSON.stringify(answer)}`);
  },
  agent: async (play) => {
    const made = call('Task', { description: 'find the lamps', prompt: 'look', subagent_type: 'explore' });
    await play.emit({ type: 'call', call: made });
    const mark = { agentId: 'a1', parentCallId: made.id };
    await play.emit({ type: 'agent-started', ...mark, agentType: 'explore', description: 'find the lamps' });
    for (let i = 1; i <= 4; i++) {
      const inner = call('Grep', { pattern: `lamp ${i}` });
      await play.emit({ type: 'call', call: inner }, mark);
      await wait(150);
      await play.emit(result(inner, 'found'), mark);
    }
    await play.emit(
      { type: 'answer', message, stopReason: 'end_turn', usage: { output_tokens: 2100 }, durationMs: 5 },
      mark,
    );
    const outcome = { content: 'four lamps', isError: false, stored: null };
    await play.emit({ type: 'agent-finished', ...mark, outcome });
    await play.emit(result(made, 'four lamps'));
    await stream(play, 'There are four lamps.');
  },
  retry: async (play) => {
    const error = {
      status: 529,
      kind: 'overloaded_error',
      message: 'Overloaded',
      requestId: undefined,
      retryAfterMs: undefined,
      isRetryable: true,
    };
    await play.emit({ type: 'retry', uuid: 'e', attempt: 2, maxRetries: 10, delayMs: 1500, error });
    await wait(1500);
    await play.emit({ type: 'request', model: 'claude-test-1', attempt: 2 });
    await stream(play, 'It worked the second time.');
  },
  todo: async (play) => {
    const todos = [
      { content: 'Find the lamp', status: 'completed' as const, activeForm: 'Finding' },
      { content: 'Light it', status: 'in_progress' as const, activeForm: 'Lighting' },
      { content: 'Test it', status: 'pending' as const, activeForm: 'Testing' },
    ];
    play.update({ todos });
    await play.emit(result(call('TodoWrite', { todos }), 'ok'));
    while (!play.signal.aborted) await wait(20);
  },
};
