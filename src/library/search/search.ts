// A query → the documents that answer it, the best first, by session, each with the stretch of text that matches.
// Texts with all words next to each other come first; both groups are in the order of the exchanges that they are in. If no
// text has all words, the exchanges that have most of them are returned. Exact texts and expressions have no measure of relevance and come newest first.
import type { Database } from '../index/index.ts';
import {
  type Asking,
  answerNow,
  ask,
  bestMark,
  comparePaths,
  type DocumentRow,
  type HitSession,
  type Mark,
  makeSnippet,
  markPattern,
  markTerms,
  parseWords,
  type SearchFilter,
  type SnippetPiece,
  type TextKind,
  type WordQuery,
} from '../text/index.ts';
import { ExchangeOrder } from './exchange-order.ts';
import { LocalSearch } from './local-search.ts';
import { planScan } from './scan.ts';
import type { ReadText, ScoredDocument, SearchSource } from './source.ts';

/** What a search looks for. */
export interface SearchQuery extends SearchFilter {
  readonly text: string;
  readonly mode: 'words' | 'exact' | 'regex';
  /** For exact texts and expressions; words always ignore case. */
  readonly ignoreCase?: boolean;
  /** How many hits to return. */
  readonly limit: number;
  /** How many hits of one session; all by default. */
  readonly perSession?: number;
  /** How many sessions to leave out and how many to return, of those that `limit` hits are in. */
  readonly page?: { readonly offset: number; readonly count: number };
  readonly nowMs?: number;
}

/** The result of a search. */
export interface SearchResult {
  /** Documents that match, including those that are not returned. */
  readonly total: number;
  /** Sessions with a hit, as far as `limit` reaches. */
  readonly sessionCount: number;
  readonly sessions: readonly SessionHits[];
  /** The tools of the best hits, most frequent first. */
  readonly tools: readonly string[];
}

/** The hits of one session. */
export interface SessionHits {
  readonly session: HitSession;
  readonly hits: readonly Hit[];
  /** There are more in this session. */
  readonly hasMore: boolean;
}

/** A text that matches a search. */
export interface Hit {
  /** The transcript: the session's main one, or a sub-agent's. */
  readonly path: string;
  readonly line: number;
  readonly uuid: string | undefined;
  readonly kind: TextKind;
  readonly tool: string | undefined;
  readonly time: number;
  /** Which text of its kind in the line, from 0, and the offset in it of the match that the snippet shows. */
  readonly nth: number;
  readonly offset: number;
  readonly snippet: readonly SnippetPiece[];
  /** No text has all words of the query: how many its exchange has. */
  readonly words?: MatchedWords;
}

/** How many words of a query were found. */
export interface MatchedWords {
  readonly matched: number;
  readonly of: number;
}

/** Searches the local index. */
export function search(database: Database, query: SearchQuery): SearchResult {
  return answerNow(searchIn(new LocalSearch(database, query), query));
}

/** Searches any source, which knows the filters of the query. */
export function* searchIn(source: SearchSource, query: SearchQuery): Asking<SearchResult> {
  if (query.mode === 'words') return yield* searchWords(source, query);
  const { text, mode, ignoreCase = false } = query;
  const scan = planScan({ text, mode, ignoreCase });
  const rows = [...(yield* ask(source.scan(scan)))].sort((a, b) => (b.time || 0) - (a.time || 0) || compareLater(a, b));
  const grouped = yield* group(source, rows, query, (found) => markPattern(found, scan.pattern));
  return { total: rows.length, ...grouped };
}

function* searchWords(source: SearchSource, query: SearchQuery): Asking<SearchResult> {
  const words = parseWords(query.text);
  const mark = (text: string): readonly Mark[] => markTerms(text, words.terms);
  const order = yield* ExchangeOrder.of(source, query.text, query.nowMs ?? Date.now());
  const { total, rows } = yield* rankedDocuments(source, words, order, query);
  if (total > 0 || words.terms.length === 1) return { total, ...(yield* group(source, rows, query, mark)) };
  const hits = yield* order.partialHits(words.any, query.limit);
  const matched = new Map(hits.map((hit) => [hit.row.id, { matched: hit.matched, of: order.words }]));
  const found = hits.map(({ row }) => row);
  return { total: hits.length, ...(yield* group(source, found, query, mark, matched)) };
}

/** Of equal documents those of one transcript stay together, the last line first. */
function compareLater(a: DocumentRow, b: DocumentRow): number {
  return comparePaths(a.path, b.path) || b.line - a.line || comparePaths(b.kind, a.kind) || b.part - a.part;
}

/** Text of the user counts most; tool output is long and mostly irrelevant. */
const weights: Readonly<Record<TextKind, number>> = {
  title: 1.5,
  prompt: 1.4,
  answer: 1.2,
  thinking: 1,
  'tool-input': 0.9,
  'tool-output': 0.7,
  note: 0.6,
  attachment: 0.5,
};
/** A new document counts a quarter more than a very old one; half of that is gone after a month. */
const freshBonus = 0.25;
const freshHalfLifeMs = 30 * 24 * 3600 * 1000;
/** How many of the best by bm25 are weighted. */
const candidates = 200;

function* rankedDocuments(
  source: SearchSource,
  { match, adjacent }: WordQuery,
  order: ExchangeOrder,
  { limit, nowMs = Date.now() }: SearchQuery,
): Asking<{ total: number; rows: readonly DocumentRow[] }> {
  const most = Math.max(candidates, limit);
  const rows = yield* ask(source.bestDocuments(match, most));
  const literal = adjacent === undefined ? [] : yield* ask(source.bestPhrases(adjacent, match, most));
  const seen = new Set(literal.map(({ document }) => document.id));
  const scattered = rows.filter(({ document }) => !seen.has(document.id));
  return {
    total: rows.length < most ? rows.length : yield* ask(source.countDocuments(match)),
    rows: [...(yield* order.sort(weigh(literal, nowMs))), ...(yield* order.sort(weigh(scattered, nowMs)))],
  };
}

/** The best first. */
function weigh(rows: readonly ScoredDocument[], nowMs: number): readonly DocumentRow[] {
  // bm25 of FTS5 is negative, the better the lower.
  const weighed = rows.map(({ document, score }) => ({
    document,
    score: -score * weights[document.kind] * freshness(document.time, nowMs),
  }));
  weighed.sort(
    (a, b) =>
      b.score - a.score || (b.document.time || 0) - (a.document.time || 0) || compareDocuments(a.document, b.document),
  );
  return weighed.map(({ document }) => document);
}

function compareDocuments(a: DocumentRow, b: DocumentRow): number {
  return comparePaths(a.path, b.path) || a.line - b.line || comparePaths(a.kind, b.kind) || a.part - b.part;
}

function freshness(time: number, nowMs: number): number {
  const age = Number.isNaN(time) ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - time);
  return 1 + freshBonus * 2 ** (-age / freshHalfLifeMs);
}

/** Sessions in the order of their best hit, until there are enough hits. */
function* group(
  source: SearchSource,
  rows: readonly DocumentRow[],
  { limit, perSession = Number.POSITIVE_INFINITY, page }: SearchQuery,
  mark: (text: string) => readonly Mark[],
  matched?: ReadonlyMap<number, MatchedWords>,
): Asking<Omit<SearchResult, 'total'>> {
  const chosen = new Map<number, DocumentRow[]>();
  const cut = new Set<number>();
  let count = 0;
  for (const row of rows) {
    const own = chosen.get(row.session) ?? [];
    // The same title is written again and again.
    if (row.kind === 'title' && own.some((other) => other.kind === 'title')) continue;
    if (own.length >= perSession || count >= limit) {
      cut.add(row.session);
      continue;
    }
    own.push(row);
    chosen.set(row.session, own);
    count++;
  }
  const wanted = page === undefined ? [...chosen] : [...chosen].slice(page.offset, page.offset + page.count);
  const found = yield* ask(source.sessions(wanted.map(([id]) => id)));
  const rowsOfHits = wanted.flatMap(([, own], i) => (found[i] === undefined ? [] : own));
  const hits = yield* makeHits(source, rowsOfHits, mark, matched);
  const sessions = wanted.flatMap(([id, own], i) => {
    const session = found[i];
    if (session === undefined) return [];
    return [{ session, hits: hits.splice(0, own.length), hasMore: cut.has(id) }];
  });
  return { sessionCount: chosen.size, sessions, tools: toolsOf(rows) };
}

/** Not all texts at once: a limit may ask for every one of a large library. */
const textsAtOnce = 50;

function* makeHits(
  source: SearchSource,
  rows: readonly DocumentRow[],
  mark: (text: string) => readonly Mark[],
  matched?: ReadonlyMap<number, MatchedWords>,
): Asking<Hit[]> {
  const hits: Hit[] = [];
  for (let at = 0; at < rows.length; at += textsAtOnce) {
    const some = rows.slice(at, at + textsAtOnce);
    const texts = yield* ask(source.texts(some));
    for (const [i, row] of some.entries()) hits.push(makeHit(row, texts[i], mark, matched));
  }
  return hits;
}

function toolsOf(rows: readonly DocumentRow[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { tool } of rows) if (tool !== undefined) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([tool]) => tool);
}

function makeHit(
  row: DocumentRow,
  read: ReadText | undefined,
  mark: (text: string) => readonly Mark[],
  matched?: ReadonlyMap<number, MatchedWords>,
): Hit {
  const { path, line, kind, tool, time, part } = row;
  const text = read?.text ?? '';
  const marks = mark(text);
  const [offset] = bestMark(text, marks);
  const words = matched?.get(row.id);
  const snippet = makeSnippet(text, marks);
  return { path, line, uuid: read?.uuid, kind, tool, time, nth: part, offset, snippet, ...(words && { words }) };
}
