// The store answers what the ranking of exchanges asks. Each expression is looked up once, in the index of words; how well a
// segment fits is computed here, from the positions of the words of the query.
import type { ExchangeCounts, ExchangeSource, ScoredFields, SegmentRow } from '../../library/exchanges/index.ts';
import { rowsPerSegment } from '../../library/index/index.ts';
import type { TransactionSql } from '../database/index.ts';
import { fieldLetters, stemmedWords, titleLetter } from '../words/index.ts';
import { type Expression, type Phrase, parseExpression, phrasesOf, queryText } from './expression.ts';
import { bm25, matches, type Positions, positionsByField, rarityOf } from './found-words.ts';
import { columnsOf, type Handles, type RowKey, rowHandles } from './handles.ts';
import type { StoreSessions } from './store-sessions.ts';
import { lexemesOf, queryOfPeople } from './tsquery.ts';

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
  readonly phrases: readonly Phrase[];
  /** Empty if `isCommon`. */
  readonly fields: readonly FoundField[];
  readonly segments: ReadonlySet<number>;
  /** So many match that only their segments are known, and not all of them. */
  readonly isCommon: boolean;
  /** The segments that have the title of a session which matches. */
  readonly titled: readonly number[];
}

/** Segments whose words are read for one expression; the index reads those of any that is not in a third of all. */
const mostSegments = 1500;

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

  /** One round trip for all of them. Whoever asks for an answer gets its error. */
  expect(matches: readonly string[], most: number): void {
    for (const match of matches) this.#find(match, most).catch(() => {});
  }

  counts(): ExchangeCounts {
    const { segments, fields } = this.#options.sums;
    return { segments: Math.max(1, segments), fields: Math.max(1, fields) };
  }

  async isFrequent(match: string, most: number): Promise<boolean> {
    const { fields, isCommon } = await this.#find(match, most);
    return isCommon || fields.length > most;
  }

  async fieldScores(match: string, most: number): Promise<ScoredFields> {
    const { phrases, fields } = await this.#find(match);
    const rarities = this.#raritiesOf(phrases, fields);
    const { sums } = this.#options;
    const weights = { rarities, averageLength: sums.fieldWords / Math.max(1, sums.fields) };
    const scored = fields
      .filter(({ segment }) => this.#isInScope(segment))
      .map((found) => ({ found, score: bm25(phrases, found.words, found.length, weights) }))
      .sort((a, b) => a.score - b.score)
      .slice(0, most);
    return {
      ids: scored.map(({ found }) => fieldName(found)),
      scores: scored.map(({ score }) => score),
      found: fields.length,
    };
  }

  #isInScope(segment: number): boolean {
    const { sessions, isInScope } = this.#options;
    return isInScope(sessions.handles.numberOf(this.handles.keyOf(segment)));
  }

  /** By phrase. Each field that has one of them is among the fields: the expression is a phrase, or joins phrases with OR. */
  #raritiesOf(phrases: readonly Phrase[], fields: readonly FoundField[]): readonly number[] {
    const total = this.#options.sums.fields;
    return phrases.map((phrase) => rarityOf(total, fields.filter(({ words }) => matches(phrase, words)).length));
  }

  async segmentsWith(match: string): Promise<ReadonlySet<number>> {
    const { segments } = await this.#find(match);
    return segments;
  }

  async titledSessions(match: string): Promise<readonly number[]> {
    const { titled } = await this.#find(match);
    const { sessions } = this.#options;
    const found = titled.map((segment) => sessions.handles.numberOf(this.handles.keyOf(segment)));
    return [...new Set(found)].slice(0, mostTitled);
  }

  /** `most`: if more fields match, the caller does not need their words. */
  #find(match: string, most: number = mostSegments): Promise<Found> {
    const known = this.#found.get(match);
    if (known !== undefined) return known;
    const expression = parseExpression(match, stemmedWords);
    const parts = adjacentParts(match);
    const found = parts === undefined ? this.#lookUp(expression, most) : this.#join(expression, parts);
    this.#found.set(match, found);
    return found;
  }

  /** Words that are looked up one by one anyway: whether they are next to each other needs no further query. */
  async #join(expression: Expression, parts: readonly string[]): Promise<Found> {
    const [first, ...others] = await Promise.all(parts.map((part) => this.#find(part)));
    // Of words that are everywhere it is not known where.
    if (first === undefined || [first, ...others].some(({ isCommon }) => isCommon)) return nothing(expression);
    const maps = others.map(({ fields }) => new Map(fields.map((each) => [fieldName(each), each.words])));
    const fields = first.fields.flatMap((each) => {
      const name = fieldName(each);
      const all = maps.map((map) => map.get(name));
      if (all.includes(undefined)) return [];
      const words = new Map([each.words, ...all].flatMap((own) => [...(own ?? [])]));
      return matches(expression, words) ? [{ ...each, words }] : [];
    });
    return { ...nothing(expression), fields, segments: segmentsOf(fields) };
  }

  async #lookUp(expression: Expression, most: number): Promise<Found> {
    const { sql, people } = this.#options;
    const query = fieldLetters.map((letter) => queryText(expression, letter)).join(' | ');
    const { lexemes, prefixes } = lexemesOf(expression, [...fieldLetters, titleLetter]);
    const lines = await sql<{ line: string }[]>`
      SELECT clew.found_exchanges(${queryOfPeople(query, people)}::tsquery,
        ${queryOfPeople(queryText(expression, titleLetter), people)}::tsquery,
        ${lexemes as string[]}::text[], ${prefixes as string[]}::text[], ${people as number[]}::integer[],
        ${Math.min(most, mostSegments)}) AS line`;
    const fields: FoundField[] = [];
    const common = new Set<number>();
    const titled: number[] = [];
    for (const { line } of lines) {
      const { segment, lengths, words } = this.#readLine(line);
      if (lengths === undefined) common.add(segment);
      for (const [letter, own] of words) {
        if (!matches(expression, own)) continue;
        const field = fieldNumbers.get(letter);
        if (field === undefined) titled.push(segment);
        else fields.push({ segment, field, length: lengths?.[field] ?? 0, words: own });
      }
    }
    const isCommon = common.size > 0;
    const segments = isCommon ? common : segmentsOf(fields);
    return { phrases: phrasesOf(expression), fields: isCommon ? [] : fields, segments, isCommon, titled };
  }

  #readLine(line: string): FoundLine {
    const [person, month, sessionId, nth, tokens, words] = line.split('\x1f') as [string, ...string[]]; // as selected
    const key = { person: Number(person), month: month ?? '', sessionId: sessionId ?? '', nth: Number(nth) };
    return {
      segment: this.handles.numberOf(key),
      lengths: tokens?.split(',').map(Number),
      words: positionsByField(words ?? ''),
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
/** The other letter is that of titles. */
const fieldNumbers: ReadonlyMap<string, number> = new Map(fieldLetters.map((letter, i) => [letter, i]));

interface FoundLine {
  readonly segment: number;
  /** `undefined` for one of too many. */
  readonly lengths: readonly number[] | undefined;
  readonly words: ReadonlyMap<string, Positions>;
}

function nothing(expression: Expression): Found {
  return { phrases: phrasesOf(expression), fields: [], segments: new Set(), isCommon: false, titled: [] };
}

function segmentsOf(fields: readonly FoundField[]): ReadonlySet<number> {
  return new Set(fields.map(({ segment }) => segment));
}

function fieldName({ segment, field }: FoundField): number {
  return segment * rowsPerSegment + field;
}

/** `NEAR("a" "b", 8)` and `"a" + "b"` → `"a"` and `"b"`; `undefined` for any other expression. */
function adjacentParts(match: string): readonly string[] | undefined {
  const [, near] = /^NEAR\((.*), \d+\)$/.exec(match) ?? [];
  if (near !== undefined) return near.match(/"[^"]*"/g) ?? undefined;
  return /^"[^"]*"(?: \+ "[^"]*")+$/.test(match) ? (match.match(/"[^"]*"/g) ?? undefined) : undefined;
}

interface SegmentColumns {
  readonly i: number;
  readonly agent: string;
  readonly line: number;
  readonly time: number | null;
  readonly owner: number | null;
}
