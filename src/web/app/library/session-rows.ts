// The rows of the list, loaded a page at a time as they come into view and patched by events, so that the cost does not
// depend on the size of the library.

import { useEffect, useState, useSyncExternalStore } from 'react';
import { type Client, readJson } from '../../client/index.ts';
import type { Events, SessionRow, SessionsQuery } from '../../wire/index.ts';
import { type Problem, problemOf, useServices } from '../page/index.ts';

const pageRows = 100;
const refreshMs = 700;

export class SessionRows {
  readonly #client: Client;
  readonly #query: SessionsQuery;
  readonly #pages = new Map<number, readonly SessionRow[]>();
  readonly #asked = new Set<number>();
  readonly #request = new AbortController();
  readonly #listeners = new Set<() => void>();
  #needed: readonly [number, number] = [0, 0];
  #total: number | null = null;
  #problem: Problem | null = null;
  #refresh: ReturnType<typeof setTimeout> | undefined;
  #version = 0;

  constructor(client: Client, query: SessionsQuery) {
    this.#client = client;
    this.#query = query;
    this.need(0, pageRows - 1);
  }

  /** `null` until the first answer. */
  get total(): number | null {
    return this.#total;
  }

  get problem(): Problem | null {
    return this.#problem;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly version = (): number => this.#version;

  at(index: number): SessionRow | undefined {
    return this.#pages.get(Math.floor(index / pageRows))?.[index % pageRows];
  }

  /** The visible rows, both ends included. */
  need(from: number, to: number): void {
    this.#needed = [Math.floor(from / pageRows), Math.floor(to / pageRows)];
    for (let page = this.#needed[0]; page <= this.#needed[1]; page++) {
      if (!this.#pages.has(page) && !this.#asked.has(page)) void this.#ask(page);
    }
  }

  take({ changed, gone, isMany }: Events['sessions']): void {
    const byKey = new Map(changed.map((row) => [row.key, row]));
    for (const [page, rows] of this.#pages) {
      if (rows.some(({ key }) => byKey.has(key))) {
        this.#pages.set(
          page,
          rows.map((row) => byKey.get(row.key) ?? row),
        );
      }
    }
    this.#changed();
    // Only the server knows the order, and which rows pass the filter.
    if (isMany || changed.length + gone.length > 0) this.refresh();
  }

  /** Reloads the visible rows soon, once for many calls. */
  refresh(): void {
    this.#refresh ??= setTimeout(() => {
      this.#refresh = undefined;
      const [from, to] = this.#needed;
      for (const page of this.#pages.keys()) if (page < from || page > to) this.#pages.delete(page);
      for (let page = from; page <= to; page++) void this.#ask(page);
    }, refreshMs);
  }

  close(): void {
    clearTimeout(this.#refresh);
    this.#request.abort();
  }

  async #ask(page: number): Promise<void> {
    this.#asked.add(page);
    try {
      const query = { ...this.#query, offset: page * pageRows, limit: pageRows };
      const init = { signal: this.#request.signal };
      const { rows, total } = await readJson(this.#client.sessions.$get({ query }, { init }));
      this.#pages.set(page, rows);
      this.#total = total;
      this.#problem = null;
    } catch (error) {
      if (this.#request.signal.aborted) return;
      this.#problem = problemOf(error);
    } finally {
      this.#asked.delete(page);
    }
    this.#changed();
  }

  #changed(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}

export function useRows(make: () => SessionRows): SessionRows {
  const { events } = useServices();
  const [made, setMade] = useState(() => ({ make, rows: make() }));
  // Rows of the previous query must not be shown for the new one.
  const current = made.make === make ? made : { make, rows: make() };
  if (current !== made) setMade(current);
  const { rows } = current;
  useEffect(() => {
    const ends = [events.on('sessions', (event) => rows.take(event)), events.onMissed(() => rows.refresh())];
    return () => {
      for (const end of ends) end();
      rows.close();
    };
  }, [events, rows]);
  useSyncExternalStore(rows.subscribe, rows.version);
  return rows;
}
