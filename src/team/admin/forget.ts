// Someone in the store → nothing of them in the store but the fact that there was one, with a report that shows it.
import type { Sql } from '../database/index.ts';
import { dropLogin, revoke } from './grant.ts';
import { refuseHeld } from './holds.ts';
import { personNamed, type Tenant } from './tenant.ts';

export interface ForgetReport {
  readonly person: string;
  /** Rows by table. */
  readonly before: Readonly<Record<string, number>>;
  readonly after: Readonly<Record<string, number>>;
  /** Rows of the audit that stay, without what was searched for and without the name. */
  readonly readings: number;
  readonly login: string | null;
  readonly loginIs: 'none' | 'unlinked' | 'dropped';
  /** Why the login was not dropped. */
  readonly problem: string | undefined;
  readonly isTrial: boolean;
}

interface Counts {
  readonly before: Readonly<Record<string, number>>;
  readonly after: Readonly<Record<string, number>>;
  readonly readings: number;
}

export interface ForgetOptions {
  readonly dropsLogin: boolean;
  readonly isTrial: boolean;
}

export async function forget(sql: Sql, tenant: Tenant, name: string, options: ForgetOptions): Promise<ForgetReport> {
  const { person, login } = await personNamed(sql, tenant, name);
  await refuseHeld(sql, tenant, name);
  const base = { person: name, login, problem: undefined, isTrial: options.isTrial };
  if (options.isTrial) {
    const [row] = await sql<Counts[]>`
      SELECT c AS before, c AS after, (SELECT count(*)::integer FROM clew.readings
        WHERE tenant = ${tenant.tenant} AND ${person} IN (person, reader_person)) AS readings
      FROM clew.count_person(${tenant.tenant}, ${person}) c`;
    return { ...base, ...(row as Counts), loginIs: 'none' };
  }
  // First, so that what is forgotten can no longer be added to.
  if (login !== null) await revoke(sql, tenant, name, undefined);
  const [row] = await sql<{ counts: Counts }[]>`SELECT clew.forget(${tenant.tenant}, ${person}) AS counts`;
  const { counts } = row as { counts: Counts }; // a function returns one row
  if (login === null) return { ...base, ...counts, loginIs: 'none' };
  const problem = options.dropsLogin ? await dropLogin(sql, login) : undefined;
  const loginIs = options.dropsLogin && problem === undefined ? 'dropped' : 'unlinked';
  return { ...base, ...counts, problem, loginIs };
}
