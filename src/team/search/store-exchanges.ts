// The store answers what the ranking of exchanges asks. Each expression is looked up once, in the index of words; how well a
// segment fits is computed here, from the positions of the words of the query.
import type {
  ExchangeCounts,
  ExchangeSource,
  ExpectedMatch,
  ScoredFields,
  SegmentRow,
} from '../../library/exchanges/index.ts';
import { rowsPerSegment } from '../../library/index/index.ts';
import type { TransactionSql } from '../database/index.ts';
import { fieldLetters, stemmedWords, titleLetter } from '../words/index.ts';
import { type Expression, type Phrase, parseExpression, phrasesOf, queryText } from './expression.ts';
import { bm25, matches, type Positions, positionsByField, rarityOf } from './found-words.ts';
import { type Handles, type RowKey, rowHandles } from './handles.ts';
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
  /** What is known of a segment that was found. */
  readonly #columns = new Map<number, SegmentColumns>();
  /** The segment with its title, by session. */
  readonly #titled = new Map<number, number>();

  constructor(options: StoreExchangesOptions) {
    this.#options = options;
  }

  /** One question for all of them. Whoever asks for an answer gets its error. */
  expect(matches: readonly ExpectedMatch[]): void {
    this.#begin(matches);
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
    for (const segment of titled) this.#titled.set(sessions.handles.numberOf(this.handles.keyOf(segment)), segment);
    const found = titled.map((segment) => sessions.handles.numberOf(this.handles.keyOf(segment)));
    return [...new Set(found)].slice(0, mostTitled);
  }

  /** `most`: if more fields match, the caller does not need their words. */
  #find(match: string, most: number = mostSegments): Promise<Found> {
    const known = this.#found.get(match);
    if (known !== undefined) return known;
    const parts = adjacentParts(match);
    if (parts === undefined) this.#begin([{ match, most }]);
    else this.#found.set(match, this.#join(parseExpression(match, stemmedWords), parts));
    return this.#found.get(match) as Promise<Found>; // just set
  }

  #begin(matches: readonly ExpectedMatch[]): void {
    const mosts = new Map<string, number>();
    for (const { match, most } of matches) mosts.set(match, Math.max(mosts.get(match) ?? 0, most));
    const missing = [...mosts].filter(([match]) => !this.#found.has(match)).map(([match, most]) => ({ match, most }));
    if (missing.length === 0) return;
    const all = this.#lookUp(
      missing.map(({ match, most }) => ({ expression: parseExpression(match, stemmedWords), most })),
    );
    for (const [i, { match }] of missing.entries()) {
      const found = all.then((each) => each[i] as Found); // as many
      found.catch(() => {});
      this.#found.set(match, found);
    }
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

  async #lookUp(wanted: readonly Wanted[]): Promise<readonly Found[]> {
    const { sql, people } = this.#options;
    const queries = wanted.map(({ expression }) =>
      queryOfPeople(fieldLetters.map((letter) => queryText(expression, letter)).join(' | '), people),
    );
    const titles = wanted.map(({ expression }) => queryOfPeople(queryText(expression, titleLetter), people));
    const words = wanted.map(({ expression }) => lexemesOf(expression, [...fieldLetters, titleLetter]));
    const mosts = wanted.map(({ most }) => Math.min(most, mostSegments));
    const lines = await sql<{ line: string }[]>`
      SELECT clew.found_exchanges(${queries}::text[]::tsquery[], ${titles}::text[]::tsquery[],
        ${words.flatMap(({ lexemes }) => lexemes)}::text[], ${words.flatMap(({ prefixes }) => prefixes)}::text[],
        ${people as number[]}::integer[], ${mosts}::integer[]) AS line`;
    const common = wanted.map(() => new Set<number>());
    const read: FoundLine[] = [];
    for (const { line } of lines) {
      const found = this.#readLine(line);
      if (found.query === 0) read.push(found);
      else common[found.query - 1]?.add(found.segment);
    }
    return wanted.map(({ expression }, i) => foundIn(read, expression, common[i] ?? new Set()));
  }

  #readLine(line: string): FoundLine {
    const [query, person, month, sessionId, nth, agent, at, time, owner, tokens, words] = line.split('\x1f') as [
      string,
      ...string[],
    ]; // as selected
    const key = { person: Number(person), month: month ?? '', sessionId: sessionId ?? '', nth: Number(nth) };
    const segment = this.handles.numberOf(key);
    const numberOr = <T>(text: string | undefined, other: T): number | T => (text ? Number(text) : other);
    this.#columns.set(segment, {
      agent: agent ?? '',
      line: Number(at),
      time: numberOr(time, null),
      owner: numberOr(owner, null),
    });
    return {
      query: Number(query),
      segment,
      lengths: tokens?.split(',').map(Number) ?? [],
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
    await this.#options.sessions.load(keys);
    for (const [i, id] of ids.entries()) {
      const columns = this.#columns.get(id);
      if (columns !== undefined) this.#segments.set(id, this.#segmentRow(id, keys[i] as RowKey, columns)); // as many
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
    const { isInScope } = this.#options;
    if (!isInScope(session)) return undefined;
    const titled = this.#titled.get(session);
    const first = titled === undefined ? undefined : this.#columns.get(titled);
    if (titled === undefined || first?.agent !== '') return undefined;
    const [segment] = await this.segments([titled]);
    return segment;
  }
}

const mostTitled = 2000;
/** The other letter is that of titles. */
const fieldNumbers: ReadonlyMap<string, number> = new Map(fieldLetters.map((letter, i) => [letter, i]));

interface Wanted {
  readonly expression: Expression;
  readonly most: number;
}

interface FoundLine {
  /** The number of a query that too many match; 0 for a segment with its words. */
  readonly query: number;
  readonly segment: number;
  readonly lengths: readonly number[];
  readonly words: ReadonlyMap<string, Positions>;
}

/** `common`: the segments of a query that too many match. */
function foundIn(lines: readonly FoundLine[], expression: Expression, common: ReadonlySet<number>): Found {
  const isCommon = common.size > 0;
  const fields: FoundField[] = [];
  const titled: number[] = [];
  for (const { segment, lengths, words } of lines)
    for (const [letter, own] of words) {
      const field = fieldNumbers.get(letter);
      if ((field !== undefined && isCommon) || !matches(expression, own)) continue;
      if (field === undefined) titled.push(segment);
      else fields.push({ segment, field, length: lengths[field] ?? 0, words: own });
    }
  return { phrases: phrasesOf(expression), fields, segments: isCommon ? common : segmentsOf(fields), isCommon, titled };
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
  readonly agent: string;
  readonly line: number;
  readonly time: number | null;
  readonly owner: number | null;
}
