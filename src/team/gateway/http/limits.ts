// What one instance takes on at once, and from each person. In memory: several instances allow as many times
// as much.
import { Refusal } from './refusal.ts';

/** For each person: so many requests per second, and a number at once. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #people = new Map<number, { tokens: number; atMs: number }>();

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
  }

  take(person: number, nowMs: number): void {
    const known = this.#people.get(person) ?? { tokens: this.#burst, atMs: nowMs };
    const tokens = Math.min(this.#burst, known.tokens + ((nowMs - known.atMs) / 1000) * this.#perSecond);
    this.#people.set(person, { tokens: Math.max(0, tokens - 1), atMs: nowMs });
    if (tokens >= 1) return;
    const retryAfter = Math.max(1, Math.ceil((1 - tokens) / this.#perSecond));
    throw new Refusal(429, 'too many requests of this person', { code: '53400', retryAfter });
  }
}

/** Bytes of bodies that are in memory. */
export class ByteBudget {
  readonly #most: number;
  #used = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async with<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (this.#used + bytes > this.#most)
      throw new Refusal(503, 'this instance is busy', { code: '53000', retryAfter: 1 });
    this.#used += bytes;
    try {
      return await work();
    } finally {
      this.#used -= bytes;
    }
  }
}

export interface SlotOptions {
  readonly slots: number;
  readonly slotsOfPerson: number;
  /** How long a request waits before it is refused. */
  readonly waitMs: number;
}

/** Requests that are worked on; the others wait in their order, unread. */
export class Slots {
  readonly #options: SlotOptions;
  readonly #active = new Map<number, number>();
  #free: number;
  readonly #waiting: { readonly person: number; readonly start: () => void }[] = [];

  constructor(options: SlotOptions) {
    this.#options = options;
    this.#free = options.slots;
  }

  async with<T>(person: number, work: () => Promise<T>): Promise<T> {
    if (this.#isFree(person)) this.#occupy(person, 1);
    else await this.#wait(person);
    try {
      return await work();
    } finally {
      this.#occupy(person, -1);
      this.#startNext();
    }
  }

  #isFree(person: number): boolean {
    return this.#free > 0 && (this.#active.get(person) ?? 0) < this.#options.slotsOfPerson;
  }

  #occupy(person: number, change: 1 | -1): void {
    this.#free -= change;
    const active = (this.#active.get(person) ?? 0) + change;
    if (active === 0) this.#active.delete(person);
    else this.#active.set(person, active);
  }

  #wait(person: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        this.#occupy(person, 1);
        resolve();
      };
      const entry = { person, start };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        reject(new Refusal(503, 'this instance is busy', { code: '53000', retryAfter: 5 }));
      }, this.#options.waitMs);
      this.#waiting.push(entry);
    });
  }

  #startNext(): void {
    const at = this.#waiting.findIndex(({ person }) => this.#isFree(person));
    if (at >= 0) this.#waiting.splice(at, 1)[0]?.start();
  }
}
