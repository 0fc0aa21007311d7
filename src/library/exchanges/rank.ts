// A question → the exchanges that answer it, the best first. FTS5 says for each term how well it fits an exchange, by a BM25
// that weighs the fields; a synonym counts as the term itself, only less. Then count how many of the terms an exchange has,
// whether terms of the question are near each other in it, the title of its session, and a little its age.
import { type Database, type Row, rowsPerSegment, type SqlValue } from '../index/index.ts';
import { allFields, type Field } from './builder.ts';
import { OwnerFinder } from './owners.ts';
import type { Question, QuestionTerm } from './question.ts';

/** Which exchanges may be found. */
export interface ExchangeScope {
  /** Conditions on `exchanges e` and `files f`, each beginning with AND. */
  readonly where: string;
  readonly values: readonly SqlValue[];
  /** The fields to look in; all by default. */
  readonly fields?: readonly Field[];
}

export interface RankedExchange {
  readonly session: number;
  /** The main transcript, or a sub-agent's if no exchange is known to have started it. */
  readonly file: number;
  /** The line of the prompt, or 0. */
  readonly line: number;
  readonly score: number;
  readonly time: number;
  /** How many of the terms it has. */
  readonly matched: number;
  /** The row of the segment that matches best, of this file or of a sub-agent's. */
  readonly best: number;
}

/** What the ranking can be tuned by. */
export interface Tuning {
  readonly fields: Readonly<Record<Field, number>>;
  /** From which frequency on more of a term counts little: `k1` of BM25. */
  readonly saturation: number;
  readonly synonyms: number;
  readonly title: number;
  readonly agent: number;
  /** How much of the score depends on the share of terms that are there, and how steeply. */
  readonly coverage: number;
  readonly steepness: number;
  readonly near: number;
  readonly nearDistance: number;
  readonly phrase: number;
  readonly fresh: number;
}

export const tuning: Tuning = {
  fields: { prompt: 1, answer: 1.2, files: 0.3, commands: 0.4, errors: 0.4 },
  saturation: 3,
  synonyms: 0.5,
  title: 0.3,
  agent: 0.6,
  coverage: 0.5,
  steepness: 1,
  near: 0.4,
  nearDistance: 8,
  phrase: 0.5,
  fresh: 0.1,
};

const freshHalfLifeMs = 30 * 24 * 3600 * 1000;
/** A term that more of the exchanges have finds nothing alone. */
const commonShare = 0.3;
/** How many fields are looked at for one term. */
const mostRows = 4000;
const mostPairs = 10;
/** Sessions that are found by their title only. */
const mostByTitle = 50;
const frequentShare = 0.05;
const leastFrequent = 300;

export function rankExchanges(
  database: Database,
  question: Question,
  scope: ExchangeScope,
  nowMs: number,
  tuned: Tuning = tuning,
): readonly RankedExchange[] {
  return new Ranking(database, question, scope, nowMs, tuned).run();
}

interface Candidate {
  readonly session: number;
  readonly file: number;
  readonly line: number;
  time: number;
  best: number;
  bestScore: number;
  /** How well each term fits, by its index, without its rarity; a term of the title has at least a little. */
  readonly fits: Map<number, number>;
  boost: number;
}

interface ScoredRows {
  readonly ids: readonly number[];
  readonly scores: readonly number[];
  /** How many rows have it, also those that are not among them. */
  readonly found: number;
}

interface RankedTerm extends QuestionTerm {
  readonly index: number;
  /** Segments that have it, with how well it fits them. */
  readonly fits: ReadonlyMap<number, number>;
  /** The same for words for the same thing. */
  readonly similar: ReadonlyMap<number, number>;
  readonly rarity: number;
}

class Ranking {
  readonly #database: Database;
  readonly #question: Question;
  readonly #scope: ExchangeScope;
  readonly #nowMs: number;
  readonly #tuned: Tuning;
  /** Segments, and their fields. */
  readonly #total: number;
  readonly #rows: number;
  /** A word that more exchanges have needs no synonyms, and is not used as one. */
  readonly #frequent: number;
  readonly #byKey = new Map<string, Candidate>();
  readonly #byRow = new Map<number, Candidate>();
  /** The segments of sub-agents among them. */
  readonly #agentRows = new Set<number>();

  constructor(database: Database, question: Question, scope: ExchangeScope, nowMs: number, tuned: Tuning) {
    this.#database = database;
    this.#question = question;
    this.#scope = scope;
    this.#nowMs = nowMs;
    this.#tuned = tuned;
    const count = (table: string): number =>
      Math.max(1, Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count));
    this.#total = count('exchanges');
    this.#rows = count('exchange_text_docsize');
    this.#frequent = Math.max(leastFrequent, Math.ceil(this.#total * frequentShare));
  }

  run(): readonly RankedExchange[] {
    const terms = this.#question.terms.map((term, index) => this.#rankTerm(term, index));
    const rare = terms.filter(({ fits }) => fits.size <= this.#total * commonShare);
    const asked = rare.some(({ fits, similar }) => fits.size + similar.size > 0) ? rare : terms;
    this.#findCandidates(asked);
    for (const term of terms) this.#addTerm(term);
    this.#addTitles(terms);
    this.#addNearness(asked);
    return this.#ranked(terms);
  }

  #rankTerm(term: QuestionTerm, index: number): RankedTerm {
    const isCommon = this.#isFrequent(term.match, Math.max(leastFrequent, Math.ceil(this.#total * commonShare)));
    const fits = isCommon ? this.#plainFits(term.match) : this.#fitsOf(term.match, mostRows);
    const similar = new Map<number, number>();
    const synonyms = isCommon || fits.size > this.#frequent ? [] : term.synonyms;
    for (const synonym of synonyms) {
      if (this.#isFrequent(synonym, this.#frequent)) continue;
      for (const [segment, fit] of this.#fitsOf(synonym, mostRows))
        similar.set(segment, Math.max(similar.get(segment) ?? 0, fit));
    }
    const known = fits.size > 0 ? fits.size : similar.size;
    const rarity = Math.log(1 + (this.#total - known + 0.5) / (known + 0.5));
    return { ...term, index, fits, similar, rarity };
  }

  /** Whether more rows have it; reads no more of them than that. */
  #isFrequent(match: string, most: number): boolean {
    const row = this.#database
      .prepare('SELECT count(*) AS count FROM (SELECT 1 FROM exchange_text WHERE exchange_text MATCH ? LIMIT ?)')
      .get(match, most + 1);
    return Number(row?.count ?? 0) > most;
  }

  /** Of a term that most exchanges have: where it is, not how often. */
  #plainFits(match: string): ReadonlyMap<number, number> {
    return new Map([...this.#segmentsWith(match)].map((segment) => [segment, 1]));
  }

  /** How well a term fits the segments that have it: its frequency, by the length and weight of each field. */
  #fitsOf(match: string, most: number): ReadonlyMap<number, number> {
    const { ids, scores, found } = this.#scoredRows(match, most);
    const rarity = Math.max(smallestRarity, Math.log((this.#rows - found + 0.5) / (found + 0.5)));
    const { fields, saturation } = this.#tuned;
    const fits = new Map<number, number>();
    for (const [i, id] of ids.entries()) {
      // bm25 of FTS5 is negative; without the rarity it is f * (k1 + 1) / (f + k1), where f is the frequency by length.
      const fit = Math.min(-(scores[i] ?? 0) / rarity, ftsSaturation + 1 - 1e-9);
      const frequency = (ftsSaturation * fit) / (ftsSaturation + 1 - fit);
      const segment = Math.floor(id / rowsPerSegment);
      const weight = fields[allFields[id % rowsPerSegment] as Field]; // written by us
      fits.set(segment, (fits.get(segment) ?? 0) + weight * frequency);
    }
    for (const [segment, f] of fits) fits.set(segment, (f * (saturation + 1)) / (f + saturation));
    return fits;
  }

  /** SQLite packs the rows into one text: an object for each of them costs more than finding them. */
  #scoredRows(match: string, most: number): ScoredRows {
    const { where, values, fields } = this.#scope;
    const isNarrowed = where !== '';
    const joined = `JOIN exchanges e ON e.id = exchange_text.rowid / ${rowsPerSegment} JOIN files f ON f.id = e.file`;
    const numbers = fields?.map((field) => allFields.indexOf(field)).join(', ');
    const ofFields = numbers === undefined ? '' : ` AND exchange_text.rowid % ${rowsPerSegment} IN (${numbers})`;
    const row = this.#database
      .prepare(
        `SELECT json_group_array(id) AS ids, json_group_array(score) AS scores FROM
           (SELECT exchange_text.rowid AS id, rank AS score FROM exchange_text ${isNarrowed ? joined : ''}
            WHERE exchange_text MATCH ?${ofFields}${where} ORDER BY rank LIMIT ?)`,
      )
      .get(match, ...values, most);
    const ids = JSON.parse(String(row?.ids ?? '[]')) as readonly number[];
    const scores = JSON.parse(String(row?.scores ?? '[]')) as readonly number[];
    const isAll = !isNarrowed && numbers === undefined && ids.length < most;
    return { ids, scores, found: isAll ? ids.length : this.#countRows(match) };
  }

  #countRows(match: string): number {
    const row = this.#database
      .prepare('SELECT count(*) AS count FROM exchange_text WHERE exchange_text MATCH ?')
      .get(match);
    return Number(row?.count ?? 0);
  }

  #segmentsWith(match: string): ReadonlySet<number> {
    const row = this.#database
      .prepare(
        `SELECT json_group_array(DISTINCT rowid / ${rowsPerSegment}) AS list FROM exchange_text
         WHERE exchange_text MATCH ?`,
      )
      .get(match);
    return new Set(JSON.parse(String(row?.list ?? '[]')) as readonly number[]);
  }

  /** All segments that have one of the terms, as the exchanges that they belong to. */
  #findCandidates(terms: readonly RankedTerm[]): void {
    const sums = new Map<number, number>();
    for (const { fits, similar, rarity, weight } of terms) {
      for (const [row, fit] of fits) sums.set(row, (sums.get(row) ?? 0) + fit * rarity * weight);
      for (const [row, fit] of similar)
        if (!fits.has(row)) sums.set(row, (sums.get(row) ?? 0) + fit * rarity * weight * this.#tuned.synonyms);
    }
    const best = [...sums].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, mostCandidates);
    const rows = this.#database
      .prepare(
        `SELECT e.id, e.file, e.line, e.time, f.session, f.agent_id FROM exchanges e JOIN files f ON f.id = e.file
         WHERE e.id IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify(best.map(([row]) => row)));
    const owners = new OwnerFinder(this.#database);
    for (const row of rows) this.#addCandidate(row, sums.get(Number(row.id)) ?? 0, owners);
  }

  #addCandidate(row: Row, score: number, owners: OwnerFinder): void {
    const [id, session, ownFile, ownLine] = [Number(row.id), Number(row.session), Number(row.file), Number(row.line)];
    const agent = row.agent_id === null ? undefined : String(row.agent_id);
    const time = typeof row.time === 'number' ? row.time : Number.NaN;
    const owner = agent === undefined ? undefined : owners.ownerOf({ session, agent, file: ownFile, time });
    const file = owner?.file ?? ownFile;
    const line = owner?.line ?? ownLine;
    const key = `${file} ${line}`;
    const known = this.#byKey.get(key);
    const candidate = known ?? { session, file, line, time, best: id, bestScore: 0, fits: new Map(), boost: 1 };
    if (owner !== undefined) this.#agentRows.add(id);
    else if (Number.isNaN(candidate.time) || time < candidate.time) candidate.time = time;
    if (score > candidate.bestScore) [candidate.best, candidate.bestScore] = [id, score];
    this.#byKey.set(key, candidate);
    this.#byRow.set(id, candidate);
  }

  /** Of several segments the best counts. */
  #addTerm({ index, fits, similar }: RankedTerm): void {
    const add = (row: number, fit: number): void => {
      const candidate = this.#byRow.get(row);
      const own = fit * (this.#agentRows.has(row) ? this.#tuned.agent : 1);
      if (candidate !== undefined) candidate.fits.set(index, Math.max(candidate.fits.get(index) ?? 0, own));
    };
    for (const [row, fit] of similar) add(row, fit * this.#tuned.synonyms);
    for (const [row, fit] of fits) add(row, fit);
  }

  /** What the title says counts for the exchanges of the session that were found, or else for its first one. */
  #addTitles(terms: readonly RankedTerm[]): void {
    const sessions = new Map<number, Candidate[]>();
    for (const candidate of this.#byKey.values()) {
      const list = sessions.get(candidate.session) ?? [];
      list.push(candidate);
      sessions.set(candidate.session, list);
    }
    const find = this.#database.prepare(
      `SELECT DISTINCT f.session FROM title_text JOIN titles t ON t.id = title_text.rowid JOIN files f ON f.id = t.file
       WHERE title_text MATCH ? LIMIT 2000`,
    );
    let added = 0;
    for (const { match, index } of terms) {
      for (const row of find.all(match)) {
        const session = Number(row.session);
        const known = sessions.get(session) ?? (added < mostByTitle ? this.#firstOf(session) : []);
        if (!sessions.has(session)) added += known.length;
        sessions.set(session, known);
        for (const { fits } of known) fits.set(index, (fits.get(index) ?? 0) + this.#tuned.title);
      }
    }
  }

  /** The first exchange of a session of which only the title has a term; none if it is not asked for. */
  #firstOf(session: number): Candidate[] {
    const { where, values, fields } = this.#scope;
    if (fields !== undefined) return []; // neither the user nor the model said the title
    const row = this.#database
      .prepare(
        `SELECT e.id, e.file, e.line, e.time, f.session, f.agent_id FROM exchanges e JOIN files f ON f.id = e.file
         WHERE f.session = ? AND f.agent_id IS NULL${where} ORDER BY e.line LIMIT 1`,
      )
      .get(session, ...values);
    if (row === undefined) return [];
    this.#addCandidate(row, 0, new OwnerFinder(this.#database));
    const candidate = this.#byRow.get(Number(row.id));
    return candidate === undefined ? [] : [candidate];
  }

  /** Adjacent words of the question that are near each other in the text. */
  #addNearness(terms: readonly RankedTerm[]): void {
    const words = terms.filter(({ match }) => !match.startsWith('('));
    const { near, nearDistance, phrase } = this.#tuned;
    for (let i = 0; i + 1 < words.length && i < mostPairs; i++) {
      const [one, two] = [words[i] as RankedTerm, words[i + 1] as RankedTerm]; // in range
      if (one.fits.size === 0 || two.fits.size === 0 || one.isPrefix || two.isPrefix) continue;
      const worth = (Math.min(one.rarity, two.rarity) / 10) * Math.min(one.weight, two.weight);
      if (Math.min(one.fits.size, two.fits.size) > this.#frequent) continue;
      if (this.#boost(`NEAR(${one.match} ${two.match}, ${nearDistance})`, near * worth))
        this.#boost(`${one.match} + ${two.match}`, phrase * worth);
    }
  }

  /** Whether any exchange has it. */
  #boost(match: string, by: number): boolean {
    const boosted = new Set<Candidate>();
    for (const row of this.#segmentsWith(match)) {
      const candidate = this.#byRow.get(row);
      if (candidate === undefined || boosted.has(candidate)) continue;
      boosted.add(candidate);
      candidate.boost += by;
    }
    return boosted.size > 0;
  }

  #ranked(terms: readonly RankedTerm[]): readonly RankedExchange[] {
    const all = terms.reduce((sum, { weight, rarity }) => sum + weight * rarity, 0);
    const required = terms.filter(({ isRequired }) => isRequired);
    const excluded = this.#excludedKeys();
    const scored = [...this.#byKey]
      .filter(([key, { fits }]) => !excluded.has(key) && required.every(({ index }) => fits.has(index)))
      .map(([, candidate]) => candidate)
      .map(({ session, file, line, time, best, boost, fits }) => {
        const matched = terms.filter(({ index }) => fits.has(index)).length;
        return { session, file, line, time, best, matched, score: this.#scoreOf({ fits, boost, time }, terms, all) };
      });
    return scored.sort(
      (a, b) => b.score - a.score || (b.time || 0) - (a.time || 0) || a.file - b.file || a.line - b.line,
    );
  }

  /** Exchanges with a word that the question excludes. */
  #excludedKeys(): ReadonlySet<string> {
    const { excluded } = this.#question;
    if (excluded === undefined) return new Set();
    const rows = this.#database
      .prepare('SELECT DISTINCT file, line FROM exchanges WHERE id IN (SELECT value FROM json_each(?))')
      .all(JSON.stringify([...this.#segmentsWith(excluded)]));
    return new Set(rows.map(({ file, line }) => `${file} ${line}`));
  }

  #scoreOf(
    { fits, boost, time }: Pick<Candidate, 'fits' | 'boost' | 'time'>,
    terms: readonly RankedTerm[],
    all: number,
  ): number {
    const { coverage, steepness, fresh } = this.#tuned;
    let score = 0;
    let covered = 0;
    for (const { index, weight, rarity } of terms) {
      const fit = fits.get(index) ?? 0;
      score += weight * rarity * fit;
      covered += weight * rarity * Math.min(1, fit);
    }
    const share = all === 0 ? 1 : covered / all;
    const age = Number.isNaN(time) ? Number.POSITIVE_INFINITY : Math.max(0, this.#nowMs - time);
    const recency = 1 + fresh * 2 ** (-age / freshHalfLifeMs);
    return score * boost * (1 - coverage + coverage * share ** steepness) * recency;
  }
}

/** What bm25 of FTS5 uses for a term that more than half of the rows have. */
const smallestRarity = 1e-6;
const ftsSaturation = 1.2;
const mostCandidates = 300;
