// Runs prompts, compactions, rewinds and changes of session one after the other. A prompt that still waits can be taken
// back.
import type { JsonObject } from '../base/json/index.ts';
import { blocksOf, textOf } from '../format/entry/index.ts';

interface Waiting {
  readonly text: string;
  /** The prompt will not run. */
  readonly takeBack: () => void;
}

export class TurnQueue {
  readonly #waiting: Waiting[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;

  get isBusy(): boolean {
    return this.#running > 0;
  }

  /** The texts of waiting prompts, oldest first. */
  get texts(): readonly string[] {
    return this.#waiting.map(({ text }) => text);
  }

  /** Runs after all earlier work. */
  run<T>(work: () => Promise<T>): Promise<T> {
    this.#running++;
    const done = this.#last.then(work).finally(() => {
      this.#running--;
    });
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** The same for a prompt; resolves to `instead()` if the prompt is taken back. */
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

  /** Removes the newest waiting prompt and returns its text. */
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

export class BackgroundWork {
  readonly #tasks = new Set<Promise<unknown>>();
  readonly #onFailure: (text: string) => void;
  #news: string[] = [];

  constructor(onFailure: (text: string) => void) {
    this.#onFailure = onFailure;
  }

  addNews(text: string): void {
    this.#news.push(text);
  }

  takeNews(): readonly string[] {
    const news = this.#news;
    this.#news = [];
    return news;
  }

  add(task: Promise<unknown>): void {
    const kept = task
      .catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        this.#onFailure(`a sub-agent in the background failed: ${why}`);
      })
      .finally(() => this.#tasks.delete(kept));
    this.#tasks.add(kept);
  }

  async settle(): Promise<void> {
    await Promise.allSettled(this.#tasks);
  }
}
