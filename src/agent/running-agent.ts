// The agent behind the handle: one session at a time, one turn at a time, and what a person may do in between. It holds
// what changes while it runs; everything it does is done elsewhere.
import { resolveModelAlias } from '../api/models.ts';
import { UserError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { defaultModel } from '../session/resume/client.ts';
import type { AgentCore } from './agent-core.ts';
import { type AgentHooks, bindHooks } from './agent-hooks.ts';
import { viewState } from './agent-state.ts';
import type { Clock } from './clock.ts';
import { compactConversation } from './compactor.ts';
import type { CostMeter } from './cost-meter.ts';
import type { AgentHappening, TurnEnded } from './event.ts';
import type { EventBus } from './event-bus.ts';
import type { Agent, AgentOptions, AgentState, RewindPoint, RewindReport, SessionChoice } from './handle.ts';
import { LiveSession, type SessionSource } from './live-session.ts';
import { type LoopParts, runTurn } from './loop.ts';
import { compactionParts, mainConversation } from './main-conversation.ts';
import type { StreamModel } from './parts.ts';
import type { PermissionMode } from './permission-mode.ts';
import { Person } from './person.ts';
import { takePrompt } from './prompt-intake.ts';
import { maxRetriesOf } from './retry.ts';
import { openSession } from './session/open-session.ts';
import { rewind, rewindPoints } from './session/rewind.ts';
import type { Surroundings } from './surroundings.ts';
import type { PersonAnswer, PersonQuestion } from './tool.ts';
import { endedWithout } from './turn-end.ts';
import { promptText, TurnQueue } from './turn-queue.ts';

export interface RunningParts {
  readonly options: AgentOptions;
  readonly clock: Clock;
  readonly meter: CostMeter;
  readonly bus: EventBus;
  readonly streamModel: StreamModel;
  readonly surroundings: Surroundings;
}

export class RunningAgent implements Agent {
  readonly state: AgentState;
  readonly #parts: RunningParts;
  readonly #queue = new TurnQueue();
  readonly #lifetime = new AbortController();
  readonly #background = new Set<Promise<unknown>>();
  readonly #hooks: AgentHooks;
  readonly #person: Person;
  readonly #core: AgentCore;
  readonly #loop: LoopParts;
  #live: LiveSession | undefined;
  #mode: PermissionMode;
  #modeBeforePlan: PermissionMode;
  #model: string;
  #news: string[] = [];
  #turn: AbortController | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: RunningParts) {
    const { options, surroundings, meter } = parts;
    this.#parts = parts;
    this.#mode = options.mode ?? surroundings.mode;
    this.#modeBeforePlan = this.#mode === 'plan' ? 'default' : this.#mode;
    this.#model = resolveModelAlias(options.model ?? options.env.ANTHROPIC_MODEL ?? surroundings.model ?? defaultModel);
    surroundings.setWatcher({
      cwd: () => this.#live?.workspace.cwd ?? options.cwd,
      onHook: (ran) => this.#emit({ type: 'hook', ...ran }),
    });
    this.#hooks = bindHooks(surroundings.hookRunner, () => this.#hookFacts(), this.#emit);
    this.#person = new Person(options.approve, options.askPerson, () => this.#hooks);
    this.#core = this.#makeCore();
    this.#loop = mainConversation(
      this.#core,
      () => this.#session,
      options,
      () => this.#takeNews(),
    );
    const [mode, model] = [() => this.#mode, () => this.#model];
    this.state = viewState({ live: () => this.#session, mode, model, meter, queue: this.#queue, surroundings });
  }

  /** Opens the first session. */
  async begin(choice: SessionChoice): Promise<void> {
    await this.#enter(choice, choice.kind === 'new' ? 'startup' : 'resume');
    for (const text of this.#parts.surroundings.notes) await this.#emit({ type: 'notice', level: 'warn', text });
  }

  async prompt(content: string | readonly JsonObject[]): Promise<TurnEnded> {
    if (this.#closing !== undefined) throw new UserError('the agent is closed', 'open another one');
    const isWaiting = this.#queue.isBusy;
    const text = promptText(content);
    if (isWaiting) this.#parts.bus.tell({ type: 'queued', text });
    const work = async (): Promise<TurnEnded> => {
      if (isWaiting) await this.#emit({ type: 'unqueued', operation: 'dequeue', text });
      return this.#inTurn((signal) => this.#runPrompt(content, signal));
    };
    return this.#queue.runPrompt(content, work, () => endedWithout('interrupted'));
  }

  unqueue(): string | undefined {
    const text = this.#queue.takeBack();
    if (text !== undefined) this.#parts.bus.tell({ type: 'unqueued', operation: 'remove', text });
    return text;
  }

  interrupt(): void {
    this.#turn?.abort();
  }

  compact(focus?: string): Promise<void> {
    return this.#queue.run(() =>
      this.#inTurn(async (signal) => {
        await this.#ready(signal);
        const wish = { trigger: 'manual', isTurnOpen: false, ...(focus === undefined ? {} : { focus }) } as const;
        const parts = compactionParts(this.#core, this.#loop);
        if (await compactConversation(wish, parts, this.#emit, signal))
          await this.#session.greet(this.#hooks, 'compact', signal);
      }),
    );
  }

  clear(): Promise<void> {
    return this.#queue.run(() => this.#enter({ kind: 'new' }, 'clear'));
  }

  switchTo(choice: SessionChoice): Promise<void> {
    return this.#queue.run(() => this.#enter(choice, choice.kind === 'new' ? 'clear' : 'resume'));
  }

  async setMode(mode: PermissionMode): Promise<void> {
    if (mode === 'plan' && this.#mode !== 'plan') this.#modeBeforePlan = this.#mode;
    this.#mode = mode;
    await this.#emit({ type: 'mode', mode });
  }

  setModel(model: string): void {
    this.#model = resolveModelAlias(model);
  }

  async rename(title: string): Promise<void> {
    this.#session.title = await this.#session.open.recorder.rename(title, this.#parts.clock.now());
  }

  async rewindPoints(): Promise<readonly RewindPoint[]> {
    return rewindPoints(this.#session.open);
  }

  rewind(point: RewindPoint, what: 'chat' | 'files' | 'both'): Promise<RewindReport> {
    return this.#queue.run(async () => {
      const report = await rewind(this.#session.open, point, what);
      for (const file of [...report.restored, ...report.removed]) this.#session.workspace.files.forget(file);
      if (what !== 'files') this.#parts.meter.setContext(0);
      return report;
    });
  }

  /** Also after a failed start: what was opened is closed, what was not is left. */
  close(reason: 'exit' | 'clear' | 'signal'): Promise<void> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  async #close(reason: 'exit' | 'clear' | 'signal'): Promise<void> {
    while (this.#queue.takeBack() !== undefined);
    this.#lifetime.abort();
    this.interrupt();
    await this.#queue.settle();
    await Promise.allSettled(this.#background);
    await this.#leave(endReasons[reason]);
    await this.#live?.workspace.background.close();
    await this.#parts.surroundings.close();
  }

  get #session(): LiveSession {
    if (this.#live === undefined) throw new TypeError('the agent has no session yet');
    return this.#live;
  }

  readonly #emit = (happening: AgentHappening): Promise<void> => this.#parts.bus.emit(happening);

  async #runPrompt(content: string | readonly JsonObject[], signal: AbortSignal): Promise<TurnEnded> {
    const { surroundings } = this.#parts;
    await this.#ready(signal);
    const { workspace, open } = this.#session;
    const { commands, judge } = surroundings;
    const { sessionId } = open;
    const parts = { hooks: this.#hooks, commands, judge, mode: this.#mode, workspace, sessionId, emit: this.#emit };
    const intake = await takePrompt(content, parts, signal);
    if ('prompts' in intake) return runTurn(intake.prompts, this.#loop, this.#emit, signal);
    await this.#emit({ type: 'notice', level: 'warn', text: `a hook refused the prompt: ${intake.blocked}` });
    const ended = endedWithout('error_during_execution', intake.blocked);
    await this.#emit(ended);
    return ended;
  }

  /** A server that is slow to start must not keep an interrupt waiting. */
  async #ready(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<readonly string[]>((resolve) => {
      if (signal.aborted) resolve([]);
      signal.addEventListener('abort', () => resolve([]), { once: true });
    });
    const notices = await Promise.race([this.#parts.surroundings.ready(), aborted]);
    for (const text of notices) await this.#emit({ type: 'notice', level: 'warn', text });
  }

  /** Whatever ends it, an error of the disk included, nothing of the turn goes on behind it. */
  async #inTurn<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const turn = new AbortController();
    if (this.#lifetime.signal.aborted) turn.abort();
    this.#turn = turn;
    try {
      return await work(turn.signal);
    } finally {
      turn.abort();
      this.#turn = undefined;
    }
  }

  /** The new session is open before the old one is left: where it cannot be had, nothing changes. */
  async #enter(choice: SessionChoice, source: SessionSource): Promise<void> {
    const { options, bus, meter, surroundings } = this.#parts;
    const { cwd, env, root, withProgressEntries = false } = options;
    const before = this.#live;
    const currentCwd = () => this.#live?.workspace.cwd ?? cwd;
    const open = await openSession(choice, { cwd, env, root, withProgressEntries, currentCwd });
    if (before !== undefined) await this.#leave(source === 'clear' ? 'clear' : 'resume');
    const background = before?.workspace.background;
    const { env: shellEnv, extraDirs } = surroundings;
    const place = { env: shellEnv, extraDirs, ...(background === undefined ? {} : { background }) };
    const live = new LiveSession(open, place, (workspace) => surroundings.writeSystem(workspace, this.#model));
    this.#live = live;
    if (open.model !== undefined && (options.model === undefined || before !== undefined)) this.#model = open.model;
    meter.setContext(0);
    bus.setRecorder(open.recorder.sink);
    await live.greet(this.#hooks, source, this.#lifetime.signal);
    await this.#announce(live);
  }

  async #announce({ open }: LiveSession): Promise<void> {
    const { surroundings } = this.#parts;
    const { sessionId, file, cwd } = open;
    await this.#emit({
      type: 'session-opened',
      sessionId,
      file,
      cwd,
      model: this.#model,
      mode: this.#mode,
      tools: surroundings.tools().map(({ name }) => name),
      mcpServers: surroundings.servers().map(({ name, status }) => ({ name, status })),
      commands: surroundings.commands.map(({ name }) => name),
      agents: surroundings.definitions.map(({ name }) => name),
      messageCount: open.isNew ? 0 : open.messages(this.#model).length,
    });
    for (const text of open.notes) await this.#emit({ type: 'notice', level: 'warn', text });
  }

  async #leave(reason: string): Promise<void> {
    const live = this.#live;
    if (live === undefined) return;
    // Its own signal: the agent's is over when it is closed.
    await this.#hooks.run('SessionEnd', reason, { reason }, new AbortController().signal);
    await live.open.close();
  }

  #takeNews(): readonly string[] {
    const news = [...this.#session.takeContext(), ...this.#news];
    this.#news = [];
    return news;
  }

  #hookFacts() {
    const { open, workspace } = this.#session;
    return { sessionId: open.sessionId, transcriptPath: open.file, cwd: workspace.cwd, mode: this.#mode };
  }

  async #askPerson(question: PersonQuestion, signal: AbortSignal): Promise<PersonAnswer | undefined> {
    const answer = await this.#person.ask(question, signal);
    if (answer?.kind === 'plan' && answer.isApproved && this.#mode === 'plan') await this.setMode(this.#modeBeforePlan);
    return answer;
  }

  #makeCore(): AgentCore {
    const { options, clock, meter, bus, streamModel, surroundings } = this.#parts;
    const { env } = options;
    return {
      env,
      clock,
      bus,
      meter,
      streamModel,
      maxRetries: maxRetriesOf(env),
      judge: surroundings.judge,
      hookRunner: surroundings.hookRunner,
      hooks: this.#hooks,
      approve: this.#person.approve,
      askPerson: (question, signal) => this.#askPerson(question, signal),
      definitions: surroundings.definitions,
      budgetUsd: options.maxBudgetUsd,
      thinkingTokens: surroundings.thinkingTokens,
      smallModel: resolveModelAlias(env.ANTHROPIC_SMALL_FAST_MODEL || 'haiku'),
      session: () => this.#session.open,
      workspace: () => this.#session.workspace,
      mode: () => this.#mode,
      model: () => this.#model,
      tools: () => surroundings.tools(),
      environmentText: async () => (await this.#session.system()).at(-1) ?? '',
      lifetime: this.#lifetime.signal,
      addNews: (text) => void this.#news.push(text),
      addBackground: (task) => this.#keepBackground(task),
    };
  }

  #keepBackground(task: Promise<unknown>): void {
    const kept = task
      .catch((error: unknown) => {
        const text = `a sub-agent in the background failed: ${error instanceof Error ? error.message : String(error)}`;
        this.#parts.bus.tell({ type: 'notice', level: 'error', text });
      })
      .finally(() => this.#background.delete(kept));
    this.#background.add(kept);
  }
}

/** In the words of Claude Code's SessionEnd hook. */
const endReasons = { exit: 'prompt_input_exit', clear: 'clear', signal: 'other' } as const;
