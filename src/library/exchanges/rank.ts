// A question → the exchanges that answer it, the best first. FTS5 gives the candidates with a BM25 that weighs the fields; over
// them count how many of the terms an exchange has, whether terms of the question are next to each other in it, the title of
// its session, and a little its age.
import type { Database, SqlValue } from '../index/index.ts';
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

export type Field = 'prompt' | 'answer' | 'files' | 'commands' | 'errors';
export const allFields: readonly Field[] = ['prompt', 'answer', 'files', 'commands', 'errors'];

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
  readonly synonyms: number;
  readonly title: number;
  readonly agent: number;
  /** How much of the score depends on the share of terms that are there, and how steeply. */
  readonly coverage: number;
  readonly steepness: number;
  readonly near: number;
  readonly nearDistance: number;
  readonly phrase: number;
  readonly context: number;
  readonly fresh: number;
}

export const tuning: Tuning = {
  fields: { prompt: 4, answer: 1.5, files: 2, commands: 1, errors: 1.5 },
  synonyms: 0.4,
  title: 0.5,
  agent: 0.7,
  coverage: 0.8,
  steepness: 1.5,
  near: 0.3,
  nearDistance: 8,
  phrase: 0.3,
  context: 0.1,
  fresh: 0.1,
};

const candidates = 400;
const freshHalfLifeMs = 30 * 24 * 3600 * 1000;
/** A term that more of the exchanges have finds nothing alone. */
const commonShare = 0.3;

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
  score: number;
  best: number;
  bestScore: number;
  readonly terms: Set<number>;
  boost: number;
}

interface CountedTerm extends QuestionTerm {
  readonly index: number;
  readonly rows: ReadonlySet<number>;
  readonly rarity: number;
}

class Ranking {
  readonly #database: Database;
  readonly #question: Question;
  readonly #scope: ExchangeScope;
  readonly #nowMs: number;
  readonly #tuned: Tuning;
  readonly #byKey = new Map<string, Candidate>();
  readonly #byRow = new Map<number, Candidate>();
  readonly #owners: OwnerFinder;

  constructor(database: Database, question: Question, scope: ExchangeScope, nowMs: number, tuned: Tuning) {
    this.#database = database;
    this.#question = question;
    this.#scope = scope;
    this.#nowMs = nowMs;
    this.#tuned = tuned;
    this.#owners = new OwnerFinder(database);
  }

  run(): readonly RankedExchange[] {
    const terms = this.#countTerms();
    if (terms.length === 0) return [];
    const rare = terms.filter(({ rows }) => rows.size <= this.#total * commonShare);
    const asked = rare.length > 0 ? rare : terms;
    const weights = new Map<number, CountedTerm[]>();
    for (const term of asked) {
      const group = weights.get(term.weight) ?? [];
      group.push(term);
      weights.set(term.weight, group);
    }
    for (const [weight, group] of weights)
      this.#addScores(
        group.map(({ match }) => match),
        weight,
      );
    const synonyms = asked.flatMap(({ synonyms: others }) => others ?? []);
    if (synonyms.length > 0) this.#addScores(synonyms, this.#tuned.synonyms);
    this.#addTitles(terms);
    this.#addNearness(asked);
    return this.#ranked(terms);
  }

  #total = 1;

  #countTerms(): readonly CountedTerm[] {
    this.#total = Math.max(1, Number(this.#database.prepare('SELECT count(*) AS count FROM exchanges').get()?.count));
    return this.#question.terms.map((term, index) => {
      const rows = this.#rowsOf(term.match);
      const rarity = Math.log(1 + (this.#total - rows.size + 0.5) / (rows.size + 0.5));
      return { ...term, index, rows, rarity };
    });
  }

  /** SQLite packs the ids into one text: an object for each of them costs more than finding them. */
  #rowsOf(match: string): ReadonlySet<number> {
    const row = this.#database
      .prepare('SELECT json_group_array(rowid) AS list FROM exchange_text WHERE exchange_text MATCH ?')
      .get(this.#inFields(match));
    return new Set(JSON.parse(String(row?.list ?? '[]')) as readonly number[]);
  }

  #inFields(match: string): string {
    const { fields } = this.#scope;
    const { excluded } = this.#question;
    const wanted = fields === undefined ? `(${match})` : `{${fields.join(' ')}} : (${match})`;
    return excluded === undefined ? wanted : `(${wanted}) NOT (${excluded})`;
  }

  #addScores(matches: readonly string[], weight: number): void {
    const { where, values } = this.#scope;
    const joined = 'JOIN exchanges e ON e.id = exchange_text.rowid JOIN files f ON f.id = e.file';
    const columns = allFields.map((field) => this.#tuned.fields[field]).join(', ');
    const rows = this.#database
      .prepare(
        `SELECT best.id, best.score, e.file, e.line, e.time, f.session, f.agent_id FROM
           (SELECT exchange_text.rowid AS id, bm25(exchange_text, ${columns}) AS score
            FROM exchange_text ${where === '' ? '' : joined}
            WHERE exchange_text MATCH ?${where} ORDER BY score LIMIT ?) best
         JOIN exchanges e ON e.id = best.id JOIN files f ON f.id = e.file`,
      )
      .all(this.#inFields(matches.join(' OR ')), ...values, candidates);
    const added = new Map<Candidate, number>();
    for (const row of rows) {
      const candidate = this.#candidateOf(row);
      // bm25 of FTS5 is negative, the better the lower.
      const own = -Number(row.score) * weight * (row.agent_id === null ? 1 : this.#tuned.agent);
      // Of several segments the best counts, the others a little.
      const before = added.get(candidate) ?? 0;
      added.set(candidate, Math.max(before, own) + 0.1 * Math.min(before, own));
      if (own > candidate.bestScore) {
        candidate.bestScore = own;
        candidate.best = Number(row.id);
      }
    }
    for (const [candidate, score] of added) candidate.score += score;
  }

  #candidateOf(row: Readonly<Record<string, SqlValue>>): Candidate {
    const id = Number(row.id);
    const known = this.#byRow.get(id);
    if (known !== undefined) return known;
    const [session, ownFile, ownLine] = [Number(row.session), Number(row.file), Number(row.line)];
    const agent = row.agent_id === null ? undefined : String(row.agent_id);
    const time = typeof row.time === 'number' ? row.time : Number.NaN;
    const owner = agent === undefined ? undefined : this.#owners.ownerOf({ session, agent, file: ownFile, time });
    const file = owner?.file ?? ownFile;
    const line = owner?.line ?? ownLine;
    const key = `${file} ${line}`;
    const candidate = this.#byKey.get(key) ?? {
      session,
      file,
      line,
      time,
      score: 0,
      best: id,
      bestScore: 0,
      terms: new Set<number>(),
      boost: 1,
    };
    if (owner === undefined && (Number.isNaN(candidate.time) || time < candidate.time)) candidate.time = time;
    this.#byKey.set(key, candidate);
    this.#byRow.set(id, candidate);
    return candidate;
  }

  /** What the title says counts for all exchanges of the session that were found. */
  #addTitles(terms: readonly CountedTerm[]): void {
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
    for (const term of terms) {
      for (const { session } of find.all(term.match)) {
        for (const candidate of sessions.get(Number(session)) ?? []) {
          candidate.score += this.#tuned.title * term.weight * term.rarity;
          candidate.terms.add(term.index);
        }
      }
    }
  }

  /** Adjacent words of the question that are near each other in the text. */
  #addNearness(terms: readonly CountedTerm[]): void {
    const words = terms.filter(({ match }) => !match.startsWith('('));
    const { near, nearDistance, phrase } = this.#tuned;
    for (let i = 0; i + 1 < words.length && i < mostPairs; i++) {
      const [one, two] = [words[i] as CountedTerm, words[i + 1] as CountedTerm]; // in range
      if (one.rows.size === 0 || two.rows.size === 0 || one.isPrefix || two.isPrefix) continue;
      const worth = (Math.min(one.rarity, two.rarity) / 10) * Math.min(one.weight, two.weight);
      this.#boost(`NEAR(${one.match} ${two.match}, ${nearDistance})`, near * worth);
      this.#boost(`${one.match} + ${two.match}`, phrase * worth);
    }
  }

  #boost(match: string, by: number): void {
    const boosted = new Set<Candidate>();
    for (const row of this.#rowsOf(match)) {
      const candidate = this.#byRow.get(row);
      if (candidate === undefined || boosted.has(candidate)) continue;
      boosted.add(candidate);
      candidate.boost += by;
    }
  }

  #ranked(terms: readonly CountedTerm[]): readonly RankedExchange[] {
    for (const term of terms) for (const row of term.rows) this.#byRow.get(row)?.terms.add(term.index);
    const all = terms.reduce((sum, { weight, rarity }) => sum + weight * rarity, 0);
    const required = terms.filter(({ isRequired }) => isRequired).map(({ index }) => index);
    const scored = [...this.#byKey.values()]
      .filter((candidate) => required.every((index) => candidate.terms.has(index)))
      .map((candidate) => ({
        ...candidate,
        score: this.#scoreOf(candidate, terms, all),
        matched: candidate.terms.size,
      }));
    const context = contextOf(scored);
    return scored
      .map((each) => ({ ...each, score: each.score + this.#tuned.context * (context.get(each) ?? 0) }))
      .sort((a, b) => b.score - a.score || (b.time || 0) - (a.time || 0) || a.file - b.file || a.line - b.line);
  }

  #scoreOf(candidate: Candidate, terms: readonly CountedTerm[], all: number): number {
    const { coverage, steepness, fresh } = this.#tuned;
    const covered = terms.reduce(
      (sum, { index, weight, rarity }) => sum + (candidate.terms.has(index) ? weight * rarity : 0),
      0,
    );
    const share = all === 0 ? 1 : covered / all;
    const age = Number.isNaN(candidate.time) ? Number.POSITIVE_INFINITY : Math.max(0, this.#nowMs - candidate.time);
    const recency = 1 + fresh * 2 ** (-age / freshHalfLifeMs);
    return candidate.score * candidate.boost * (1 - coverage + coverage * share ** steepness) * recency;
  }
}

const mostPairs = 10;

/** What the exchange before it in the same transcript scores: "try again" is about what was asked before. */
function contextOf(scored: readonly { file: number; line: number; score: number }[]): Map<object, number> {
  const before = new Map<object, number>();
  const inOrder = [...scored].sort((a, b) => a.file - b.file || a.line - b.line);
  for (const [i, each] of inOrder.entries()) {
    const previous = inOrder[i - 1];
    if (previous !== undefined && previous.file === each.file) before.set(each, Math.min(previous.score, each.score));
  }
  return before;
}
