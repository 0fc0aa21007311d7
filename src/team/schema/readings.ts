// Readings of what other people said: announced and committed first, then possible.
import { seenBy } from './policies.ts';

export const readingFunctions: string = `
-- Announces that the caller will read text of others: of one session, or of everyone who shares it if both are null. It must
-- be committed before it counts, so a reading cannot be undone by a rollback.
CREATE FUNCTION clew.announce_reading(of_action text, of_person integer, of_session text, of_detail text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET default_tablespace = '' SET default_table_access_method = heap AS $$
DECLARE
  announced bigint;
BEGIN
  IF clew.reader_person() IS NULL OR NOT clew.sees_others() THEN
    RAISE EXCEPTION 'this role does not read what others said' USING ERRCODE = 'insufficient_privilege';
  END IF;
  -- Half of it would be text of everyone, noted as one session.
  IF (of_person IS NULL) <> (of_session IS NULL) THEN
    RAISE EXCEPTION 'a reading is of one session, or of everyone' USING ERRCODE = 'CL004';
  END IF;
  INSERT INTO clew.readings (tenant, reader_person, action, person, session_id, detail)
  VALUES (clew.my_tenant(), clew.reader_person(), left(of_action, 40), of_person, left(of_session, 400), left(of_detail, 1000))
  RETURNING id INTO announced;
  -- With synchronous_commit = off a crash could lose the row after the text was read. A transaction that drops a table
  -- always waits for the disk.
  EXECUTE format('CREATE TABLE clew.%I ()', 'announced_' || announced);
  EXECUTE format('DROP TABLE clew.%I', 'announced_' || announced);
  RETURN announced;
END $$;

CREATE FUNCTION clew.announced_everyone() RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN clew.sees_others() AND EXISTS (SELECT FROM clew.readings r WHERE r.tenant = (SELECT clew.my_tenant())
    AND r.reader_person = (SELECT clew.reader_person()) AND r.person IS NULL AND r.at > clock_timestamp() - interval '1 minute'
    AND r.xact <> coalesce(pg_current_xact_id_if_assigned(), '0'::xid8));
END $$;

-- Sessions as person and id in one text, which an array can hold.
CREATE FUNCTION clew.announced_sessions() RETURNS text[] LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(DISTINCT r.person || ' ' || r.session_id), '{}') FROM clew.readings r
  WHERE (SELECT clew.sees_others()) AND r.tenant = (SELECT clew.my_tenant()) AND r.reader_person = (SELECT clew.reader_person())
    AND r.session_id IS NOT NULL AND r.at > clock_timestamp() - interval '10 minutes'
    AND r.xact <> coalesce(pg_current_xact_id_if_assigned(), '0'::xid8));
END $$;

${(['documents', 'exchanges'] as const).map(matching).join('\n')}
`;

/**
 * A policy is asked before any operator that might reveal its operands, and \`@@\` counts as one: in a query of the table
 * itself PostgreSQL does not use the index of words. These functions find the keys with the owner's rights, under the same
 * condition as the policy; the rows are then read from the table, by key.
 */
function matching(table: 'documents' | 'exchanges'): string {
  return `CREATE FUNCTION clew.matching_${table}(query tsquery, of_people integer[] DEFAULT NULL, from_month date DEFAULT '-infinity',
  until_month date DEFAULT 'infinity') RETURNS TABLE (tenant integer, person integer, month date, session_id text, nth integer)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
  SELECT tenant, person, month, session_id, nth FROM clew.${table}
  WHERE words @@ query AND (of_people IS NULL OR person = ANY(of_people)) AND month >= from_month AND month <= until_month
    AND ${seenBy(table)}
$$;`;
}
