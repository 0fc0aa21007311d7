// The audit: who announced to read whose text. An auditor and the owner see all of it, everyone else what concerns them.
import type { AnySql, Tenant } from './tenant.ts';

export interface Reading {
  readonly at: Date;
  readonly reader: string;
  /** What the reader said it is. */
  readonly action: string;
  /** `null`, like the session: everyone who shares text. */
  readonly person: string | null;
  readonly session: string | null;
  readonly detail: string | null;
}

export interface AuditQuestion {
  /** Whose text was read, or who read. */
  readonly person: string | undefined;
  readonly sinceMs: number | undefined;
}

export async function listReadings(
  sql: AnySql,
  { tenant }: Tenant,
  { person, sinceMs }: AuditQuestion,
): Promise<readonly Reading[]> {
  const since = sinceMs === undefined ? null : new Date(sinceMs).toISOString();
  return sql<Reading[]>`
    SELECT r.at, coalesce(w.name, r.reader) AS reader, r.action, p.name AS person, r.session_id AS session, r.detail
    FROM clew.readings r LEFT JOIN clew.people p ON p.tenant = r.tenant AND p.person = r.person
    LEFT JOIN clew.people w ON w.tenant = r.tenant AND w.person = r.reader_person
    WHERE r.tenant = ${tenant} AND (${since}::timestamptz IS NULL OR r.at >= ${since})
      AND (${person ?? null}::text IS NULL OR ${person ?? null} IN (p.name, w.name))
    ORDER BY r.at DESC, r.id DESC`;
}
