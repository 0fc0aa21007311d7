// DELETE leaves rows in the files of the database until VACUUM, and VACUUM leaves their bytes in unused space until something
// overwrites it. Rewriting a month takes them out of its files; `clew.removals` notes which months need it.
import type { Sql } from '../database/index.ts';
import type { AnySql } from './tenant.ts';

export interface Erased {
  readonly tables: number;
  /** Months with removed rows whose bytes may still be in the files. */
  readonly pending: readonly string[];
}

/** `rewrites`: each table of the months is locked while it is rewritten, and pushes and readings of it wait. */
export async function vacuumRemovals(sql: Sql, rewrites: boolean): Promise<Erased> {
  const months = await pendingMonths(sql);
  const how = rewrites ? '(FULL, FREEZE, ANALYZE)' : '';
  let tables = 0;
  const vacuum = async (where: readonly string[]): Promise<boolean> => {
    for (const table of where) {
      if (!(await isDone(sql.unsafe(`VACUUM ${how} ${table}`)))) return false;
      tables += 1;
    }
    return true;
  };
  await sql`SELECT set_config('lock_timeout', '10s', false) WHERE current_setting('lock_timeout') = '0'`;
  const plain = await plainTables(sql);
  let isComplete = months.length === 0 || (await vacuum(plain));
  for (const month of months) {
    if (!isComplete) break;
    const partitions = await partitionsOf(sql, month);
    isComplete = await vacuum(partitions);
    if (rewrites && isComplete) await settle(sql, month, [...plain, ...partitions]);
  }
  return { tables, pending: await pendingMonths(sql) };
}

/** False if a reader held the table for too long: while the rewrite waits, everyone else waits after it. */
async function isDone(vacuum: Promise<unknown>): Promise<boolean> {
  try {
    await vacuum;
    return true;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === '55P03') return false;
    throw error;
  }
}

export async function pendingMonths(sql: AnySql): Promise<readonly string[]> {
  const rows = await sql<{ month: string }[]>`
    SELECT DISTINCT to_char(month, 'YYYY-MM') AS month FROM clew.removals ORDER BY 1`;
  return rows.map(({ month }) => month);
}

/** The server quotes the names. */
async function plainTables(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    SELECT format('%I.%I', 'clew', relname) AS name FROM pg_class
    WHERE relnamespace = 'clew'::regnamespace AND relkind = 'r' AND NOT relispartition ORDER BY relname`;
  return rows.map(({ name }) => name);
}

async function partitionsOf(sql: Sql, month: string): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    SELECT format('%I.%I', 'clew', relname) AS name FROM pg_class
    WHERE relnamespace = 'clew'::regnamespace AND relkind = 'r' AND relispartition
      AND right(relname, 8) = '_' || translate(${month}, '-', '_') ORDER BY relname`;
  return rows.map(({ name }) => name);
}

/**
 * A rewrite keeps rows that an older transaction may still see. The oldest transaction that it considered becomes the age of
 * the table: removals before that are out of the files.
 */
async function settle(sql: Sql, month: string, rewritten: readonly string[]): Promise<void> {
  await sql`
    DELETE FROM clew.removals WHERE month = to_date(${month}, 'YYYY-MM') AND age(xact::xid) > (
      SELECT max(age(relfrozenxid)) FROM pg_class WHERE oid = ANY(${[...rewritten]}::text[]::regclass[]))`;
}
