// An agent that plays scripts instead of asking a model. The first word of a prompt names the script.

import { setTimeout as wait } from 'node:timers/promises';
import type { Agent, AgentState, RewindPoint } from '../../../src/agent/contract/agent.ts';
import type { PermissionMode } from '../../../src/agent/contract/confinement.ts';
import type { ContextUsage } from '../../../src/agent/contract/context-usage.ts';
import type { AgentEvent, AgentHappening, TurnEnded } from '../../../src/agent/contract/event.ts';
import type { AgentOptions } from '../../../src/agent/contract/options.ts';
import type { ShellOptions, ShellReport } from '../../../src/agent/contract/tool.ts';
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
      effort: 'medium',
      mode: options.mode ?? 'default',
      isBusy: false,
      apiKeySource: 'ANTHROPIC_API_KEY',
      apiProvider: 'firstParty' as const,
      queued: [],
      backgroundTasks: [],
      todos: [],
      contextTokens: 24_000,
      contextWindow: 200_000,
      usage: { ...noUsage, inputTokens: 1200, outputTokens: 340 },
      usageByModel: new Map([['claude-test-1', { ...noUsage, inputTokens: 1200, outputTokens: 340 }]]),
      costMicros: 12_300,
      unpricedTokens: 0,
      costMicrosOf: () => 12_300,
      mcpServers: [{ name: 'lamps', status: 'connected', tools: ['mcp__lamps__light'] }],
      tools: [],
      agents: [],
      commands: [{ name: 'deploy', description: 'bring it to the server' }],
      allowRules: ['Bash(npm test:*)'],
    };
  }

  async open(): Promise<void> {
    const { sessionId, file, cwd, model, mode } = this.state;
    const none = {
      tools: [],
      mcpServers: [],
      commands: [],
      agents: ['explore'],
      apiKeySource: 'none' as const,
      messageCount: 0,
    };
    await this.emit({ type: 'session-opened', sessionId, file, cwd, model, mode, ...none });
  }

  async emit(happening: AgentHappening, agent?: AgentEvent['agent']): Promise<void> {
    for (const sink of this.#options.sinks) {
      await sink({ at: new Date(), ...(agent === undefined ? {} : { agent }), ...happening });
    }
  }

  async idle(): Promise<void> {
    await this.#rest;
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
    this.update({ isBusy: true });
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
    this.update({ isBusy: false });
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

  /** `hang` runs until it is stopped. */
  async runShell(command: string, { signal, onProgress }: ShellOptions): Promise<ShellReport> {
    onProgress({ kind: 'output', text: `running ${command}`, totalLines: 1, elapsedMs: 1 });
    while (command === 'hang' && !signal.aborted) await wait(10);
    const report = { exitCode: signal.aborted ? 143 : 0, output: `ran ${command}`, isInterrupted: signal.aborted };
    await this.emit({ type: 'shell-ran', uuid: 's', outputUuid: 'o', command, report });
    return report;
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

  setHookCallbacks(): void {}

  async previewRewind(): Promise<never> {
    throw new Error('there is nothing to rewind');
  }

  async updatePermissions(): Promise<void> {}

  async mcp(): Promise<never> {
    throw new Error('there are no servers');
  }

  setModel(model: string): void {
    this.update({ model });
  }

  setEffort(effort: AgentState['effort']): void {
    this.update({ effort });
  }

  setThinking(): void {}

  stopTask(): boolean {
    return false;
  }

  async rename(title: string): Promise<void> {
    this.update({ title });
  }

  async contextUsage(): Promise<ContextUsage> {
    const none = { systemTools: [], mcpTools: [], memoryFiles: [], agents: [], skills: [] };
    const { model, contextTokens: usedTokens } = this.state;
    const categories = [
      { id: 'system_prompt', name: 'System prompt', tokens: 4000, kind: 'used' },
      { id: 'system_tools', name: 'System tools', tokens: 8000, kind: 'used' },
      { id: 'messages', name: 'Messages', tokens: 12_000, kind: 'used' },
      { id: 'free_space', name: 'Free space', tokens: 176_000, kind: 'free' },
    ] as const;
    return { model, windowTokens: 200_000, usedTokens, basis: 'estimated', categories, ...none };
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
