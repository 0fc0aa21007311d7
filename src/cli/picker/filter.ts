// Filters sessions: every word must occur in the title, folder, id or first prompt. A longer query matches a subset, so
// each letter filters only the previous result.
import type { ListedSession } from '../../library/index/session-list.ts';

export interface PickerEntry {
  readonly session: ListedSession;
  /** The searched text, in lower case. */
  readonly haystack: string;
}

export function makeEntry(session: ListedSession): PickerEntry {
  const { title = '', cwd = session.project, sessionId, firstPrompt = '' } = session;
  return { session, haystack: [title, cwd, sessionId, firstPrompt].join('\n').toLowerCase() };
}

export class SessionFilter {
  /** The prefixes of the query, shortest first, each with its matches. */
  readonly #steps: { readonly query: string; readonly matches: readonly PickerEntry[] }[];
  /** The number of compared entries, for tests. */
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

  /** The empty query of the first step is a prefix of every query. */
  get #last(): { readonly query: string; readonly matches: readonly PickerEntry[] } {
    return this.#steps[this.#steps.length - 1] ?? { query: '', matches: [] };
  }
}
