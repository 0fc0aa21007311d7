// Work on one conversation, one piece after the other: prompts wait for the turn before them, and so do a compaction,
// a rewind, a change of session. A prompt that still waits can be taken back.
import type { JsonObject } from '../base/json.ts';
import { blocksOf, textOf } from '../format/block.ts';

interface Waiting {
  readonly text: string;
  /** Ends its promise without a turn. */
  readonly takeBack: () => void;
}

export class TurnQueue {
  readonly #waiting: Waiting[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;

  get isBusy(): boolean {
    return this.#running > 0;
  }

  /** The texts of prompts that wait, the oldest first. */
  get texts(): readonly string[] {
    return this.#waiting.map(({ text }) => text);
  }

  /** After all that was asked for before. */
  run<T>(work: () => Promise<T>): Promise<T> {
    this.#running++;
    const done = this.#last.then(work).finally(() => {
      this.#running--;
    });
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** The same for a prompt; `instead` is what its promise gives where it is taken back. */
  runPrompt<T>(content: string | readonly JsonObject[], work: () => Promise<T>, instead: () => T): Promise<T> {
    let isTaken = false;
    const waiting: Waiting = {
      text: promptText(content),
      takeBack: () => {
        isTaken = true;
      },
    };
    this.#waiting.push(waiting);
    return this.run(async () => {
      if (isTaken) return instead();
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      return work();
    });
  }

  /** The newest prompt that waits, which then never runs. */
  takeBack(): string | undefined {
    const last = this.#waiting.pop();
    last?.takeBack();
    return last?.text;
  }

  async settle(): Promise<void> {
    await this.#last;
  }
}

export function promptText(content: string | readonly JsonObject[]): string {
  return typeof content === 'string' ? content : textOf(blocksOf(content));
}
