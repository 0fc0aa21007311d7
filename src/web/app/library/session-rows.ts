// The rows of the list, loaded a page at a time as they come into view and patched by events, so that the cost does not
// depend on the size of the library.

import { useEffect, useState, useSyncExternalStore } from 'react';
import { type Client, readJson } from '../../client/index.ts';
import type { DateGroup, Events, SessionRow, SessionsQuery } from '../../wire/index.ts';
import { type Problem, problemOf, useServices } from '../page/index.ts';
import { ListLayout } from './list-layout.ts';

const pageRows = 100;
const refreshMs = 700;

export class SessionRows {
  readonly #client: Client;
  #query: SessionsQuery;
  readonly #pages = new Map<number, readonly SessionRow[]>();
  readonly #asked = new Set<number>();
  readonly #request = new AbortController();
  readonly #listeners = new Set<() => void>();
  #needed: readonly [number, number] = [0, 0];
  #total: number | null = null;
  #sessions = 0;
  #layout = new ListLayout(0, []);
  #groups: readonly DateGroup[] = [];
  #problem: Problem | null = null;
  /** The next answer replaces all pages: it has other rows. */
  #isOutdated = false;
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

  /** All sessions that pass the filter, with forks that are not listed. */
  get sessions(): number {
    return this.#sessions;
  }

  /** Changes only with an answer. */
  get layout(): ListLayout {
    return this.#layout;
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

  /** The row of a session, if it is loaded. */
  readonly find = (key: string): SessionRow | undefined => {
    for (const rows of this.#pages.values()) {
      const row = rows.find((each) => each.key === key);
      if (row !== undefined) return row;
    }
    return undefined;
  };

  /** The visible rows, both ends included. */
  need(from: number, to: number): void {
    this.#needed = [Math.floor(from / pageRows), Math.floor(to / pageRows)];
    for (let page = this.#needed[0]; page <= this.#needed[1]; page++) {
      if (!this.#pages.has(page) && !this.#asked.has(page)) void this.#ask(page);
    }
  }

  /** Lists the forks of other sessions; the rows stay until the answer is here. */
  setOpen(open: string): void {
    if ((this.#query.open ?? '') === open) return;
    const { open: _, ...query } = this.#query;
    this.#query = open === '' ? query : { ...query, open };
    this.#isOutdated = true;
    for (let page = this.#needed[0]; page <= this.#needed[1]; page++) void this.#ask(page);
  }

  take({ changed, gone, isMany }: Events['sessions']): void {
    const byKey = new Map(changed.map((row) => [row.key, row]));
    for (const [page, rows] of this.#pages) {
      if (rows.some(({ key }) => byKey.has(key))) {
        this.#pages.set(
          page,
          rows.map((row) => updated(row, byKey.get(row.key))),
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
    const asked = this.#query;
    try {
      const query = { ...asked, offset: page * pageRows, limit: pageRows };
      const init = { signal: this.#request.signal };
      const { rows, total, sessions, groups } = await readJson(this.#client.sessions.$get({ query }, { init }));
      if (asked !== this.#query) return;
      if (this.#isOutdated) this.#pages.clear();
      this.#isOutdated = false;
      this.#pages.set(page, rows);
      if (total !== this.#total || !isSame(groups, this.#groups)) this.#layout = new ListLayout(total, groups);
      this.#groups = groups;
      this.#total = total;
      this.#sessions = sessions;
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

/** Which forks are listed below a row is known only from the list. */
function updated(row: SessionRow, changed: SessionRow | undefined): SessionRow {
  if (changed === undefined) return row;
  const { forks, forksUsedAt, isBelow } = row;
  return { ...changed, forks, forksUsedAt, isBelow };
}

function isSame(groups: readonly DateGroup[], others: readonly DateGroup[]): boolean {
  return (
    groups.length === others.length && groups.every((group, i) => JSON.stringify(group) === JSON.stringify(others[i]))
  );
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
