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

/** EXECUTE: the plan is made for these values, so that a list of sessions is a hash table, and an absent filter is nothing. */
function searchFunction(name: string, args: string, result: string, query: string, values: string): string {
  return `CREATE FUNCTION clew.${name}(${args}) RETURNS ${result} LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  RETURN QUERY EXECUTE $query$${query}$query$ USING ${values};
END $$;`;
}

const wordArgs = 'query tsquery, lexemes text[], prefixes text[], of_people integer[]';
const filterArgs = 'of_sessions text[], of_kinds text[], of_tool text, since timestamptz, until timestamptz';
const filterValues = 'of_sessions, of_kinds, of_tool, since, until';

export const searchFunctions: string = [
  `-- Documents that match, as lines: person, month, session, nth, number of words, and those of the query with their positions.
-- of_sessions: PERSON SESSION of each. A filter that is null is none.`,
  searchFunction(
    'found_documents',
    `${wordArgs}, ${filterArgs}, most integer`,
    'SETOF text',
    `SELECT concat_ws(chr(31), person, month, session_id, nth, tokens, ${wordsOfQuery}) FROM clew.documents d
  WHERE words @@ $3 AND person = ANY($4) AND ${filters} AND ${seenBy('documents')} LIMIT $10`,
    `lexemes, prefixes, query, of_people, ${filterValues}, most`,
  ),
  searchFunction(
    'count_documents',
    `query tsquery, of_people integer[], ${filterArgs}, most integer`,
    'SETOF bigint',
    `SELECT count(*) FROM (SELECT FROM clew.documents d WHERE words @@ $3 AND person = ANY($4) AND ${filters}
    AND ${seenBy('documents')} LIMIT $10) found`,
    `null::text[], null::text[], query, of_people, ${filterValues}, most`,
  ),
  '-- Segments of exchanges that match: person, month, session, nth, number of words of each field, and those of the query.',
  searchFunction(
    'found_exchanges',
    `${wordArgs}, most integer`,
    'SETOF text',
    `SELECT concat_ws(chr(31), person, month, session_id, nth, array_to_string(tokens, ','), ${wordsOfQuery})
  FROM clew.exchanges WHERE words @@ $3 AND person = ANY($4) AND ${seenBy('exchanges')} LIMIT $5`,
    'lexemes, prefixes, query, of_people, most',
  ),
].join('\n');

const signatures = [
  'found_documents(tsquery, text[], text[], integer[], text[], text[], text, timestamptz, timestamptz, integer)',
  'count_documents(tsquery, integer[], text[], text[], text, timestamptz, timestamptz, integer)',
  'found_exchanges(tsquery, text[], text[], integer[], integer)',
];

export const searchGrants: string = signatures
  .map(
    (signature) => `REVOKE ALL ON FUNCTION clew.${signature} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION clew.${signature} TO clew_developer, clew_lead, clew_auditor;`,
  )
  .join('\n');
