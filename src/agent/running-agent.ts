// The agent behind the handle: one session at a time, one turn at a time, and what a person may do in between. It holds
// what changes while it runs; everything it does is done elsewhere.

import { hostOf } from '../api/client/stream-model.ts';
import { UserError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { defaultModel } from '../models/client-models.ts';
import { resolveModelAlias } from '../models/facts.ts';
import type { AgentCore } from './agent-core.ts';
import { type AgentHooks, bindHooks } from './agent-hooks.ts';
import { viewState } from './agent-state.ts';
import { BackgroundWork } from './background-work.ts';
import { requirePrice } from './budget.ts';
import type { Clock } from './clock.ts';
import { compactConversation } from './compactor.ts';
import type { CostMeter } from './cost-meter.ts';
import type { AgentHappening, Notice, TurnEnded } from './event.ts';
import type { EventBus } from './event-bus.ts';
import type { Agent, AgentOptions, AgentState, RewindPoint, RewindReport, SessionChoice } from './handle.ts';
import type { LiveSession } from './live-session.ts';
import { type LoopParts, runTurn } from './loop.ts';
import { compactionParts, mainConversation } from './main-conversation.ts';
import { ModeSwitch } from './mode-switch.ts';
import type { StreamModel } from './parts.ts';
import type { PermissionMode } from './permission-mode.ts';
import { Person } from './person.ts';
import { takePrompt } from './prompt-intake.ts';
import { maxRetriesOf } from './retry.ts';
import { rewind, rewindPoints } from './session/rewind.ts';
import { SessionDesk } from './session-desk.ts';
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
  readonly #background: BackgroundWork;
  readonly #hooks: AgentHooks;
  readonly #person: Person;
  readonly #core: AgentCore;
  readonly #loop: LoopParts;
  readonly #mode: ModeSwitch;
  readonly #desk: SessionDesk;
  #model: string;
  #turn: AbortController | undefined;
  #failure: { readonly error: unknown } | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: RunningParts) {
    const { options, surroundings, meter, bus } = parts;
    this.#parts = parts;
    this.#mode = new ModeSwitch(options.mode ?? surroundings.mode, this.#emit);
    this.#model = resolveModelAlias(options.model ?? options.env.ANTHROPIC_MODEL ?? surroundings.model ?? defaultModel);
    bus.setOnFailure((error) => this.#failTurn(error));
    this.#background = new BackgroundWork((text) => bus.tell({ type: 'notice', level: 'error', text }));
    this.#hooks = bindHooks(surroundings.hookRunner, () => this.#hookFacts(), this.#emit);
    this.#person = new Person(options.approve, options.askPerson, () => this.#hooks);
    const [mode, model] = [() => this.#mode.mode, () => this.#model];
    const takeModel = (taken: string): void => {
      this.#model = taken;
    };
    const lifetime = this.#lifetime.signal;
    const hooks = this.#hooks;
    this.#desk = new SessionDesk({ options, bus, meter, surroundings, hooks, lifetime, mode, model, takeModel });
    surroundings.start({
      cwd: () => this.#desk.cwd,
      mode,
      onHook: (ran) => this.#emit({ type: 'hook', ...ran }),
      note: (text) => bus.tell({ type: 'notice', level: 'warn', text }),
      consent: (wish) => this.#person.consent(wish, lifetime),
    });
    this.#core = this.#makeCore();
    const live = () => this.#desk.live;
    this.#loop = mainConversation(this.#core, live, options, () => [
      ...live().takeContext(),
      ...this.#background.takeNews(),
    ]);
    this.state = viewState({ live, mode, model, meter, queue: this.#queue, surroundings });
  }

  /** Opens the first session. */
  async begin(choice: SessionChoice): Promise<void> {
    const { meter, options, surroundings } = this.#parts;
    if (choice.kind === 'new') requirePrice(this.#model, meter, options.maxBudgetUsd);
    await this.#desk.enter(choice, choice.kind === 'new' ? 'startup' : 'resume');
    // The session may have brought its own model.
    requirePrice(this.#model, meter, options.maxBudgetUsd);
    if (!meter.isPriced(this.#model)) await this.#emit(unpricedNotice(this.#model));
    for (const text of surroundings.notes) await this.#emit({ type: 'notice', level: 'warn', text });
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
          await this.#session.startOver(this.#hooks, signal);
      }),
    );
  }

  clear(): Promise<void> {
    return this.#queue.run(() => this.#desk.enter({ kind: 'new' }, 'clear'));
  }

  switchTo(choice: SessionChoice): Promise<void> {
    return this.#queue.run(() => this.#desk.enter(choice, choice.kind === 'new' ? 'clear' : 'resume'));
  }

  setMode(mode: PermissionMode): Promise<void> {
    return this.#mode.set(mode);
  }

  setModel(model: string): void {
    const chosen = resolveModelAlias(model);
    requirePrice(chosen, this.#parts.meter, this.#parts.options.maxBudgetUsd);
    this.#model = chosen;
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
      if (what !== 'files') this.#parts.meter.setContext(this.#session.open.recorder.windowTokens);
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
    await Promise.all([this.#background.settle(), this.#person.settle()]);
    const steps = [
      () => this.#desk.leave(endReasons[reason]),
      () => this.#desk.endCommands(),
      () => this.#parts.surroundings.close(),
    ];
    for (const step of steps) await step().catch((error: unknown) => this.#tellFailure(error));
  }

  /** Where a sink or the disk fails, the prompt has said so; whatever else is open must end all the same. */
  #tellFailure(error: unknown): void {
    const text = `closing: ${error instanceof Error ? error.message : String(error)}`;
    this.#parts.bus.tell({ type: 'notice', level: 'error', text });
  }

  get #session(): LiveSession {
    return this.#desk.live;
  }

  readonly #emit = (happening: AgentHappening): Promise<void> => this.#parts.bus.emit(happening);

  async #runPrompt(content: string | readonly JsonObject[], signal: AbortSignal): Promise<TurnEnded> {
    const { surroundings } = this.#parts;
    await this.#ready(signal);
    const { workspace, open } = this.#session;
    const { commands, judge } = surroundings;
    const { sessionId } = open;
    const [hooks, emit, mode, consent] = [this.#hooks, this.#emit, this.#mode.mode, this.#person.consent];
    const parts = { hooks, commands, judge, mode, workspace, sessionId, emit, consent };
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
    this.#failure = undefined;
    try {
      const done = await work(turn.signal);
      // A tool may have taken the failure for its own.
      this.#throwFailure();
      return done;
    } finally {
      turn.abort();
      this.#turn = undefined;
    }
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** What cannot be told, to the file above all, must not go on. */
  #failTurn(error: unknown): void {
    this.#failure ??= { error };
    this.interrupt();
  }

  #hookFacts() {
    const { open, workspace } = this.#session;
    return { sessionId: open.sessionId, transcriptPath: open.file, cwd: workspace.cwd, mode: this.#mode.mode };
  }

  async #askPerson(question: PersonQuestion, signal: AbortSignal): Promise<PersonAnswer | undefined> {
    const answer = await this.#person.ask(question, signal);
    await this.#mode.hear(answer);
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
      mode: () => this.#mode.mode,
      model: () => this.#model,
      tools: () => surroundings.tools(),
      environment: (model) =>
        surroundings.describeEnvironment(this.#session.workspace, { model, mode: this.#mode.mode }),
      host: hostOf(env),
      lifetime: this.#lifetime.signal,
      addNews: (text) => this.#background.addNews(text),
      addBackground: (task) => this.#background.add(task),
    };
  }
}

function unpricedNotice(model: string): Notice {
  const text = `no price is known for ${model}, so its cost is not counted; clew prices lists the known models`;
  return { type: 'notice', level: 'warn', text };
}

/** In the words of Claude Code's SessionEnd hook. */
const endReasons = { exit: 'prompt_input_exit', clear: 'clear', signal: 'other' } as const;
