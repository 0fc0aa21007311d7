// A question and filters → the exchanges that answer it, each with its place, what it touched and the stretches of its
// texts that match. Only the exchanges that are returned are read from their transcripts.
import type { Database, Row } from '../index/index.ts';
import { openPlaces, type SessionPlaces } from '../places/index.ts';
import { answerNow, type HitSession, sessionOf } from '../text/index.ts';
import { FoundReader, type RecallSnippets } from './found-reader.ts';
import { LocalExchanges } from './local-exchanges.ts';
import { parseQuestion, type Question } from './question.ts';
import { type RankedExchange, rankExchanges, type Tuning } from './rank.ts';
import { type RecallFilter, recallScope } from './scope.ts';

/** What to recall. */
export interface RecallQuery extends RecallFilter {
  readonly text: string;
  /** How many exchanges to return. */
  readonly limit: number;
  readonly nowMs?: number;
  /** Leaves out the turn, which only the whole session shows: the first time it takes long. */
  readonly withoutTurns?: boolean;
  /** Replaces what must not be shown, such as secrets, in a text before a stretch of it is chosen. */
  readonly hide?: (text: string) => string;
  /** For measurements only. */
  readonly tuning?: Tuning;
}

/** The result of `recall`. */
export interface RecallResult {
  readonly hits: readonly RecallHit[];
  /** Exchanges that match, as far as they were ranked; copies of a prompt in other sessions count once. */
  readonly total: number;
  /** How many different terms the question has. */
  readonly terms: number;
}

/** An exchange: a prompt, the answers to it and what was done for it. */
export interface RecallHit {
  readonly session: HitSession;
  readonly title: string | undefined;
  /** The folder of the session, or the name of its project folder where no line says it. */
  readonly project: string;
  /** Milliseconds since 1970, or `NaN`. */
  readonly time: number;
  /** As `clew show --turn` counts on the active branch; `undefined` if it is not on that branch. */
  readonly turn: number | undefined;
  readonly promptUuid: string | undefined;
  /** The transcript and the line of its prompt, or its first line where it has none. */
  readonly path: string;
  readonly line: number;
  readonly score: number;
  /** How many terms of the question it has. */
  readonly matched: number;
  readonly snippets: RecallSnippets;
  /** What its calls read or wrote, without those of sub-agents. */
  readonly files: readonly string[];
  /** The most used first. */
  readonly tools: readonly string[];
}

/** Ranks exchanges by a question. The index must be current. */
export async function recall(database: Database, query: RecallQuery): Promise<RecallResult> {
  const { question, found } = findExchanges(database, query);
  const reader = new FoundReader(database, question, query.hide);
  const places = new Map<number, SessionPlaces | undefined>();
  const hits: RecallHit[] = [];
  for (const exchange of found.slice(0, query.limit)) {
    const session = sessionOf(database, exchange.session);
    if (session === undefined) continue;
    const read = reader.read(exchange);
    if (!places.has(session.id) && query.withoutTurns !== true)
      places.set(session.id, await openPlaces(database, { session, hits: [{ path: read.path }] }));
    const place = places.get(session.id)?.placeOf(read.path, read.line);
    hits.push({
      session,
      title: places.get(session.id)?.title ?? session.title,
      project: session.cwd ?? session.project,
      time: exchange.time,
      turn: place?.branch === undefined ? place?.turn : undefined,
      promptUuid: exchange.promptUuid,
      path: read.path,
      line: read.line,
      score: exchange.score,
      matched: exchange.matched,
      snippets: read.snippets,
      files: read.files,
      tools: read.tools,
    });
  }
  return { hits, total: found.length, terms: question.terms.length };
}

/** The exchanges in their order, without reading them. */
export function findExchanges(
  database: Database,
  query: RecallQuery,
): { readonly question: Question; readonly found: readonly FoundExchange[] } {
  const question = parseQuestion(query.text);
  const { scope, isWanted } = recallScope(database, query);
  const source = new LocalExchanges(database, scope);
  const options = { nowMs: query.nowMs ?? Date.now(), tuned: query.tuning, fields: scope.fields };
  const ranked = answerNow(rankExchanges(source, question, options));
  return { question, found: withoutCopies(database, ranked.filter(isWanted), query.limit) };
}

export interface FoundExchange extends RankedExchange {
  readonly promptUuid: string | undefined;
}

/** A fork or a continuation repeats the prompts of its session: the best of them is enough. */
function withoutCopies(database: Database, ranked: readonly RankedExchange[], limit: number): readonly FoundExchange[] {
  const select = database.prepare('SELECT uuid FROM prompts WHERE file = ? AND line = ?');
  const seen = new Set<string>();
  return ranked.flatMap((exchange) => {
    // Nobody looks at the rest.
    if (seen.size > limit) return [{ ...exchange, promptUuid: undefined }];
    const promptUuid = uuidOf(select.get(exchange.file, exchange.line));
    if (promptUuid !== undefined && seen.size === seen.add(promptUuid).size) return [];
    return [{ ...exchange, promptUuid }];
  });
}

function uuidOf(row: Row | undefined): string | undefined {
  return typeof row?.uuid === 'string' ? row.uuid : undefined;
}
