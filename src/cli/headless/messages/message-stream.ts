// Events of the agent → the messages of the Agent SDK, in the order in which the client 2.1.325 prints them.
import { randomUUID } from 'node:crypto';
import type { AgentEvent, AgentState, ErrorName, TurnEnded } from '../../../agent/contract/index.ts';
import { asObject, type JsonObject } from '../../../base/json/index.ts';
import {
  assistantMessage,
  type Common,
  failedMessage,
  interruptedMessage,
  partMessage,
  promptMessage,
  resultMessage,
  syntheticMessage,
} from './conversation.ts';
import { type InitFacts, initMessage } from './init.ts';
import { blockedText, failureResult, isBlocked, localResult, type ResultFacts, turnResult } from './result.ts';
import { compactedMessages, deniedMessage, retryMessage, switchMessage, systemMessage } from './system.ts';
import { TurnAccount } from './turn-account.ts';
import { thinkingTokensOf } from './usage.ts';

export interface MessageChoice extends InitFacts {
  readonly withParts: boolean;
  /** Also the prompts, which the reader of the stream knows already. */
  readonly withPrompts: boolean;
  /** Also the text and the thinking of sub-agents. */
  readonly withAgentText: boolean;
  readonly limits: ResultFacts['limits'];
}

interface RunningAgentMark {
  readonly type: string;
  readonly description: string;
}

export class MessageStream {
  readonly #choice: MessageChoice;
  #withAgentText: boolean;
  #sessionId = '';
  #turn = new TurnAccount();
  /** Whether the current turn has its `system/init`. */
  #isAnnounced = false;
  #results = 0;
  #apiDurationMs = 0;
  readonly #thinking = new Map<string, number>();
  /** The usage of the first block, by the id of the answer. */
  readonly #firstUsage = new Map<string, JsonObject>();
  readonly #agents = new Map<string, RunningAgentMark>();
  /** The ids of sub-agents in the background. */
  readonly #inBackground = new Set<string>();
  #requestedAt: number | undefined;
  #compactingAt = 0;
  #compactProblem: string | undefined;
  #thinkingChars = 0;

  constructor(choice: MessageChoice) {
    this.#choice = choice;
    this.#withAgentText = choice.withAgentText;
  }

  /** From now on. */
  showAgentText(): void {
    this.#withAgentText = true;
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  /** `state`: absent until the agent is open. */
  of(event: AgentEvent, state: AgentState | undefined): readonly JsonObject[] {
    this.#count(event);
    this.#turn.hear(event);
    const messages = this.#messagesOf(event, state);
    return [...this.#announcement(event, state), ...messages];
  }

  /** `system/init`, once per turn: for a program that prints something for a turn before its first event. */
  announce(state: AgentState): readonly JsonObject[] {
    if (this.#isAnnounced) return [];
    this.#isAnnounced = true;
    return [initMessage(state, this.#choice)];
  }

  /** Ends the turn. */
  result(ended: TurnEnded, state: AgentState | undefined): JsonObject {
    const result = turnResult(ended, this.#turn, this.#facts(state));
    this.#endTurn();
    return result;
  }

  failure(message: string, durationMs: number, state: AgentState | undefined): JsonObject {
    const result = failureResult(message, durationMs, this.#facts(state));
    this.#endTurn();
    return result;
  }

  /** A failure that an SDK names, before a session is open: the text as an answer with an error. */
  earlyFailure(text: string, error: ErrorName): JsonObject {
    const content = [{ type: 'text', text }];
    const answer = syntheticMessage(content, 'stop_sequence', this.#common(undefined), randomUUID(), new Date());
    return { ...answer, error };
  }

  get apiDurationMs(): number {
    return this.#apiDurationMs;
  }

  /** The output of a local command as the answer of a turn, with `system/init` before it. */
  localAnswer(text: string, state: AgentState, fields: JsonObject = {}): readonly JsonObject[] {
    const common = this.#common(undefined);
    const content = [{ type: 'text', text }];
    const answer = { ...syntheticMessage(content, 'end_turn', common, randomUUID(), new Date()), ...fields };
    const said = text === '' ? [] : [answer];
    return [...this.announce(state), ...said];
  }

  /** The conversation that a /clear ended. */
  reset(oldSessionId: string): JsonObject {
    this.#apiDurationMs = 0;
    this.#thinking.clear();
    return {
      type: 'conversation_reset',
      new_conversation_id: this.#sessionId,
      trigger: 'clear',
      session_id: oldSessionId,
      uuid: randomUUID(),
      timestamp: new Date().toISOString(),
    };
  }

  /** The client says so after the summary. */
  compacted(): readonly JsonObject[] {
    if (this.#compactProblem !== undefined) return [];
    const message = { role: 'user', content: '<local-command-stdout>Compacted </local-command-stdout>' };
    return [{ type: 'user', message, ...this.#common(undefined), uuid: randomUUID(), isReplay: true }];
  }

  /** Why the last compaction failed. */
  get compactProblem(): string | undefined {
    return this.#compactProblem;
  }

  localResult(text: string, command: string | undefined, durationMs: number, state: AgentState): JsonObject {
    const result = localResult(text, command, durationMs, this.#facts(state));
    this.#endTurn();
    return result;
  }

  #facts(state: AgentState | undefined): ResultFacts {
    return {
      state,
      index: this.#results++,
      apiDurationMs: this.#apiDurationMs,
      thinkingByModel: this.#thinking,
      limits: this.#choice.limits,
    };
  }

  #endTurn(): void {
    this.#turn = new TurnAccount();
    this.#isAnnounced = false;
  }

  #count(event: AgentEvent): void {
    switch (event.type) {
      case 'session-opened':
        this.#sessionId = event.sessionId;
        return;
      case 'agent-started':
        this.#agents.set(event.agentId, { type: event.agentType, description: event.description });
        if (event.isBackground === true) this.#inBackground.add(event.agentId);
        return;
      case 'request':
        if (event.agent === undefined) this.#requestedAt = event.at.getTime();
        return;
      case 'answer': {
        const { model, id } = event.message;
        this.#apiDurationMs += event.durationMs;
        this.#thinking.set(model, (this.#thinking.get(model) ?? 0) + thinkingTokensOf(event.usage));
        this.#firstUsage.delete(id);
        return;
      }
      case 'compacting':
        this.#compactingAt = event.at.getTime();
        return;
      case 'compacted':
        this.#compactProblem = 'problem' in event.result ? event.result.problem : undefined;
        return;
      default:
        return;
    }
  }

  /** Before the first message of a turn, and before the result of a turn without one. */
  #announcement(event: AgentEvent, state: AgentState | undefined): readonly JsonObject[] {
    if (state === undefined || event.agent !== undefined) return [];
    const begins = event.type === 'prompt' && !event.isMeta;
    return begins || (event.type === 'turn-end' && isBlocked(event)) ? this.announce(state) : [];
  }

  #messagesOf(event: AgentEvent, state: AgentState | undefined): readonly JsonObject[] {
    const sessionId = this.#sessionId;
    const common = this.#common(event.agent?.agentId, event.agent?.parentCallId);
    switch (event.type) {
      case 'prompt':
        return this.#promptMessages(event, common);
      case 'block':
        return this.#isShown(event) ? [assistantMessage(event, this.#usageOf(event), common)] : [];
      case 'result': {
        // A program that refused a call knows it.
        const isTold = event.refused === 'permission' && event.permission?.source !== 'user_reject';
        const denied = isTold ? [deniedMessage(event, event.agent?.agentId, sessionId)] : [];
        return [...denied, resultMessage(event, common)];
      }
      case 'interrupted':
        return event.agent === undefined ? [interruptedMessage(event, common)] : [];
      case 'request-failed':
        return [...this.#refusalMessages(event, state), failedMessage(event, common)];
      case 'request':
        return this.#choice.withParts && event.agent === undefined
          ? [systemMessage('status', sessionId, { status: 'requesting' })]
          : [];
      case 'part':
        return [...this.#thinkingMessages(event), ...this.#partMessages(event, common)];
      case 'retry':
        return event.agent === undefined ? [retryMessage(event, sessionId)] : [];
      case 'model-switched':
        return event.agent === undefined ? [switchMessage(event, sessionId)] : [];
      case 'compacting':
        return [systemMessage('status', sessionId, { status: 'compacting' })];
      case 'compacted': {
        const [status, ...rest] = compactedMessages(event, event.at.getTime() - this.#compactingAt, sessionId);
        const init = state === undefined || rest.length === 0 ? [] : this.announce(state);
        return [...(status === undefined ? [] : [status]), ...init, ...rest];
      }
      case 'turn-end':
        return event.agent === undefined && isBlocked(event) ? [this.#blockedMessage(event)] : [];
      default:
        return [];
    }
  }

  #promptMessages(event: Extract<AgentEvent, { readonly type: 'prompt' }>, common: Common): readonly JsonObject[] {
    if (event.isSituation || event.isSteered) return [];
    if (event.agent !== undefined)
      return event.isMeta || this.#inBackground.has(event.agent.agentId) ? [] : [promptMessage(event, false, common)];
    if (event.isMeta) return event.isFeedback ? [promptMessage(event, false, common)] : [];
    return this.#choice.withPrompts ? [promptMessage(event, true, common)] : [];
  }

  /**
   * Of a sub-agent that its call waits for, only the calls are shown, unless its text is wanted. As in the client, one in
   * the background is shown whole, without its prompt, which is in `task_started`.
   */
  #isShown({ agent, block }: Extract<AgentEvent, { readonly type: 'block' }>): boolean {
    if (agent === undefined || block.type === 'tool_use') return true;
    return this.#withAgentText || this.#inBackground.has(agent.agentId);
  }

  #usageOf({ message, usage }: Extract<AgentEvent, { readonly type: 'block' }>): JsonObject {
    const first = this.#firstUsage.get(message.id) ?? usage;
    this.#firstUsage.set(message.id, first);
    return first;
  }

  #partMessages(event: Extract<AgentEvent, { readonly type: 'part' }>, common: Common): readonly JsonObject[] {
    const started = asObject(event.raw.message);
    if (event.raw.type === 'message_start' && typeof started?.id === 'string')
      this.#firstUsage.set(started.id, asObject(started.usage) ?? {});
    if (!this.#choice.withParts) return [];
    // The client forwards no parts of a sub-agent's answers without its text.
    if (event.agent !== undefined && !this.#withAgentText) return [];
    return [partMessage(event, event.agent === undefined ? this.#requestedAt : undefined, common)];
  }

  /** An estimate while the model thinks, because the API counts only at the end. */
  #thinkingMessages({ agent, kind, text, raw }: Extract<AgentEvent, { readonly type: 'part' }>): readonly JsonObject[] {
    if (agent !== undefined) return [];
    if (raw.type === 'content_block_start') this.#thinkingChars = 0;
    if (kind !== 'thinking' || text === '') return [];
    const before = Math.ceil(this.#thinkingChars / charsPerToken);
    this.#thinkingChars += text.length;
    const now = Math.ceil(this.#thinkingChars / charsPerToken);
    const estimate = { estimated_tokens: now, estimated_tokens_delta: now - before };
    return [systemMessage('thinking_tokens', this.#sessionId, estimate)];
  }

  #refusalMessages(
    { agent, error }: Extract<AgentEvent, { readonly type: 'request-failed' }>,
    state: AgentState | undefined,
  ): readonly JsonObject[] {
    if (agent !== undefined || error.kind !== 'refusal') return [];
    const fields = { original_model: state?.model ?? '', request_id: error.requestId ?? null, content: '' };
    return [systemMessage('model_refusal_no_fallback', this.#sessionId, fields)];
  }

  #blockedMessage({ error }: TurnEnded): JsonObject {
    return systemMessage('informational', this.#sessionId, {
      content: blockedText(error?.message ?? ''),
      level: 'warning',
      prevent_continuation: true,
      prompt_submit_outcome: { kind: 'blocked_by_hook', prompt_kept: false, reason: error?.message ?? '' },
    });
  }

  #common(agentId: string | undefined, parentCallId?: string): Common {
    const agent = agentId === undefined ? undefined : this.#agents.get(agentId);
    return {
      parent_tool_use_id: parentCallId ?? null,
      session_id: this.#sessionId,
      ...(agentId === undefined ? {} : { agent_id: agentId }),
      ...(agent === undefined ? {} : { subagent_type: agent.type, task_description: agent.description }),
    };
  }
}

const charsPerToken = 4;
