// What may change the store: nobody has the right to update or delete rows. A push opens a session with `open_session`, which
// checks and removes what was there, and adds rows to it in the same transaction; the policies refuse any other insert.

export const pushFunctions: string = `
-- One push, removal or sweep at a time for each person, and none once the person is forgotten. Others cannot lock this row,
-- while an advisory lock could be held by anyone who can connect.
CREATE FUNCTION clew.lock_person(of_tenant integer, of_person integer) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM FROM clew.people WHERE tenant = of_tenant AND person = of_person AND forgotten_at IS NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'the store does not know this role' USING ERRCODE = 'CL001'; END IF;
  -- With an older snapshot the caller would not see what the one before has written.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'pushes are read committed' USING ERRCODE = 'CL004';
  END IF;
END $$;

-- Opens a session for the rows of this transaction. The answer's state:
--   open     what was there is removed; rows may be added until the transaction ends
--   same     the store has exactly this content
--   blocked  a tombstone or retention allows less: {level, reason, machine}
--   held     it is on legal hold
--   other    another machine pushed other content: {machine, mainBytes, mainSha256}. With head.continues = mainSha256 the
--            caller says that its own transcript begins with that one.
CREATE FUNCTION clew.open_session(head jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  t integer := clew.my_tenant();
  p integer := clew.my_person();
  id text := head->>'sessionId';
  base text := coalesce(head->>'baseId', head->>'sessionId');
  own_month date := (head->>'month')::date;
  wanted smallint := (head->>'level')::smallint;
  ended timestamptz := (head->>'endedAt')::timestamptz;
  new_months date[] := ARRAY(SELECT jsonb_array_elements_text(head->'months')::date);
  old clew.sessions;
  stone clew.tombstones;
  kept smallint;
BEGIN
  PERFORM clew.lock_person(t, p);
  -- Otherwise retention, holds and tombstones would not find its rows.
  IF (id = base OR starts_with(id, base || '@')) IS NOT TRUE OR (own_month = ANY(new_months)) IS NOT TRUE THEN
    RAISE EXCEPTION 'the head of the session contradicts itself' USING ERRCODE = 'CL004';
  END IF;
  IF wanted > clew.my_most_level() THEN
    RAISE EXCEPTION 'the store asks for level % at most', clew.my_most_level() USING ERRCODE = 'CL002';
  END IF;
  SELECT * INTO old FROM clew.sessions WHERE tenant = t AND person = p AND session_id = id;
  IF old.content_key = head->>'contentKey' THEN RETURN jsonb_build_object('state', 'same'); END IF;
  IF old.session_id IS NOT NULL AND clew.is_held(t, p, id) THEN RETURN jsonb_build_object('state', 'held'); END IF;
  SELECT * INTO stone FROM clew.tombstones WHERE tenant = t AND person = p AND session_id = base;
  IF stone.session_id IS NOT NULL AND stone.machine <> head->>'machine' AND coalesce((head->>'raises')::boolean, false) = false
      AND (wanted > stone.level OR stone.reason = 'redacted') THEN
    RETURN jsonb_build_object('state', 'blocked', 'level', stone.level, 'reason', stone.reason, 'machine', stone.machine);
  END IF;
  kept := clew.kept_level(t, coalesce(least(ended, now()), now()));
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
    PERFORM clew.note_removal(t, p, old.months);
  ELSIF wanted > stone.level THEN
    DELETE FROM clew.tombstones WHERE tenant = t AND person = p AND session_id = base;
  END IF;
  PERFORM clew.ensure_months(new_months);
  INSERT INTO clew.sessions (tenant, person, month, session_id, level, machine, content_key, main_bytes, main_sha256, rules,
    started_at, ended_at, project_hash, facts, months, words)
  VALUES (t, p, own_month, id, wanted, head->>'machine', head->>'contentKey', (head->>'mainBytes')::bigint,
    head->>'mainSha256', head->>'rules', (head->>'startedAt')::timestamptz, ended, head->>'projectHash', head->'facts',
    new_months, CASE WHEN head->'words' IS NULL THEN '{0,0,0,0,0}'
      ELSE ARRAY(SELECT jsonb_array_elements_text(head->'words')::bigint) END);
  INSERT INTO clew.price_versions (tenant, version)
  -- Everyone reads it, and it is nobody's row: only what looks like a version.
  SELECT t, head->'facts'->>'prices' WHERE head->'facts'->>'prices' ~ '^[0-9A-Za-z.+_:-]{1,40}$' ON CONFLICT DO NOTHING;
  INSERT INTO clew.opened VALUES (t, p, id, wanted, new_months, pg_current_xact_id())
  ON CONFLICT (tenant, person) DO UPDATE SET session_id = excluded.session_id, level = excluded.level,
    months = excluded.months, xact = excluded.xact;
  RETURN jsonb_build_object('state', 'open');
END $$;

-- The person no longer wants the session in the store above a level, here or from another machine.
CREATE FUNCTION clew.remove_session(id text, why text, from_machine text, kept smallint DEFAULT 0) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  t integer := clew.my_tenant();
  p integer := clew.my_person();
  old clew.sessions;
  removed integer := 0;
BEGIN
  PERFORM clew.lock_person(t, p);
  -- The copies of a session may be on hold without it.
  IF clew.is_held(t, p, id) OR EXISTS (SELECT FROM clew.holds h WHERE h.tenant = t AND h.person = p AND h.released_at IS NULL
      AND starts_with(h.session_id, id || '@')) THEN
    RETURN jsonb_build_object('state', 'held');
  END IF;
  FOR old IN SELECT * FROM clew.sessions WHERE tenant = t AND person = p
      AND (session_id = id OR starts_with(session_id, id || '@')) AND level > kept LOOP
    PERFORM clew.lower_session(t, p, old.session_id, old.months, kept, 'lowered');
    removed := removed + 1;
  END LOOP;
  INSERT INTO clew.tombstones (tenant, person, session_id, level, reason, machine)
  VALUES (t, p, id, kept, why, from_machine)
  ON CONFLICT (tenant, person, session_id) DO UPDATE SET level = excluded.level, reason = excluded.reason,
    machine = excluded.machine, at = excluded.at;
  RETURN jsonb_build_object('state', 'removed', 'sessions', removed);
END $$;

-- The first call of a push, and the only one if nothing has changed.
CREATE FUNCTION clew.hello(of_machine text) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  t integer := clew.my_tenant();
  p integer := clew.my_person();
BEGIN
  IF p IS NULL THEN RAISE EXCEPTION 'the store does not know this role' USING ERRCODE = 'CL001'; END IF;
  PERFORM FROM clew.tenants WHERE tenant = t AND swept_at < now() - interval '1 hour' FOR NO KEY UPDATE SKIP LOCKED;
  IF FOUND THEN
    -- A push that does not end may lock sums that the sweep changes; the next hour tries again.
    BEGIN
      PERFORM set_config('lock_timeout', '2s', true);
      PERFORM clew.sweep(t, 100);
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN NULL;
    END;
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

-- The session that this transaction has opened; null without one.
CREATE FUNCTION clew.opened_session() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT session_id FROM clew.opened WHERE tenant = (SELECT clew.my_tenant()) AND person = (SELECT clew.my_person())
    AND xact = pg_current_xact_id_if_assigned());
END $$;
CREATE FUNCTION clew.opened_level() RETURNS smallint LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT level FROM clew.opened WHERE tenant = (SELECT clew.my_tenant()) AND person = (SELECT clew.my_person())
    AND xact = pg_current_xact_id_if_assigned());
END $$;
CREATE FUNCTION clew.opened_months() RETURNS date[] LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT months FROM clew.opened WHERE tenant = (SELECT clew.my_tenant()) AND person = (SELECT clew.my_person())
    AND xact = pg_current_xact_id_if_assigned());
END $$;
`;
