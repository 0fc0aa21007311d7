// The running agent: one session and one turn at a time. It holds what changes while it runs, and builds the context
// for everything else.

import { randomUUID } from 'node:crypto';
import { hostOf } from '../api/connection/index.ts';
import { UserError } from '../base/errors/index.ts';
import type { JsonObject } from '../base/json/index.ts';
import { type Effort, resolveModel, smallModel } from '../models/index.ts';
import { viewState } from './agent-state.ts';
import { BackgroundWork } from './background-work.ts';
import { measureContext } from './context-usage.ts';
import {
  type Agent,
  type AgentOptions,
  type AgentState,
  bindHooks,
  type ContextUsage,
  type EmitEvent,
  type HookCallback,
  type McpControl,
  type Notice,
  type PermissionMode,
  type PermissionUpdate,
  type PromptIdentity,
  type RewindPoint,
  type RewindPreview,
  type RewindReport,
  type SessionChoice,
  type ShellOptions,
  type ShellReport,
  stopAnswer,
  type ThinkingChoice,
  type TurnEnded,
} from './contract/index.ts';
import { CurrentSession, type LiveSession } from './current-session.ts';
import type { LateVerdict } from './hooks/index.ts';
import {
  type AgentContext,
  askForHook,
  backgroundFields,
  type CompactionWish,
  compactConversation,
  compactionReserve,
  isCompactionDue,
  maxRetriesOf,
  requirePrice,
  startSubAgent,
  wishedFields,
} from './loop/index.ts';
import { changedSections, userTexts } from './prompt/index.ts';
import { previewRewind, rewind, rewindPoints } from './session/index.ts';
import type { AgentSetup } from './setup.ts';
import type { TurnQueue } from './turn-queue.ts';
import { Turns } from './turns.ts';
import { ModeSwitch, UserQuestions } from './user-questions.ts';

/** The values that exist before the session is open. */
type RunContext = Pick<AgentContext, 'options' | 'clock' | 'meter' | 'bus' | 'streamModel'>;

export class RunningAgent implements Agent {
  readonly state: AgentState;
  readonly #context: AgentContext;
  readonly #setup: AgentSetup;
  readonly #current: CurrentSession;
  readonly #turns: Turns;
  readonly #queue: TurnQueue;
  readonly #lifetime = new AbortController();
  #sessionLife = new AbortController();
  readonly #background: BackgroundWork;
  readonly #questions: UserQuestions;
  readonly #mode: ModeSwitch;
  /** Output of late hooks, for the next pause. */
  #news: string[] = [];
  readonly #closed = new AbortController();
  #model: string;
  #chosen: Pick<AgentOptions, 'effort' | 'thinking'>;
  #turn: AbortController | undefined;
  #failure: { readonly error: unknown } | undefined;
  #closing: Promise<void> | undefined;

  constructor(run: RunContext, setup: AgentSetup) {
    const { options, bus } = run;
    this.#setup = setup;
    this.#mode = new ModeSwitch(setup.mode, (happening) => bus.emit(happening));
    this.#model = resolveModel(options.model ?? (options.env.ANTHROPIC_MODEL || setup.model || 'default'), options.env);
    const { effort, thinking } = options;
    this.#chosen = { ...(effort === undefined ? {} : { effort }), ...(thinking === undefined ? {} : { thinking }) };
    bus.setOnFailure((error) => this.#failTurn(error));
    this.#background = new BackgroundWork({
      emit: (happening) => bus.emit(happening),
      notify: (text, runId) => this.#turns.notify(text, { kind: 'task-notification', runId }),
      onFailure: (text, error) => {
        bus.post({ type: 'notice', level: 'error', text });
        this.#turns.noteFailure(error);
      },
    });
    this.#questions = new UserQuestions(options.approve, options.askUser, () =>
      options.isInteractive ? this.#context.hooks : undefined,
    );
    this.#context = this.#buildContext(run);
    this.#turns = new Turns({
      context: this.#context,
      setup,
      consent: this.#questions.consent,
      ready: (signal) => this.#ready(signal),
      inTurn: (work) => this.#inTurn(work),
    });
    this.#queue = this.#turns.queue;
    this.#current = new CurrentSession(this.#context, setup, (model) => {
      this.#model = model;
    });
    setup.start({
      cwd: () => this.#current.cwd,
      mode: this.#context.mode,
      onHook: (ran) => bus.emit({ type: 'hook', ...ran }),
      onLateHook: (late) => this.#hearLateHook(late),
      askHookModel: (question, signal) => askForHook(this.#context, question, signal),
      note: (text) => bus.post({ type: 'notice', level: 'warn', text }),
      consent: (wish) => this.#questions.consent(wish, this.#lifetime.signal),
    });
    this.state = viewState(this.#context, setup, this.#queue, () => this.#session);
  }

  /** The context of the main conversation. Its functions read the session that is open when they are called. */
  #buildContext(run: RunContext): AgentContext {
    const { options, bus, meter } = run;
    const { env } = options;
    const setup = this.#setup;
    const host = hostOf(env);
    const emit: EmitEvent = (happening) => bus.emit(happening);
    const hooks = bindHooks(setup.hookRunner, () => this.#hookFacts(), emit);
    const context: AgentContext = {
      ...run,
      maxRetries: maxRetriesOf(env),
      smallModel: smallModel(this.#model, env),
      wish: () => setup.requestWish(this.#chosen),
      host,
      judge: setup.judge,
      hookRunner: setup.hookRunner,
      approve: this.#questions.approve,
      updatePermissions: (updates) => setup.updatePermissions(updates, (mode) => this.#mode.set(mode)),
      askUser: async (question, signal) => {
        const answer = await this.#questions.ask(question, signal);
        await this.#mode.hear(answer);
        return answer;
      },
      definitions: setup.definitions,
      lifetime: this.#lifetime.signal,
      sessionSignal: () => AbortSignal.any([this.#lifetime.signal, this.#sessionLife.signal]),
      session: () => this.#session.open,
      mode: () => this.#mode.mode,
      describeEnvironment: (model) =>
        setup.describeEnvironment(this.#session.workspace, { model, mode: this.#mode.mode }),
      addBackground: (task, work) => this.#background.followAgent(task, work),
      followShell: (task) => this.#background.followShell(task),
      backgroundTasks: () => this.#background.running,
      promptId: () => this.#turns.promptId,
      ...(options.isInteractive ? {} : { backgroundTimeoutMs: printTimeoutMs }),
      emit,
      hooks,
      limits: options,
      output: setup.output,
      compaction: {
        isDue: () =>
          env.CLEW_AUTO_COMPACT !== '0' && isCompactionDue(meter.contextTokens(), meter.windowOf(this.#model)),
        run: (isTurnOpen, signal) => this.#compact({ trigger: 'auto', isTurnOpen }, signal),
      },
      thinkingNotices: { leftOut: 0, reported: new Set() },
      workspace: () => this.#session.workspace,
      model: () => this.#model,
      fallbackModels: setup.fallbackModels.map((name) => resolveModel(name, env)),
      tools: () => setup.tools(),
      prompt: () => this.#session.prompt,
      sections: () => this.#session.sections(),
      messages: (model) => this.#session.open.messages(model, host),
      marks: () => this.#session.open.recorder.marks(),
      usedIds: () => this.#session.usedIds,
      takeNews: () => [...this.#session.takeContext(), ...this.#news.splice(0)],
      takeQueued: (signal) => this.#turns.takeQueued(signal),
      findInstructions: (view) => this.#session.findInstructions(view, this.#model),
      askStop: async (text, isActive, signal) => {
        const fields = {
          stop_hook_active: isActive,
          last_assistant_message: text,
          ...backgroundFields(this.#background.running),
        };
        const verdict = await hooks.run('Stop', '', fields, signal);
        return stopAnswer(verdict);
      },
      startAgent: (task, callId, signal) => startSubAgent(context, task, callId, signal),
    };
    return context;
  }

  /** Opens the first session. */
  async begin(choice: SessionChoice): Promise<void> {
    const { meter, options } = this.#context;
    if (choice.kind === 'new') requirePrice(this.#model, meter, options.maxBudgetUsd);
    await this.#current.enter(choice, choice.kind === 'new' ? 'startup' : 'resume');
    // A resumed session has its own model.
    requirePrice(this.#model, meter, options.maxBudgetUsd);
    if (options.title !== undefined && this.#session.title === undefined) await this.rename(options.title);
    if (!meter.isPriced(this.#model)) await this.#context.emit(unpricedNotice(this.#model));
    for (const text of this.#setup.notes) await this.#context.emit({ type: 'notice', level: 'warn', text });
  }

  async prompt(content: string | readonly JsonObject[], identity: PromptIdentity = {}): Promise<TurnEnded> {
    if (this.#closing !== undefined) throw new UserError('the agent is closed', 'open another one');
    return this.#turns.prompt(content, identity);
  }

  async idle(): Promise<void> {
    // The handles of background commands do not keep the process alive.
    const keepAlive = setInterval(() => undefined, 60_000);
    try {
      for (;;) {
        await this.#queue.settle();
        this.#turns.throwFailure();
        if (this.#closing !== undefined) return;
        if (this.#queue.isBusy) continue;
        const { hookRunner } = this.#setup;
        if (!this.#background.isActive && !hookRunner.hasLate) return;
        const late = hookRunner.hasLate ? [hookRunner.settleLate()] : [];
        await Promise.race([this.#background.changed(), this.#untilClosed(), ...late]);
      }
    } finally {
      clearInterval(keepAlive);
    }
  }

  #untilClosed(): Promise<void> {
    const { signal } = this.#closed;
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  runShell(command: string, options: ShellOptions): Promise<ShellReport> {
    return this.#queue.run(async () => {
      const { runUserCommand } = await import('./tools/shell/user-command.ts');
      const uuid = randomUUID();
      const { workspace } = this.#session;
      const signal = AbortSignal.any([options.signal, this.#lifetime.signal]);
      const report = await runUserCommand({ ...options, command, id: uuid, workspace, signal });
      await this.#context.emit({ type: 'shell-ran', uuid, outputUuid: randomUUID(), command, report });
      return report;
    });
  }

  unqueue(): string | undefined {
    return this.#turns.unqueue();
  }

  interrupt(): void {
    this.#turn?.abort();
  }

  compact(focus?: string): Promise<void> {
    return this.#queue.run(() =>
      this.#inTurn(async (signal) => {
        await this.#ready(signal);
        await this.#compact(
          { trigger: 'manual', isTurnOpen: false, ...(focus === undefined ? {} : { focus }) },
          signal,
        );
      }),
    );
  }

  clear(): Promise<void> {
    return this.#queue.run(async () => {
      await this.#enter({ kind: 'new' }, 'clear');
      this.#context.meter.startOver();
    });
  }

  switchTo(choice: SessionChoice): Promise<void> {
    return this.#queue.run(() => this.#enter(choice, choice.kind === 'new' ? 'clear' : 'resume'));
  }

  async #enter(choice: SessionChoice, source: 'clear' | 'resume'): Promise<void> {
    await this.#background.endAgents(() => this.#sessionLife.abort());
    this.#sessionLife = new AbortController();
    await this.#current.enter(choice, source);
  }

  setMode(mode: PermissionMode): Promise<void> {
    return this.#mode.set(mode);
  }

  setModel(model: string): void {
    const chosen = resolveModel(model, this.#context.options.env);
    requirePrice(chosen, this.#context.meter, this.#context.options.maxBudgetUsd);
    this.#model = chosen;
  }

  setHookCallbacks(callbacks: readonly HookCallback[]): void {
    this.#setup.hookRunner.setCallbacks(callbacks);
  }

  updatePermissions(updates: readonly PermissionUpdate[]): Promise<void> {
    return this.#context.updatePermissions(updates);
  }

  async mcp(): Promise<McpControl> {
    const { notices, control } = await this.#setup.mcp();
    for (const text of notices) await this.#context.emit({ type: 'notice', level: 'warn', text });
    return control;
  }

  setEffort(effort: Effort | undefined): void {
    const { effort: _, ...rest } = this.#chosen;
    this.#chosen = effort === undefined ? rest : { ...rest, effort };
  }

  setThinking(thinking: ThinkingChoice | undefined): void {
    const { thinking: _, ...rest } = this.#chosen;
    this.#chosen = thinking === undefined ? rest : { ...rest, thinking };
  }

  stopTask(id: string): boolean {
    return this.#background.stop(id);
  }

  async rename(title: string): Promise<void> {
    this.#session.title = await this.#session.open.recorder.rename(title, this.#context.clock.now());
  }

  async contextUsage(): Promise<ContextUsage> {
    const { meter, mode, model: currentModel } = this.#context;
    const { prompt, workspace } = this.#session;
    const model = currentModel();
    await this.#setup.ready();
    const { system, tools } = prompt.preview();
    const messages = this.#context.messages(model);
    const sections = await this.#setup.describeQuietly(workspace, { model, mode: mode(), prompt });
    const windowTokens = meter.windowOf(model);
    return measureContext({
      model,
      windowTokens,
      bufferTokens: this.#context.options.env.CLEW_AUTO_COMPACT === '0' ? 0 : compactionReserve(windowTokens),
      countedTokens: meter.contextTokens(),
      system,
      tools,
      messages,
      pending: await changedSections(sections, userTexts(messages)),
      ...(await this.#setup.contextTexts(workspace)),
    });
  }

  async rewindPoints(): Promise<readonly RewindPoint[]> {
    return rewindPoints(this.#session.open);
  }

  async previewRewind(point: RewindPoint): Promise<RewindPreview> {
    return previewRewind(this.#session.open, point);
  }

  rewind(point: RewindPoint, what: 'chat' | 'files' | 'both'): Promise<RewindReport> {
    return this.#queue.run(async () => {
      const report = await rewind(this.#session.open, point, what);
      for (const file of [...report.restored, ...report.removed]) this.#session.workspace.files.forget(file);
      if (what !== 'files') this.#context.meter.setContext(this.#session.open.recorder.windowTokens);
      return report;
    });
  }

  /** Also called after a failed start: closes only what was opened. */
  close(reason: 'exit' | 'clear' | 'signal'): Promise<void> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  async #close(reason: 'exit' | 'clear' | 'signal'): Promise<void> {
    while (this.unqueue() !== undefined);
    this.#turns.close();
    this.#background.close();
    this.#closed.abort();
    this.#lifetime.abort();
    this.interrupt();
    await this.#queue.settle();
    const steps = [
      // The session records which commands and sub-agents were ended with it.
      () => this.#current.endCommands(),
      () => this.#background.settle(),
      () => this.#questions.settle(),
      () => this.#current.leave(endReasons[reason]),
      () => this.#setup.close(),
    ];
    for (const step of steps) await step().catch((error: unknown) => this.#reportFailure(error));
  }

  /** The prompt already reported a failing sink or disk; the rest must still be closed. */
  #reportFailure(error: unknown): void {
    const text = `closing: ${error instanceof Error ? error.message : String(error)}`;
    this.#context.bus.post({ type: 'notice', level: 'error', text });
  }

  get #session(): LiveSession {
    return this.#current.live;
  }

  async #compact(wish: CompactionWish, signal: AbortSignal): Promise<boolean> {
    const { hooks } = this.#context;
    const summary = await compactConversation(wish, this.#context, signal);
    if (summary === undefined) return false;
    await this.#session.startOver(hooks, this.#model, signal);
    const fields = { trigger: wish.trigger, compact_summary: summary };
    await hooks.run('PostCompact', wish.trigger, fields, signal);
    return true;
  }

  /** An interrupt does not wait for a server that starts slowly. */
  async #ready(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<readonly string[]>((resolve) => {
      if (signal.aborted) resolve([]);
      signal.addEventListener('abort', () => resolve([]), { once: true });
    });
    const notices = await Promise.race([this.#setup.ready(), aborted]);
    for (const text of notices) await this.#context.emit({ type: 'notice', level: 'warn', text });
  }

  /** When the work ends, even with a disk error, everything that the turn started is aborted. */
  async #inTurn<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const turn = new AbortController();
    if (this.#lifetime.signal.aborted) turn.abort();
    this.#turn = turn;
    this.#failure = undefined;
    try {
      const done = await work(turn.signal);
      // A tool may have caught the failure.
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

  /** A turn whose events cannot be written must end. */
  #failTurn(error: unknown): void {
    this.#failure ??= { error };
    this.interrupt();
  }

  #hearLateHook({ event, verdict: { messages, blocked, context }, wakes }: LateVerdict): void {
    for (const text of messages) this.#context.bus.post({ type: 'notice', level: 'info', text });
    const said = (text: string): string =>
      `<system-reminder>\nThe ${event} hook reported later: ${text}\n</system-reminder>`;
    this.#news.push(...context.map(said));
    if (blocked === undefined) return;
    if (wakes && this.#closing === undefined) this.#turns.notify(said(blocked));
    else this.#news.push(said(blocked));
  }

  #hookFacts() {
    const { open, workspace } = this.#session;
    const { promptId } = this.#turns;
    const { effort } = wishedFields(this.#model, this.#context.wish());
    return {
      sessionId: open.sessionId,
      transcriptPath: open.file,
      cwd: workspace.cwd,
      mode: this.#mode.mode,
      ...(promptId === undefined ? {} : { promptId }),
      ...(effort === undefined ? {} : { effort }),
    };
  }
}

function unpricedNotice(model: string): Notice {
  const text = `no price is known for ${model}, so its cost is not counted; clew prices lists the known models`;
  return { type: 'notice', level: 'warn', text };
}

/** Without a user, a command in the background is stopped after this time, so that the run ends. As in 2.1.325. */
const printTimeoutMs = 600_000;

/** The reasons that Claude Code's SessionEnd hook gets. */
const endReasons = { exit: 'prompt_input_exit', clear: 'clear', signal: 'other' } as const;
