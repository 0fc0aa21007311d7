// A query → the prompts of deleted sessions that match it, with the stretch of text that matches. The histories are read
// as they are, without an index: 7,000 prompts are about 2 MB.
import { queryParts, type Term, termOf, tokensOf } from '../../base/text/index.ts';
import { planScan, type SearchQuery } from '../search/index.ts';
import { makeSnippet, markPattern, markTerms, parseWords, type SnippetPiece } from '../text/index.ts';
import { type DeletedOptions, type DeletedSession, type FoundDeleted, findDeleted } from './deleted.ts';
import { allPrompts, type DeletedPrompt } from './prompts.ts';

/** What a search of deleted sessions looks for: only what can be true of a prompt. */
export type DeletedQuery = Pick<
  SearchQuery,
  'text' | 'mode' | 'ignoreCase' | 'isOfProject' | 'since' | 'until' | 'role' | 'tool' | 'file'
> & {
  /** The `id` of the only session to search. */
  readonly id?: string | undefined;
};

/** A prompt that matches. */
export interface DeletedHit extends DeletedPrompt {
  readonly snippet: readonly SnippetPiece[];
}

/** The hits of one deleted session. */
export interface DeletedHits {
  readonly session: DeletedSession;
  /** The newest first. */
  readonly hits: readonly DeletedHit[];
}

export interface DeletedResult {
  readonly total: number;
  /** In the order of their newest hit. */
  readonly sessions: readonly DeletedHits[];
}

/** Hits that are kept in memory; more than anyone reads. */
const mostHits = 10_000;

export function searchDeleted(options: DeletedOptions, query: DeletedQuery): DeletedResult {
  // Of a deleted session only prompts are left: nothing that a tool or the model said.
  if (query.role === 'assistant' || query.tool !== undefined || query.file !== undefined)
    return { total: 0, sessions: [] };
  const { match, accepts } = matcherOf(query);
  // Whose prompts they are is only asked if something matches: most searches find nothing here.
  let found: FoundDeleted | undefined;
  let byId: ReadonlyMap<string, DeletedSession> = new Map();
  const hits: DeletedHit[] = [];
  let total = 0;
  for (const { prompt, folder, entry } of allPrompts(options, accepts)) {
    const snippet = match(prompt.text);
    if (snippet === undefined) continue;
    if (found === undefined) {
      found = findDeleted({ ...options, onlyPrompts: true });
      byId = new Map(found.sessions.map((session) => [session.id, session]));
    }
    const id = found.ownerOf(folder, entry);
    const session = id === undefined ? undefined : byId.get(id);
    if (id === undefined || session === undefined || !isInScope(prompt, session, query)) continue;
    total++;
    if (hits.length < mostHits) hits.push({ ...prompt, id, snippet });
  }
  hits.sort((a, b) => (b.time || 0) - (a.time || 0) || b.line - a.line);
  const grouped = new Map<DeletedSession, DeletedHit[]>();
  for (const hit of hits) {
    const session = byId.get(hit.id);
    if (session !== undefined) grouped.set(session, [...(grouped.get(session) ?? []), hit]);
  }
  return { total, sessions: [...grouped].map(([session, own]) => ({ session, hits: own })) };
}

function isInScope({ time }: Pick<DeletedPrompt, 'time'>, session: DeletedSession, query: DeletedQuery): boolean {
  const { id, isOfProject, since, until } = query;
  if (id !== undefined && session.id !== id) return false;
  if (isOfProject?.(session) === false) return false;
  return (since === undefined || time >= since) && (until === undefined || time < until);
}

interface Matcher {
  /** Returns the snippet of a text that matches. */
  match(text: string): readonly SnippetPiece[] | undefined;
  /** Whether a line of a history, as it is on disk, can have a text that matches. */
  accepts(line: string): boolean;
}

function matcherOf({ text, mode, ignoreCase = false }: DeletedQuery): Matcher {
  if (mode !== 'words') {
    const { pattern } = planScan({ text, mode, ignoreCase });
    const match = (found: string): readonly SnippetPiece[] | undefined => {
      const marks = markPattern(found, pattern);
      return marks.length === 0 ? undefined : makeSnippet(found, marks);
    };
    return { match, accepts: () => true };
  }
  const { terms } = parseWords(text);
  const excluded = queryParts(text)
    .filter(({ isExcluded }) => isExcluded)
    .map(termOf);
  const needed = terms.flatMap(({ words }) => words);
  const match = (found: string): readonly SnippetPiece[] | undefined => {
    const words = Array.from(tokensOf(found), ({ word }) => word);
    const has = (term: Term): boolean => words.some((_, at) => startsAt(words, at, term));
    if (!terms.every(has) || excluded.some(has)) return undefined;
    return makeSnippet(found, markTerms(found, terms));
  };
  const accepts = (line: string): boolean => {
    // Other letters may be folded to those of a word, escapes may spell them, and a long paste is in a file of its own.
    if (!isAscii.test(line) || line.includes('\\u') || line.includes('contentHash')) return true;
    const lower = line.toLowerCase();
    return needed.every((word) => lower.includes(word));
  };
  return { match, accepts };
}

const isAscii = /^[\0-\x7f]*$/;

function startsAt(words: readonly string[], at: number, { words: wanted, isPrefix }: Term): boolean {
  return wanted.every((word, i) => {
    const found = words[at + i];
    return isPrefix && i === wanted.length - 1 ? found?.startsWith(word) === true : found === word;
  });
}
