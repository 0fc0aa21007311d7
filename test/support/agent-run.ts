// The events of a run of the agent, as the recorder receives them: a session in a temporary library and short functions
// for the events of a turn, with the ids and times of a loop.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { AgentEvent, AgentHappening, AgentMark } from '../../src/agent/contract/event.ts';
import type { SessionChoice } from '../../src/agent/contract/options.ts';
import { type OpenOptions, type OpenSession, openSession } from '../../src/agent/session/open-session.ts';
import type { ModelFailure } from '../../src/api/client/model.ts';
import type { JsonObject } from '../../src/base/json/json.ts';

export const model = 'claude-opus-5-5';

export const overloaded: ModelFailure = {
  status: 529,
  kind: 'overloaded_error',
  message: 'Overloaded',
  requestId: 'req_overloaded',
  retryAfterMs: undefined,
  isRetryable: true,
};

/** Options for a library below `folder`, with the state folder next to it. */
export function placeIn(folder: string, more: Partial<OpenOptions> = {}): OpenOptions {
  return {
    root: path.join(folder, 'library'),
    cwd: path.join(folder, 'project'),
    env: { ...process.env, CLEW_HOME: path.join(folder, 'state') },
    ...more,
  };
}

export async function openRun(choice: SessionChoice, options: OpenOptions): Promise<AgentRun> {
  return new AgentRun(await openSession(choice, options));
}

export class AgentRun {
  readonly session: OpenSession;
  readonly model: string;
  #count = 0;

  constructor(session: OpenSession, usedModel: string = model) {
    this.session = session;
    this.model = usedModel;
  }

  async emit(happening: AgentHappening, agent?: AgentMark): Promise<void> {
    const event: AgentEvent = { at: new Date(), ...happening, ...(agent === undefined ? {} : { agent }) };
    await this.session.recorder.record(event);
  }

  async prompt(content: string | readonly JsonObject[], agent?: AgentMark, isMeta = false): Promise<string> {
    const uuid = randomUUID();
    await this.emit({ type: 'prompt', uuid, content, isMeta }, agent);
    return uuid;
  }

  newId(): string {
    return `${this.#count++}_${randomUUID().slice(0, 8)}`;
  }

  /** The blocks of one answer; the uuids of their lines. */
  async blocks(blocks: readonly JsonObject[], agent?: AgentMark, id = `msg_${this.newId()}`): Promise<string[]> {
    const uuids: string[] = [];
    const usage = { input_tokens: 10, output_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const stopReason = blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
    for (const block of blocks) {
      const uuid = randomUUID();
      uuids.push(uuid);
      const message = { id, model: this.model, requestId: `req_${id}` };
      await this.emit({ type: 'block', uuid, message, block, stopReason, usage }, agent);
    }
    return uuids;
  }

  async abandon(id: string, agent?: AgentMark): Promise<void> {
    await this.emit({ type: 'answer-abandoned', message: { id, model: this.model, requestId: `req_${id}` } }, agent);
  }

  async answer(text: string, agent?: AgentMark): Promise<void> {
    await this.blocks([{ type: 'text', text }], agent);
  }

  /** An answer of calls, and their results in order. */
  async calls(names: readonly string[], agent?: AgentMark, content = 'done'): Promise<readonly string[]> {
    const calls = names.map((name) => ({ id: `toolu_${this.newId()}`, name, input: { value: name } }));
    const uuids = await this.blocks(
      calls.map((call) => ({ type: 'tool_use', ...call })),
      agent,
    );
    for (const [i, call] of calls.entries()) {
      const outcome = { content: `${content} ${call.name}`, isError: i % 3 === 2, stored: { stdout: call.name } };
      await this.emit({ type: 'result', uuid: randomUUID(), call, callUuid: uuids[i] ?? '', outcome }, agent);
    }
    return calls.map(({ id }) => id);
  }

  async retry(agent?: AgentMark): Promise<void> {
    await this.emit(
      { type: 'retry', uuid: randomUUID(), attempt: 1, maxRetries: 10, delayMs: 500, error: overloaded },
      agent,
    );
  }

  async fail(): Promise<void> {
    await this.emit({ type: 'request-failed', uuid: randomUUID(), error: overloaded });
  }

  async interrupt(during: 'text' | 'tool' = 'text'): Promise<void> {
    await this.emit({ type: 'interrupted', uuid: randomUUID(), during });
  }

  async compact(summary = 'What was said before.'): Promise<void> {
    const result = { boundaryUuid: randomUUID(), summaryUuid: randomUUID(), summary };
    await this.emit({ type: 'compacted', trigger: 'manual', preTokens: 1000, result });
  }

  async endTurn(): Promise<void> {
    const counts = { durationMs: 1000, apiDurationMs: 800, rounds: 1 };
    await this.emit({ type: 'turn-end', outcome: 'success', ...counts, text: '', denials: [] });
  }

  /** A sub-agent that a call started, from its prompt to its last answer. */
  async agent(parentCallId: string, agentId: string): Promise<AgentMark> {
    const mark = { agentId, parentCallId };
    await this.emit({ type: 'agent-started', ...mark, agentType: 'general-purpose', description: 'Look' });
    await this.prompt(`Look for ${agentId}.`, mark);
    await this.calls(['Read', 'Grep'], mark);
    await this.answer(`${agentId} found it.`, mark);
    return mark;
  }

  async turn(prompt: string, answer: string): Promise<void> {
    await this.prompt(prompt);
    await this.answer(answer);
    await this.endTurn();
  }

  close(): Promise<void> {
    return this.session.close();
  }
}
