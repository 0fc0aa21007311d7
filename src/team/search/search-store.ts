// A connection to the store and a query → the hits, as the search of the local index returns them, each session with its places
// and the person who pushed it.
import { asObject, asString, isArray, type JsonObject } from '../../base/json/index.ts';
import type { Place, SessionPlaces } from '../../library/places/index.ts';
import { type SearchQuery, type SearchResult, type SessionHits, searchIn } from '../../library/search/index.ts';
import { answerLater } from '../../library/text/index.ts';
import type { Sql, TransactionSql } from '../database/index.ts';
import type { PeopleChoice } from '../source/index.ts';
import { type SearchedPeople, searchedPeople } from './people.ts';
import type { StoreSums } from './store-exchanges.ts';
import { type StoreFilter, StoreScope } from './store-scope.ts';
import { StoreSearch } from './store-search.ts';
import { StoreSessions } from './store-sessions.ts';

export interface StoreQuery extends Omit<SearchQuery, 'roots' | 'session'>, StoreFilter {
  readonly people: PeopleChoice;
}

export interface StoreSessionHits extends SessionHits {
  readonly person: string;
  readonly places: SessionPlaces;
  /** The sessions it was made from, as its machine recorded it. */
  readonly madeBy: { readonly operation: string; readonly from: readonly string[] } | undefined;
}

export interface StoreResult extends Omit<SearchResult, 'sessions'> {
  readonly sessions: readonly StoreSessionHits[];
}

/** Announces the reading of other people's text, then searches in one snapshot of the store. */
export async function searchStore(sql: Sql, query: StoreQuery): Promise<StoreResult> {
  const people = await searchedPeople(sql, query.people, query.text);
  const result = await sql.begin('isolation level repeatable read read only', (transaction) =>
    searchSnapshot(transaction, people, query),
  );
  return result as StoreResult;
}

async function searchSnapshot(sql: TransactionSql, people: SearchedPeople, query: StoreQuery): Promise<StoreResult> {
  const sums = sumsOf(sql, people.numbers);
  await Promise.all([sums, readByKey(sql)]);
  const sessions = new StoreSessions(sql);
  const scope = await StoreScope.of(sql, people.numbers, query, sessions);
  const source = new StoreSearch({ sql, scope, sums: await sums, sessions });
  const result = await answerLater(searchIn(source, { ...query, roots: [] }));
  const found = result.sessions.map((hits) => {
    const { person } = sessions.handles.keyOf(hits.session.id);
    const facts = sessions.sessionOf(sessions.handles.keyOf(hits.session.id))?.facts ?? {};
    const places = placesOf(hits, facts, source);
    return { ...hits, person: people.names.get(person) ?? '', places, madeBy: madeByOf(facts) };
  });
  return { ...result, sessions: found };
}

/** Some rows of large tables are read by their keys: never all rows of a table, whatever the planner expects. */
async function readByKey(sql: TransactionSql): Promise<void> {
  await sql`SELECT set_config(name, 'off', true) FROM unnest('{enable_seqscan,enable_hashjoin,enable_mergejoin,jit}'::text[]) name`;
}

/** Of what the search may see, from the sums that each push has left. */
async function sumsOf(sql: TransactionSql, people: readonly number[]): Promise<StoreSums> {
  const [row] = await sql<
    { documents: number; words: number; segments: number; fields: number; field_words: number }[]
  >`
    SELECT coalesce(sum(words[1]), 0)::bigint AS documents, coalesce(sum(words[2]), 0)::bigint AS words,
      coalesce(sum(words[3]), 0)::bigint AS segments, coalesce(sum(words[4]), 0)::bigint AS fields,
      coalesce(sum(words[5]), 0)::bigint AS field_words
    FROM clew.sessions WHERE person = ANY(${people as number[]}::integer[]) AND level >= 3`;
  const { documents = 0, words = 0, segments = 0, fields = 0, field_words: fieldWords = 0 } = row ?? {};
  return { documents, words, segments, fields, fieldWords };
}

function placesOf({ session }: SessionHits, facts: JsonObject, source: StoreSearch): SessionPlaces {
  return {
    path: session.path,
    title: session.title,
    tag: asString(facts.tag),
    forkedFrom: asString(facts.forkedFrom),
    placeOf: (path, line): Place => {
      const { turn, branch } = source.factsOf(path, line) ?? {};
      return { turn: numberOf(turn), branch: numberOf(branch) };
    },
  };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function madeByOf(facts: JsonObject): StoreSessionHits['madeBy'] {
  const made = asObject(facts.madeBy);
  if (made === undefined) return undefined;
  const from = isArray(made.from) ? made.from.flatMap((each) => asString(each) ?? []) : [];
  return { operation: asString(made.operation) ?? '', from };
}
