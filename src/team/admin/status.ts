// The state of a store in one answer: version, rules, sizes, and what waits for a sweep.
import type { LevelNumber } from '../contract/index.ts';
import { type Erased, pendingMonths } from './erase.ts';
import { type Hold, listHolds } from './holds.ts';
import { countDue, type Due, listRetention, type Retention } from './retention.ts';
import type { AnySql, Tenant } from './tenant.ts';

export interface StoreStatus {
  readonly tenant: string;
  readonly schema: number;
  readonly owner: string;
  readonly isSuperuser: boolean;
  readonly mostLevel: LevelNumber;
  readonly retention: readonly Retention[];
  readonly people: number;
  readonly groups: number;
  readonly sessions: number;
  /** Of the whole database. */
  readonly sizeBytes: number;
  readonly sweptAt: Date | null;
  readonly due: Due;
  readonly holds: readonly Hold[];
  readonly pending: Erased['pending'];
}

interface Sums {
  readonly schema: number;
  readonly owner: string;
  readonly isSuperuser: boolean;
  readonly mostLevel: LevelNumber;
  readonly people: number;
  readonly groups: number;
  readonly sessions: number;
  readonly sizeBytes: number;
  readonly sweptAt: Date | null;
}

export async function storeStatus(sql: AnySql, tenant: Tenant): Promise<StoreStatus> {
  const [row] = await sql<Sums[]>`
    SELECT (SELECT max(version) FROM clew.migrations) AS schema, r.rolname::text AS owner, r.rolsuper AS "isSuperuser",
      t.most_level AS "mostLevel", nullif(t.swept_at, '-infinity') AS "sweptAt",
      (SELECT count(*)::integer FROM clew.people p WHERE p.tenant = t.tenant AND p.forgotten_at IS NULL) AS people,
      (SELECT count(*)::integer FROM clew.groups g WHERE g.tenant = t.tenant) AS groups,
      (SELECT count(*)::integer FROM clew.sessions s WHERE s.tenant = t.tenant) AS sessions,
      pg_database_size(current_database()) AS "sizeBytes"
    FROM clew.tenants t, pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner
    WHERE n.nspname = 'clew' AND t.tenant = ${tenant.tenant}`;
  return {
    ...(row as Sums), // the tenant exists
    tenant: tenant.name,
    retention: await listRetention(sql, tenant),
    due: await countDue(sql, tenant),
    holds: await listHolds(sql, tenant),
    pending: await pendingMonths(sql),
  };
}
