// A name and a role → a login role of the database that is linked to the person and has the role's group.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import type { Sql, TransactionSql } from '../database/index.ts';
import { groupRoles } from '../schema/index.ts';
import { findPerson, type PersonRow, personNamed, type Tenant } from './tenant.ts';

export const roleNames = ['developer', 'lead', 'auditor', 'gateway'] as const;
export type RoleName = (typeof roleNames)[number];

export interface GrantWish {
  readonly person: string;
  /** Without one the person has no login, and pushes through a gateway. */
  readonly role: RoleName | undefined;
  /** The name of the person by default. */
  readonly login: string | undefined;
  readonly group: string | undefined;
  /** A SCRAM verifier. */
  readonly verifier: string | undefined;
}

export interface Grant {
  readonly person: string;
  readonly login: string | null;
  readonly roles: readonly string[];
  readonly isNewPerson: boolean;
  readonly isNewLogin: boolean;
}

export async function grant(sql: Sql, tenant: Tenant, wish: GrantWish): Promise<Grant> {
  return sql.begin(async (transaction) => {
    const known = await findPerson(transaction, tenant, wish.person);
    const person = known ?? (await addPerson(transaction, tenant, wish.person));
    const login = wish.role === undefined ? person.login : (wish.login ?? person.login ?? wish.person);
    const isNewLogin = login !== null && wish.role !== undefined && (await linkLogin(transaction, person, login, wish));
    if (wish.group !== undefined) await addMember(transaction, tenant, wish.group, person, wish.role === 'lead');
    const roles = login === null ? [] : await rolesOf(transaction, login);
    return { person: person.name, login, roles, isNewPerson: known === undefined, isNewLogin };
  });
}

async function addPerson(sql: TransactionSql, { tenant }: Tenant, name: string): Promise<PersonRow> {
  if (/^forgotten \d+$/.test(name))
    throw new UserError(`"${name}" is the name of a forgotten person`, 'choose another');
  const [row] = await sql<PersonRow[]>`
    INSERT INTO clew.people (tenant, name) VALUES (${tenant}, ${name}) RETURNING person, name, login`;
  return row as PersonRow; // just inserted
}

/** Returns whether the role is new. */
async function linkLogin(
  sql: TransactionSql,
  person: PersonRow,
  login: string,
  { role, verifier }: Pick<GrantWish, 'role' | 'verifier'>,
): Promise<boolean> {
  if (role === undefined) return false;
  // The policies do not hold for a superuser, and not for the owner of the store.
  const [known] = await sql<{ isFree: boolean; canLogin: boolean }[]>`
    SELECT rolsuper OR rolbypassrls OR pg_has_role(r.oid, (SELECT nspowner FROM pg_namespace WHERE nspname = 'clew'), 'MEMBER')
      AS "isFree", rolcanlogin AS "canLogin" FROM pg_roles r WHERE rolname = ${login}`;
  if (known?.isFree === true || /^(pg|clew)_/.test(login) || known?.canLogin === false)
    throw new UserError(
      `the role "${login}" cannot be a login of the store`,
      'choose another with --login',
      exitCodes.refused,
    );
  const [other] = await sql<{ name: string }[]>`
    SELECT name FROM clew.people WHERE login = ${login} AND person <> ${person.person}`;
  if (other !== undefined)
    throw new UserError(
      `the role "${login}" is the login of ${other.name}`,
      'choose another with --login',
      exitCodes.refused,
    );
  await withRoleRights(async () => {
    if (known === undefined) await runFormatted(sql, 'CREATE ROLE %I LOGIN', login);
    else await refuseMixed(sql, login, role);
    if (verifier !== undefined) await runFormatted(sql, 'ALTER ROLE %I PASSWORD %L', login, verifier);
    await runFormatted(sql, 'GRANT %I TO %I', `clew_${role}`, login);
    if (person.login !== null && person.login !== login) await revokeGroups(sql, person.login, groupRoles);
  });
  // Also if it is the same name: the role may have been created again.
  await sql`UPDATE clew.people SET login = ${login} WHERE person = ${person.person}`;
  return known === undefined;
}

/** A gateway acts for everyone of its tenant; it must not read for them too. */
async function refuseMixed(sql: TransactionSql, login: string, role: RoleName): Promise<void> {
  const roles = await rolesOf(sql, login);
  if (roles.length > 0 && roles.some((each) => each === 'gateway') !== (role === 'gateway'))
    throw new UserError(
      `"${login}" is already ${roles.join(' and ')}`,
      'a gateway needs a login of its own: --login',
      exitCodes.refused,
    );
}

/** The server quotes names and values: %I and %L. */
async function runFormatted(sql: TransactionSql, statement: string, ...values: readonly string[]): Promise<void> {
  const [row] = await sql<{ text: string }[]>`SELECT format(${statement}, VARIADIC ${[...values]}::text[]) AS text`;
  await sql.unsafe(row?.text ?? '');
}

/** Roles are the cluster's: owning the store is not enough to grant them. */
async function withRoleRights(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== '42501') throw error;
    throw new UserError(
      'your role may not create and grant roles',
      `as a superuser run ALTER ROLE … CREATEROLE, and GRANT ${groupRoles.join(', ')} TO … WITH ADMIN OPTION, for your role`,
      exitCodes.refused,
      { cause: error },
    );
  }
}

export async function rolesOf(sql: Sql | TransactionSql, login: string): Promise<readonly string[]> {
  const rows = await sql<{ role: string }[]>`
    SELECT substr(g.rolname, 6) AS role FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid
    JOIN pg_roles l ON l.oid = m.member WHERE l.rolname = ${login} AND g.rolname = ANY(${[...groupRoles]}) ORDER BY 1`;
  return rows.map(({ role }) => role);
}

async function revokeGroups(sql: TransactionSql, login: string, groups: readonly string[]): Promise<void> {
  const [known] = await sql`SELECT 1 FROM pg_roles WHERE rolname = ${login}`;
  if (known === undefined) return;
  for (const group of groups) await runFormatted(sql, 'REVOKE %I FROM %I', group, login);
}

/** Without a role: all of them, and the login is no longer the person's. What the person pushed stays. */
export async function revoke(sql: Sql, tenant: Tenant, name: string, role: RoleName | undefined): Promise<Grant> {
  return sql.begin(async (transaction) => {
    const person = await personNamed(transaction, tenant, name);
    const { login } = person;
    if (login !== null)
      await withRoleRights(() => revokeGroups(transaction, login, role === undefined ? groupRoles : [`clew_${role}`]));
    const roles = login === null ? [] : await rolesOf(transaction, login);
    if (roles.length === 0) await transaction`UPDATE clew.people SET login = NULL WHERE person = ${person.person}`;
    return { person: name, login: roles.length === 0 ? null : login, roles, isNewPerson: false, isNewLogin: false };
  });
}

/** Drops a login that is no longer linked. Returns why it could not be, or nothing. */
export async function dropLogin(sql: Sql, login: string): Promise<string | undefined> {
  try {
    await sql.begin((transaction) => runFormatted(transaction, 'DROP ROLE IF EXISTS %I', login));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export async function addMember(
  sql: TransactionSql,
  { tenant, name }: Tenant,
  group: string,
  { person }: PersonRow,
  isLead: boolean,
): Promise<void> {
  const [known] = await sql`SELECT 1 FROM clew.groups WHERE tenant = ${tenant} AND name = ${group}`;
  if (known === undefined)
    throw new UserError(`${name} has no group "${group}"`, `clew team group add ${group} creates it`);
  await sql`
    INSERT INTO clew.members (tenant, group_name, person, is_lead) VALUES (${tenant}, ${group}, ${person}, ${isLead})
    ON CONFLICT (tenant, group_name, person) DO UPDATE SET is_lead = members.is_lead OR excluded.is_lead`;
}
