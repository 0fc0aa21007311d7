// How much the store keeps, and for how long. What a new rule would remove is counted in a transaction that is undone.
import type { LevelNumber } from '../contract/index.ts';
import type { Sql } from '../database/index.ts';
import type { AnySql, Tenant } from './tenant.ts';

export interface Retention {
  readonly level: LevelNumber;
  readonly days: number;
}

export async function listRetention(sql: AnySql, { tenant }: Tenant): Promise<readonly Retention[]> {
  return sql<Retention[]>`SELECT level, days FROM clew.retention WHERE tenant = ${tenant} ORDER BY level`;
}

export interface Due {
  /** Sessions that the next sweep lowers or removes. */
  readonly sessions: number;
  /** Of those that would be, the ones on legal hold. */
  readonly held: number;
}

export async function countDue(sql: AnySql, { tenant }: Tenant): Promise<Due> {
  const [row] = await sql<Due[]>`
    SELECT count(*) FILTER (WHERE NOT is_held)::integer AS sessions, count(*) FILTER (WHERE is_held)::integer AS held
    FROM (SELECT clew.is_held(${tenant}, person, session_id) AS is_held FROM clew.due_sessions(${tenant})) d`;
  return row as Due; // an aggregate
}

export type RuleChange =
  /** `days` of `undefined` ends the retention of the level, or of all levels. */
  | { readonly kind: 'retain'; readonly level: LevelNumber | undefined; readonly days: number | undefined }
  | { readonly kind: 'most'; readonly level: LevelNumber };

/** Changes a rule if `accept` agrees to what the next sweep then removes. */
export async function changeRule(
  sql: Sql,
  tenant: Tenant,
  change: RuleChange,
  accept: (due: Due) => boolean,
): Promise<{ readonly due: Due; readonly isChanged: boolean }> {
  let due: Due = { sessions: 0, held: 0 };
  const isChanged = await sql
    .begin(async (transaction) => {
      await applyChange(transaction, tenant, change);
      due = await countDue(transaction, tenant);
      if (!accept(due)) throw new Undone();
      return true;
    })
    .catch((error: unknown) => {
      if (error instanceof Undone) return false;
      throw error;
    });
  return { due, isChanged };
}

class Undone extends Error {}

async function applyChange(sql: AnySql, { tenant }: Tenant, change: RuleChange): Promise<void> {
  const { level } = change;
  if (change.kind === 'most') await sql`UPDATE clew.tenants SET most_level = ${change.level} WHERE tenant = ${tenant}`;
  else if (change.days === undefined)
    await sql`DELETE FROM clew.retention WHERE tenant = ${tenant} AND (${level ?? null}::integer IS NULL OR level = ${level ?? null})`;
  else
    await sql`
      INSERT INTO clew.retention (tenant, level, days) VALUES (${tenant}, ${level ?? 1}, ${change.days})
      ON CONFLICT (tenant, level) DO UPDATE SET days = excluded.days`;
}

export interface Swept {
  readonly sessions: number;
  /** Due, but on legal hold. */
  readonly held: number;
  /** People whose push was running; the next sweep takes them. */
  readonly busy: number;
}

/** In transactions of some hundred sessions, so that pushes do not wait for long. */
export async function sweep(sql: Sql, { tenant }: Tenant): Promise<Swept> {
  let sessions = 0;
  for (;;) {
    const [row] = await sql<{ swept: Swept }[]>`SELECT clew.sweep(${tenant}, 500) AS swept`;
    const { swept } = row as { swept: Swept }; // a function returns one row
    sessions += swept.sessions;
    if (swept.sessions < 500) {
      await sql`UPDATE clew.tenants SET swept_at = now() WHERE tenant = ${tenant}`;
      return { sessions, held: swept.held, busy: swept.busy };
    }
  }
}
