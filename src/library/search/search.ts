// A query → the documents that answer it, the best first, by session, each with the stretch of text that matches.
// Texts with all words next to each other come first; both groups are in the order of the exchanges that they are in. If no
// text has all words, the exchanges that have most of them are returned. Exact texts and expressions have no measure of relevance and come newest first.
import type { Database, Row } from '../index/index.ts';
import {
  bestMark,
  DocumentReader,
  type DocumentRow,
  documentColumns,
  documentRow,
  type HitSession,
  type Mark,
  makeSnippet,
  markPattern,
  markTerms,
  parseWords,
  type Scope,
  type SearchFilter,
  type SnippetPiece,
  scopeOf,
  sessionOf,
  type TextKind,
  type WordQuery,
} from '../text/index.ts';
import { ExchangeOrder } from './exchange-order.ts';
import { planScan, scanDocuments } from './scan.ts';

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

export function search(database: Database, query: SearchQuery): SearchResult {
  const scope = scopeOf(database, query);
  if (query.mode === 'words') {
    const words = parseWords(query.text);
    const mark = (text: string): readonly Mark[] => markTerms(text, words.terms);
    const order = new ExchangeOrder(database, query.text, scope, query.nowMs ?? Date.now());
    const { total, rows } = rankedDocuments(database, words, scope, { ...query, order });
    if (total > 0 || words.terms.length === 1) return { total, ...group(database, rows, query, mark) };
    const hits = order.partialHits(words.any, scope, query.limit);
    const matched = new Map(hits.map((hit) => [hit.row.id, { matched: hit.matched, of: order.words }]));
    return {
      total: hits.length,
      ...group(
        database,
        hits.map(({ row }) => row),
        query,
        mark,
        matched,
      ),
    };
  }
  const { text, mode, ignoreCase = false } = query;
  const scan = planScan({ text, mode, ignoreCase });
  const rows = [...scanDocuments(database, scan, scope)].sort((a, b) => (b.time || 0) - (a.time || 0) || b.id - a.id);
  return { total: rows.length, ...group(database, rows, query, (found) => markPattern(found, scan.pattern)) };
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

function rankedDocuments(
  database: Database,
  { match, adjacent }: WordQuery,
  scope: Scope,
  { limit, nowMs = Date.now(), order }: SearchQuery & { readonly order: ExchangeOrder },
): { total: number; rows: DocumentRow[] } {
  const isNarrowed = scope.where !== '';
  const from = isNarrowed
    ? 'document_text JOIN documents d ON d.id = document_text.rowid JOIN files f ON f.id = d.file'
    : 'document_text';
  const where = `document_text MATCH ?${scope.where}`;
  const most = Math.max(candidates, limit);
  const best = (text: string): readonly Row[] =>
    database
      .prepare(
        `SELECT ${documentColumns}, best.score FROM
           (SELECT document_text.rowid AS id, rank AS score FROM ${from} WHERE ${where} ORDER BY rank LIMIT ?) best
         JOIN documents d ON d.id = best.id JOIN files f ON f.id = d.file`,
      )
      .all(text, ...scope.values, most);
  const rows = best(match);
  const literal = adjacent === undefined ? [] : best(adjacent);
  const counted = (): number => {
    const row = database.prepare(`SELECT count(*) AS count FROM ${from} WHERE ${where}`).get(match, ...scope.values);
    return Number(row?.count ?? 0);
  };
  const seen = new Set(literal.map(({ id }) => id));
  const scattered = rows.filter(({ id }) => !seen.has(id));
  return {
    total: rows.length < most ? rows.length : counted(),
    rows: [...order.sort(weigh(literal, nowMs)), ...order.sort(weigh(scattered, nowMs))],
  };
}

/** The best first. */
function weigh(rows: readonly Row[], nowMs: number): readonly DocumentRow[] {
  const weighed = rows.map((row) => {
    const document = documentRow(row);
    // bm25 of FTS5 is negative, the better the lower.
    return { document, score: -Number(row.score) * weights[document.kind] * freshness(document.time, nowMs) };
  });
  weighed.sort(
    (a, b) => b.score - a.score || (b.document.time || 0) - (a.document.time || 0) || a.document.id - b.document.id,
  );
  return weighed.map(({ document }) => document);
}

function freshness(time: number, nowMs: number): number {
  const age = Number.isNaN(time) ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - time);
  return 1 + freshBonus * 2 ** (-age / freshHalfLifeMs);
}

/** Sessions in the order of their best hit, until there are enough hits. */
function group(
  database: Database,
  rows: readonly DocumentRow[],
  { limit, perSession = Number.POSITIVE_INFINITY, page }: SearchQuery,
  mark: (text: string) => readonly Mark[],
  matched?: ReadonlyMap<number, MatchedWords>,
): Omit<SearchResult, 'total'> {
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
  const reader = new DocumentReader('scattered');
  const wanted = page === undefined ? [...chosen] : [...chosen].slice(page.offset, page.offset + page.count);
  const sessions = wanted.flatMap(([id, own]) => {
    const session = sessionOf(database, id);
    if (session === undefined) return [];
    return [{ session, hits: own.map((row) => makeHit(row, reader, mark, matched)), hasMore: cut.has(id) }];
  });
  return { sessionCount: chosen.size, sessions, tools: toolsOf(rows) };
}

function toolsOf(rows: readonly DocumentRow[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { tool } of rows) if (tool !== undefined) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([tool]) => tool);
}

function makeHit(
  row: DocumentRow,
  reader: DocumentReader,
  mark: (text: string) => readonly Mark[],
  matched?: ReadonlyMap<number, MatchedWords>,
): Hit {
  const { path, line, kind, tool, time, part } = row;
  const read = reader.read(row);
  const text = read?.text ?? '';
  const marks = mark(text);
  const [offset] = bestMark(text, marks);
  const words = matched?.get(row.id);
  const snippet = makeSnippet(text, marks);
  return { path, line, uuid: read?.uuid, kind, tool, time, nth: part, offset, snippet, ...(words && { words }) };
}
