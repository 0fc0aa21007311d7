// Lines that match a query → their order by the exchanges that they are in; and if no line has all words, the lines that say
// most of the best exchanges that have some of them.
import {
  type ExchangeScope,
  OwnerFinder,
  parseQuestion,
  type RankedExchange,
  rankExchanges,
} from '../exchanges/index.ts';
import type { Database } from '../index/index.ts';
import { type DocumentRow, documentColumns, documentRow, type Scope } from '../text/index.ts';

export interface PartialHit {
  readonly row: DocumentRow;
  /** How many words of the query the exchange has. */
  readonly matched: number;
}

const leastWords = 2;

export class ExchangeOrder {
  /** How many words the query has. */
  readonly words: number;
  readonly #database: Database;
  readonly #ranked: readonly RankedExchange[];
  readonly #scores: ReadonlyMap<string, number>;
  readonly #owners: OwnerFinder;

  constructor(database: Database, text: string, { fileWhere, fileValues }: Scope, nowMs: number) {
    const question = parseQuestion(text);
    const scope: ExchangeScope = { where: fileWhere, values: fileValues };
    this.words = question.terms.length;
    this.#database = database;
    this.#ranked = rankExchanges(database, question, scope, nowMs);
    this.#scores = new Map(this.#ranked.map(({ file, line, score }) => [`${file} ${line}`, score]));
    this.#owners = new OwnerFinder(database);
  }

  /** The best exchange first; lines of one exchange, and of those that the ranking does not know, stay in their order. */
  sort(rows: readonly DocumentRow[]): readonly DocumentRow[] {
    const scored = rows.map((row) => ({ row, score: this.#scores.get(this.#keyOf(row)) ?? 0 }));
    return scored.sort((a, b) => b.score - a.score).map(({ row }) => row);
  }

  #keyOf({ file, line, session, agentId, time }: DocumentRow): string {
    const owner = agentId === undefined ? undefined : this.#owners.ownerOf({ session, agent: agentId, file, time });
    if (owner !== undefined) return `${owner.file} ${owner.line}`;
    const found = this.#database
      .prepare('SELECT max(line) AS line FROM exchanges WHERE file = ? AND line <= ?')
      .get(file, line)?.line;
    return `${file} ${typeof found === 'number' ? found : 0}`;
  }

  /** At most `limit` lines, one of each exchange that has at least half of the words, and not just one of them. */
  partialHits(match: string, { where, values }: Scope, limit: number): readonly PartialHit[] {
    const hits: PartialHit[] = [];
    for (const exchange of this.#ranked) {
      if (hits.length >= limit) break;
      if (exchange.matched < Math.max(leastWords, this.words / 2)) continue;
      const row = this.#bestLine(exchange, match, where, values);
      if (row !== undefined) hits.push({ row, matched: exchange.matched });
    }
    return hits;
  }

  /** Of the segment that matches best: the line with the best BM25 for any of the words. */
  #bestLine({ best }: RankedExchange, match: string, where: string, values: Scope['values']): DocumentRow | undefined {
    const ids = this.#database
      .prepare(
        `SELECT min(d.id) AS first, max(d.id) AS last FROM exchanges e JOIN documents d ON d.file = e.file
         WHERE e.id = ? AND d.offset >= e.offset AND d.offset < e.end_offset`,
      )
      .get(best);
    if (typeof ids?.first !== 'number' || typeof ids.last !== 'number') return undefined;
    const row = this.#database
      .prepare(
        `SELECT ${documentColumns} FROM document_text JOIN documents d ON d.id = document_text.rowid
         JOIN files f ON f.id = d.file JOIN exchanges e ON e.id = ? AND e.file = d.file
         WHERE document_text MATCH ? AND document_text.rowid BETWEEN ? AND ?
           AND d.offset >= e.offset AND d.offset < e.end_offset${where} ORDER BY rank LIMIT 1`,
      )
      .get(best, match, ids.first, ids.last, ...values);
    return row === undefined ? undefined : documentRow(row);
  }
}
