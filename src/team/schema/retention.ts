// What leaves the store without its person asking: retention, the administrator's most level, and people who are forgotten. A
// legal hold wins over all of them.

export const retentionFunctions: string = `
CREATE FUNCTION clew.is_held(of_tenant integer, of_person integer, of_session text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM clew.holds h WHERE h.tenant = of_tenant AND h.person = of_person
    AND h.released_at IS NULL AND (h.session_id IS NULL OR h.session_id = of_session))
$$;

-- The highest level that retention leaves a session that ended then.
CREATE FUNCTION clew.kept_level(of_tenant integer, ended timestamptz) RETURNS smallint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(min(level) - 1, 4)::smallint FROM clew.retention
  WHERE tenant = of_tenant AND ended < now() - make_interval(days => days)
$$;

-- These months have removed rows, whose bytes \`clew team sweep --erase\` takes out of the files of the database.
CREATE FUNCTION clew.note_removal(of_tenant integer, of_person integer, in_months date[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO clew.removals (tenant, person, month) SELECT DISTINCT of_tenant, of_person, m FROM unnest(in_months) m
  ON CONFLICT (tenant, person, month) DO UPDATE SET at = excluded.at, xact = excluded.xact
$$;

-- Removes the rows of a session in the tables of some levels.
CREATE FUNCTION clew.remove_rows(of_tenant integer, of_person integer, of_session text, in_months date[], above smallint)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM clew.packs WHERE tenant = of_tenant AND person = of_person AND month = ANY(in_months)
    AND session_id = of_session AND (above < 3 OR (above < 4 AND is_original));
  IF above < 3 THEN
    DELETE FROM clew.documents WHERE tenant = of_tenant AND person = of_person AND month = ANY(in_months) AND session_id = of_session;
    DELETE FROM clew.exchanges WHERE tenant = of_tenant AND person = of_person AND month = ANY(in_months) AND session_id = of_session;
  END IF;
  IF above < 2 THEN
    DELETE FROM clew.titles WHERE tenant = of_tenant AND person = of_person AND month = ANY(in_months) AND session_id = of_session;
    DELETE FROM clew.call_paths WHERE tenant = of_tenant AND person = of_person AND month = ANY(in_months) AND session_id = of_session;
  END IF;
  IF above < 1 THEN
    DELETE FROM clew.cells WHERE tenant = of_tenant AND person = of_person AND month = ANY(in_months) AND session_id = of_session;
    DELETE FROM clew.calls WHERE tenant = of_tenant AND person = of_person AND month = ANY(in_months) AND session_id = of_session;
    DELETE FROM clew.prompts WHERE tenant = of_tenant AND person = of_person AND month = ANY(in_months) AND session_id = of_session;
    DELETE FROM clew.sessions WHERE tenant = of_tenant AND person = of_person AND month = ANY(in_months) AND session_id = of_session;
  END IF;
END $$;

-- Keeps a session at a lower level; 0 keeps nothing. Its content is another then, so that a push of the old one is not the same.
CREATE FUNCTION clew.lower_session(of_tenant integer, of_person integer, of_session text, in_months date[], kept smallint, why text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM clew.remove_rows(of_tenant, of_person, of_session, in_months, kept);
  PERFORM clew.note_removal(of_tenant, of_person, in_months);
  UPDATE clew.sessions SET level = kept, content_key = content_key || ' ' || why,
    rules = CASE WHEN kept < 3 THEN NULL ELSE rules END, words = CASE WHEN kept < 3 THEN '{0,0,0,0,0}' ELSE words END
  WHERE tenant = of_tenant AND person = of_person AND month = ANY(in_months) AND session_id = of_session;
END $$;

-- Sessions above the level that retention, or the most that is asked for, leaves them. Held ones are among them.
CREATE FUNCTION clew.due_sessions(of_tenant integer) RETURNS TABLE (person integer, month date, session_id text, kept smallint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT person, month, session_id, min(kept)::smallint FROM (
    SELECT s.person, s.month, s.session_id, r.level - 1 AS kept
    FROM clew.retention r CROSS JOIN LATERAL generate_series(r.level::integer, 4) l
    JOIN clew.sessions s ON s.tenant = of_tenant AND s.level = l
      AND least(s.ended_at, s.pushed_at) < now() - make_interval(days => r.days)
    WHERE r.tenant = of_tenant
    UNION ALL
    SELECT s.person, s.month, s.session_id, m.most_level FROM clew.tenants m JOIN clew.sessions s
      ON s.tenant = of_tenant AND s.level > m.most_level WHERE m.tenant = of_tenant) d
  GROUP BY person, month, session_id
$$;

-- Lowers due sessions, at most so many. {sessions: lowered, held: due but on legal hold, busy: people whose push was running}.
CREATE FUNCTION clew.sweep(of_tenant integer, most integer) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  p integer;
  due record;
  old_months date[];
  swept integer := 0;
  busy integer := 0;
BEGIN
  FOR p IN SELECT DISTINCT d.person FROM clew.due_sessions(of_tenant) d
      WHERE NOT clew.is_held(of_tenant, d.person, d.session_id) ORDER BY 1 LOOP
    EXIT WHEN swept >= most;
    PERFORM FROM clew.people WHERE tenant = of_tenant AND person = p FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
      busy := busy + 1;
      CONTINUE;
    END IF;
    -- Again, now that no push changes them.
    FOR due IN SELECT * FROM clew.due_sessions(of_tenant) d WHERE d.person = p
        AND NOT clew.is_held(of_tenant, p, d.session_id) LIMIT most - swept LOOP
      SELECT months INTO old_months FROM clew.sessions WHERE tenant = of_tenant AND person = p AND month = due.month
        AND session_id = due.session_id;
      PERFORM clew.lower_session(of_tenant, p, due.session_id, old_months, due.kept, 'swept');
      swept := swept + 1;
    END LOOP;
  END LOOP;
  RETURN jsonb_build_object('sessions', swept, 'busy', busy, 'held', (SELECT count(*) FROM clew.due_sessions(of_tenant) d
    WHERE clew.is_held(of_tenant, d.person, d.session_id)));
END $$;

-- Rows of someone by table, in all tables that have rows of people, also those of later versions.
CREATE FUNCTION clew.count_person(of_tenant integer, of_person integer) RETURNS jsonb LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  of_table text;
  found bigint;
  counts jsonb := '{}';
BEGIN
  FOR of_table IN SELECT * FROM clew.tables_of_people() LOOP
    EXECUTE format('SELECT count(*) FROM clew.%I WHERE tenant = $1 AND person = $2', of_table) INTO found USING of_tenant, of_person;
    counts := counts || jsonb_build_object(of_table, found);
  END LOOP;
  RETURN counts;
END $$;

CREATE FUNCTION clew.tables_of_people() RETURNS SETOF text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT c.relname::text FROM pg_class c
  WHERE c.relnamespace = 'clew'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND c.relname NOT IN ('people', 'holds', 'readings', 'removals')
    AND (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname IN ('tenant', 'person') AND NOT a.attisdropped) = 2
  ORDER BY c.relname
$$;

-- Deletes everything of someone. What others read of them stays in the audit, without what they searched for.
CREATE FUNCTION clew.forget(of_tenant integer, of_person integer) RETURNS jsonb LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  before jsonb;
  of_table text;
  kept_readings bigint;
BEGIN
  PERFORM FROM clew.people WHERE tenant = of_tenant AND person = of_person FOR UPDATE;
  IF EXISTS (SELECT FROM clew.holds WHERE tenant = of_tenant AND person = of_person AND released_at IS NULL) THEN
    RAISE EXCEPTION 'the person is on legal hold' USING ERRCODE = 'CL005';
  END IF;
  before := clew.count_person(of_tenant, of_person);
  -- Tables without months have rows of everyone.
  PERFORM clew.note_removal(of_tenant, of_person, '1970-01-01'::date || ARRAY(SELECT DISTINCT unnest(months) FROM clew.sessions
    WHERE tenant = of_tenant AND person = of_person));
  FOR of_table IN SELECT * FROM clew.tables_of_people() LOOP
    EXECUTE format('DELETE FROM clew.%I WHERE tenant = $1 AND person = $2', of_table) USING of_tenant, of_person;
  END LOOP;
  UPDATE clew.holds SET reason = '' WHERE tenant = of_tenant AND person = of_person;
  UPDATE clew.people SET name = 'forgotten ' || of_person, login = NULL, forgotten_at = now()
  WHERE tenant = of_tenant AND person = of_person;
  UPDATE clew.readings SET detail = NULL WHERE tenant = of_tenant AND person = of_person AND detail IS NOT NULL;
  UPDATE clew.readings SET detail = NULL, reader = 'forgotten ' || of_person WHERE tenant = of_tenant AND reader_person = of_person;
  SELECT count(*) INTO kept_readings FROM clew.readings WHERE tenant = of_tenant AND of_person IN (person, reader_person);
  RETURN jsonb_build_object('before', before, 'after', clew.count_person(of_tenant, of_person), 'readings', kept_readings);
END $$;
`;
