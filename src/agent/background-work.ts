// Sub-agents that run in the background until the agent closes, and their reports for the model.
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
