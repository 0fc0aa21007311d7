// An empty database, or a store of an older Clew → a store of this version, with a tenant. What the role lacks is said before
// anything is changed.
import { UserError } from '../../base/errors/index.ts';
import { migrate, type Sql } from '../database/index.ts';
import { groupRoles } from '../schema/index.ts';

export interface InitReport {
  readonly database: string;
  readonly owner: string;
  /** It could be bypassed: a role of its own is safer. */
  readonly isSuperuser: boolean;
  /** 0: there was no store. */
  readonly from: number;
  readonly to: number;
  readonly tenant: string;
  readonly isNewTenant: boolean;
}

export async function initStore(sql: Sql, tenant: string | undefined): Promise<InitReport> {
  const rights = await rightsOf(sql);
  refuseWithout(rights);
  const { from, to } = await migrate(sql);
  const { name, isNew } = await addTenant(sql, tenant);
  const { database, role, isSuperuser } = rights;
  return { database, owner: role, isSuperuser, from, to, tenant: name, isNewTenant: isNew };
}

interface Rights {
  readonly version: number;
  readonly role: string;
  readonly database: string;
  readonly quotedRole: string;
  readonly quotedDatabase: string;
  readonly isSuperuser: boolean;
  readonly createsRoles: boolean;
  readonly createsSchemas: boolean;
  /** Of the store; `null` without one. */
  readonly ownsStore: boolean | null;
  readonly lacksGroups: boolean;
}

async function rightsOf(sql: Sql): Promise<Rights> {
  const [row] = await sql<Rights[]>`
    SELECT current_setting('server_version_num')::integer / 10000 AS version, current_user::text AS role,
      current_database()::text AS database, quote_ident(current_user) AS "quotedRole",
      quote_ident(current_database()) AS "quotedDatabase", rolsuper AS "isSuperuser",
      rolsuper OR rolcreaterole AS "createsRoles", has_database_privilege(current_database(), 'CREATE') AS "createsSchemas",
      (SELECT pg_has_role(current_user, nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'clew') AS "ownsStore",
      (SELECT count(*) FROM pg_roles WHERE rolname = ANY(${[...groupRoles]})) < ${groupRoles.length} AS "lacksGroups"
    FROM pg_roles WHERE rolname = current_user`;
  return row as Rights; // the current role exists
}

function refuseWithout(rights: Rights): void {
  const { version, role, database, quotedRole, quotedDatabase } = rights;
  if (version < 14) throw new UserError(`the server is PostgreSQL ${version}`, 'the store needs version 14 or newer');
  if (rights.ownsStore === false)
    throw new UserError(`the store in ${database} belongs to another role than "${role}"`, 'connect as its owner');
  if (rights.ownsStore === null && !rights.createsSchemas)
    throw new UserError(
      `the role "${role}" may not create a schema in ${database}`,
      `as a superuser run GRANT CREATE ON DATABASE ${quotedDatabase} TO ${quotedRole}`,
    );
  if (rights.lacksGroups && !rights.createsRoles)
    throw new UserError(
      `the role "${role}" may not create the group roles of the store`,
      `as a superuser run ALTER ROLE ${quotedRole} CREATEROLE`,
    );
}

/** Without a name the store keeps its tenants; a new store gets one with the name of the database. */
async function addTenant(
  sql: Sql,
  wanted: string | undefined,
): Promise<{ readonly name: string; readonly isNew: boolean }> {
  const [known] = await sql<{ name: string }[]>`
    SELECT name FROM clew.tenants WHERE ${wanted ?? null}::text IS NULL OR name = ${wanted ?? null} ORDER BY tenant LIMIT 1`;
  if (known !== undefined) return { name: known.name, isNew: false };
  const added = await sql<{ name: string }[]>`
    INSERT INTO clew.tenants (name) VALUES (coalesce(${wanted ?? null}, current_database()::text))
    ON CONFLICT (name) DO NOTHING RETURNING name`;
  return { name: added[0]?.name ?? wanted ?? '', isNew: added.length > 0 };
}
