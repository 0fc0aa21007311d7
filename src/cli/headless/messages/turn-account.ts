// What a `result` says about its turn, gathered from the events of the main conversation.
import type { AgentEvent, RequestFailed, TurnEnded } from '../../../agent/contract/index.ts';
import { addUsage, noUsage, readUsage, type Usage } from '../../../format/entry/index.ts';
import { thinkingTokensOf } from './usage.ts';

export class TurnAccount {
  /** Messages with the role "user" after the prompt: results, and texts that make the model continue. */
  userMessages = 0;
  hasPrompt = false;
  usage: Usage = noUsage;
  thinkingTokens = 0;
  stopReason: string | null = null;
  failure: RequestFailed['error'] | undefined;
  interruptedDuring: 'text' | 'tool' | undefined;
  /** Calls of sub-agents that were refused. */
  readonly agentDenials: TurnEnded['denials'][number][] = [];
  readonly #times = { start: 0, request: 0, stream: 0, text: 0 };

  hear(event: AgentEvent): void {
    if (event.agent !== undefined) {
      this.#hearAgent(event);
      return;
    }
    const at = event.at.getTime();
    switch (event.type) {
      case 'prompt':
        if (event.isSituation) return;
        if (!event.isMeta) this.#begin(at);
        else if (event.isFeedback) this.userMessages++;
        return;
      case 'request':
        this.#times.request ||= at;
        return;
      case 'part':
        this.#times.stream ||= at;
        if (event.kind !== 'other') this.#times.text ||= at;
        return;
      case 'answer':
        this.usage = addUsage(this.usage, readUsage(event.usage) ?? noUsage);
        this.thinkingTokens += thinkingTokensOf(event.usage);
        this.stopReason = event.stopReason;
        return;
      case 'result':
        this.userMessages++;
        return;
      case 'interrupted':
        this.userMessages++;
        this.interruptedDuring = event.during;
        return;
      case 'request-failed':
        this.failure = event.error;
        if (event.error.kind !== 'refusal') this.stopReason = 'stop_sequence';
        return;
      default:
        return;
    }
  }

  #hearAgent(event: AgentEvent): void {
    if (event.type !== 'result' || (event.refused !== 'permission' && event.refused !== 'hook')) return;
    const { id, name, input } = event.call;
    this.agentDenials.push({ tool_name: name, tool_use_id: id, tool_input: input });
  }

  /** How long after the prompt the first request left and its answer began. */
  times(): Readonly<Record<string, number>> {
    const { start, request, stream, text } = this.#times;
    const since = (name: string, at: number) => (at === 0 || start === 0 ? {} : { [name]: Math.max(0, at - start) });
    return {
      ...since('ttft_ms', text),
      ...since('ttft_stream_ms', stream),
      ...since('time_to_request_ms', request),
    };
  }

  #begin(at: number): void {
    this.hasPrompt = true;
    this.#times.start ||= at;
  }
}
