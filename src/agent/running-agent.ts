// The running agent: one session and one turn at a time. It holds what changes while it runs, and builds the context
// for everything else.
import { hostOf } from '../api/client/index.ts';
import { UserError } from '../base/errors/index.ts';
import type { JsonObject } from '../base/json/index.ts';
import { defaultModel, resolveModelAlias } from '../models/index.ts';
import { viewState } from './agent-state.ts';
import {
  type Agent,
  type AgentState,
  bindHooks,
  type EmitEvent,
  type Notice,
  type PermissionMode,
  type RewindPoint,
  type RewindReport,
  type SessionChoice,
  type TurnEnded,
} from './contract/index.ts';
import { CurrentSession, type LiveSession } from './current-session.ts';
import {
  type AgentContext,
  type CompactionWish,
  compactConversation,
  endedWithout,
  isCompactionDue,
  maxRetriesOf,
  requirePrice,
  runTurn,
  startSubAgent,
} from './loop/index.ts';
import { takePrompt } from './prompt-intake.ts';
import { rewind, rewindPoints } from './session/index.ts';
import type { AgentSetup } from './setup.ts';
import { BackgroundWork, promptText, TurnQueue } from './turn-queue.ts';
import { ModeSwitch, UserQuestions } from './user-questions.ts';

/** The values that exist before the session is open. */
type RunContext = Pick<AgentContext, 'options' | 'clock' | 'meter' | 'bus' | 'streamModel'>;

export class RunningAgent implements Agent {
  readonly state: AgentState;
  readonly #context: AgentContext;
  readonly #setup: AgentSetup;
  readonly #current: CurrentSession;
  readonly #queue = new TurnQueue();
  readonly #lifetime = new AbortController();
  readonly #background: BackgroundWork;
  readonly #questions: UserQuestions;
  readonly #mode: ModeSwitch;
  #model: string;
  #turn: AbortController | undefined;
  #failure: { readonly error: unknown } | undefined;
  #closing: Promise<void> | undefined;

  constructor(run: RunContext, setup: AgentSetup) {
    const { options, bus } = run;
    this.#setup = setup;
    this.#mode = new ModeSwitch(setup.mode, (happening) => bus.emit(happening));
    this.#model = resolveModelAlias(options.model ?? options.env.ANTHROPIC_MODEL ?? setup.model ?? defaultModel);
    bus.setOnFailure((error) => this.#failTurn(error));
    this.#background = new BackgroundWork((text) => bus.post({ type: 'notice', level: 'error', text }));
    this.#questions = new UserQuestions(options.approve, options.askUser, () => this.#context.hooks);
    this.#context = this.#buildContext(run);
    this.#current = new CurrentSession(this.#context, setup, (model) => {
      this.#model = model;
    });
    setup.start({
      cwd: () => this.#current.cwd,
      mode: this.#context.mode,
      onHook: (ran) => bus.emit({ type: 'hook', ...ran }),
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
      smallModel: resolveModelAlias(env.ANTHROPIC_SMALL_FAST_MODEL || 'haiku'),
      thinkingTokens: setup.thinkingTokens,
      host,
      judge: setup.judge,
      hookRunner: setup.hookRunner,
      approve: this.#questions.approve,
      askUser: async (question, signal) => {
        const answer = await this.#questions.ask(question, signal);
        await this.#mode.hear(answer);
        return answer;
      },
      definitions: setup.definitions,
      lifetime: this.#lifetime.signal,
      session: () => this.#session.open,
      mode: () => this.#mode.mode,
      describeEnvironment: (model) =>
        setup.describeEnvironment(this.#session.workspace, { model, mode: this.#mode.mode }),
      addNews: (text) => this.#background.addNews(text),
      addBackground: (task) => this.#background.add(task),
      emit,
      hooks,
      limits: options,
      compaction: {
        isDue: () =>
          env.CLEW_AUTO_COMPACT !== '0' && isCompactionDue(meter.contextTokens(), meter.windowOf(this.#model)),
        run: (isTurnOpen, signal) => this.#compact({ trigger: 'auto', isTurnOpen }, signal),
      },
      thinkingNotices: { leftOut: 0, reported: new Set() },
      workspace: () => this.#session.workspace,
      model: () => this.#model,
      tools: () => setup.tools(),
      prompt: () => this.#session.prompt,
      sections: () => this.#session.sections(),
      messages: (model) => this.#session.open.messages(model, host),
      marks: () => this.#session.open.recorder.marks(),
      usedIds: () => this.#session.usedIds,
      takeNews: () => [...this.#session.takeContext(), ...this.#background.takeNews()],
      findInstructions: (view) => this.#session.findInstructions(view, this.#model),
      askStop: async (text, isActive, signal) => {
        const fields = { stop_hook_active: isActive, last_assistant_message: text };
        const verdict = await hooks.run('Stop', '', fields, signal);
        return verdict.stop === undefined ? verdict.blocked : undefined;
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
    if (!meter.isPriced(this.#model)) await this.#context.emit(unpricedNotice(this.#model));
    for (const text of this.#setup.notes) await this.#context.emit({ type: 'notice', level: 'warn', text });
  }

  async prompt(content: string | readonly JsonObject[]): Promise<TurnEnded> {
    if (this.#closing !== undefined) throw new UserError('the agent is closed', 'open another one');
    const isWaiting = this.#queue.isBusy;
    const text = promptText(content);
    if (isWaiting) this.#context.bus.post({ type: 'queued', text });
    const work = async (): Promise<TurnEnded> => {
      if (isWaiting) await this.#context.emit({ type: 'unqueued', operation: 'dequeue', text });
      return this.#inTurn((signal) => this.#runPrompt(content, signal));
    };
    return this.#queue.runPrompt(content, work, () => endedWithout('interrupted'));
  }

  unqueue(): string | undefined {
    const text = this.#queue.takeBack();
    if (text !== undefined) this.#context.bus.post({ type: 'unqueued', operation: 'remove', text });
    return text;
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
    return this.#queue.run(() => this.#current.enter({ kind: 'new' }, 'clear'));
  }

  switchTo(choice: SessionChoice): Promise<void> {
    return this.#queue.run(() => this.#current.enter(choice, choice.kind === 'new' ? 'clear' : 'resume'));
  }

  setMode(mode: PermissionMode): Promise<void> {
    return this.#mode.set(mode);
  }

  setModel(model: string): void {
    const chosen = resolveModelAlias(model);
    requirePrice(chosen, this.#context.meter, this.#context.options.maxBudgetUsd);
    this.#model = chosen;
  }

  async rename(title: string): Promise<void> {
    this.#session.title = await this.#session.open.recorder.rename(title, this.#context.clock.now());
  }

  async rewindPoints(): Promise<readonly RewindPoint[]> {
    return rewindPoints(this.#session.open);
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
    while (this.#queue.takeBack() !== undefined);
    this.#lifetime.abort();
    this.interrupt();
    await this.#queue.settle();
    await Promise.all([this.#background.settle(), this.#questions.settle()]);
    const steps = [
      () => this.#current.leave(endReasons[reason]),
      () => this.#current.endCommands(),
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
    const isDone = await compactConversation(wish, this.#context, signal);
    if (isDone) await this.#session.startOver(this.#context.hooks, signal);
    return isDone;
  }

  async #runPrompt(content: string | readonly JsonObject[], signal: AbortSignal): Promise<TurnEnded> {
    const context = this.#context;
    await this.#ready(signal);
    const intake = await takePrompt(content, context, this.#setup, this.#questions.consent, signal);
    if ('prompts' in intake) return runTurn(intake.prompts, context, signal);
    await context.emit({ type: 'notice', level: 'warn', text: `a hook refused the prompt: ${intake.blocked}` });
    const ended = endedWithout('error_during_execution', intake.blocked);
    await context.emit(ended);
    return ended;
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

  #hookFacts() {
    const { open, workspace } = this.#session;
    return { sessionId: open.sessionId, transcriptPath: open.file, cwd: workspace.cwd, mode: this.#mode.mode };
  }
}

function unpricedNotice(model: string): Notice {
  const text = `no price is known for ${model}, so its cost is not counted; clew prices lists the known models`;
  return { type: 'notice', level: 'warn', text };
}

/** The reasons that Claude Code's SessionEnd hook gets. */
const endReasons = { exit: 'prompt_input_exit', clear: 'clear', signal: 'other' } as const;
