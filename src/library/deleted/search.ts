// A query → the prompts of deleted sessions that match it, with the stretch of text that matches. The histories are read
// as they are, without an index: 7,000 prompts are about 2 MB.
import { queryParts, type Term, termOf, tokensOf } from '../../base/text/index.ts';
import { planScan, type SearchQuery } from '../search/index.ts';
import { makeSnippet, markPattern, markTerms, parseWords, type SnippetPiece } from '../text/index.ts';
import type { DeletedOptions, DeletedSession } from './deleted.ts';
import { type DeletedPrompt, deletedPrompts } from './prompts.ts';

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
  const match = matcherOf(query);
  const { sessions, prompts } = deletedPrompts(options);
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const hits: DeletedHit[] = [];
  let total = 0;
  for (const prompt of prompts) {
    const session = byId.get(prompt.id);
    if (session === undefined || !isInScope(prompt, session, query)) continue;
    const snippet = match(prompt.text);
    if (snippet === undefined) continue;
    total++;
    if (hits.length < mostHits) hits.push({ ...prompt, snippet });
  }
  hits.sort((a, b) => (b.time || 0) - (a.time || 0) || b.line - a.line);
  const grouped = new Map<DeletedSession, DeletedHit[]>();
  for (const hit of hits) {
    const session = byId.get(hit.id);
    if (session !== undefined) grouped.set(session, [...(grouped.get(session) ?? []), hit]);
  }
  return { total, sessions: [...grouped].map(([session, own]) => ({ session, hits: own })) };
}

function isInScope({ time }: DeletedPrompt, session: DeletedSession, query: DeletedQuery): boolean {
  const { id, isOfProject, since, until } = query;
  if (id !== undefined && session.id !== id) return false;
  if (isOfProject?.(session) === false) return false;
  return (since === undefined || time >= since) && (until === undefined || time < until);
}

/** Returns the snippet of a text that matches. */
function matcherOf({
  text,
  mode,
  ignoreCase = false,
}: DeletedQuery): (text: string) => readonly SnippetPiece[] | undefined {
  if (mode !== 'words') {
    const { pattern } = planScan({ text, mode, ignoreCase });
    return (found) => {
      const marks = markPattern(found, pattern);
      return marks.length === 0 ? undefined : makeSnippet(found, marks);
    };
  }
  const { terms } = parseWords(text);
  const excluded = queryParts(text)
    .filter(({ isExcluded }) => isExcluded)
    .map(termOf);
  return (found) => {
    const words = Array.from(tokensOf(found), ({ word }) => word);
    const has = (term: Term): boolean => words.some((_, at) => startsAt(words, at, term));
    if (!terms.every(has) || excluded.some(has)) return undefined;
    return makeSnippet(found, markTerms(found, terms));
  };
}

function startsAt(words: readonly string[], at: number, { words: wanted, isPrefix }: Term): boolean {
  return wanted.every((word, i) => {
    const found = words[at + i];
    return isPrefix && i === wanted.length - 1 ? found?.startsWith(word) === true : found === word;
  });
}
