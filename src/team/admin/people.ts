// The people and groups of a tenant, as lists; and groups with their members.
import { UserError } from '../../base/errors/index.ts';
import type { Sql } from '../database/index.ts';
import { groupRoles } from '../schema/index.ts';
import { addMember, type RoleName } from './grant.ts';
import { type AnySql, ownsStore, personNamed, type Tenant } from './tenant.ts';

export interface Person {
  readonly name: string;
  /** The next four are `null` for roles that do not own the store. */
  readonly login: string | null;
  readonly roles: readonly RoleName[] | null;
  readonly isHeld: boolean | null;
  readonly isForgotten: boolean | null;
  readonly groups: readonly string[];
  readonly leads: readonly string[];
  /** As far as the role may see them. */
  readonly sessions: number;
  readonly lastPush: Date | null;
}

export async function listPeople(sql: AnySql, { tenant }: Tenant): Promise<readonly Person[]> {
  const isOwner = await ownsStore(sql);
  const secret = isOwner
    ? sql`CASE WHEN p.login_oid = to_regrole(quote_ident(p.login)) THEN p.login END AS login,
        ARRAY(SELECT substr(g.rolname, 6) FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid
          WHERE m.member = p.login_oid AND g.rolname = ANY(${[...groupRoles]}) ORDER BY 1) AS roles,
        EXISTS (SELECT FROM clew.holds h WHERE h.tenant = p.tenant AND h.person = p.person AND h.released_at IS NULL) AS "isHeld",
        p.forgotten_at IS NOT NULL AS "isForgotten"`
    : sql`NULL AS login, NULL AS roles, NULL AS "isHeld", NULL AS "isForgotten"`;
  return sql<Person[]>`
    SELECT p.name, ${secret},
      ARRAY(SELECT group_name FROM clew.members m WHERE m.tenant = p.tenant AND m.person = p.person ORDER BY 1) AS groups,
      ARRAY(SELECT group_name FROM clew.members m WHERE m.tenant = p.tenant AND m.person = p.person AND is_lead ORDER BY 1) AS leads,
      coalesce(s.sessions, 0)::integer AS sessions, s.last_push AS "lastPush"
    FROM clew.people p LEFT JOIN (SELECT person, count(*) AS sessions, max(pushed_at) AS last_push FROM clew.sessions
      WHERE tenant = ${tenant} GROUP BY person) s ON s.person = p.person
    WHERE p.tenant = ${tenant} ORDER BY p.name`;
}

export interface Group {
  readonly name: string;
  readonly members: readonly string[];
  readonly leads: readonly string[];
}

export async function listGroups(sql: AnySql, { tenant }: Tenant): Promise<readonly Group[]> {
  return sql<Group[]>`
    SELECT g.name, coalesce(array_agg(p.name ORDER BY p.name) FILTER (WHERE p.name IS NOT NULL), '{}') AS members,
      coalesce(array_agg(p.name ORDER BY p.name) FILTER (WHERE m.is_lead), '{}') AS leads
    FROM clew.groups g LEFT JOIN clew.members m ON m.tenant = g.tenant AND m.group_name = g.name
    LEFT JOIN clew.people p ON p.tenant = m.tenant AND p.person = m.person
    WHERE g.tenant = ${tenant} GROUP BY g.name ORDER BY g.name`;
}

/** Creates the group if there is none, and adds members. */
export async function addToGroup(sql: Sql, tenant: Tenant, group: string, people: readonly string[]): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`INSERT INTO clew.groups (tenant, name) VALUES (${tenant.tenant}, ${group}) ON CONFLICT DO NOTHING`;
    for (const name of people)
      await addMember(transaction, tenant, group, await personNamed(transaction, tenant, name), false);
  });
}

/** Without people, the group is removed. */
export async function removeFromGroup(
  sql: Sql,
  tenant: Tenant,
  group: string,
  people: readonly string[],
): Promise<void> {
  await sql.begin(async (transaction) => {
    const [known] = await transaction`SELECT 1 FROM clew.groups WHERE tenant = ${tenant.tenant} AND name = ${group}`;
    if (known === undefined)
      throw new UserError(`${tenant.name} has no group "${group}"`, 'clew team groups lists them');
    if (people.length === 0)
      await transaction`DELETE FROM clew.groups WHERE tenant = ${tenant.tenant} AND name = ${group}`;
    for (const name of people) {
      const { person } = await personNamed(transaction, tenant, name);
      await transaction`
        DELETE FROM clew.members WHERE tenant = ${tenant.tenant} AND group_name = ${group} AND person = ${person}`;
    }
  });
}
