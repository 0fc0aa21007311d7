// Lines that match a query → their order by the exchanges that they are in; and if no line has all words, the lines that say
// most of the best exchanges that have some of them.
import { parseQuestion, type RankedExchange, rankExchanges } from '../exchanges/index.ts';
import { type Asking, ask, type DocumentRow } from '../text/index.ts';
import type { SearchSource } from './source.ts';

export interface PartialHit {
  readonly row: DocumentRow;
  /** How many words of the query the exchange has. */
  readonly matched: number;
}

const leastWords = 2;

export class ExchangeOrder {
  /** How many words the query has. */
  readonly words: number;
  readonly #source: SearchSource;
  readonly #ranked: readonly RankedExchange[];
  readonly #scores: ReadonlyMap<string, number>;

  private constructor(source: SearchSource, words: number, ranked: readonly RankedExchange[]) {
    this.words = words;
    this.#source = source;
    this.#ranked = ranked;
    this.#scores = new Map(ranked.map(({ file, line, score }) => [`${file} ${line}`, score]));
  }

  static *of(source: SearchSource, text: string, nowMs: number): Asking<ExchangeOrder> {
    const question = parseQuestion(text);
    const ranked = yield* rankExchanges(source.exchanges, question, { nowMs });
    return new ExchangeOrder(source, question.terms.length, ranked);
  }

  /** The best exchange first; lines of one exchange, and of those that the ranking does not know, stay in their order. */
  *sort(rows: readonly DocumentRow[]): Asking<readonly DocumentRow[]> {
    if (rows.length < 2) return rows;
    const keys = yield* ask(this.#source.exchangeKeys(rows));
    const scored = rows.map((row, i) => ({ row, score: this.#scores.get(keys[i] ?? '') ?? 0 }));
    return scored.sort((a, b) => b.score - a.score).map(({ row }) => row);
  }

  /** At most `limit` lines, one of each exchange that has at least half of the words, and not just one of them. */
  *partialHits(match: string, limit: number): Asking<readonly PartialHit[]> {
    const least = Math.max(leastWords, this.words / 2);
    const eligible = this.#ranked.filter(({ matched }) => matched >= least);
    const hits: PartialHit[] = [];
    for (let at = 0; at < eligible.length && hits.length < limit; ) {
      const next = eligible.slice(at, at + limit - hits.length);
      at += next.length;
      const segments = next.map(({ best }) => best);
      for (const [i, row] of (yield* ask(this.#source.bestOfSegments(segments, match))).entries())
        if (row !== undefined) hits.push({ row, matched: next[i]?.matched ?? 0 });
    }
    return hits;
  }
}
