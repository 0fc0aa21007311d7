// Asks the user one question at a time: sub-agents run together and would otherwise ask at the same time. Notification
// hooks run while the user is asked.

import type {
  AgentHooks,
  Approve,
  AskConsent,
  AskUser,
  EmitEvent,
  PermissionMode,
  UserAnswer,
  UserQuestion,
} from './contract/index.ts';

const needed = {
  plan: 'your approval of a plan',
  questions: 'your answer',
  consent: 'your consent',
} as const satisfies Record<UserQuestion['kind'], string>;

export class UserQuestions {
  readonly #approve: Approve;
  readonly #ask: AskUser;
  /** `undefined`: there is no user to notify. */
  readonly #hooks: () => AgentHooks | undefined;
  readonly #notifying = new Set<Promise<void>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(approve: Approve, ask: AskUser, hooks: () => AgentHooks | undefined) {
    this.#approve = approve;
    this.#ask = ask;
    this.#hooks = hooks;
  }

  readonly approve: Approve = (request) =>
    this.#inTurn(async () => {
      if (request.signal.aborted) return { kind: 'deny', message: 'it was interrupted', isInterrupt: true };
      const { name } = request.call;
      this.#notify(`Clew needs your permission to use ${name}`, 'permission_prompt', request.signal);
      return this.#approve(request);
    });

  readonly ask: AskUser = (question, signal) =>
    this.#inTurn(async () => {
      if (signal.aborted) return undefined;
      this.#notify(`Clew needs ${needed[question.kind]}`, 'elicitation_dialog', signal);
      return this.#ask(question, signal);
    });

  /** Not given if nobody answers. */
  readonly consent: AskConsent = async (wish, signal) => {
    const answer = await this.ask({ kind: 'consent', ...wish }, signal);
    return answer?.kind === 'consent' ? answer : { isGiven: false };
  };

  /** Not awaited: the question is already on the screen. */
  #notify(message: string, kind: string, signal: AbortSignal): void {
    const fields = { message, notification_type: kind };
    const hooks = this.#hooks();
    if (hooks === undefined) return;
    const running = hooks
      .run('Notification', kind, fields, signal)
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#notifying.delete(running));
    this.#notifying.add(running);
  }

  /** Resolves when the notification hooks have ended. */
  async settle(): Promise<void> {
    await Promise.all(this.#notifying);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

export class ModeSwitch {
  readonly #emit: EmitEvent;
  #mode: PermissionMode;
  #beforePlan: PermissionMode;

  constructor(mode: PermissionMode, emit: EmitEvent) {
    this.#mode = mode;
    this.#beforePlan = mode === 'plan' ? 'default' : mode;
    this.#emit = emit;
  }

  get mode(): PermissionMode {
    return this.#mode;
  }

  async set(mode: PermissionMode): Promise<void> {
    if (mode === 'plan' && this.#mode !== 'plan') this.#beforePlan = this.#mode;
    this.#mode = mode;
    await this.#emit({ type: 'mode', mode });
  }

  /** A rejected plan keeps plan mode. */
  async hear(answer: UserAnswer | undefined): Promise<void> {
    if (answer?.kind !== 'plan' || !answer.isApproved || this.#mode !== 'plan') return;
    await this.set(answer.mode === undefined || answer.mode === 'plan' ? this.#beforePlan : answer.mode);
  }
}
