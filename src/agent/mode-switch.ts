// The current permission mode. After an approved plan the mode before plan mode returns, or the one the user chose.
import type { EmitEvent } from './contract/event.ts';
import type { PermissionMode } from './contract/permission-mode.ts';
import type { UserAnswer } from './contract/tool.ts';

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
