// A queue of pushed values as an async iterable that waits until it is ended.

export class AsyncQueue<T> implements AsyncIterable<T> {
  readonly #values: T[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  push(value: T): void {
    if (this.#isEnded) return;
    this.#values.push(value);
    this.#wake?.();
  }

  /** Values pushed before are still delivered. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, undefined> {
    for (;;) {
      for (let next = this.#values.shift(); next !== undefined; next = this.#values.shift()) yield next;
      if (this.#isEnded) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
