// Keeps the daily sums of usage, of each person and of all, equal to the cells, so that no push and no deletion can make them
// disagree.

interface SumTable {
  readonly table: string;
  /** Columns of the key before the day, with how a cell gives them. */
  readonly keys: Readonly<Record<string, string>>;
}

/** People whose sums are in one row of the totals wait for one another when they push. */
const shards = 32;

const tables: readonly SumTable[] = [
  { table: 'usage_days', keys: { tenant: 'tenant', person: 'person', month: 'month' } },
  { table: 'usage_totals', keys: { tenant: 'tenant', shard: `(person % ${shards})::smallint` } },
];

const day = "coalesce('1970-01-01'::date + floor(quarter / 96.0)::integer, '-infinity')";
const rest = { day, model: "coalesce(model, '')", is_fast: 'is_fast', is_priced: 'cost_micro_usd IS NOT NULL' };
const summed = {
  cells: 'count(*)',
  lower_bounds: 'count(*) FILTER (WHERE is_lower_bound)',
  messages: 'sum(messages)',
  input_tokens: 'sum(input_tokens)',
  output_tokens: 'sum(output_tokens)',
  cache_read_tokens: 'sum(cache_read_tokens)',
  cache_write_5m_tokens: 'sum(cache_write_5m_tokens)',
  cache_write_1h_tokens: 'sum(cache_write_1h_tokens)',
  cost_micro_usd: 'coalesce(sum(cost_micro_usd), 0)',
};
const sumColumns = Object.keys(summed);

/** `from`: a table of cells. Rows are always locked in the order of their keys. */
function sumsOf({ keys }: SumTable, from: string): string {
  const all = { ...keys, ...rest };
  const numbers = Object.keys(all).map((_, i) => i + 1);
  const columns = Object.entries({ ...all, ...summed }).map(([name, value]) => `${value} AS ${name}`);
  return `SELECT ${columns.join(', ')} FROM ${from} GROUP BY ${numbers.join(', ')} ORDER BY ${numbers.join(', ')}`;
}

function addTo(sums: SumTable): string {
  const keys = Object.keys({ ...sums.keys, ...rest });
  return `INSERT INTO clew.${sums.table} AS d (${[...keys, ...sumColumns].join(', ')})
  ${sumsOf(sums, 'added')}
  ON CONFLICT (${keys.join(', ')}) DO UPDATE SET
    ${sumColumns.map((name) => `${name} = d.${name} + excluded.${name}`).join(', ')};`;
}

function subtractFrom(sums: SumTable): string {
  const keys = Object.keys({ ...sums.keys, ...rest });
  const isSame = keys.map((name) => `d.${name} = r.${name}`).join(' AND ');
  return `PERFORM 1 FROM clew.${sums.table} d JOIN (${sumsOf(sums, 'removed')}) r ON ${isSame}
  ORDER BY ${keys.map((name) => `d.${name}`).join(', ')} FOR UPDATE OF d;
  UPDATE clew.${sums.table} d SET ${sumColumns.map((name) => `${name} = d.${name} - r.${name}`).join(', ')}
  FROM (${sumsOf(sums, 'removed')}) r WHERE ${isSame};
  DELETE FROM clew.${sums.table} d USING (${sumsOf(sums, 'removed')}) r WHERE ${isSame} AND d.cells = 0;`;
}

function trigger(name: string, event: string, transition: string, work: (sums: SumTable) => string): string {
  return `CREATE FUNCTION clew.${name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  ${tables.map(work).join('\n  ')}
  RETURN NULL;
END $$;
CREATE TRIGGER ${name} AFTER ${event} ON clew.cells REFERENCING ${transition}
  FOR EACH STATEMENT EXECUTE FUNCTION clew.${name}();`;
}

export const usageTriggers: string = [
  trigger('add_usage', 'INSERT', 'NEW TABLE AS added', addTo),
  trigger('subtract_usage', 'DELETE', 'OLD TABLE AS removed', subtractFrom),
].join('\n');
