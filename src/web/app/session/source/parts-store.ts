// Which parts of a session the page holds: those around the place on the screen, loaded in small runs, the farthest
// dropped first. A session of 200 MB is read with a few dozen of its parts in memory.
import type { TurnView } from '../../../../export/wire/index.ts';
import type { SessionSource } from './source.ts';

const runLength = 6;
const aheadParts = 4;
/** Of text, which a browser keeps at one or two bytes each. */
const maxChars = 12_000_000;
const maxRequests = 3;

interface Held {
  readonly view: TurnView;
  readonly chars: number;
  readonly isStale: boolean;
}

export class PartsStore {
  readonly #source: SessionSource;
  readonly #branch: number;
  readonly #held = new Map<number, Held>();
  readonly #loading = new Map<number, AbortController>();
  readonly #failed = new Map<number, string>();
  readonly #listeners = new Set<() => void>();
  #count: number;
  #parts: readonly number[] = [];
  #rows = { from: 0, to: 0 };
  #from = 0;
  #to = 0;
  #chars = 0;
  #version = 0;

  constructor(source: SessionSource, branch: number, count: number) {
    this.#source = source;
    this.#branch = branch;
    this.#count = count;
  }

  get version(): number {
    return this.#version;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get(part: number): TurnView | undefined {
    return this.#held.get(part)?.view;
  }

  failure(part: number): string | undefined {
    return this.#failed.get(runOf(part));
  }

  /** `from` to before `to`: those of `parts` that are on the screen. The parts around them are loaded too. */
  want(parts: readonly number[], from: number, to: number): void {
    this.#parts = parts;
    this.#rows = { from, to };
    this.#from = parts[from] ?? 0;
    this.#to = (parts[to - 1] ?? -1) + 1;
    for (const [run, request] of this.#loading) {
      if (run + runLength < this.#from - 20 || run > this.#to + 20) request.abort();
    }
    this.#loadMissing();
  }

  retry(part: number): void {
    this.#failed.delete(runOf(part));
    this.#loadMissing();
  }

  /** The transcript has grown: the parts from this one on are shown until the new ones arrive. */
  grow(count: number, fromPart: number): void {
    this.#count = count;
    for (const [part, held] of this.#held) if (part >= fromPart) this.#held.set(part, { ...held, isStale: true });
    for (const [run, request] of this.#loading) if (run + runLength > fromPart) request.abort();
    this.#failed.clear();
    this.#loadMissing();
  }

  close(): void {
    for (const request of this.#loading.values()) request.abort();
    this.#listeners.clear();
  }

  #loadMissing(): void {
    const { from, to } = this.#rows;
    // Visible parts come before parts that may become visible.
    const order = [
      ...this.#parts.slice(from, to),
      ...this.#parts.slice(to, to + aheadParts),
      ...this.#parts.slice(Math.max(0, from - aheadParts), from),
    ];
    for (const part of order) {
      if (part < 0 || part >= this.#count || !this.#isMissing(part)) continue;
      const run = runOf(part);
      if (this.#loading.has(run) || this.#failed.has(run)) continue;
      if (this.#loading.size >= maxRequests) return;
      void this.#load(run, part);
    }
  }

  #isMissing(part: number): boolean {
    const held = this.#held.get(part);
    return held === undefined || held.isStale;
  }

  async #load(run: number, from: number): Promise<void> {
    const request = new AbortController();
    this.#loading.set(run, request);
    try {
      const to = Math.min(this.#count, run + runLength);
      const views = await this.#source.parts(this.#branch, from, to, request.signal);
      if (request.signal.aborted) return;
      if (views.length === 0) this.#failed.set(run, 'the server sent nothing');
      for (const view of views) this.#hold(view);
    } catch (error) {
      if (!request.signal.aborted) this.#failed.set(run, error instanceof Error ? error.message : String(error));
    } finally {
      if (this.#loading.get(run) === request) this.#loading.delete(run);
      this.#drop();
      this.#notify();
      this.#loadMissing();
    }
  }

  #hold(view: TurnView): void {
    const chars = countChars(view);
    this.#chars += chars - (this.#held.get(view.part)?.chars ?? 0);
    this.#held.set(view.part, { view, chars, isStale: false });
  }

  #drop(): void {
    if (this.#chars <= maxChars) return;
    const middle = (this.#from + this.#to) / 2;
    const farthest = [...this.#held].sort(([a], [b]) => Math.abs(b - middle) - Math.abs(a - middle));
    for (const [part, { chars }] of farthest) {
      if (this.#chars <= maxChars || (part >= this.#from - 1 && part <= this.#to)) return;
      this.#held.delete(part);
      this.#chars -= chars;
    }
  }

  #notify(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}

function runOf(part: number): number {
  return part - (part % runLength);
}

function countChars(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let chars = 16;
  for (const inner of Object.values(value)) chars += countChars(inner);
  return chars;
}
