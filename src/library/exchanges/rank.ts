// A question → the exchanges that answer it, the best first. FTS5 says for each term how well it fits an exchange, by a BM25
// that weighs the fields; a synonym counts as the term itself, only less. Then count how many of the terms an exchange has,
// whether terms of the question are near each other in it, the title of its session, and a little its age.
import { rowsPerSegment, type SqlValue } from '../index/index.ts';
import { type Asking, ask, comparePaths } from '../text/index.ts';
import { allFields, type Field } from './builder.ts';
import type { Question, QuestionTerm } from './question.ts';
import type { ExchangeSource, SegmentRow } from './source.ts';

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
  readonly path: string;
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

export function* rankExchanges(
  source: ExchangeSource,
  question: Question,
  { nowMs, tuned = tuning, fields }: RankOptions,
): Asking<readonly RankedExchange[]> {
  const { segments, fields: rows } = yield* ask(source.counts());
  return yield* new Ranking(source, question, { nowMs, tuned, fields, segments, rows }).run();
}

export interface RankOptions {
  readonly nowMs: number;
  readonly tuned?: Tuning | undefined;
  /** As in the scope of the source. */
  readonly fields?: readonly Field[] | undefined;
}

interface Candidate {
  readonly session: number;
  readonly file: number;
  readonly path: string;
  readonly line: number;
  time: number;
  best: number;
  bestScore: number;
  /** How well each term fits, by its index, without its rarity; a term of the title has at least a little. */
  readonly fits: Map<number, number>;
  boost: number;
}

/** `synonyms`: those that must be looked up. */
interface FoundTerm extends QuestionTerm {
  /** Segments that have it, with how well it fits them. */
  readonly fits: ReadonlyMap<number, number>;
}

interface RankedTerm extends FoundTerm {
  readonly index: number;
  /** The same for words for the same thing. */
  readonly similar: ReadonlyMap<number, number>;
  readonly rarity: number;
}

interface RankingInput {
  readonly nowMs: number;
  readonly tuned: Tuning;
  readonly fields: readonly Field[] | undefined;
  /** How many segments there are, and fields of them. */
  readonly segments: number;
  readonly rows: number;
}

class Ranking {
  readonly #source: ExchangeSource;
  readonly #question: Question;
  readonly #input: RankingInput;
  readonly #tuned: Tuning;
  readonly #total: number;
  /** A word that more exchanges have needs no synonyms, and is not used as one. */
  readonly #frequent: number;
  /** Of a word that more fields have it does not count how often it is there. */
  readonly #common: number;
  readonly #byKey = new Map<string, Candidate>();
  readonly #byRow = new Map<number, Candidate>();
  /** The segments of sub-agents among them. */
  readonly #agentRows = new Set<number>();

  constructor(source: ExchangeSource, question: Question, input: RankingInput) {
    this.#source = source;
    this.#question = question;
    this.#input = input;
    this.#tuned = input.tuned;
    this.#total = input.segments;
    this.#frequent = Math.max(leastFrequent, Math.ceil(this.#total * frequentShare));
    this.#common = Math.max(leastFrequent, Math.ceil(this.#total * commonShare));
  }

  *run(): Asking<readonly RankedExchange[]> {
    const { terms: asked } = this.#question;
    this.#source.expect?.(asked.map(({ match }) => ({ match, most: this.#common })));
    const found: FoundTerm[] = [];
    for (const term of asked) found.push(yield* this.#findTerm(term));
    const synonyms = found.flatMap((each) => each.synonyms);
    this.#source.expect?.(synonyms.map((match) => ({ match, most: this.#frequent })));
    const terms: RankedTerm[] = [];
    for (const [index, each] of found.entries()) terms.push(yield* this.#rankTerm(each, index));
    const rare = terms.filter(({ fits }) => fits.size <= this.#total * commonShare);
    const deciding = rare.some(({ fits, similar }) => fits.size + similar.size > 0) ? rare : terms;
    yield* this.#findCandidates(deciding);
    for (const term of terms) this.#addTerm(term);
    yield* this.#addTitles(terms);
    yield* this.#addNearness(deciding);
    return yield* this.#ranked(terms);
  }

  *#findTerm(term: QuestionTerm): Asking<FoundTerm> {
    const isCommon = yield* ask(this.#source.isFrequent(term.match, this.#common));
    const fits = isCommon ? yield* this.#plainFits(term.match) : yield* this.#fitsOf(term.match, mostRows);
    const synonyms = isCommon || fits.size > this.#frequent ? [] : term.synonyms;
    return { ...term, fits, synonyms };
  }

  *#rankTerm(term: FoundTerm, index: number): Asking<RankedTerm> {
    const { fits, synonyms } = term;
    const similar = new Map<number, number>();
    for (const synonym of synonyms) {
      if (yield* ask(this.#source.isFrequent(synonym, this.#frequent))) continue;
      for (const [segment, fit] of yield* this.#fitsOf(synonym, mostRows))
        similar.set(segment, Math.max(similar.get(segment) ?? 0, fit));
    }
    const known = fits.size > 0 ? fits.size : similar.size;
    const rarity = Math.log(1 + (this.#total - known + 0.5) / (known + 0.5));
    return { ...term, index, similar, rarity };
  }

  /** Of a term that most exchanges have: where it is, not how often. */
  *#plainFits(match: string): Asking<ReadonlyMap<number, number>> {
    return new Map([...(yield* ask(this.#source.segmentsWith(match)))].map((segment) => [segment, 1]));
  }

  /** How well a term fits the segments that have it: its frequency, by the length and weight of each field. */
  *#fitsOf(match: string, most: number): Asking<ReadonlyMap<number, number>> {
    const { ids, scores, found: count } = yield* ask(this.#source.fieldScores(match, most));
    const rarity = Math.max(smallestRarity, Math.log((this.#input.rows - count + 0.5) / (count + 0.5)));
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

  /** All segments that have one of the terms, as the exchanges that they belong to. */
  *#findCandidates(terms: readonly RankedTerm[]): Asking<void> {
    const sums = new Map<number, number>();
    for (const { fits, similar, rarity, weight } of terms) {
      for (const [row, fit] of fits) sums.set(row, (sums.get(row) ?? 0) + fit * rarity * weight);
      for (const [row, fit] of similar)
        if (!fits.has(row)) sums.set(row, (sums.get(row) ?? 0) + fit * rarity * weight * this.#tuned.synonyms);
    }
    const best = [...sums].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, mostCandidates);
    for (const row of yield* ask(this.#source.segments(best.map(([id]) => id))))
      this.#addCandidate(row, sums.get(row.id) ?? 0);
  }

  #addCandidate({ id, session, file, path, line, time, isOwned }: SegmentRow, score: number): void {
    const key = `${file} ${line}`;
    const known = this.#byKey.get(key);
    const candidate = known ?? { session, file, path, line, time, best: id, bestScore: 0, fits: new Map(), boost: 1 };
    if (isOwned) this.#agentRows.add(id);
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
  *#addTitles(terms: readonly RankedTerm[]): Asking<void> {
    const sessions = new Map<number, Candidate[]>();
    for (const candidate of this.#byKey.values()) {
      const list = sessions.get(candidate.session) ?? [];
      list.push(candidate);
      sessions.set(candidate.session, list);
    }
    let added = 0;
    for (const { match, index } of terms) {
      for (const session of yield* ask(this.#source.titledSessions(match))) {
        const known = sessions.get(session) ?? (added < mostByTitle ? yield* this.#firstOf(session) : []);
        if (!sessions.has(session)) added += known.length;
        sessions.set(session, known);
        for (const { fits } of known) fits.set(index, (fits.get(index) ?? 0) + this.#tuned.title);
      }
    }
  }

  /** The first exchange of a session of which only the title has a term; none if it is not asked for. */
  *#firstOf(session: number): Asking<Candidate[]> {
    if (this.#input.fields !== undefined) return []; // neither the user nor the model said the title
    const row = yield* ask(this.#source.firstSegment(session));
    if (row === undefined) return [];
    this.#addCandidate(row, 0);
    const candidate = this.#byRow.get(row.id);
    return candidate === undefined ? [] : [candidate];
  }

  /** Adjacent words of the question that are near each other in the text. */
  *#addNearness(terms: readonly RankedTerm[]): Asking<void> {
    const words = terms.filter(({ match }) => !match.startsWith('('));
    const { near, nearDistance, phrase } = this.#tuned;
    for (let i = 0; i + 1 < words.length && i < mostPairs; i++) {
      const [one, two] = [words[i] as RankedTerm, words[i + 1] as RankedTerm]; // in range
      if (one.fits.size === 0 || two.fits.size === 0 || one.isPrefix || two.isPrefix) continue;
      const worth = (Math.min(one.rarity, two.rarity) / 10) * Math.min(one.weight, two.weight);
      if (Math.min(one.fits.size, two.fits.size) > this.#frequent) continue;
      if (yield* this.#boost(`NEAR(${one.match} ${two.match}, ${nearDistance})`, near * worth))
        yield* this.#boost(`${one.match} + ${two.match}`, phrase * worth);
    }
  }

  /** Whether any exchange has it. */
  *#boost(match: string, by: number): Asking<boolean> {
    const boosted = new Set<Candidate>();
    for (const row of yield* ask(this.#source.segmentsWith(match))) {
      const candidate = this.#byRow.get(row);
      if (candidate === undefined || boosted.has(candidate)) continue;
      boosted.add(candidate);
      candidate.boost += by;
    }
    return boosted.size > 0;
  }

  *#ranked(terms: readonly RankedTerm[]): Asking<readonly RankedExchange[]> {
    const all = terms.reduce((sum, { weight, rarity }) => sum + weight * rarity, 0);
    const required = terms.filter(({ isRequired }) => isRequired);
    const excluded = yield* this.#excludedKeys();
    const scored = [...this.#byKey]
      .filter(([key, { fits }]) => !excluded.has(key) && required.every(({ index }) => fits.has(index)))
      .map(([, candidate]) => candidate)
      .map(({ session, file, path, line, time, best, boost, fits }) => {
        const matched = terms.filter(({ index }) => fits.has(index)).length;
        const score = this.#scoreOf({ fits, boost, time }, terms, all);
        return { session, file, path, line, time, best, matched, score };
      });
    return scored.sort(
      (a, b) => b.score - a.score || (b.time || 0) - (a.time || 0) || comparePaths(a.path, b.path) || a.line - b.line,
    );
  }

  /** Exchanges with a word that the question excludes. */
  *#excludedKeys(): Asking<ReadonlySet<string>> {
    const { excluded } = this.#question;
    if (excluded === undefined) return new Set();
    return yield* ask(this.#source.exchangeKeys(yield* ask(this.#source.segmentsWith(excluded))));
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
    const age = Number.isNaN(time) ? Number.POSITIVE_INFINITY : Math.max(0, this.#input.nowMs - time);
    const recency = 1 + fresh * 2 ** (-age / freshHalfLifeMs);
    return score * boost * (1 - coverage + coverage * share ** steepness) * recency;
  }
}

/** What bm25 of FTS5 uses for a term that more than half of the rows have. */
const smallestRarity = 1e-6;
const ftsSaturation = 1.2;
const mostCandidates = 300;
