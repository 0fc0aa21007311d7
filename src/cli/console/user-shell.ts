// `!command`: runs it as the user, one at a time, with its output on the screen while it runs. One that is typed during a
// turn waits for its end, because its lines may not come between the lines of the turn.
import type { Agent } from '../../agent/contract/index.ts';
import type { ConsoleStore } from './screen/index.ts';

export interface UserShellParts {
  readonly store: ConsoleStore;
  onError(error: unknown): void;
}

export class UserShell {
  readonly #store: ConsoleStore;
  readonly #onError: (error: unknown) => void;
  #running: AbortController | undefined;

  constructor({ store, onError }: UserShellParts) {
    this.#store = store;
    this.#onError = onError;
  }

  /** `text` begins with `!`. */
  submit(text: string, agent: Agent): void {
    this.#store.update({ waitingShell: [...this.#store.get().waitingShell, text] });
    this.startNext(agent);
  }

  /** Called whenever the agent may have become free. */
  startNext(agent: Agent): void {
    const [text, ...waitingShell] = this.#store.get().waitingShell;
    if (text === undefined || agent.state.isBusy || this.#running !== undefined) return;
    this.#store.update({ waitingShell });
    const command = text.replace(/^\s*!/, '').trim();
    if (command !== '') void this.#run(command, agent);
  }

  /** Returns whether a command was running. */
  stop(): boolean {
    this.#running?.abort();
    return this.#running !== undefined;
  }

  takeBack(): string | undefined {
    const { waitingShell } = this.#store.get();
    const last = waitingShell.at(-1);
    if (last !== undefined) this.#store.update({ waitingShell: waitingShell.slice(0, -1) });
    return last;
  }

  async #run(command: string, agent: Agent): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    const startedMs = Date.now();
    this.#store.update({ shell: { command, startedMs, progress: undefined } });
    try {
      await agent.runShell(command, {
        signal: running.signal,
        onProgress: (progress) => this.#store.update({ shell: { command, startedMs, progress } }),
      });
    } catch (error) {
      this.#onError(error);
    }
    this.#running = undefined;
    this.#store.update({ shell: undefined, agent: agent.state });
    this.startNext(agent);
  }
}
