// A loop in a test: a model with a list of answers, small tools, a clock whose waits take no time, and a
// real session in a temporary folder, so that the conversation can be compared with what a resume would send.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { AgentEvent, AgentHappening, TurnEnded } from '../../src/agent/contract/event.ts';
import { type AgentHooks, emptyVerdict } from '../../src/agent/contract/hook.ts';
import type { PermissionJudge } from '../../src/agent/contract/permission.ts';
import { type CallContext, failedOutcome, type Tool, type ToolOutcome } from '../../src/agent/contract/tool.ts';
import type { AgentContext } from '../../src/agent/loop/context.ts';
import { CostMeter } from '../../src/agent/loop/cost.ts';
import { type Clock, EventBus } from '../../src/agent/loop/event-bus.ts';
import { runTurn } from '../../src/agent/loop/loop.ts';
import { UsedIds } from '../../src/agent/session/conversation.ts';
import { freezePrompt } from '../../src/agent/session/frozen-prompt.ts';
import { type OpenSession, openSession } from '../../src/agent/session/open-session.ts';
import { makeWorkspace } from '../../src/agent/tools/shell/background.ts';
import type { ModelEvent, ModelFailure, ModelRequest, StreamModel } from '../../src/api/client/model.ts';
import { asObject, type JsonObject } from '../../src/base/json/json.ts';
import { bundledPrices } from '../../src/models/price-list.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import { temporaryFolder } from './temp-folder.ts';

export const model = 'claude-opus-5-5';

/** An answer of the model, or its failure; a function may do anything. */
export type FakeAnswer =
  | {
      readonly blocks: readonly JsonObject[];
      readonly stopReason?: string;
      readonly usage?: JsonObject;
      readonly id?: string;
    }
  | { readonly failure: Partial<ModelFailure>; readonly after?: readonly JsonObject[] }
  | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>);

export const overloaded: ModelFailure = {
  status: 529,
  kind: 'overloaded_error',
  message: 'Overloaded',
  requestId: 'req_1',
  retryAfterMs: undefined,
  isRetryable: true,
};

export function say(text: string): JsonObject {
  return { type: 'text', text };
}

let count = 0;

export function call(name: string, input: JsonObject = {}, id = `toolu_${count++}`): JsonObject {
  return { type: 'tool_use', id, name, input };
}

/** Returns the answers in order and records the requests. */
export function fakeModel(answers: readonly FakeAnswer[]): {
  readonly stream: StreamModel;
  readonly requests: ModelRequest[];
} {
  const requests: ModelRequest[] = [];
  const stream: StreamModel = async function* (request, signal) {
    const answer = answers[requests.length];
    requests.push({ ...request, messages: structuredClone(request.messages) });
    assert.ok(answer !== undefined, `the script has ${answers.length} answers, and this is request ${requests.length}`);
    if (typeof answer === 'function') yield* answer(request, signal);
    else yield* playAnswer(answer, request.model);
  };
  return { stream, requests };
}

const usage = { input_tokens: 100, output_tokens: 50, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

export async function* playAnswer(
  answer: Exclude<FakeAnswer, (...args: never) => unknown>,
  model: string,
): AsyncGenerator<ModelEvent> {
  const blocks = 'blocks' in answer ? answer.blocks : (answer.after ?? []);
  const id = 'blocks' in answer && answer.id !== undefined ? answer.id : `msg_${count++}`;
  if ('blocks' in answer || blocks.length > 0)
    yield { type: 'start', id, model, requestId: `req_${id}`, usage: { ...usage, output_tokens: 1 } };
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'text') yield { type: 'part', index, kind: 'text', text: String(block.text), raw: {} };
    yield { type: 'block', index, block };
  }
  if ('failure' in answer) {
    yield { type: 'failed', failure: { ...overloaded, ...answer.failure } };
    return;
  }
  const callsTools = blocks.some(({ type }) => type === 'tool_use');
  const stopReason = answer.stopReason ?? (callsTools ? 'tool_use' : 'end_turn');
  yield { type: 'end', stopReason, usage: { ...usage, ...answer.usage } };
}

export interface FakeToolOptions {
  readonly isReadOnly?: boolean;
  readonly run?: (input: JsonObject, context: CallContext) => Promise<ToolOutcome>;
}

/** Returns `done NAME` by default; refuses an input with `bad`. */
export function fakeTool(name: string, options: FakeToolOptions = {}): Tool {
  return {
    name,
    description: `${name}s`,
    inputSchema: { type: 'object', properties: {} },
    parse: (input) => {
      const object = asObject(input) ?? {};
      return object.bad === undefined ? { input: object } : { problem: '"bad" is not known' };
    },
    isReadOnly: () => options.isReadOnly ?? false,
    run: options.run ?? (async () => ({ content: `done ${name}`, isError: false, stored: { name } })),
  };
}

export const allowAll: PermissionJudge = {
  judge: () => ({ kind: 'allow', why: 'all is allowed' }),
  addRule: async () => undefined,
};

export const noHooks: AgentHooks = { run: async () => emptyVerdict };

/** Waits are only recorded. */
export class FakeClock implements Clock {
  readonly waits: number[] = [];
  #ms = Date.parse('2026-01-03T10:00:00.000Z');

  now(): Date {
    return new Date(this.#ms++);
  }

  async sleep(ms: number): Promise<void> {
    this.waits.push(ms);
    this.#ms += ms;
  }

  random(): number {
    return 0;
  }
}

export interface LoopKit {
  readonly session: OpenSession;
  readonly events: AgentEvent[];
  readonly requests: ModelRequest[];
  readonly clock: FakeClock;
  readonly meter: CostMeter;
  readonly context: AgentContext;
  /** Runs a turn, and checks that the conversation equals what a resume of the file would send. */
  turn(prompt: string, signal?: AbortSignal): Promise<TurnEnded>;
  /** The types of the events, without text deltas. */
  types(): string[];
}

export interface KitOptions extends Partial<Omit<AgentContext, 'streamModel' | 'tools'>> {
  readonly tools?: readonly Tool[];
  readonly onEvent?: (event: AgentEvent) => void | Promise<void>;
  readonly folder?: string;
}

/** Only for sub-agents, which a loop in a test does not start. */
type KitUnused =
  | 'options'
  | 'hookRunner'
  | 'definitions'
  | 'lifetime'
  | 'sessionSignal'
  | 'describeEnvironment'
  | 'addBackground'
  | 'followShell'
  | 'backgroundTasks'
  | 'promptId';

export async function startLoop(
  t: TestContext,
  answers: readonly FakeAnswer[],
  options: KitOptions = {},
): Promise<LoopKit> {
  const { tools = [], onEvent, folder = temporaryFolder(t), ...more } = options;
  const cwd = path.join(folder, 'project');
  mkdirSync(cwd, { recursive: true });
  const env = { ...process.env, CLEW_HOME: path.join(folder, 'state') };
  const session = await openSession({ kind: 'new' }, { root: path.join(folder, 'library'), cwd, env });
  t.after(() => session.close());
  const fake = fakeModel(answers);
  const clock = new FakeClock();
  const meter = new CostMeter(bundledPrices);
  const events: AgentEvent[] = [];
  const emit = async (happening: AgentHappening): Promise<void> => {
    const event: AgentEvent = { at: clock.now(), ...happening };
    await session.recorder.record(event);
    meter.hear(event);
    events.push(event);
    await onEvent?.(event);
  };
  const usedIds = new UsedIds();
  const loopContext: Omit<AgentContext, KitUnused> = {
    clock,
    bus: new EventBus(clock, []),
    meter,
    streamModel: fake.stream,
    maxRetries: 3,
    smallModel: model,
    fallbackModels: [],
    wish: () => ({ thinking: { kind: 'default', display: 'omitted' }, effort: {} }),
    host: 'gateway',
    judge: allowAll,
    approve: async () => ({ kind: 'deny', message: 'nobody is here to ask', isInterrupt: false }),
    askUser: async () => undefined,
    updatePermissions: async () => undefined,
    session: () => session,
    mode: () => 'default',
    emit,
    hooks: noHooks,
    limits: {},
    compaction: undefined,
    output: undefined,
    thinkingNotices: { leftOut: 0, reported: new Set() },
    workspace: () => makeWorkspace({ projectDir: cwd, sessionDir: session.sessionDir, env }),
    model: () => model,
    tools: () => tools,
    prompt: () => ({ current: async () => freezePrompt(['You help.'], tools) }),
    sections: async () => [],
    messages: (asked) => session.messages(asked),
    marks: () => session.recorder.marks(),
    usedIds: () => usedIds,
    takeNews: () => [],
    takeQueued: async () => [],
    findInstructions: async () => [],
    askStop: async () => ({ isFinal: false }),
    startAgent: async () => failedOutcome('there are no sub-agents here'),
    ...more,
  };
  const context = loopContext as AgentContext; // the loop uses no more
  const turn = async (prompt: string, signal: AbortSignal = new AbortController().signal): Promise<TurnEnded> => {
    const ended = await runTurn([{ content: prompt, isMeta: false }], context, signal);
    await assertResumable(session);
    return ended;
  };
  const types = () => events.filter(({ type }) => type !== 'part').map(({ type }) => type);
  return { session, events, requests: fake.requests, clock, meter, context, turn, types };
}

/** The conversation in memory equals what a resume of the file would send. */
export async function assertResumable(session: OpenSession): Promise<void> {
  const sent = requestMessages(await loadSession(session.file), undefined, { host: 'gateway' });
  assert.ok(!('refused' in sent), 'the session cannot be resumed');
  assert.deepEqual(session.recorder.resumed().messages, sent.messages);
}

/** The results of the last request's last message, as `id: content`. */
export function resultsOf(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'result'
      ? [`${event.call.name}${event.refused === undefined ? '' : ` (${event.refused})`}: ${event.outcome.content}`]
      : [],
  );
}
