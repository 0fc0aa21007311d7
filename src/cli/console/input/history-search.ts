// The search in the history (Ctrl-R) as a value: a state and a key give the next state, the chosen prompt, or the end.
// Prompts of the project come first, newest first; the same prompt is listed once.
import type { Key } from '../../terminal/index.ts';
import type { HistoryEntry } from './history.ts';
import { expandPastes } from './pastes.ts';
import { editBuffer, emptyBuffer, insertText, type TextBuffer } from './text-buffer.ts';

export interface HistorySearch {
  readonly query: TextBuffer;
  /** In the order of the list. */
  readonly entries: readonly HistoryEntry[];
  readonly matches: readonly HistoryEntry[];
  readonly selected: number;
}

export type Searched =
  | { readonly kind: 'search'; readonly search: HistorySearch }
  | { readonly kind: 'taken'; readonly entry: HistoryEntry }
  | { readonly kind: 'left' };

export function openSearch(history: readonly HistoryEntry[], cwd: string): HistorySearch {
  const seen = new Set<string>();
  const newest = [...history].reverse().filter(({ text }) => !seen.has(text) && seen.add(text));
  const entries = [...newest.filter((entry) => entry.cwd === cwd), ...newest.filter((entry) => entry.cwd !== cwd)];
  return withQuery(entries, emptyBuffer);
}

/** Keys that the search does not know do nothing. */
export function pressInSearch(search: HistorySearch, key: Key): Searched {
  const { matches, selected, query, entries } = search;
  switch (key.name) {
    case 'escape':
    case 'ctrl-c':
    case 'ctrl-g':
      return { kind: 'left' };
    case 'enter':
    case 'tab': {
      const entry = matches[selected];
      return entry === undefined ? { kind: 'search', search } : { kind: 'taken', entry };
    }
    case 'ctrl-r':
    case 'up':
    case 'ctrl-p':
      return {
        kind: 'search',
        search: { ...search, selected: Math.max(0, Math.min(matches.length - 1, selected + 1)) },
      };
    case 'ctrl-s':
    case 'down':
    case 'ctrl-n':
      return { kind: 'search', search: { ...search, selected: Math.max(0, selected - 1) } };
    default: {
      const typed = editQuery(query, key);
      if (typed.text === query.text) return { kind: 'search', search: { ...search, query: typed } };
      return { kind: 'search', search: withQuery(entries, typed) };
    }
  }
}

/** The query is one line. */
function editQuery(query: TextBuffer, key: Key): TextBuffer {
  if (key.name === 'newline') return query;
  if (key.name === 'paste') return insertText(query, key.text.replace(/\s+/g, ' '));
  return editBuffer(query, key) ?? query;
}

function withQuery(entries: readonly HistoryEntry[], query: TextBuffer): HistorySearch {
  const wanted = query.text.toLowerCase();
  const isMatch = ({ text, pastes }: HistoryEntry): boolean =>
    text.toLowerCase().includes(wanted) ||
    (pastes.size > 0 && expandPastes(text, pastes).toLowerCase().includes(wanted));
  return { query, entries, matches: wanted === '' ? entries : entries.filter(isMatch), selected: 0 };
}
