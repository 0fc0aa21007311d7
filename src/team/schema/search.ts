// What a search over the store asks. A policy is asked before any operator that might reveal its operands, and `@@` counts as
// one: a query of the table itself would not use the index of words. These functions look with the owner's rights, under the
// same condition as the policy. They go from month to month, the newest first, so that they may stop early, and read what they
// have found by its place in the table.
import { seenText } from './policies.ts';

const filterArgs = 'of_sessions text[], of_kinds text[], of_tool text, since timestamptz, until timestamptz';

/** The policy is asked once: its answers are values of every query. */
const viewer = `
  tenant integer := clew.my_tenant();
  reader integer := clew.reader_person();
  everyone boolean := clew.announced_everyone();
  announced text[] := clew.announced_sessions();`;

/** Titles have no time of their own: they count as said when the session was used last. */
const time = `coalesce(said_at, (SELECT s.ended_at FROM clew.sessions s
      WHERE s.tenant = d.tenant AND s.person = d.person AND s.session_id = d.session_id))`;

/** `%s`: the table of a month. What is not asked for is null, and nothing is left of its condition in the plan. */
const documentsThatMatch = `FROM %s d WHERE words @@ $1::tsquery AND person = ANY($2::integer[])
    AND ($3::text[] IS NULL OR person || ' ' || session_id = ANY($3::text[]))
    AND ($4::text[] IS NULL OR kind = ANY($4::text[])) AND ($5::text IS NULL OR lower(tool COLLATE "C") = lower($5::text COLLATE "C"))
    AND ($6::timestamptz IS NULL OR ${time} >= $6::timestamptz) AND ($7::timestamptz IS NULL OR ${time} < $7::timestamptz)
    AND ${seenText({ tenant: '$8::integer', reader: '$9::integer', everyone: '$10::boolean', sessions: '$11::text[]' })}`;
const documentValues =
  'query, of_people, of_sessions, of_kinds, of_tool, since, until, tenant, reader, everyone, announced';

/** At most `most` of them: an SQL expression. */
function documentsOf(columns: string, into: string, most: string): string {
  return `EXECUTE format($query$SELECT ${columns} FROM (SELECT ctid, tokens, said_at ${documentsThatMatch} LIMIT $12) f$query$, part)
      INTO ${into} USING ${documentValues}, ${most};`;
}

const exchangesThatMatch = `person = ANY($5::integer[])
    AND ${seenText({ tenant: '$6::integer', reader: '$7::integer', everyone: '$8::boolean', sessions: '$9::text[]' })}`;

/** The words of a query only, with their positions: a text of some bytes instead of all words of the row. */
const wordsOfQuery = `ts_filter(setweight(words, 'A', CASE WHEN cardinality($2::text[]) = 0 THEN $1::text[] ELSE $1::text[] ||
      ARRAY(SELECT u.lexeme FROM unnest(words) u, unnest($2::text[]) p WHERE starts_with(u.lexeme, p)) END), '{a}')::text`;
const documentLine = `concat_ws(chr(31), person, month, session_id, nth, tokens, ${wordsOfQuery})`;
const exchangeKey = `person, month, session_id, nth, agent, line, coalesce((extract(epoch FROM said_at) * 1000)::bigint::text, ''),
      coalesce(facts->>'owner', '')`;

/** The tables of the months, the newest first; their names are ours. */
function months(table: string): string {
  return `SELECT format('clew.%I', c.relname), to_date(right(c.relname, 7), 'YYYY_MM'), c.oid
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'clew.${table}'::regclass ORDER BY 2 DESC`;
}

/** A row without a time, or with a wrong one, is in the first month of all. */
const isOtherTime = `month > '1970-01-01' AND (coalesce(month + interval '1 month' <= since AT TIME ZONE 'UTC', false)
      OR coalesce(month >= until AT TIME ZONE 'UTC', false))`;

// Tables of a month have no statistics of words: whatever the planner thinks of them, to read all rows takes longest.
const settings = `LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
SET work_mem = '32MB' SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET max_parallel_workers_per_gather = 0`;

/** Blocks are in memory: with the usual costs the planner thinks that other processors cannot help. */
const countSettings = `LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
SET work_mem = '32MB' SET enable_seqscan = off SET parallel_setup_cost = 0 SET parallel_tuple_cost = 0
SET min_parallel_table_scan_size = 0 SET seq_page_cost = 0.01 SET random_page_cost = 0.01`;

/** EXECUTE: a plan is made for these values, so that a list of sessions is a hash table, and an absent filter is nothing. */
export const searchFunctions: string = `
-- Only for functions that have asked the policy. There are so many that other processors may help.
CREATE FUNCTION clew.count_months(months date[], query tsquery, of_people integer[], ${filterArgs}, tenant integer, reader integer,
  everyone boolean, announced text[]) RETURNS bigint ${countSettings} AS $$
DECLARE
  total bigint;
BEGIN
  EXECUTE $query$SELECT count(*) ${documentsThatMatch.replace('%s', 'clew.documents')} AND month = ANY($12)$query$ INTO total
  USING ${documentValues}, months;
  RETURN total;
END $$;

-- Documents that match, as lines: person, month, session, nth, number of words, and those of the query with their positions.
-- of_sessions: PERSON SESSION of each. A filter that is null excludes nothing. If more than \`most\` match: a line
-- 'more TOTAL', then of the newest months with 10,000 the shortest, which are most likely about the word, and the newest.
CREATE FUNCTION clew.found_documents(query tsquery, lexemes text[], prefixes text[], of_people integer[], ${filterArgs}, most integer)
RETURNS SETOF text ${settings} AS $$
DECLARE${viewer}
  enough integer := greatest(most + 1, 10000);
  total bigint := 0;
  n integer;
  part text;
  month date;
  id oid;
  uncounted date[] := '{}';
  parts text[] := '{}';
  -- Of each row that was found: the number of its month in \`parts\`, its place, how many words it has, and its time.
  numbers integer[] := '{}';
  tids tid[] := '{}';
  lengths integer[] := '{}';
  times timestamptz[] := '{}';
  found tid[];
  found_lengths integer[];
  found_times timestamptz[];
  chosen integer[];
BEGIN
  FOR part, month, id IN ${months('documents')} LOOP
    CONTINUE WHEN ${isOtherTime};
    IF cardinality(tids) >= enough THEN
      uncounted := uncounted || month;
      CONTINUE;
    END IF;
    ${documentsOf('array_agg(ctid), array_agg(tokens), array_agg(said_at)', 'found, found_lengths, found_times', 'enough')}
    CONTINUE WHEN found IS NULL;
    n := cardinality(found);
    parts := parts || part;
    numbers := numbers || array_fill(cardinality(parts), ARRAY[n]);
    tids := tids || found;
    lengths := lengths || found_lengths;
    times := times || found_times;
    IF n = enough THEN uncounted := uncounted || month; ELSE total := total + n; END IF;
  END LOOP;
  IF cardinality(uncounted) > 0 THEN total := total + clew.count_months(uncounted, ${documentValues}); END IF;
  IF total > most THEN
    RETURN NEXT 'more ' || total;
    chosen := ARRAY(
      (SELECT i FROM unnest(lengths, times) WITH ORDINALITY f (length, said_at, i) ORDER BY length, said_at DESC NULLS LAST LIMIT most * 3 / 4)
      UNION (SELECT i FROM unnest(times) WITH ORDINALITY f (said_at, i) ORDER BY said_at DESC NULLS LAST LIMIT most / 4));
  ELSE
    chosen := ARRAY(SELECT generate_series(1, cardinality(tids)));
  END IF;
  FOR i IN 1..cardinality(parts) LOOP
    RETURN QUERY EXECUTE format($query$SELECT ${documentLine} FROM %s WHERE ctid = ANY($3)$query$, parts[i])
      USING lexemes, prefixes, ARRAY(SELECT tids[k] FROM unnest(chosen) k WHERE numbers[k] = i);
  END LOOP;
END $$;

-- The same for documents in which \`phrase\` is, of the newest that match; only so many of these are looked at.
CREATE FUNCTION clew.found_phrases(query tsquery, phrase tsquery, lexemes text[], prefixes text[], of_people integer[], ${filterArgs}, most integer)
RETURNS SETOF text ${settings} AS $$
DECLARE${viewer}
  room integer := most;
  part text;
  month date;
  id oid;
  found tid[];
BEGIN
  FOR part, month, id IN ${months('documents')} LOOP
    EXIT WHEN room <= 0;
    CONTINUE WHEN ${isOtherTime};
    ${documentsOf('array_agg(ctid)', 'found', 'room')}
    CONTINUE WHEN found IS NULL;
    room := room - cardinality(found);
    -- OFFSET: not by the index of words, which has the phrase in rows that were not asked for.
    RETURN QUERY EXECUTE format($query$SELECT ${documentLine} FROM (SELECT * FROM %s WHERE ctid = ANY($3) OFFSET 0) d
      WHERE words @@ $4$query$, part) USING lexemes, prefixes, found, phrase;
  END LOOP;
END $$;

-- How many documents match. If they are more than \`most\`, an estimate: what was looked at is taken for an average part of all.
CREATE FUNCTION clew.count_documents(query tsquery, of_people integer[], ${filterArgs}, most integer) RETURNS bigint
${settings} AS $$
DECLARE${viewer}
  total bigint := 0;
  n bigint;
  last tid;
  part text;
  month date;
  id oid;
  seen_bytes double precision := 0;
  all_bytes double precision := 0;
BEGIN
  FOR part, month, id IN ${months('documents')} LOOP
    CONTINUE WHEN ${isOtherTime};
    all_bytes := all_bytes + pg_relation_size(id);
    CONTINUE WHEN total > most;
    ${documentsOf('count(*), max(ctid)', 'n, last', 'most - total + 1')}
    total := total + n;
    -- Rows are found in the order of their places.
    seen_bytes := seen_bytes + CASE WHEN total > most THEN ((last::text::point)[0] + 1) * current_setting('block_size')::integer
      ELSE pg_relation_size(id) END;
  END LOOP;
  RETURN CASE WHEN total > most THEN round(total * all_bytes / seen_bytes) ELSE total END;
END $$;

-- For several queries at once, the segments of exchanges that match, or have a title that does. Lines: 0, person, month,
-- session, nth, agent, line, time, owner, number of words of each field, and the words of all queries; of a query with more than
-- its \`mosts\` instead the number of the query and the keys of some, the newest, without words.
CREATE FUNCTION clew.found_exchanges(queries tsquery[], title_queries tsquery[], lexemes text[], prefixes text[], of_people integer[], mosts integer[])
RETURNS SETOF text ${settings} AS $$
DECLARE${viewer}
  rooms integer[] := ARRAY(SELECT greatest(most, 1500) + 1 FROM unnest(mosts) WITH ORDINALITY m (most, i) ORDER BY i);
  part text;
  month date;
  id oid;
  parts text[] := '{}';
  numbers integer[] := '{}';
  tids tid[] := '{}';
  -- The number of the query, or below zero if it is the title that matches.
  whose integer[] := '{}';
  found tid[];
  found_whose integer[];
  counts integer[];
BEGIN
  FOR part, month, id IN ${months('exchanges')} LOOP
    EXECUTE format($query$SELECT array_agg(ctid), array_agg(i) FROM (
        SELECT f.ctid, q.i FROM unnest($1, $3) WITH ORDINALITY q (query, room, i)
          CROSS JOIN LATERAL (SELECT ctid FROM %1$s WHERE words @@ q.query AND ${exchangesThatMatch} LIMIT q.room) f
        UNION ALL
        SELECT f.ctid, -q.i FROM unnest($2, $4) WITH ORDINALITY q (query, room, i)
          CROSS JOIN LATERAL (SELECT ctid FROM %1$s WHERE words @@ q.query AND ${exchangesThatMatch} LIMIT 2000) f) g$query$, part)
    INTO found, found_whose USING queries, title_queries, rooms, mosts, of_people, tenant, reader, everyone, announced;
    CONTINUE WHEN found IS NULL;
    parts := parts || part;
    numbers := numbers || array_fill(cardinality(parts), ARRAY[cardinality(found)]);
    tids := tids || found;
    whose := whose || found_whose;
    rooms := ARRAY(SELECT greatest(0, r.room - coalesce(f.n, 0)) FROM unnest(rooms) WITH ORDINALITY r (room, i)
      LEFT JOIN (SELECT w, count(*)::integer AS n FROM unnest(found_whose) w GROUP BY w) f ON f.w = r.i ORDER BY r.i);
  END LOOP;
  counts := ARRAY(SELECT greatest(m.most, 1500) + 1 - m.room FROM unnest(mosts, rooms) WITH ORDINALITY m (most, room, i) ORDER BY i);
  FOR k IN 1..cardinality(parts) LOOP
    RETURN QUERY EXECUTE format($query$SELECT concat_ws(chr(31), 0, ${exchangeKey}, array_to_string(tokens, ','), ${wordsOfQuery})
      FROM %s WHERE ctid = ANY($3)$query$, parts[k]) USING lexemes, prefixes,
      ARRAY(SELECT DISTINCT f.tid FROM unnest(tids, numbers, whose) f (tid, number, i)
        WHERE f.number = k AND (f.i < 0 OR counts[f.i] <= mosts[f.i]));
    SELECT array_agg(f.tid), array_agg(f.i) INTO found, found_whose FROM unnest(tids, numbers, whose) f (tid, number, i)
    WHERE f.number = k AND f.i > 0 AND counts[f.i] > mosts[f.i];
    CONTINUE WHEN found IS NULL;
    RETURN QUERY EXECUTE format($query$SELECT concat_ws(chr(31), f.i, ${exchangeKey})
      FROM unnest($1, $2) f (place, i) JOIN %s e ON e.ctid = f.place$query$, parts[k]) USING found, found_whose;
  END LOOP;
END $$;
`;

const signatures = [
  'found_documents(tsquery, text[], text[], integer[], text[], text[], text, timestamptz, timestamptz, integer)',
  'found_phrases(tsquery, tsquery, text[], text[], integer[], text[], text[], text, timestamptz, timestamptz, integer)',
  'count_documents(tsquery, integer[], text[], text[], text, timestamptz, timestamptz, integer)',
  'found_exchanges(tsquery[], tsquery[], text[], text[], integer[], integer[])',
];

const forOwner =
  'count_months(date[], tsquery, integer[], text[], text[], text, timestamptz, timestamptz, integer, integer, boolean, text[])';

export const searchGrants: string = signatures
  .map(
    (signature) => `REVOKE ALL ON FUNCTION clew.${signature} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION clew.${signature} TO clew_developer, clew_lead, clew_auditor;`,
  )
  .concat(`REVOKE ALL ON FUNCTION clew.${forOwner} FROM PUBLIC;`)
  .join('\n');
