// An agent that plays scripts instead of asking a model. The first word of a prompt names the script.

import type { Agent, AgentOptions, AgentState, RewindPoint } from '../../../src/agent/contract/agent.ts';
import type { PermissionMode } from '../../../src/agent/contract/confinement.ts';
import type { AgentEvent, AgentHappening, TurnEnded } from '../../../src/agent/contract/event.ts';
import { noUsage } from '../../../src/format/entry/usage.ts';
import { scripts } from './agent-scripts.ts';

export interface Play {
  readonly options: AgentOptions;
  readonly signal: AbortSignal;
  emit(happening: AgentHappening, agent?: AgentEvent['agent']): Promise<void>;
  update(change: Partial<AgentState>): void;
}

export async function openFakeAgent(options: AgentOptions): Promise<Agent> {
  const agent = new FakeAgent(options);
  await agent.open();
  return agent;
}

class FakeAgent implements Agent {
  state: AgentState;
  readonly #options: AgentOptions;
  readonly #waiting: { text: string; start: () => void }[] = [];
  #running: AbortController | undefined;
  #rest: Promise<unknown> = Promise.resolve();

  constructor(options: AgentOptions) {
    this.#options = options;
    this.state = {
      sessionId: '11111111-2222-4333-8444-555555555555',
      file: '/nowhere/session.jsonl',
      title: undefined,
      cwd: options.cwd,
      model: options.model ?? 'claude-test-1',
      mode: options.mode ?? 'default',
      isBusy: false,
      queued: [],
      todos: [],
      contextTokens: 24_000,
      contextWindow: 200_000,
      usage: { ...noUsage, inputTokens: 1200, outputTokens: 340 },
      usageByModel: new Map([['claude-test-1', { ...noUsage, inputTokens: 1200, outputTokens: 340 }]]),
      costMicros: 12_300,
      unpricedTokens: 0,
      costMicrosOf: () => 12_300,
      mcpServers: [{ name: 'lamps', status: 'connected', tools: ['mcp__lamps__light'] }],
      commands: [{ name: 'deploy', description: 'bring it to the server' }],
      allowRules: ['Bash(npm test:*)'],
    };
  }

  async open(): Promise<void> {
    const { sessionId, file, cwd, model, mode } = this.state;
    const none = { tools: [], mcpServers: [], commands: [], agents: [], messageCount: 0 };
    await this.emit({ type: 'session-opened', sessionId, file, cwd, model, mode, ...none });
  }

  async emit(happening: AgentHappening, agent?: AgentEvent['agent']): Promise<void> {
    for (const sink of this.#options.sinks) {
      await sink({ at: new Date(), ...(agent === undefined ? {} : { agent }), ...happening });
    }
  }

  update(change: Partial<AgentState>): void {
    this.state = { ...this.state, ...change };
  }

  async prompt(content: string): Promise<TurnEnded> {
    if (this.#running !== undefined) {
      this.update({ queued: [...this.state.queued, content] });
      await this.emit({ type: 'queued', text: content });
      await new Promise<void>((start) => this.#waiting.push({ text: content, start }));
    }
    const turn = this.#rest.then(() => this.#turn(content));
    this.#rest = turn;
    return turn;
  }

  async #turn(content: string): Promise<TurnEnded> {
    this.#running = new AbortController();
    await this.emit({ type: 'prompt', uuid: 'u', content, isMeta: false });
    await this.emit({ type: 'request', model: this.state.model, attempt: 1 });
    const { signal } = this.#running;
    const play: Play = {
      options: this.#options,
      signal,
      emit: (happening, agent) => this.emit(happening, agent),
      update: (change) => this.update(change),
    };
    await (scripts[content.split(/\s/)[0] ?? ''] ?? scripts.hello)?.(play, content);
    const isStopped = signal.aborted;
    if (isStopped) await this.emit({ type: 'interrupted', uuid: 'i', during: 'text' });
    this.#running = undefined;
    const end: TurnEnded = {
      type: 'turn-end',
      outcome: isStopped ? 'interrupted' : 'success',
      durationMs: 1000,
      apiDurationMs: 900,
      rounds: 1,
      text: '',
      denials: [],
    };
    await this.emit(end);
    const next = this.#waiting.shift();
    if (next !== undefined) {
      this.update({ queued: this.state.queued.slice(1) });
      await this.emit({ type: 'unqueued', operation: 'dequeue', text: next.text });
      next.start();
    }
    return end;
  }

  unqueue(): string | undefined {
    const last = this.#waiting.pop();
    if (last === undefined) return undefined;
    this.update({ queued: this.state.queued.slice(0, -1) });
    return last.text;
  }

  interrupt(): void {
    this.#running?.abort();
  }

  async compact(): Promise<void> {
    await this.emit({ type: 'compacting', trigger: 'manual', preTokens: 24_000 });
    const result = { boundaryUuid: 'b', summaryUuid: 's', summary: 'short' };
    await this.emit({ type: 'compacted', trigger: 'manual', preTokens: 24_000, result });
  }

  async clear(): Promise<void> {
    await this.emit({ type: 'notice', level: 'info', text: 'a new session' });
  }

  async switchTo(): Promise<void> {
    await this.emit({ type: 'notice', level: 'info', text: 'another session' });
  }

  async setMode(mode: PermissionMode): Promise<void> {
    this.update({ mode });
    await this.emit({ type: 'mode', mode });
  }

  setModel(model: string): void {
    this.update({ model });
  }

  async rename(title: string): Promise<void> {
    this.update({ title });
  }

  async rewindPoints(): Promise<readonly RewindPoint[]> {
    const at = new Date();
    return [
      { uuid: 'p1', prompt: 'light the lamp', at, changedFiles: ['lamp.ts'] },
      { uuid: 'p2', prompt: 'now the second one', at, changedFiles: [] },
    ];
  }

  async rewind(point: RewindPoint): ReturnType<Agent['rewind']> {
    return { restored: point.changedFiles, removed: [], problems: [], prompt: point.prompt };
  }

  async close(reason: 'exit' | 'clear' | 'signal'): Promise<void> {
    this.#running?.abort();
    process.stderr.write(`closed: ${reason}\n`);
  }
}
