// Keeps the daily sums of usage equal to the cells, so that no push and no deletion can make them disagree.

export const usageTriggers: string = `
-- Keeps usage_days equal to the sums of cells.
CREATE FUNCTION clew.add_usage() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO clew.usage_days AS d
  SELECT tenant, person, month, coalesce('1970-01-01'::date + floor(quarter / 96.0)::integer, '-infinity'), coalesce(model, ''), is_fast,
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
  FROM (SELECT tenant, person, month, coalesce('1970-01-01'::date + floor(quarter / 96.0)::integer, '-infinity') AS day,
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
