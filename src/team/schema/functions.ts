// What may change the store: nobody has the right to update or delete rows. A push opens a session with `open_session`, which
// checks and removes what was there, and adds rows to it in the same transaction; the policies refuse any other insert.

export const functions: string = `
-- Errors of this schema, told apart by their code.
-- CL001 the store does not know this role, CL002 a level above what is asked for, CL003 a month that is out of range.

-- Partitions of these months. ATTACH takes a lock that neither reads nor pushes wait for.
CREATE FUNCTION clew.ensure_months(wanted date[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  start date;
  parent text;
  part text;
BEGIN
  IF EXISTS (SELECT FROM unnest(wanted) m WHERE m <> date_trunc('month', m)
      OR NOT (m = '1970-01-01' OR m BETWEEN '2020-01-01' AND now() + interval '1 month')) THEN
    RAISE EXCEPTION 'a month is out of range' USING ERRCODE = 'CL003';
  END IF;
  FOR start IN SELECT DISTINCT m FROM unnest(wanted) m LOOP
    CONTINUE WHEN to_regclass(format('clew.usage_days_%s', to_char(start, 'YYYY_MM'))) IS NOT NULL;
    PERFORM pg_advisory_xact_lock(hashtextextended('clew.ensure_months', 0));
    CONTINUE WHEN to_regclass(format('clew.usage_days_%s', to_char(start, 'YYYY_MM'))) IS NOT NULL;
    FOREACH parent IN ARRAY ARRAY['sessions', 'cells', 'calls', 'prompts', 'titles', 'call_paths', 'documents',
        'exchanges', 'packs', 'usage_days'] LOOP
      part := format('%s_%s', parent, to_char(start, 'YYYY_MM'));
      EXECUTE format('CREATE TABLE clew.%I (LIKE clew.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)', part, parent);
      EXECUTE format('ALTER TABLE clew.%I ATTACH PARTITION clew.%I FOR VALUES FROM (%L) TO (%L)',
        parent, part, start, start + interval '1 month');
    END LOOP;
  END LOOP;
END $$;

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

-- Opens a session for the rows of this transaction. The answer's state:
--   open     what was there is removed; rows may be added until the transaction ends
--   same     the store has exactly this content
--   blocked  a tombstone or retention allows less: {level, reason, machine}
--   held     it is on legal hold: {reason}
--   other    another machine pushed other content: {machine, mainBytes, mainSha256}. With head.continues = mainSha256 the
--            caller says that its own transcript begins with that one.
CREATE FUNCTION clew.open_session(head jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  t integer := clew.my_tenant();
  p integer := clew.my_person();
  id text := head->>'sessionId';
  base text := coalesce(head->>'baseId', head->>'sessionId');
  wanted smallint := (head->>'level')::smallint;
  ended timestamptz := (head->>'endedAt')::timestamptz;
  new_months date[] := ARRAY(SELECT jsonb_array_elements_text(head->'months')::date);
  old clew.sessions;
  stone clew.tombstones;
  kept smallint;
BEGIN
  IF p IS NULL THEN RAISE EXCEPTION 'the store does not know this role' USING ERRCODE = 'CL001'; END IF;
  IF wanted > clew.my_most_level() THEN
    RAISE EXCEPTION 'the store asks for level % at most', clew.my_most_level() USING ERRCODE = 'CL002';
  END IF;
  PERFORM pg_advisory_xact_lock(t, p);
  SELECT * INTO old FROM clew.sessions WHERE tenant = t AND person = p AND session_id = id;
  IF old.content_key = head->>'contentKey' THEN RETURN jsonb_build_object('state', 'same'); END IF;
  IF clew.is_held(t, p, id) THEN RETURN jsonb_build_object('state', 'held'); END IF;
  SELECT * INTO stone FROM clew.tombstones WHERE tenant = t AND person = p AND session_id = base;
  IF stone.session_id IS NOT NULL AND stone.machine <> head->>'machine' AND coalesce((head->>'raises')::boolean, false) = false
      AND (wanted > stone.level OR stone.reason = 'redacted') THEN
    RETURN jsonb_build_object('state', 'blocked', 'level', stone.level, 'reason', stone.reason, 'machine', stone.machine);
  END IF;
  kept := clew.kept_level(t, coalesce(ended, now()));
  IF wanted > kept THEN RETURN jsonb_build_object('state', 'blocked', 'level', kept, 'reason', 'retention'); END IF;
  IF old.session_id IS NOT NULL AND old.machine <> head->>'machine'
      AND old.main_sha256 IS DISTINCT FROM head->>'continues' THEN
    RETURN jsonb_build_object('state', 'other', 'machine', old.machine, 'mainBytes', old.main_bytes,
      'mainSha256', old.main_sha256);
  END IF;
  IF old.session_id IS NOT NULL THEN
    PERFORM clew.remove_rows(t, p, id, old.months, 0::smallint);
  END IF;
  IF head->>'tombstone' IS NOT NULL OR old.level > wanted THEN
    INSERT INTO clew.tombstones (tenant, person, session_id, level, reason, main_sha256, machine)
    VALUES (t, p, base, least(wanted, 3), coalesce(head->>'tombstone', 'lowered'), old.main_sha256, head->>'machine')
    ON CONFLICT (tenant, person, session_id) DO UPDATE SET level = excluded.level, reason = excluded.reason,
      main_sha256 = excluded.main_sha256, machine = excluded.machine, at = excluded.at;
  ELSIF wanted > stone.level THEN
    DELETE FROM clew.tombstones WHERE tenant = t AND person = p AND session_id = base;
  END IF;
  PERFORM clew.ensure_months(new_months);
  INSERT INTO clew.sessions (tenant, person, month, session_id, level, machine, content_key, main_bytes, main_sha256, rules,
    started_at, ended_at, project_hash, facts, months)
  VALUES (t, p, (head->>'month')::date, id, wanted, head->>'machine', head->>'contentKey', (head->>'mainBytes')::bigint,
    head->>'mainSha256', head->>'rules', (head->>'startedAt')::timestamptz, ended, head->>'projectHash', head->'facts',
    new_months);
  INSERT INTO clew.opened VALUES (t, p, id, wanted, new_months, pg_current_xact_id())
  ON CONFLICT (tenant, person) DO UPDATE SET session_id = excluded.session_id, level = excluded.level,
    months = excluded.months, xact = excluded.xact;
  RETURN jsonb_build_object('state', 'open');
END $$;

-- The person no longer wants the session in the store, here or from another machine.
CREATE FUNCTION clew.remove_session(id text, why text, from_machine text) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  t integer := clew.my_tenant();
  p integer := clew.my_person();
  old clew.sessions;
  removed integer := 0;
BEGIN
  IF p IS NULL THEN RAISE EXCEPTION 'the store does not know this role' USING ERRCODE = 'CL001'; END IF;
  PERFORM pg_advisory_xact_lock(t, p);
  IF clew.is_held(t, p, id) THEN RETURN jsonb_build_object('state', 'held'); END IF;
  FOR old IN SELECT * FROM clew.sessions WHERE tenant = t AND person = p
      AND (session_id = id OR starts_with(session_id, id || '@')) LOOP
    PERFORM clew.remove_rows(t, p, old.session_id, old.months, 0::smallint);
    removed := removed + 1;
  END LOOP;
  INSERT INTO clew.tombstones (tenant, person, session_id, level, reason, machine)
  VALUES (t, p, id, 0, why, from_machine)
  ON CONFLICT (tenant, person, session_id) DO UPDATE SET level = 0, reason = excluded.reason, machine = excluded.machine,
    at = excluded.at;
  RETURN jsonb_build_object('state', 'removed', 'sessions', removed);
END $$;

-- Applies retention to some sessions; returns how many lost rows. Held sessions stay.
CREATE FUNCTION clew.sweep(of_tenant integer, most integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  old clew.sessions;
  kept smallint;
  swept integer := 0;
BEGIN
  FOR old IN SELECT s.* FROM clew.sessions s WHERE s.tenant = of_tenant
      AND s.level > clew.kept_level(of_tenant, coalesce(s.ended_at, s.pushed_at))
      AND NOT clew.is_held(of_tenant, s.person, s.session_id) ORDER BY s.ended_at LIMIT most LOOP
    PERFORM pg_advisory_xact_lock(of_tenant, old.person);
    kept := clew.kept_level(of_tenant, coalesce(old.ended_at, old.pushed_at));
    PERFORM clew.remove_rows(of_tenant, old.person, old.session_id, old.months, kept);
    UPDATE clew.sessions SET level = kept, content_key = content_key || ' swept', rules = CASE WHEN kept < 3 THEN NULL ELSE rules END
    WHERE tenant = of_tenant AND person = old.person AND month = old.month AND session_id = old.session_id;
    swept := swept + 1;
  END LOOP;
  RETURN swept;
END $$;

-- The first call of a push, and the only one if nothing has changed.
CREATE FUNCTION clew.hello(of_machine text) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  t integer := clew.my_tenant();
  p integer := clew.my_person();
BEGIN
  IF p IS NULL THEN RAISE EXCEPTION 'the store does not know this role' USING ERRCODE = 'CL001'; END IF;
  IF (SELECT swept_at < now() - interval '1 hour' FROM clew.tenants WHERE tenant = t)
      AND pg_try_advisory_xact_lock(hashtextextended('clew.sweep', t)) THEN
    PERFORM clew.sweep(t, 100);
    UPDATE clew.tenants SET swept_at = now() WHERE tenant = t;
  END IF;
  RETURN jsonb_build_object(
    'tenant', (SELECT name FROM clew.tenants WHERE tenant = t),
    'person', (SELECT name FROM clew.people WHERE tenant = t AND person = p),
    'mostLevel', clew.my_most_level(),
    'retention', (SELECT coalesce(jsonb_object_agg(level, days), '{}') FROM clew.retention WHERE tenant = t),
    'schema', (SELECT max(version) FROM clew.migrations),
    'digest', (SELECT digest FROM clew.machines WHERE tenant = t AND person = p AND machine = of_machine));
END $$;

-- The last call of a push that sent something.
CREATE FUNCTION clew.goodbye(of_machine text, new_digest text) RETURNS void LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO clew.machines (tenant, person, machine, digest)
  SELECT clew.my_tenant(), clew.my_person(), of_machine, new_digest WHERE clew.my_person() IS NOT NULL
  ON CONFLICT (tenant, person, machine) DO UPDATE SET digest = excluded.digest, pushed_at = clock_timestamp()
$$;

-- Announces that the caller will read text of others: of one session, or of everyone who shares it if both are null. It must
-- be committed before it counts, so a reading cannot be undone by a rollback.
CREATE FUNCTION clew.announce_reading(of_action text, of_person integer, of_session text, of_detail text) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO clew.readings (tenant, action, person, session_id, detail)
  SELECT clew.my_tenant(), of_action, of_person, of_session, of_detail WHERE clew.my_tenant() IS NOT NULL
  RETURNING id
$$;

CREATE FUNCTION clew.announced_everyone() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
  SELECT clew.sees_others() AND EXISTS (SELECT FROM clew.readings r WHERE r.tenant = clew.my_tenant()
    AND r.reader = session_user AND r.person IS NULL AND r.at > clock_timestamp() - interval '1 minute'
    AND r.xact <> coalesce(pg_current_xact_id_if_assigned(), '0'::xid8))
$$;

-- Sessions as person and id in one text, which an array can hold.
CREATE FUNCTION clew.announced_sessions() RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(array_agg(DISTINCT r.person || ' ' || r.session_id), '{}') FROM clew.readings r
  WHERE clew.sees_others() AND r.tenant = clew.my_tenant() AND r.reader = session_user AND r.session_id IS NOT NULL
    AND r.at > clock_timestamp() - interval '10 minutes'
    AND r.xact <> coalesce(pg_current_xact_id_if_assigned(), '0'::xid8)
$$;

-- The session that this transaction has opened; null without one.
CREATE FUNCTION clew.opened_session() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
  SELECT session_id FROM clew.opened WHERE tenant = clew.my_tenant() AND person = clew.my_person()
    AND xact = pg_current_xact_id_if_assigned()
$$;
CREATE FUNCTION clew.opened_level() RETURNS smallint LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
  SELECT level FROM clew.opened WHERE tenant = clew.my_tenant() AND person = clew.my_person()
    AND xact = pg_current_xact_id_if_assigned()
$$;
CREATE FUNCTION clew.opened_months() RETURNS date[] LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
  SELECT months FROM clew.opened WHERE tenant = clew.my_tenant() AND person = clew.my_person()
    AND xact = pg_current_xact_id_if_assigned()
$$;

-- Keeps usage_days equal to the sums of cells.
CREATE FUNCTION clew.add_usage() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO clew.usage_days AS d
  SELECT tenant, person, month, coalesce('1970-01-01'::date + quarter / 96, '1970-01-01'), coalesce(model, ''), is_fast,
    cost_micro_usd IS NOT NULL, count(*), count(*) FILTER (WHERE is_lower_bound), sum(messages), sum(input_tokens),
    sum(output_tokens), sum(cache_read_tokens), sum(cache_write_5m_tokens), sum(cache_write_1h_tokens),
    coalesce(sum(cost_micro_usd), 0)
  FROM added GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (tenant, person, month, day, model, is_fast, is_priced) DO UPDATE SET
    cells = d.cells + excluded.cells, lower_bounds = d.lower_bounds + excluded.lower_bounds,
    messages = d.messages + excluded.messages, input_tokens = d.input_tokens + excluded.input_tokens,
    output_tokens = d.output_tokens + excluded.output_tokens,
    cache_read_tokens = d.cache_read_tokens + excluded.cache_read_tokens,
    cache_write_5m_tokens = d.cache_write_5m_tokens + excluded.cache_write_5m_tokens,
    cache_write_1h_tokens = d.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
    cost_micro_usd = d.cost_micro_usd + excluded.cost_micro_usd;
  RETURN NULL;
END $$;
CREATE FUNCTION clew.subtract_usage() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE clew.usage_days d SET
    cells = d.cells - r.cells, lower_bounds = d.lower_bounds - r.lower_bounds, messages = d.messages - r.messages,
    input_tokens = d.input_tokens - r.input_tokens, output_tokens = d.output_tokens - r.output_tokens,
    cache_read_tokens = d.cache_read_tokens - r.cache_read_tokens,
    cache_write_5m_tokens = d.cache_write_5m_tokens - r.cache_write_5m_tokens,
    cache_write_1h_tokens = d.cache_write_1h_tokens - r.cache_write_1h_tokens,
    cost_micro_usd = d.cost_micro_usd - r.cost
  FROM (SELECT tenant, person, month, coalesce('1970-01-01'::date + quarter / 96, '1970-01-01') AS day,
      coalesce(model, '') AS model, is_fast, cost_micro_usd IS NOT NULL AS is_priced, count(*) AS cells,
      count(*) FILTER (WHERE is_lower_bound) AS lower_bounds, sum(messages) AS messages,
      sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
      sum(cache_read_tokens) AS cache_read_tokens, sum(cache_write_5m_tokens) AS cache_write_5m_tokens,
      sum(cache_write_1h_tokens) AS cache_write_1h_tokens, coalesce(sum(cost_micro_usd), 0) AS cost
    FROM removed GROUP BY 1, 2, 3, 4, 5, 6, 7) r
  WHERE d.tenant = r.tenant AND d.person = r.person AND d.month = r.month AND d.day = r.day AND d.model = r.model
    AND d.is_fast = r.is_fast AND d.is_priced = r.is_priced;
  DELETE FROM clew.usage_days d USING (SELECT DISTINCT tenant, person, month FROM removed) r
  WHERE d.tenant = r.tenant AND d.person = r.person AND d.month = r.month AND d.cells = 0;
  RETURN NULL;
END $$;
CREATE TRIGGER cells_added AFTER INSERT ON clew.cells REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION clew.add_usage();
CREATE TRIGGER cells_removed AFTER DELETE ON clew.cells REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION clew.subtract_usage();
`;
