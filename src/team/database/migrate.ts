// Brings the schema of a store to the version of this Clew, forward only. The owner of the database runs it.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { groupRoles, migrations } from '../schema/index.ts';
import type { Sql } from './connect.ts';

export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/** The newest version that this Clew knows. */
export const schemaVersion: number = Math.max(...migrations.map(({ version }) => version));

/** In one transaction: a store is never between two versions. */
export async function migrate(sql: Sql): Promise<Migrated> {
  return sql.begin(async (transaction) => {
    await transaction`SELECT pg_advisory_xact_lock(hashtextextended('clew.migrate', 0))`;
    const from = await versionOf(transaction);
    refuseNewer(from);
    for (const role of groupRoles) await transaction.unsafe(createGroupRole(role));
    for (const { version, name, sql: text } of migrations) {
      if (version <= from) continue;
      await transaction.unsafe(text);
      await transaction`INSERT INTO clew.migrations (version, name) VALUES (${version}, ${name})`;
    }
    return { from, to: schemaVersion };
  });
}

/** Another database of the cluster may have created it, or may be creating it now. */
function createGroupRole(role: string): string {
  return `DO $$ BEGIN
    IF to_regrole('${role}') IS NULL THEN CREATE ROLE ${role} NOLOGIN; END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
  END $$`;
}

/** 0 if the database has no store. */
export async function versionOf(sql: Pick<Sql, 'unsafe'>): Promise<number> {
  const [table] = await sql.unsafe(`SELECT to_regclass('clew.migrations') IS NOT NULL AS exists`);
  if (table?.exists !== true) return 0;
  const [row] = await sql.unsafe('SELECT coalesce(max(version), 0)::integer AS version FROM clew.migrations');
  return Number(row?.version ?? 0);
}

export function refuseNewer(version: number): void {
  if (version > schemaVersion)
    throw new UserError(
      `the store has schema ${version}, and this Clew knows ${schemaVersion}`,
      'update Clew',
      exitCodes.refused,
    );
}
