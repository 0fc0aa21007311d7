// Runs the calls of one answer and emits a result for each, in call order. Read-only calls run together; the others run
// one after the other.

import { randomUUID } from 'node:crypto';
import type { ModelRequest } from '../../api/client/index.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { outputTokensOf } from '../../models/index.ts';
import {
  type CallContext,
  type CallFinished,
  type EmitEvent,
  failedOutcome,
  findTool,
  type SideAnswer,
  type SideRequest,
  type ToolCallView,
  type ToolOutcome,
  type TurnEnded,
} from '../contract/index.ts';
import type { OpenCall } from './answer.ts';
import type { AgentContext } from './context.ts';
import { callFields, interrupted, interruptedText, type Permit, permitCall } from './permit-call.ts';
import { collectAnswer } from './request.ts';

/** `close` ends its progress: a call reports nothing after its result. */
function openCall(
  context: AgentContext,
  view: ToolCallView,
  signal: AbortSignal,
  { confinement, isApproved }: Pick<CallContext, 'confinement' | 'isApproved'>,
): { readonly call: CallContext; close(): void } {
  const { bus, mark } = context;
  let isOpen = true;
  const call: CallContext = {
    callId: view.id,
    signal,
    confinement,
    isApproved,
    workspace: context.workspace(),
    mayTouch: (access, file) => {
      const where = { mode: context.mode(), cwd: context.workspace().cwd, isReadOnly: access === 'read' };
      const { kind } = context.judge.judge({ ...view, input: { file_path: file } }, where);
      return kind === 'allow' || (kind === 'ask' && isApproved);
    },
    progress: (progress) => {
      if (isOpen) bus.post({ type: 'call-progress', callId: view.id, progress }, mark);
    },
    keepFile: async (file) => {
      const kept = await context.session().recorder.keepFile(file);
      if (kept !== undefined) await context.emit(kept);
    },
    askUser: (question) =>
      context.askUser(question.kind === 'consent' ? question : { ...question, callId: view.id }, signal),
    askModel: (request) => askModel(context, request, signal),
    startAgent: (task) => context.startAgent(task, view.id, signal),
    ...(context.backgroundTimeoutMs === undefined ? {} : { backgroundTimeoutMs: context.backgroundTimeoutMs }),
  };
  return {
    call,
    close: () => {
      isOpen = false;
    },
  };
}

async function askModel(
  context: AgentContext,
  { system, prompt, maxTokens, serverTools, size }: SideRequest,
  signal: AbortSignal,
): Promise<SideAnswer> {
  const model = size === 'small' ? context.smallModel : context.model();
  const request: ModelRequest = {
    model,
    system: [system],
    messages: [{ role: 'user', content: prompt }],
    tools: [],
    ...(serverTools === undefined ? {} : { serverTools }),
    maxTokens: outputTokensOf(model, maxTokens),
  };
  const answer = await collectAnswer(request, context, signal);
  if (answer.kind === 'answered') return { blocks: answer.blocks };
  return { problem: answer.kind === 'failed' ? answer.failure.message : 'it was interrupted' };
}

export interface CallsOutcome {
  /** By the signal, or because the user refused a call to say something else. */
  readonly isInterrupted: boolean;
  /** Why a hook ended the turn. */
  readonly stop: string | undefined;
  /** Texts of hooks for the model, sent after the results. */
  readonly notes: readonly string[];
  readonly denials: TurnEnded['denials'];
}

/** How long an aborted tool may take to end. */
const graceMs = 5000;

export async function runCalls(
  calls: readonly OpenCall[],
  context: AgentContext,
  signal: AbortSignal,
): Promise<CallsOutcome> {
  const round = new Round(calls, context, signal);
  for (const batch of batchesOf(calls, context)) await round.run(batch);
  return round.end();
}

/** Emits a result for calls that did not run. */
export async function closeCalls(calls: readonly OpenCall[], text: string, emit: EmitEvent): Promise<void> {
  for (const { view, uuid } of calls) {
    const outcome = failedOutcome(text);
    await emit({ type: 'result', uuid: randomUUID(), call: view, callUuid: uuid, outcome, refused: 'interrupted' });
  }
}

/** Adjacent read-only calls form one batch. */
function batchesOf(calls: readonly OpenCall[], { tools }: AgentContext): OpenCall[][] {
  const batches: { readonly isReadOnly: boolean; readonly calls: OpenCall[] }[] = [];
  for (const call of calls) {
    const tool = findTool(tools(), call.view.name);
    const parsed = tool?.parse(call.view.input);
    const isReadOnly = parsed !== undefined && 'input' in parsed && tool?.isReadOnly(parsed.input) === true;
    const last = batches.at(-1);
    if (isReadOnly && last?.isReadOnly === true) last.calls.push(call);
    else batches.push({ isReadOnly, calls: [call] });
  }
  return batches.map((batch) => batch.calls);
}

type Finished = Pick<CallFinished, 'call' | 'outcome' | 'refused' | 'permission'>;

class Round {
  readonly #calls: readonly OpenCall[];
  readonly #context: AgentContext;
  readonly #signal: AbortSignal;
  readonly #finished = new Map<OpenCall, Finished>();
  readonly #notes: string[] = [];
  readonly #denials: TurnEnded['denials'][number][] = [];
  #emitted = 0;
  #emitting: Promise<void> = Promise.resolve();
  #isRefused = false;
  #stop: string | undefined;

  constructor(calls: readonly OpenCall[], context: AgentContext, signal: AbortSignal) {
    this.#calls = calls;
    this.#context = context;
    this.#signal = signal;
  }

  /** Asks for permission call by call; permitted calls already run meanwhile. */
  async run(batch: readonly OpenCall[]): Promise<void> {
    const running: Promise<void>[] = [];
    try {
      for (const call of batch) {
        const permit = await this.#permit(call);
        if (permit.kind === 'run') running.push(this.#runCall(call, permit));
        else await this.#refuse(call, permit);
      }
    } finally {
      // If one call fails because nothing can be written, the others are aborted and awaited.
      await Promise.allSettled(running);
    }
    await Promise.all(running);
  }

  async end(): Promise<CallsOutcome> {
    await this.#askAboutBatch();
    return {
      isInterrupted: this.#signal.aborted || this.#isRefused,
      stop: this.#stop,
      notes: this.#notes,
      denials: this.#denials,
    };
  }

  async #permit(call: OpenCall): Promise<Permit> {
    if (this.#signal.aborted || this.#isRefused) return interrupted();
    if (this.#stop !== undefined) return { kind: 'stop', outcome: failedOutcome(this.#stop), reason: this.#stop };
    return permitCall(call, this.#context, this.#signal);
  }

  async #refuse(call: OpenCall, permit: Exclude<Permit, { readonly kind: 'run' }>): Promise<void> {
    if (permit.kind === 'stop') {
      this.#stop = permit.reason;
      return this.#finish(call, { call: call.view, outcome: permit.outcome, refused: 'hook' });
    }
    const { id, name, input } = call.view;
    if (permit.refused === 'permission' || permit.refused === 'hook')
      this.#denials.push({ tool_name: name, tool_use_id: id, tool_input: input });
    this.#isRefused ||= permit.isInterrupt;
    const { outcome, refused, permission } = permit;
    await this.#finish(call, {
      call: call.view,
      outcome,
      refused,
      ...(permission === undefined ? {} : { permission }),
    });
  }

  async #runCall(call: OpenCall, permit: Permit & { readonly kind: 'run' }): Promise<void> {
    const { tool, view, notes, permission } = permit;
    await this.#context.emit({ type: 'call', call: view });
    const { call: callContext, close } = openCall(this.#context, view, this.#signal, permit);
    const started = this.#context.clock.now().getTime();
    const before = this.#context.workspace().cwd;
    const running = (async () => tool.run(view.input, callContext))().catch(brokenTool);
    const made = await this.#withGrace(running);
    const durationMs = this.#context.clock.now().getTime() - started;
    close();
    this.#notes.push(...notes);
    if (!made.isError) await this.#addInstructions(view);
    if (this.#signal.aborted) return this.#finish(call, { call: view, outcome: made, permission });
    await this.#reportFolder(before);
    const outcome = await this.#askHooks(view, made, durationMs);
    await this.#finish(call, { call: view, outcome, permission });
  }

  async #reportFolder(before: string): Promise<void> {
    const { cwd } = this.#context.workspace();
    if (cwd === before) return;
    const verdict = await this.#context.hooks.run('CwdChanged', '', { old_cwd: before, new_cwd: cwd }, this.#signal);
    this.#notes.push(...verdict.context);
  }

  /** Calls in one batch may touch the same folder. */
  async #addInstructions(view: ToolCallView): Promise<void> {
    for (const text of await this.#context.findInstructions(view))
      if (!this.#notes.includes(text)) this.#notes.push(text);
  }

  /** PostToolUse only after success. A hook may replace the output. */
  async #askHooks(view: ToolCallView, outcome: ToolOutcome, durationMs: number): Promise<ToolOutcome> {
    const name = outcome.isError ? 'PostToolUseFailure' : 'PostToolUse';
    const result = outcome.isError
      ? { error: contentText(outcome.content), is_interrupt: false }
      : { tool_response: outcome.stored };
    const { tool_use_id: id = null, ...call } = callFields(view);
    const fields = { ...call, ...result, tool_use_id: id, duration_ms: durationMs };
    const verdict = await this.#context.hooks.run(name, view.name, fields, this.#signal);
    if (verdict.blocked !== undefined) this.#notes.push(`A hook says of ${view.name}: ${verdict.blocked}`);
    this.#notes.push(...verdict.context);
    this.#stop ??= verdict.stop;
    return verdict.updatedOutput === undefined ? outcome : replacedOutcome(outcome, verdict.updatedOutput);
  }

  /** After all calls of an answer, also those that did not run. */
  async #askAboutBatch(): Promise<void> {
    if (this.#signal.aborted || this.#isRefused) return;
    const calls = this.#calls.map((call): JsonObject => {
      const finished = this.#finished.get(call);
      const { content } = finished?.outcome ?? failedOutcome('');
      return { ...callFields(call.view), tool_response: typeof content === 'string' ? content : [...content] };
    });
    const verdict = await this.#context.hooks.run('PostToolBatch', '', { tool_calls: calls }, this.#signal);
    this.#notes.push(...verdict.context);
    this.#stop ??= verdict.stop ?? verdict.blocked;
  }

  async #withGrace(running: Promise<ToolOutcome>): Promise<ToolOutcome> {
    const over = new AbortController();
    const left = untilAborted(this.#signal, over.signal).then(async () => {
      await this.#context.clock.sleep(graceMs, over.signal);
      return failedOutcome(interruptedText);
    });
    try {
      return await Promise.race([running, left]);
    } finally {
      over.abort();
    }
  }

  /** Emits results in call order, each as soon as all earlier ones are emitted. */
  async #finish(call: OpenCall, finished: Finished): Promise<void> {
    this.#finished.set(call, finished);
    this.#emitting = this.#emitting.then(() => this.#emitFinished());
    await this.#emitting;
  }

  async #emitFinished(): Promise<void> {
    for (;;) {
      const call = this.#calls[this.#emitted];
      const finished = call === undefined ? undefined : this.#finished.get(call);
      if (call === undefined || finished === undefined) return;
      this.#emitted++;
      await this.#context.emit({ type: 'result', uuid: randomUUID(), callUuid: call.uuid, ...finished });
    }
  }
}

/** Never resolves if `over` is aborted first. */
function untilAborted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true, signal: over });
  });
}

function brokenTool(error: unknown): ToolOutcome {
  return failedOutcome(`The tool itself failed: ${error instanceof Error ? error.message : String(error)}`);
}

function contentText(content: ToolOutcome['content']): string {
  if (typeof content === 'string') return content;
  return content.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n');
}

/** A text, blocks, or a structured result as the tool itself stores it. */
function replacedOutcome(outcome: ToolOutcome, updated: JsonValue): ToolOutcome {
  if (typeof updated === 'string') return { ...outcome, content: updated };
  if (isArray(updated)) return { ...outcome, content: updated.filter(isObject) };
  if (!isObject(updated)) return { ...outcome, content: JSON.stringify(updated) };
  const { stdout, stderr } = updated;
  const printed = [stdout, stderr].filter((text): text is string => typeof text === 'string' && text !== '');
  const content = typeof stdout === 'string' ? printed.join('\n') : JSON.stringify(updated);
  return { ...outcome, content, stored: updated };
}
