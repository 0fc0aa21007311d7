// Sends every event of the agent to its listeners, one after the other. The recorder is first, so that nothing is shown
// or done before it is written.

import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentEvent, AgentHappening, AgentMark, EventSink } from '../contract/index.ts';

export class EventBus {
  readonly #clock: Clock;
  readonly #listeners: readonly EventSink[];
  #recorder: EventSink = () => undefined;
  #last: Promise<void> = Promise.resolve();
  /** A failure of an event that nobody awaited. */
  #failed: { readonly error: unknown } | undefined;
  #onFailure: (error: unknown) => void = () => undefined;

  constructor(clock: Clock, listeners: readonly EventSink[]) {
    this.#clock = clock;
    this.#listeners = listeners;
  }

  /** Later events belong to another session. */
  setRecorder(recorder: EventSink): void {
    this.#recorder = recorder;
  }

  /** Called when an event cannot be delivered: whatever runs must stop. */
  setOnFailure(onFailure: (error: unknown) => void): void {
    this.#onFailure = onFailure;
  }

  /** Resolves when every listener has received the event; rejects if writing or a listener fails. */
  emit(happening: AgentHappening, agent?: AgentMark): Promise<void> {
    const delivered = this.#deliver(happening, agent);
    delivered.catch((error: unknown) => this.#onFailure(error));
    return delivered;
  }

  /** Does not wait. A failure rejects the next `emit`. */
  post(happening: AgentHappening, agent?: AgentMark): void {
    this.#deliver(happening, agent).catch((error: unknown) => {
      this.#failed ??= { error };
    });
  }

  #deliver(happening: AgentHappening, agent?: AgentMark): Promise<void> {
    const delivered = this.#last.then(async () => {
      const failed = this.#failed;
      this.#failed = undefined;
      if (failed !== undefined) throw failed.error;
      const event: AgentEvent = { at: this.#clock.now(), ...happening, ...(agent === undefined ? {} : { agent }) };
      await this.#recorder(event);
      for (const listen of this.#listeners) await listen(event);
    });
    this.#last = delivered.catch(() => undefined);
    return delivered;
  }
}

export interface Clock {
  now(): Date;
  /** Resolves early, without an error, when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, { signal }).catch(() => undefined); // an abort is the only reason
  },
  random: Math.random,
};
