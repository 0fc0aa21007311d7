// The local index answers what a search asks; texts are read from the transcripts.
import { LocalExchanges, OwnerFinder } from '../exchanges/index.ts';
import type { Database } from '../index/index.ts';
import {
  DocumentReader,
  type DocumentRow,
  documentColumns,
  documentRow,
  type HitSession,
  type Scope,
  type SearchFilter,
  scopeOf,
  sessionOf,
} from '../text/index.ts';
import { type Scan, scanDocuments } from './scan.ts';
import type { ReadText, ScoredDocument, SearchSource } from './source.ts';

export class LocalSearch implements SearchSource {
  readonly exchanges: LocalExchanges;
  readonly #database: Database;
  readonly #scope: Scope;
  readonly #owners: OwnerFinder;
  readonly #reader = new DocumentReader('scattered');

  constructor(database: Database, filter: SearchFilter) {
    this.#database = database;
    this.#scope = scopeOf(database, filter);
    this.#owners = new OwnerFinder(database);
    const { fileWhere, fileValues } = this.#scope;
    this.exchanges = new LocalExchanges(database, { where: fileWhere, values: fileValues }, this.#owners);
  }

  bestDocuments(match: string, most: number): readonly ScoredDocument[] {
    return this.#database
      .prepare(
        `SELECT ${documentColumns}, best.score FROM
           (SELECT document_text.rowid AS id, rank AS score FROM ${this.#matching} ORDER BY rank LIMIT ?) best
         JOIN documents d ON d.id = best.id JOIN files f ON f.id = d.file`,
      )
      .all(match, ...this.#scope.values, most)
      .map((row) => ({ document: documentRow(row), score: Number(row.score) }));
  }

  bestPhrases(phrase: string, _match: string, most: number): readonly ScoredDocument[] {
    return this.bestDocuments(phrase, most);
  }

  countDocuments(match: string): number {
    const row = this.#database
      .prepare(`SELECT count(*) AS count FROM ${this.#matching}`)
      .get(match, ...this.#scope.values);
    return Number(row?.count ?? 0);
  }

  get #matching(): string {
    const { where } = this.#scope;
    const joined = where === '' ? '' : 'JOIN documents d ON d.id = document_text.rowid JOIN files f ON f.id = d.file';
    return `document_text ${joined} WHERE document_text MATCH ?${where}`;
  }

  exchangeKeys(documents: readonly DocumentRow[]): readonly string[] {
    return documents.map(({ file, line, session, agentId }) => {
      const owner = agentId === undefined ? undefined : this.#owners.ownerOf({ session, agent: agentId, file });
      if (owner !== undefined) return `${owner.file} ${owner.line}`;
      const found = this.#database
        .prepare('SELECT max(line) AS line FROM exchanges WHERE file = ? AND line <= ?')
        .get(file, line)?.line;
      return `${file} ${typeof found === 'number' ? found : 0}`;
    });
  }

  bestOfSegments(segments: readonly number[], match: string): readonly (DocumentRow | undefined)[] {
    return segments.map((segment) => this.#bestOf(segment, match));
  }

  #bestOf(segment: number, match: string): DocumentRow | undefined {
    const ids = this.#database
      .prepare(
        `SELECT min(d.id) AS first, max(d.id) AS last FROM exchanges e JOIN documents d ON d.file = e.file
         WHERE e.id = ? AND d.offset >= e.offset AND d.offset < e.end_offset`,
      )
      .get(segment);
    if (typeof ids?.first !== 'number' || typeof ids.last !== 'number') return undefined;
    const row = this.#database
      .prepare(
        `SELECT ${documentColumns} FROM document_text JOIN documents d ON d.id = document_text.rowid
         JOIN files f ON f.id = d.file JOIN exchanges e ON e.id = ? AND e.file = d.file
         WHERE document_text MATCH ? AND document_text.rowid BETWEEN ? AND ?
           AND d.offset >= e.offset AND d.offset < e.end_offset${this.#scope.where} ORDER BY rank LIMIT 1`,
      )
      .get(segment, match, ids.first, ids.last, ...this.#scope.values);
    return row === undefined ? undefined : documentRow(row);
  }

  scan(scan: Scan): readonly DocumentRow[] {
    return scanDocuments(this.#database, scan, this.#scope);
  }

  sessions(ids: readonly number[]): readonly (HitSession | undefined)[] {
    return ids.map((id) => sessionOf(this.#database, id));
  }

  texts(documents: readonly DocumentRow[]): readonly (ReadText | undefined)[] {
    return documents.map((row) => this.#reader.read(row));
  }
}
