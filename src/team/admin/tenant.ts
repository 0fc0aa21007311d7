// The tenant and the person that an administrator names → their numbers in the store.
import { UserError } from '../../base/errors/index.ts';
import type { Sql, TransactionSql } from '../database/index.ts';

export type AnySql = Sql | TransactionSql;

export interface Tenant {
  readonly tenant: number;
  readonly name: string;
}

/** Whoever does not own the store sees one tenant, the own one. */
export async function tenantOf(sql: AnySql, name: string | undefined): Promise<Tenant> {
  const tenants = await sql<Tenant[]>`SELECT tenant, name FROM clew.tenants ORDER BY tenant`;
  const found = name === undefined ? tenants : tenants.filter((each) => each.name === name);
  const [first, second] = found;
  if (first === undefined)
    throw new UserError(
      name === undefined ? 'the store shows no tenant to your role' : `the store has no tenant "${name}"`,
      'the administrator runs `clew team init --tenant NAME`, and `clew team grant` for each person',
    );
  if (second !== undefined)
    throw new UserError(
      `the store has ${tenants.length} tenants: ${tenants.map((each) => each.name).join(', ')}`,
      'choose one with --tenant',
    );
  return first;
}

export interface PersonRow {
  readonly person: number;
  readonly name: string;
  readonly login: string | null;
}

export async function findPerson(sql: AnySql, tenant: Tenant, name: string): Promise<PersonRow | undefined> {
  const [row] = await sql<PersonRow[]>`
    SELECT person, name, login FROM clew.people WHERE tenant = ${tenant.tenant} AND name = ${name} AND forgotten_at IS NULL`;
  return row;
}

export async function personNamed(sql: AnySql, tenant: Tenant, name: string): Promise<PersonRow> {
  const row = await findPerson(sql, tenant, name);
  if (row === undefined) throw new UserError(`${tenant.name} has no person "${name}"`, 'clew team people lists them');
  return row;
}

/** Whether the connected role owns the store, and is not subject to its policies. */
export async function ownsStore(sql: AnySql): Promise<boolean> {
  const [row] = await sql<{ owns: boolean }[]>`
    SELECT pg_has_role(current_user, nspowner, 'USAGE') AS owns FROM pg_namespace WHERE nspname = 'clew'`;
  return row?.owns === true;
}
