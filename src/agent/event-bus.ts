// Happenings from anywhere in the agent → every listener, one event after the other in the order they were told. The
// recorder hears first, so that nothing is shown or done that is not written.
import type { Clock } from './clock.ts';
import type { AgentEvent, AgentHappening, AgentMark, EventSink } from './event.ts';

export class EventBus {
  readonly #clock: Clock;
  readonly #listeners: readonly EventSink[];
  #recorder: EventSink = () => undefined;
  #last: Promise<void> = Promise.resolve();
  /** What failed while nobody waited for it. */
  #untold: { readonly error: unknown } | undefined;
  #onFailure: (error: unknown) => void = () => undefined;

  constructor(clock: Clock, listeners: readonly EventSink[]) {
    this.#clock = clock;
    this.#listeners = listeners;
  }

  /** What is told from now on belongs to another session. */
  setRecorder(recorder: EventSink): void {
    this.#recorder = recorder;
  }

  /** Whatever runs must end where its events are not heard. */
  setOnFailure(onFailure: (error: unknown) => void): void {
    this.#onFailure = onFailure;
  }

  /** Resolves when all have heard it; fails where it could not be written, or a listener fails. */
  emit(happening: AgentHappening, agent?: AgentMark): Promise<void> {
    const told = this.#tell(happening, agent);
    told.catch((error: unknown) => this.#onFailure(error));
    return told;
  }

  /** For what nobody waits for; a failure shows at the next event that somebody does. */
  tell(happening: AgentHappening, agent?: AgentMark): void {
    this.#tell(happening, agent).catch((error: unknown) => {
      this.#untold ??= { error };
    });
  }

  #tell(happening: AgentHappening, agent?: AgentMark): Promise<void> {
    const told = this.#last.then(async () => {
      const untold = this.#untold;
      this.#untold = undefined;
      if (untold !== undefined) throw untold.error;
      const event: AgentEvent = { at: this.#clock.now(), ...happening, ...(agent === undefined ? {} : { agent }) };
      await this.#recorder(event);
      for (const listen of this.#listeners) await listen(event);
    });
    this.#last = told.catch(() => undefined);
    return told;
  }
}
