// The sessions that are selected in the library, and the one that a range starts from.
export class Selection<T extends { readonly key: string }> {
  readonly #selected = new Map<string, T>();
  readonly #listeners = new Set<() => void>();
  #anchor: string | undefined;
  #all: readonly T[] = [];

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Another array after every change. */
  readonly all = (): readonly T[] => this.#all;

  /** Where a range starts: the session that was selected or removed last. */
  get anchor(): string | undefined {
    return this.#anchor;
  }

  has(key: string): boolean {
    return this.#selected.has(key);
  }

  toggle(subject: T): void {
    if (!this.#selected.delete(subject.key)) this.#selected.set(subject.key, subject);
    this.#anchor = subject.key;
    this.#changed();
  }

  /** Also the end of the next range. */
  add(subjects: readonly T[], anchor?: string): void {
    for (const subject of subjects) this.#selected.set(subject.key, subject);
    this.#anchor = anchor ?? this.#anchor;
    this.#changed();
  }

  remove(keys: readonly string[]): void {
    if (keys.filter((key) => this.#selected.delete(key)).length > 0) this.#changed();
  }

  clear(): void {
    this.#selected.clear();
    this.#anchor = undefined;
    this.#changed();
  }

  #changed(): void {
    this.#all = [...this.#selected.values()];
    for (const listener of this.#listeners) listener();
  }
}

/** The rows from one key to the other, both included, in either order; only the end if the other is not in the list. */
export function rangeOf<T extends { readonly key: string }>(
  rows: readonly T[],
  from: string,
  to: string,
): readonly T[] {
  const [a, b] = [rows.findIndex(({ key }) => key === from), rows.findIndex(({ key }) => key === to)];
  if (b < 0) return [];
  return a < 0 ? rows.slice(b, b + 1) : rows.slice(Math.min(a, b), Math.max(a, b) + 1);
}
