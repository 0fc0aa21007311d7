// The gateway: keys of people, the spans that were received, and the batches that wait for a trace server. Instances of the
// gateway share nothing else. They reach these tables only through the functions below, with the role `clew_gateway`.

export const gatewayTables: string = `
-- Keys of people who must not hold database credentials. A key has 256 random bits, so its hash needs no salt.
CREATE TABLE clew.gateway_keys (
  tenant integer NOT NULL,
  key integer GENERATED ALWAYS AS IDENTITY,
  person integer NOT NULL,
  -- SHA-256 of the key.
  hash bytea NOT NULL UNIQUE,
  -- Its first characters, to tell keys apart.
  hint text NOT NULL,
  created_by text NOT NULL DEFAULT session_user,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  revoked_at timestamptz,
  -- To the minute.
  last_used_at timestamptz,
  PRIMARY KEY (tenant, key),
  FOREIGN KEY (tenant, person) REFERENCES clew.people ON DELETE CASCADE
);

-- Spans that were accepted: 16 bytes of SHA-256 of trace id, span id and content, as they were sent. A sender that did not
-- get its answer sends them again.
CREATE TABLE clew.gateway_spans (
  tenant integer NOT NULL,
  person integer NOT NULL,
  span bytea NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant, person, span)
);
CREATE INDEX gateway_spans_by_time ON clew.gateway_spans USING brin (received_at) WITH (pages_per_range = 16);

-- Requests that wait for a trace server: redacted, tagged, encoded, and never changed again.
CREATE TABLE clew.gateway_batches (
  batch bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant integer NOT NULL,
  person integer NOT NULL,
  destination text NOT NULL,
  spans integer NOT NULL,
  content_type text NOT NULL,
  body bytea NOT NULL,
  -- ready: no server has it. sending: a server may have it. parked: a server refused it.
  stage text NOT NULL DEFAULT 'ready' CHECK (stage IN ('ready', 'sending', 'parked')),
  -- The instance that sends it, and until when nobody else may.
  owner uuid,
  leased_until timestamptz,
  -- How often the server failed because of it, and when for the first time.
  tries integer NOT NULL DEFAULT 0,
  failed_at timestamptz,
  -- How often it was sent without an answer, and is sent again.
  uncertain integer NOT NULL DEFAULT 0,
  retry_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  reason text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE clew.gateway_batches ALTER COLUMN body SET STORAGE EXTERNAL;
-- ANALYZE would copy small bodies into pg_statistic, where they outlive their rows.
ALTER TABLE clew.gateway_batches ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE clew.gateway_batches ALTER COLUMN reason SET STATISTICS 0;
CREATE INDEX gateway_batches_waiting ON clew.gateway_batches (destination, retry_at, batch) WHERE stage <> 'parked';
CREATE INDEX gateway_batches_by_person ON clew.gateway_batches (tenant, person);

-- What \`clew team gateway status\` shows, and when a trace server may be tried again.
CREATE TABLE clew.gateway_destinations (
  destination text PRIMARY KEY,
  sent_spans bigint NOT NULL DEFAULT 0,
  sent_batches bigint NOT NULL DEFAULT 0,
  -- Of batches that the server accepted.
  rejected_spans bigint NOT NULL DEFAULT 0,
  -- Batches that were sent again because nobody knows whether the server had them.
  uncertain_batches bigint NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  retry_at timestamptz NOT NULL DEFAULT '-infinity',
  last_sent_at timestamptz,
  last_error text,
  last_error_at timestamptz
);
${['gateway_keys', 'gateway_spans', 'gateway_batches', 'gateway_destinations'].map((table) => `ALTER TABLE clew.${table} ENABLE ROW LEVEL SECURITY;`).join('\n')}
`;

const definer = 'SECURITY DEFINER SET search_path = pg_catalog, pg_temp';

/** A lease ends no earlier than its length after a start of the server: while it is down, no instance can renew its own. */
const isFree = '(b.owner IS NULL OR greatest(b.leased_until, pg_postmaster_start_time() + lease) < clock_timestamp())';

export const gatewayFunctions: string = `
-- Whose key this is; no row for a key that is unknown, revoked or of another tenant, or whose owner was forgotten.
CREATE FUNCTION clew.gateway_key(of_hash bytea)
RETURNS TABLE (tenant integer, person integer, tenant_name text, person_name text, groups text[])
LANGUAGE plpgsql ${definer} AS $$
#variable_conflict use_column
BEGIN
  UPDATE clew.gateway_keys k SET last_used_at = date_trunc('minute', clock_timestamp()) WHERE k.hash = of_hash
    AND k.tenant = clew.my_tenant()
    AND k.revoked_at IS NULL AND k.last_used_at IS DISTINCT FROM date_trunc('minute', clock_timestamp());
  RETURN QUERY SELECT k.tenant, k.person, t.name, p.name,
      ARRAY(SELECT m.group_name FROM clew.members m WHERE m.tenant = k.tenant AND m.person = k.person ORDER BY 1)
    FROM clew.gateway_keys k JOIN clew.people p USING (tenant, person) JOIN clew.tenants t USING (tenant)
    WHERE k.hash = of_hash AND k.tenant = clew.my_tenant() AND k.revoked_at IS NULL AND p.forgotten_at IS NULL;
END $$;

-- The version of the store, which this role cannot read itself.
CREATE FUNCTION clew.gateway_version() RETURNS integer LANGUAGE sql STABLE ${definer} AS $$
  SELECT max(version) FROM clew.migrations
$$;

-- Takes spans and the batches made of them, or nothing: returns the numbers (from 1) of the spans that were received before.
-- If there are any, the caller leaves them out and calls again. Two calls with the same span at once: 23505, call again.
CREATE FUNCTION clew.gateway_take(of_tenant integer, of_person integer, new_spans bytea[], destinations text[],
  counts integer[], content_types text[], bodies bytea[]) RETURNS integer[] LANGUAGE plpgsql ${definer} AS $$
DECLARE
  known integer[];
BEGIN
  -- Of the gateway's own tenant. While this runs the person is not forgotten.
  PERFORM FROM clew.people p WHERE p.tenant = of_tenant AND p.person = of_person AND p.tenant = clew.my_tenant()
    AND p.forgotten_at IS NULL FOR KEY SHARE;
  IF NOT FOUND THEN RAISE EXCEPTION 'the gateway does not act for this person' USING ERRCODE = 'CL001'; END IF;
  known := ARRAY(SELECT n.nth::integer FROM unnest(new_spans) WITH ORDINALITY n (span, nth)
    WHERE EXISTS (SELECT FROM clew.gateway_spans s WHERE s.tenant = of_tenant AND s.person = of_person AND s.span = n.span)
    ORDER BY 1);
  IF known <> '{}' THEN RETURN known; END IF;
  -- The answer promises that the spans survive a crash, whatever the default of the role is.
  PERFORM set_config('synchronous_commit', 'on', true);
  -- In order, so that two calls wait for each other but never both.
  INSERT INTO clew.gateway_spans (tenant, person, span)
    SELECT of_tenant, of_person, n.span FROM unnest(new_spans) n (span) ORDER BY n.span;
  INSERT INTO clew.gateway_batches (tenant, person, destination, spans, content_type, body)
    SELECT of_tenant, of_person, n.* FROM unnest(destinations, counts, content_types, bodies) n;
  RETURN '{}';
END $$;

-- Leases batches that wait. One that is leased by an instance that is gone and was being sent may be at the server already.
CREATE FUNCTION clew.gateway_claim(of_destination text, me uuid, most integer, lease interval)
RETURNS TABLE (batch bigint, spans integer, content_type text, body bytea) LANGUAGE plpgsql ${definer} AS $$
#variable_conflict use_column
DECLARE
  taken bigint[];
  doubtful integer;
BEGIN
  INSERT INTO clew.gateway_destinations (destination) SELECT of_destination
    WHERE NOT EXISTS (SELECT FROM clew.gateway_destinations d WHERE d.destination = of_destination) ON CONFLICT DO NOTHING;
  IF EXISTS (SELECT FROM clew.gateway_destinations d WHERE d.destination = of_destination AND d.retry_at > clock_timestamp())
    THEN RETURN; END IF;
  SELECT array_agg(f.batch ORDER BY f.retry_at, f.batch), count(*) FILTER (WHERE f.stage = 'sending') INTO taken, doubtful
    FROM (SELECT b.batch, b.stage, b.retry_at FROM clew.gateway_batches b WHERE b.destination = of_destination
      AND b.tenant = clew.my_tenant() AND b.stage <> 'parked' AND b.retry_at <= clock_timestamp() AND ${isFree}
      ORDER BY b.retry_at, b.batch LIMIT most FOR UPDATE SKIP LOCKED) f;
  IF taken IS NULL THEN RETURN; END IF;
  UPDATE clew.gateway_batches b SET owner = me, leased_until = clock_timestamp() + lease, stage = 'ready',
    uncertain = b.uncertain + (b.stage = 'sending')::integer WHERE b.batch = ANY(taken);
  IF doubtful > 0 THEN
    UPDATE clew.gateway_destinations d SET uncertain_batches = d.uncertain_batches + doubtful
      WHERE d.destination = of_destination;
  END IF;
  RETURN QUERY SELECT b.batch, b.spans, b.content_type, b.body FROM unnest(taken) WITH ORDINALITY n (batch, nth)
    JOIN clew.gateway_batches b USING (batch) ORDER BY n.nth;
END $$;

-- Before the last byte is sent. False: another instance has the batch, and this one must not send the byte.
CREATE FUNCTION clew.gateway_sending(of_batch bigint, me uuid, lease interval) RETURNS boolean LANGUAGE sql ${definer} AS $$
  WITH marked AS (UPDATE clew.gateway_batches b SET stage = 'sending', leased_until = clock_timestamp() + lease
    WHERE b.batch = of_batch AND b.owner = me AND b.stage = 'ready' RETURNING b.batch)
  SELECT EXISTS (SELECT FROM marked)
$$;

-- Of the batches that the instance knows: one whose claim it did not hear about becomes free again.
CREATE FUNCTION clew.gateway_renew(me uuid, batches bigint[], lease interval) RETURNS void LANGUAGE sql ${definer} AS $$
  UPDATE clew.gateway_batches b SET leased_until = clock_timestamp() + lease WHERE b.batch = ANY(batches) AND b.owner = me
$$;

-- The server accepted it. Counted and deleted in one transaction, so it is counted once, however often this is called.
CREATE FUNCTION clew.gateway_done(of_batch bigint, me uuid, rejected integer, message text) RETURNS boolean
LANGUAGE plpgsql ${definer} AS $$
DECLARE
  done clew.gateway_batches;
BEGIN
  DELETE FROM clew.gateway_batches b WHERE b.batch = of_batch AND b.owner = me RETURNING b.* INTO done;
  IF done.batch IS NULL THEN RETURN false; END IF;
  UPDATE clew.gateway_destinations d SET sent_spans = d.sent_spans + done.spans - least(done.spans, rejected),
    sent_batches = d.sent_batches + 1, rejected_spans = d.rejected_spans + rejected, failures = 0,
    last_sent_at = clock_timestamp(), last_error = coalesce(message, d.last_error),
    last_error_at = CASE WHEN message IS NULL THEN d.last_error_at ELSE clock_timestamp() END
    WHERE d.destination = done.destination;
  RETURN true;
END $$;

-- The server refused it.
CREATE FUNCTION clew.gateway_park(of_batch bigint, me uuid, why text) RETURNS boolean LANGUAGE sql ${definer} AS $$
  WITH parked AS (UPDATE clew.gateway_batches b SET stage = 'parked', owner = NULL, leased_until = NULL, reason = why
      WHERE b.batch = of_batch AND b.owner = me RETURNING b.destination),
    noted AS (UPDATE clew.gateway_destinations d SET last_error = why, last_error_at = clock_timestamp(), failures = 0
      FROM parked WHERE d.destination = parked.destination RETURNING d.destination)
  SELECT EXISTS (SELECT FROM parked)
$$;

-- It is sent again later. The server as a whole is left alone for a doubling time; a batch that makes it fail, while it accepts
-- others, waits for itself and is parked after 20 tries. Returns what happened to it: ready, parked, or null if it is of
-- another instance.
CREATE FUNCTION clew.gateway_later(of_batch bigint, me uuid, message text, least_wait interval, is_of_batch boolean,
  is_uncertain boolean, first_wait interval) RETURNS text LANGUAGE plpgsql ${definer} AS $$
DECLARE
  old clew.gateway_batches;
  server clew.gateway_destinations;
  is_poison boolean;
BEGIN
  SELECT * INTO old FROM clew.gateway_batches b WHERE b.batch = of_batch AND b.owner = me FOR UPDATE;
  IF old.batch IS NULL THEN RETURN NULL; END IF;
  SELECT * INTO server FROM clew.gateway_destinations d WHERE d.destination = old.destination FOR UPDATE;
  is_poison := is_of_batch AND old.tries >= 19 AND coalesce(server.last_sent_at > old.failed_at, false);
  UPDATE clew.gateway_batches b SET stage = CASE WHEN is_poison THEN 'parked' ELSE 'ready' END, owner = NULL,
    leased_until = NULL, uncertain = b.uncertain + is_uncertain::integer, reason = message,
    tries = b.tries + is_of_batch::integer,
    failed_at = CASE WHEN is_of_batch THEN coalesce(b.failed_at, clock_timestamp()) ELSE b.failed_at END,
    retry_at = CASE WHEN is_of_batch
      THEN clock_timestamp() + clew.gateway_wait(least_wait, first_wait, b.tries) ELSE b.retry_at END
    WHERE b.batch = of_batch;
  UPDATE clew.gateway_destinations d SET uncertain_batches = d.uncertain_batches + is_uncertain::integer,
    last_error = message, last_error_at = clock_timestamp(),
    -- Requests that fail together count as one failure.
    failures = d.failures + (d.retry_at <= clock_timestamp())::integer,
    retry_at = greatest(d.retry_at, clock_timestamp() + clew.gateway_wait(least_wait, first_wait, d.failures))
    WHERE d.destination = old.destination;
  RETURN CASE WHEN is_poison THEN 'parked' ELSE 'ready' END;
END $$;

-- Doubling, at most five minutes, half of it random so that instances do not retry at the same moment; at least what the
-- server asks for.
CREATE FUNCTION clew.gateway_wait(least_wait interval, first_wait interval, failures integer) RETURNS interval
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT greatest(least_wait, least(interval '5 minutes', first_wait * 2 ^ least(failures, 20)) * (0.5 + random() / 2))
$$;

-- Gives batches back whose last byte was not sent. Those that are being sent are free at once, but nobody knows who has them.
CREATE FUNCTION clew.gateway_release(me uuid, of_batch bigint) RETURNS void LANGUAGE sql ${definer} AS $$
  UPDATE clew.gateway_batches b SET stage = 'ready', owner = NULL, leased_until = NULL
    WHERE b.owner = me AND b.batch = of_batch;
  UPDATE clew.gateway_batches b SET owner = NULL, leased_until = NULL WHERE b.owner = me AND of_batch IS NULL
$$;

-- Forgets spans after 30 days: a sender that has not retried by then does not.
CREATE FUNCTION clew.gateway_sweep() RETURNS integer LANGUAGE plpgsql ${definer} AS $$
DECLARE
  swept integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('clew.gateway_sweep', 0)) THEN RETURN 0; END IF;
  DELETE FROM clew.gateway_spans s WHERE s.ctid = ANY(ARRAY(SELECT o.ctid FROM clew.gateway_spans o
    WHERE o.received_at < clock_timestamp() - interval '30 days' LIMIT 10000));
  GET DIAGNOSTICS swept = ROW_COUNT;
  RETURN swept;
END $$;
`;

/** After \`policies\`, which takes all functions from everyone. */
export const gatewayGrants: string = [
  'gateway_key(bytea)',
  'gateway_version()',
  'gateway_take(integer, integer, bytea[], text[], integer[], text[], bytea[])',
  'gateway_claim(text, uuid, integer, interval)',
  'gateway_sending(bigint, uuid, interval)',
  'gateway_renew(uuid, bigint[], interval)',
  'gateway_done(bigint, uuid, integer, text)',
  'gateway_park(bigint, uuid, text)',
  'gateway_later(bigint, uuid, text, interval, boolean, boolean, interval)',
  'gateway_release(uuid, bigint)',
  'gateway_sweep()',
]
  .map((name) => `GRANT EXECUTE ON FUNCTION clew.${name} TO clew_gateway;`)
  .join('\n');
