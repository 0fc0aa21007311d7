// The store answers what the ranking of exchanges asks. Each expression is looked up once, in the index of words; how well a
// segment fits is computed here, from the positions of the words of the query.
import type { ExchangeCounts, ExchangeSource, ScoredFields, SegmentRow } from '../../library/exchanges/index.ts';
import type { TransactionSql } from '../database/index.ts';
import { fieldLetters, stemmedWords, titleLetter } from '../words/index.ts';
import { type Expression, type Phrase, parseExpression, phrasesOf, queryText } from './expression.ts';
import { bm25, matches, type Positions, positionsIn, positionsOfField, rarityOf } from './found-words.ts';
import { columnsOf, type Handles, type RowKey, rowHandles } from './handles.ts';
import type { StoreSessions } from './store-sessions.ts';
import { lexemesOf } from './tsquery.ts';

/** How much there is of what the search may see. */
export interface StoreSums {
  readonly documents: number;
  readonly words: number;
  readonly segments: number;
  readonly fields: number;
  readonly fieldWords: number;
}

interface FoundField {
  readonly segment: number;
  readonly field: number;
  readonly length: number;
  readonly words: Positions;
}

interface Found {
  readonly expression: Expression;
  readonly phrases: readonly Phrase[];
  readonly fields: readonly FoundField[];
  /** There are more segments than were looked at. */
  readonly isCut: boolean;
  /** The segments that have the title of a session which matches. */
  readonly titled: readonly number[];
}

/** Segments that are looked at for one expression. */
const mostSegments = 5000;

export interface StoreExchangesOptions {
  readonly sql: TransactionSql;
  readonly people: readonly number[];
  readonly sums: StoreSums;
  readonly sessions: StoreSessions;
  /** The sessions of the filters, as `sessionHandles` numbers them. */
  readonly isInScope: (session: number) => boolean;
}

export class StoreExchanges implements ExchangeSource {
  readonly handles: Handles<RowKey> = rowHandles();
  readonly #options: StoreExchangesOptions;
  readonly #found = new Map<string, Promise<Found>>();
  readonly #segments = new Map<number, SegmentRow>();

  constructor(options: StoreExchangesOptions) {
    this.#options = options;
  }

  counts(): ExchangeCounts {
    const { segments, fields } = this.#options.sums;
    return { segments: Math.max(1, segments), fields: Math.max(1, fields) };
  }

  async isFrequent(match: string, most: number): Promise<boolean> {
    const { fields, isCut } = await this.#find(match);
    return isCut || fields.length > most;
  }

  async fieldScores(match: string, most: number): Promise<ScoredFields> {
    const { expression, phrases, fields } = await this.#find(match);
    const rarities = await this.#raritiesOf(expression, phrases, fields);
    const { sums } = this.#options;
    const weights = { rarities, averageLength: sums.fieldWords / Math.max(1, sums.fields) };
    const scored = fields
      .filter(({ segment }) => this.#isInScope(segment))
      .map((found) => ({ found, score: bm25(phrases, found.words, found.length, weights) }))
      .sort((a, b) => a.score - b.score)
      .slice(0, most);
    return {
      fields: scored.map(({ found }) => [found.segment, found.field]),
      scores: scored.map(({ score }) => score),
      found: fields.length,
    };
  }

  #isInScope(segment: number): boolean {
    const { sessions, isInScope } = this.#options;
    return isInScope(sessions.handles.numberOf(this.handles.keyOf(segment)));
  }

  /** By phrase. Of an expression with one phrase it is known; else each phrase is looked up. */
  async #raritiesOf(
    expression: Expression,
    phrases: readonly Phrase[],
    fields: readonly FoundField[],
  ): Promise<readonly number[]> {
    const total = this.#options.sums.fields;
    if (expression.kind === 'phrase') return [rarityOf(total, fields.length)];
    const found = await Promise.all(phrases.map((phrase) => this.#lookUp(phrase)));
    return found.map((each) => rarityOf(total, each.fields.length));
  }

  async segmentsWith(match: string): Promise<ReadonlySet<number>> {
    const { fields } = await this.#find(match);
    return new Set(fields.map(({ segment }) => segment));
  }

  async titledSessions(match: string): Promise<readonly number[]> {
    const { titled } = await this.#find(match);
    const { sessions } = this.#options;
    const found = titled.map((segment) => sessions.handles.numberOf(this.handles.keyOf(segment)));
    return [...new Set(found)].slice(0, mostTitled);
  }

  #find(match: string): Promise<Found> {
    const known = this.#found.get(match);
    if (known !== undefined) return known;
    const found = this.#lookUp(parseExpression(match, stemmedWords));
    this.#found.set(match, found);
    return found;
  }

  async #lookUp(expression: Expression): Promise<Found> {
    const { sql, people } = this.#options;
    const letters = [...fieldLetters, titleLetter];
    const query = letters.map((letter) => queryText(expression, letter)).join(' | ');
    const { lexemes, prefixes } = lexemesOf(expression, letters);
    const lines = await sql<{ line: string }[]>`
      SELECT clew.found_exchanges(${query}::tsquery, ${lexemes as string[]}::text[], ${prefixes as string[]}::text[],
        ${people as number[]}::integer[], ${mostSegments}) AS line`;
    const fields: FoundField[] = [];
    const titled: number[] = [];
    for (const { line } of lines) {
      const { segment, lengths, words } = this.#readLine(line);
      for (const [field, letter] of fieldLetters.entries()) {
        const own = positionsOfField(words, letter);
        if (own.size > 0 && matches(expression, own))
          fields.push({ segment, field, length: lengths[field] ?? 0, words: own });
      }
      const title = positionsOfField(words, titleLetter);
      if (title.size > 0 && matches(expression, title)) titled.push(segment);
    }
    return { expression, phrases: phrasesOf(expression), fields, titled, isCut: lines.length === mostSegments };
  }

  #readLine(line: string): { segment: number; lengths: readonly number[]; words: Positions } {
    const [person, month, sessionId, nth, tokens, words] = line.split('\x1f') as [string, ...string[]]; // as selected
    const key = { person: Number(person), month: month ?? '', sessionId: sessionId ?? '', nth: Number(nth) };
    return {
      segment: this.handles.numberOf(key),
      lengths: (tokens ?? '').split(',').map(Number),
      words: positionsIn(words ?? ''),
    };
  }

  async segments(ids: readonly number[]): Promise<readonly SegmentRow[]> {
    const missing = ids.filter((id) => !this.#segments.has(id));
    if (missing.length > 0) await this.#loadSegments(missing);
    return ids.flatMap((id) => this.#segments.get(id) ?? []);
  }

  async #loadSegments(ids: readonly number[]): Promise<void> {
    const keys = ids.map((id) => this.handles.keyOf(id));
    const { people, months, sessions, nths } = columnsOf(keys);
    const rows = await this.#options.sql<SegmentColumns[]>`
      SELECT k.i::integer AS i, e.agent, e.line, (extract(epoch FROM e.said_at) * 1000)::bigint AS time,
        (e.facts->>'owner')::integer AS owner
      FROM unnest(${people}::integer[], ${months}::date[], ${sessions}::text[], ${nths}::integer[]) WITH ORDINALITY
        AS k (person, month, session_id, nth, i)
      JOIN clew.exchanges e ON e.tenant = (SELECT clew.my_tenant()) AND e.person = k.person AND e.month = k.month
        AND e.session_id = k.session_id AND e.nth = k.nth`;
    await this.#options.sessions.load(keys);
    for (const row of rows) {
      const id = ids[row.i - 1] as number; // in range
      this.#segments.set(id, this.#segmentRow(id, keys[row.i - 1] as RowKey, row));
    }
  }

  #segmentRow(id: number, key: RowKey, { agent, line, time, owner }: SegmentColumns): SegmentRow {
    const { sessions } = this.#options;
    const { person, sessionId } = key;
    const isOwned = agent !== '' && owner !== null;
    const place = isOwned ? { agent: '', line: owner } : { agent, line };
    return {
      id,
      session: sessions.handles.numberOf({ person, sessionId }),
      file: sessions.files.numberOf({ person, sessionId, agent: place.agent }),
      path: sessions.pathOf(key, agent),
      line: place.line,
      time: time ?? Number.NaN,
      isOwned,
    };
  }

  async exchangeKeys(segments: ReadonlySet<number>): Promise<ReadonlySet<string>> {
    const rows = await this.segments([...segments]);
    return new Set(rows.map(({ file, line }) => `${file} ${line}`));
  }

  /** Titles are in the first row of a session, which is a sub-agent's if its main transcript has no lines. */
  async firstSegment(session: number): Promise<SegmentRow | undefined> {
    const { sql, sessions, isInScope } = this.#options;
    if (!isInScope(session)) return undefined;
    const { person, sessionId } = sessions.handles.keyOf(session);
    const [row] = await sql<{ month: string; nth: number }[]>`
      SELECT to_char(e.month, 'YYYY-MM-DD') AS month, e.nth FROM clew.sessions s JOIN clew.exchanges e
        ON e.tenant = s.tenant AND e.person = s.person AND e.month = ANY(s.months) AND e.session_id = s.session_id
      WHERE s.tenant = (SELECT clew.my_tenant()) AND s.person = ${person} AND s.session_id = ${sessionId} AND e.agent = ''
      ORDER BY e.line, e.first_line LIMIT 1`;
    if (row === undefined) return undefined;
    const [segment] = await this.segments([this.handles.numberOf({ person, sessionId, ...row })]);
    return segment;
  }
}

const mostTitled = 2000;

interface SegmentColumns {
  readonly i: number;
  readonly agent: string;
  readonly line: number;
  readonly time: number | null;
  readonly owner: number | null;
}
