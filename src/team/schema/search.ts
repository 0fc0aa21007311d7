// What a search over the store asks. A policy is asked before any operator that might reveal its operands, and `@@` counts as
// one: a query of the table itself would not use the index of words. These functions look with the owner's rights, under the
// same condition as the policy.
import { seenBy } from './policies.ts';

/** The words of a query only, with their positions: a text of some bytes instead of all words of the row. */
const wordsOfQuery = `ts_filter(setweight(words, 'A', CASE WHEN cardinality($2::text[]) = 0 THEN $1::text[] ELSE $1::text[] ||
      ARRAY(SELECT u.lexeme FROM unnest(words) u, unnest($2::text[]) p WHERE starts_with(u.lexeme, p)) END), '{a}')::text`;

/** Titles have no time of their own: they count as said when the session was used last. */
const time = `coalesce(said_at, (SELECT s.ended_at FROM clew.sessions s
      WHERE s.tenant = d.tenant AND s.person = d.person AND s.session_id = d.session_id))`;

const filters = `($5::text[] IS NULL OR person || ' ' || session_id = ANY($5::text[]))
    AND ($6::text[] IS NULL OR kind = ANY($6::text[])) AND ($7::text IS NULL OR lower(tool COLLATE "C") = lower($7::text COLLATE "C"))
    AND ($8::timestamptz IS NULL OR ${time} >= $8::timestamptz) AND ($9::timestamptz IS NULL OR ${time} < $9::timestamptz)`;

const filterArgs = 'of_sessions text[], of_kinds text[], of_tool text, since timestamptz, until timestamptz';

/** Numbers of arguments as in `filters`; what is not an argument of a query is null. */
const documentsThatMatch = `FROM clew.documents d WHERE words @@ $3 AND person = ANY($4) AND ${filters} AND ${seenBy('documents')}`;
const documentValues = 'lexemes, prefixes, query, of_people, of_sessions, of_kinds, of_tool, since, until';
const documentLine = `concat_ws(chr(31), d.person, d.month, d.session_id, d.nth, d.tokens, ${wordsOfQuery})`;

const exchangesThatMatch = `FROM clew.exchanges WHERE person = ANY($4) AND ${seenBy('exchanges')}`;
const exchangeLine = `concat_ws(chr(31), person, month, session_id, nth, array_to_string(tokens, ','), ${wordsOfQuery})`;

const settings = 'STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off';

/**
 * EXECUTE: a plan is made for these values, so that a list of sessions is a hash table, and an absent filter is nothing. To
 * read the words of a row costs 20 times as much as to find it, so the functions count first.
 */
export const searchFunctions: string = `
-- Documents that match, as lines: person, month, session, nth, number of words, and those of the query with their positions.
-- of_sessions: PERSON SESSION of each. A filter that is null excludes nothing. If more than \`most\` match: a line 'more', then of the first that are found
-- (20,000) the shortest, which are most likely about the word, and the newest.
CREATE FUNCTION clew.found_documents(query tsquery, lexemes text[], prefixes text[], of_people integer[], ${filterArgs}, most integer)
RETURNS SETOF text LANGUAGE plpgsql ${settings} AS $$
DECLARE
  people integer[];
  months date[];
  sessions text[];
  nths integer[];
BEGIN
  EXECUTE $query$SELECT array_agg(person), array_agg(month), array_agg(session_id), array_agg(nth)
    FROM (SELECT person, month, session_id, nth ${documentsThatMatch} LIMIT $10) f$query$
  INTO people, months, sessions, nths USING ${documentValues}, most + 1;
  IF cardinality(people) > most THEN
    RETURN NEXT 'more';
    EXECUTE $query$WITH matching AS (SELECT person, month, session_id, nth, tokens, said_at ${documentsThatMatch} LIMIT 20000)
      SELECT array_agg(person), array_agg(month), array_agg(session_id), array_agg(nth) FROM (
        (SELECT person, month, session_id, nth FROM matching ORDER BY tokens, said_at DESC NULLS LAST LIMIT $10 * 3 / 4)
        UNION (SELECT person, month, session_id, nth FROM matching ORDER BY said_at DESC NULLS LAST LIMIT $10 / 4)) f$query$
    INTO people, months, sessions, nths USING ${documentValues}, most;
  END IF;
  RETURN QUERY EXECUTE $query$SELECT ${documentLine}
    FROM unnest($3::integer[], $4::date[], $5::text[], $6::integer[]) k (person, month, session_id, nth)
    JOIN clew.documents d ON d.tenant = $7 AND d.person = k.person AND d.month = k.month AND d.session_id = k.session_id
      AND d.nth = k.nth$query$
  USING lexemes, prefixes, people, months, sessions, nths, clew.my_tenant();
END $$;

CREATE FUNCTION clew.count_documents(query tsquery, of_people integer[], ${filterArgs}, most integer) RETURNS bigint
LANGUAGE plpgsql ${settings} AS $$
DECLARE
  found bigint;
BEGIN
  EXECUTE $query$SELECT count(*) FROM (SELECT ${documentsThatMatch} LIMIT $10) f$query$ INTO found
  USING null::text[], null::text[], query, of_people, of_sessions, of_kinds, of_tool, since, until, most;
  RETURN found;
END $$;

-- Segments of exchanges that match, or have a title that does: person, month, session, nth, number of words of each field, and
-- those of the query. If more than \`most\` match, some of them, without words; only those with a title have them.
CREATE FUNCTION clew.found_exchanges(query tsquery, title_query tsquery, lexemes text[], prefixes text[], of_people integer[], most integer)
RETURNS SETOF text LANGUAGE plpgsql ${settings} AS $$
DECLARE
  found integer;
BEGIN
  EXECUTE $query$SELECT count(*) FROM (SELECT ${exchangesThatMatch} AND words @@ $3 LIMIT $5) f$query$ INTO found
  USING lexemes, prefixes, query, of_people, most + 1;
  IF found > most THEN
    RETURN QUERY EXECUTE $query$SELECT concat_ws(chr(31), person, month, session_id, nth) ${exchangesThatMatch} AND words @@ $3
      LIMIT $5$query$ USING lexemes, prefixes, query, of_people, greatest(most, 1500);
  END IF;
  RETURN QUERY EXECUTE $query$SELECT ${exchangeLine} ${exchangesThatMatch} AND words @@ $3$query$
  USING lexemes, prefixes, CASE WHEN found > most THEN title_query ELSE query || title_query END, of_people;
END $$;
`;

const signatures = [
  'found_documents(tsquery, text[], text[], integer[], text[], text[], text, timestamptz, timestamptz, integer)',
  'count_documents(tsquery, integer[], text[], text[], text, timestamptz, timestamptz, integer)',
  'found_exchanges(tsquery, tsquery, text[], text[], integer[], integer)',
];

export const searchGrants: string = signatures
  .map(
    (signature) => `REVOKE ALL ON FUNCTION clew.${signature} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION clew.${signature} TO clew_developer, clew_lead, clew_auditor;`,
  )
  .join('\n');
