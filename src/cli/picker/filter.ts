// What the user has typed so far → the sessions that fit it. Every word must occur somewhere in title, folder, id or
// first prompt. A longer query can only fit fewer sessions, so each letter looks through what the last one left.
import type { ListedSession } from '../../library/session-list.ts';

export interface PickerEntry {
  readonly session: ListedSession;
  /** Everything that is searched, in lower case. */
  readonly haystack: string;
}

export function makeEntry(session: ListedSession): PickerEntry {
  const { title = '', cwd = session.project, sessionId, firstPrompt = '' } = session;
  return { session, haystack: [title, cwd, sessionId, firstPrompt].join('\n').toLowerCase() };
}

export class SessionFilter {
  /** The queries on the way to the current one, shortest first, each with what fits it. */
  readonly #steps: { readonly query: string; readonly matches: readonly PickerEntry[] }[];
  /** Entries looked at so far, for tests: the measure of the work. */
  examined = 0;

  constructor(entries: readonly PickerEntry[]) {
    this.#steps = [{ query: '', matches: entries }];
  }

  matches(query: string): readonly PickerEntry[] {
    const wanted = query.toLowerCase();
    while (!wanted.startsWith(this.#last.query)) this.#steps.pop();
    const { query: known, matches } = this.#last;
    if (wanted === known) return matches;
    const words = wanted.split(/\s+/).filter((word) => word !== '');
    this.examined += matches.length;
    const left = matches.filter(({ haystack }) => words.every((word) => haystack.includes(word)));
    this.#steps.push({ query: wanted, matches: left });
    return left;
  }

  /** The first step's query is empty and begins every query, so there always is one. */
  get #last(): { readonly query: string; readonly matches: readonly PickerEntry[] } {
    return this.#steps[this.#steps.length - 1] ?? { query: '', matches: [] };
  }
}
