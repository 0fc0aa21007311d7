// The store answers what a search asks: documents by the index of words, texts and places from their rows.
import { UserError } from '../../base/errors/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import type { ReadText, Scan, ScoredDocument, SearchSource } from '../../library/search/index.ts';
import type { DocumentRow, HitSession, TextKind } from '../../library/text/index.ts';
import type { TransactionSql } from '../database/index.ts';
import { plainWords } from '../words/index.ts';
import { type Expression, parseExpression, phrasesOf, queryText } from './expression.ts';
import { bm25, matches, type Positions, positionsIn, rarityOf } from './found-words.ts';
import { columnsOf, type RowKey, rowHandles } from './handles.ts';
import { StoreExchanges, type StoreSums } from './store-exchanges.ts';
import { scanStore } from './store-scan.ts';
import type { StoreScope } from './store-scope.ts';
import type { StoreSessions } from './store-sessions.ts';
import { lexemesOf, queryOfPeople } from './tsquery.ts';

/** Documents whose words are read for one expression; if more match, the store chooses them. */
const mostDocuments = 600;
const mostCounted = 2 ** 31 - 2;
/** Of words that more documents have it is estimated how rare they are. */
const mostRare = 6000;
/** If the store chooses: how many of the newest that have all words are asked whether the words are next to each other. */
const mostPhrases = 1000;

export interface StoreSearchOptions {
  readonly sql: TransactionSql;
  readonly scope: StoreScope;
  readonly sums: StoreSums;
  readonly sessions: StoreSessions;
}

/** What the row of a document says apart from its text. */
interface KnownDocument {
  readonly row: DocumentRow;
  readonly facts: JsonObject;
}

interface FoundLine {
  readonly id: number;
  readonly tokens: number;
  readonly words: Positions;
}

type Score = (words: Positions, length: number) => number;

interface Found {
  /** More match than these. */
  readonly isChosen: boolean;
  readonly lines: readonly FoundLine[];
}

export class StoreSearch implements SearchSource {
  readonly exchanges: StoreExchanges;
  readonly #options: StoreSearchOptions;
  readonly #handles = rowHandles();
  readonly #documents = new Map<number, KnownDocument>();
  readonly #found = new Map<string, Promise<Found>>();
  /** How many documents match, by expression. */
  readonly #totals = new Map<string, number>();

  constructor(options: StoreSearchOptions) {
    this.#options = options;
    const { sql, scope, sums, sessions } = options;
    const isInScope = (session: number): boolean => scope.hasSession(sessions.handles.keyOf(session));
    this.exchanges = new StoreExchanges({ sql, people: scope.people, sums, sessions, isInScope });
  }

  async bestDocuments(match: string, most: number): Promise<readonly ScoredDocument[]> {
    const score = this.#scorer(parseExpression(match, plainWords));
    const [{ lines }] = await Promise.all([this.#find(match, Math.max(mostDocuments, most)), score]);
    return this.#best(lines, await score, most);
  }

  /** Where the words are is known of what was found, unless that is a choice. */
  async bestPhrases(phrase: string, match: string, most: number): Promise<readonly ScoredDocument[]> {
    const { isChosen, lines } = await this.#find(match, Math.max(mostDocuments, most));
    const expression = parseExpression(phrase, plainWords);
    const near = isChosen
      ? await this.#findPhrases(expression, parseExpression(match, plainWords), Math.max(mostPhrases, most))
      : lines;
    const found = near.filter(({ words }) => matches(expression, words));
    return this.#best(found, await this.#scorer(expression), most);
  }

  async #best(lines: readonly FoundLine[], score: Score, most: number): Promise<readonly ScoredDocument[]> {
    const scored = lines.map(({ id, words, tokens }) => ({ id, score: score(words, tokens) }));
    const best = scored.sort((a, b) => a.score - b.score).slice(0, most);
    await this.#load(best.map(({ id }) => id));
    return best.flatMap(({ id, score }) => {
      const known = this.#documents.get(id);
      return known === undefined ? [] : [{ document: known.row, score }];
    });
  }

  #find(match: string, most: number): Promise<Found> {
    const key = `${most} ${match}`;
    const known = this.#found.get(key) ?? this.#lookUp(match, most);
    this.#found.set(key, known);
    return known;
  }

  async #lookUp(match: string, most: number): Promise<Found> {
    const { sql, scope } = this.#options;
    const expression = parseExpression(match, plainWords);
    const { lexemes, prefixes } = lexemesOf(expression);
    const lines = await sql<{ line: string }[]>`
      SELECT clew.found_documents(${queryOfPeople(queryText(expression), scope.people)}::tsquery,
        ${lexemes as string[]}::text[], ${prefixes as string[]}::text[], ${scope.people as number[]}::integer[],
        ${scope.values(sql)}, ${most}) AS line`;
    const [, total] = /^more (\d+)$/.exec(lines[0]?.line ?? '') ?? [];
    const isChosen = total !== undefined;
    this.#totals.set(match, isChosen ? Number(total) : lines.length);
    return { isChosen, lines: lines.slice(isChosen ? 1 : 0).map(({ line }) => this.#readLine(line)) };
  }

  async #findPhrases(phrase: Expression, expression: Expression, most: number): Promise<readonly FoundLine[]> {
    const { sql, scope } = this.#options;
    const { lexemes, prefixes } = lexemesOf(expression);
    const lines = await sql<{ line: string }[]>`
      SELECT clew.found_phrases(${queryOfPeople(queryText(expression), scope.people)}::tsquery,
        ${queryText(phrase)}::tsquery, ${lexemes as string[]}::text[], ${prefixes as string[]}::text[],
        ${scope.people as number[]}::integer[], ${scope.values(sql)}, ${most}) AS line`;
    return lines.map(({ line }) => this.#readLine(line));
  }

  #readLine(line: string): FoundLine {
    const [person, month, sessionId, nth, tokens, words] = line.split('\x1f') as [string, ...string[]]; // as selected
    const key = { person: Number(person), month: month ?? '', sessionId: sessionId ?? '', nth: Number(nth) };
    return { id: this.#handles.numberOf(key), tokens: Number(tokens), words: positionsIn(words ?? '') };
  }

  /** Rarity is the same for all texts, so that it matters only if there are several phrases. */
  async #scorer(expression: Expression): Promise<Score> {
    const { sql, scope, sums } = this.#options;
    const phrases = phrasesOf(expression);
    const counts =
      phrases.length === 1
        ? [{ count: 1 }]
        : await Promise.all(
            phrases.map(async (phrase) => {
              const [row] = await sql<{ count: number }[]>`
        SELECT clew.count_documents(${queryOfPeople(queryText(phrase), scope.people)}::tsquery, ${scope.people as number[]}::integer[],
          null, null, null, null, null, ${mostRare}) AS count`;
              return row ?? { count: 0 };
            }),
          );
    const rarities = counts.map(({ count }) => rarityOf(sums.documents, count));
    const weights = { rarities, averageLength: sums.words / Math.max(1, sums.documents) };
    return (words, length) => bm25(phrases, words, length, weights);
  }

  async countDocuments(match: string): Promise<number> {
    const { sql, scope } = this.#options;
    const known = this.#totals.get(match);
    if (known !== undefined) return known;
    const query = queryOfPeople(queryText(parseExpression(match, plainWords)), scope.people);
    const [row] = await sql<{ count: number }[]>`
      SELECT clew.count_documents(${query}::tsquery, ${scope.people as number[]}::integer[], ${scope.values(sql)},
        ${mostCounted}) AS count`;
    return row?.count ?? 0;
  }

  /** The push knows which exchange a document is in. */
  exchangeKeys(documents: readonly DocumentRow[]): readonly string[] {
    const { sessions } = this.#options;
    return documents.map(({ id, file, agentId }) => {
      const exchange = this.#documents.get(id)?.facts.exchange;
      const { person, sessionId } = this.#handles.keyOf(id);
      if (typeof exchange !== 'number') return `${file} 0`;
      const of = agentId === undefined ? file : sessions.files.numberOf({ person, sessionId, agent: '' });
      return `${of} ${exchange}`;
    });
  }

  async bestOfSegments(segments: readonly number[], match: string): Promise<readonly (DocumentRow | undefined)[]> {
    const { sql, scope } = this.#options;
    const expression = parseExpression(match, plainWords);
    const { lexemes, prefixes } = lexemesOf(expression);
    const { people, months, sessions, nths } = columnsOf(segments.map((id) => this.exchanges.handles.keyOf(id)));
    const rows = await sql<BestColumns[]>`
      SELECT k.i::integer AS i, d.person, to_char(d.month, 'YYYY-MM-DD') AS month, d.session_id, d.nth, d.tokens,
        ts_filter(setweight(d.words, 'A', ${lexemes as string[]}::text[] || ARRAY(SELECT u.lexeme FROM unnest(d.words) u
          WHERE EXISTS (SELECT FROM unnest(${prefixes as string[]}::text[]) p WHERE starts_with(u.lexeme, p)))), '{a}')::text AS words
      FROM unnest(${people}::integer[], ${months}::date[], ${sessions}::text[], ${nths}::integer[]) WITH ORDINALITY
        AS k (person, month, session_id, nth, i)
      JOIN clew.exchanges e ON e.tenant = (SELECT clew.my_tenant()) AND e.person = k.person AND e.month = k.month
        AND e.session_id = k.session_id AND e.nth = k.nth
      JOIN clew.sessions s ON s.tenant = e.tenant AND s.person = e.person AND s.session_id = e.session_id
      JOIN clew.documents d ON d.tenant = s.tenant AND d.person = s.person AND d.month = ANY(s.months)
        AND d.session_id = s.session_id AND d.agent = e.agent AND d.line >= e.first_line AND d.line <= e.end_line
      WHERE d.words @@ ${queryText(expression)}::tsquery AND ${scope.condition(sql)}`;
    const score = await this.#scorer(expression);
    const best = new Map<number, { id: number; score: number }>();
    for (const row of rows) {
      const { i, person, month, session_id: sessionId, nth, words, tokens } = row;
      const found = {
        id: this.#handles.numberOf({ person, month, sessionId, nth }),
        score: score(positionsIn(words), tokens),
      };
      const known = best.get(i - 1);
      const isBetter = known === undefined || found.score < known.score;
      if (isBetter || (found.score === known.score && nth < this.#handles.keyOf(known.id).nth)) best.set(i - 1, found);
    }
    await this.#load([...best.values()].map(({ id }) => id));
    return segments.map((_, i) => this.#documents.get(best.get(i)?.id ?? 0)?.row);
  }

  async scan(scan: Scan): Promise<readonly DocumentRow[]> {
    const ids = new Set<number>();
    for await (const key of scanStore(scan, this.#options)) ids.add(this.#handles.numberOf(key));
    await this.#load([...ids]);
    return [...ids].flatMap((id) => this.#documents.get(id)?.row ?? []);
  }

  async #load(ids: readonly number[]): Promise<void> {
    const missing = ids.filter((id) => !this.#documents.has(id));
    for (let at = 0; at < missing.length; at += rowsAtOnce) await this.#loadSome(missing.slice(at, at + rowsAtOnce));
  }

  async #loadSome(ids: readonly number[]): Promise<void> {
    const keys = ids.map((id) => this.#handles.keyOf(id));
    const { people, months, sessions, nths } = columnsOf(keys);
    const rows = await this.#options.sql<DocumentColumns[]>`
      SELECT k.i::integer AS i, d.agent, d.line, d.kind, d.part, (extract(epoch FROM d.said_at) * 1000)::bigint AS time,
        d.tool, d.facts
      FROM unnest(${people}::integer[], ${months}::date[], ${sessions}::text[], ${nths}::integer[]) WITH ORDINALITY
        AS k (person, month, session_id, nth, i)
      JOIN clew.documents d ON d.tenant = (SELECT clew.my_tenant()) AND d.person = k.person AND d.month = k.month
        AND d.session_id = k.session_id AND d.nth = k.nth`;
    refuseIfHidden(rows.length, keys.length);
    await this.#options.sessions.load(keys);
    await this.#options.sessions.loadAgents(
      rows
        .filter(({ agent }) => agent !== '')
        .map(({ i }) => keys[i - 1] as RowKey), // in range
    );
    for (const row of rows) {
      const id = ids[row.i - 1] as number; // in range
      this.#documents.set(id, { row: this.#documentRow(id, row), facts: row.facts ?? {} });
    }
  }

  #documentRow(id: number, { agent, line, kind, part, time, tool }: DocumentColumns): DocumentRow {
    const { sessions } = this.#options;
    const { person, sessionId } = this.#handles.keyOf(id);
    return {
      id,
      session: sessions.handles.numberOf({ person, sessionId }),
      file: sessions.files.numberOf({ person, sessionId, agent }),
      agentId: agent === '' ? undefined : agent,
      path: sessions.pathOf({ person, sessionId }, agent),
      line,
      // Only of lines on a disk.
      offset: 0,
      length: 0,
      kind: kind as TextKind, // written by a push
      part,
      time: time ?? Number.NaN,
      tool: tool ?? undefined,
    };
  }

  /** `documents.facts` of a hit. */
  factsOf(path: string, line: number): JsonObject | undefined {
    for (const { row, facts } of this.#documents.values()) if (row.path === path && row.line === line) return facts;
    return undefined;
  }

  async sessions(ids: readonly number[]): Promise<readonly (HitSession | undefined)[]> {
    const { sessions } = this.#options;
    await sessions.load(ids.map((id) => sessions.handles.keyOf(id)));
    return ids.map((id) => sessions.hitSession(id));
  }

  async texts(documents: readonly DocumentRow[]): Promise<readonly (ReadText | undefined)[]> {
    const { people, months, sessions, nths } = columnsOf(documents.map(({ id }) => this.#handles.keyOf(id)));
    const rows = await this.#options.sql<{ i: number; text: string; uuid: string | null }[]>`
      SELECT k.i::integer AS i, d.text, d.uuid
      FROM unnest(${people}::integer[], ${months}::date[], ${sessions}::text[], ${nths}::integer[]) WITH ORDINALITY
        AS k (person, month, session_id, nth, i)
      JOIN clew.documents d ON d.tenant = (SELECT clew.my_tenant()) AND d.person = k.person AND d.month = k.month
        AND d.session_id = k.session_id AND d.nth = k.nth`;
    refuseIfHidden(rows.length, documents.length);
    const texts: (ReadText | undefined)[] = documents.map(() => undefined);
    for (const { i, text, uuid } of rows) texts[i - 1] = { text, uuid: uuid ?? undefined };
    return texts;
  }
}

const rowsAtOnce = 1000;

/** In one snapshot no row disappears, but an announced reading ends after a minute. */
function refuseIfHidden(found: number, wanted: number): void {
  if (found < wanted)
    throw new UserError(
      'the search took longer than the minute for which the reading of others was announced',
      'narrow the search, for example with --since or --person',
    );
}

interface DocumentColumns {
  readonly i: number;
  readonly agent: string;
  readonly line: number;
  readonly kind: string;
  readonly part: number;
  readonly time: number | null;
  readonly tool: string | null;
  readonly facts: JsonObject | null;
}

interface BestColumns {
  readonly i: number;
  readonly person: number;
  readonly month: string;
  readonly session_id: string;
  readonly nth: number;
  readonly tokens: number;
  readonly words: string;
}
