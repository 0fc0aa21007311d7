// Legal holds: what is held is neither replaced nor deleted by anyone, until the hold is released.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import type { Sql } from '../database/index.ts';
import { type AnySql, findPerson, type Tenant } from './tenant.ts';

export interface Hold {
  readonly person: string;
  /** `null`: everything of the person. */
  readonly session: string | null;
  readonly reason: string;
  readonly since: Date;
}

export async function listHolds(sql: AnySql, { tenant }: Tenant): Promise<readonly Hold[]> {
  return sql<Hold[]>`
    SELECT p.name AS person, h.session_id AS session, h.reason, h.created_at AS since
    FROM clew.holds h JOIN clew.people p USING (tenant, person)
    WHERE h.tenant = ${tenant} AND h.released_at IS NULL ORDER BY h.hold`;
}

interface Held {
  readonly person: number;
  readonly name: string;
  readonly session: string | null;
}

/** `name`: of the person, or the id of a session. */
export async function hold(sql: Sql, tenant: Tenant, name: string, reason: string): Promise<readonly Hold[]> {
  return sql.begin(async (transaction) => {
    for (const { person, session } of await heldThings(transaction, tenant, name)) {
      // A push or a sweep of the person that is running ends first.
      await transaction`SELECT FROM clew.people WHERE tenant = ${tenant.tenant} AND person = ${person} FOR NO KEY UPDATE`;
      await transaction`
        INSERT INTO clew.holds (tenant, person, session_id, reason)
        SELECT ${tenant.tenant}, ${person}, ${session}, ${reason} WHERE NOT EXISTS (SELECT FROM clew.holds
          WHERE tenant = ${tenant.tenant} AND person = ${person} AND session_id IS NOT DISTINCT FROM ${session} AND released_at IS NULL)`;
    }
    return listHolds(transaction, tenant);
  });
}

/** Returns how many holds were released. */
export async function release(sql: Sql, tenant: Tenant, name: string): Promise<number> {
  return sql.begin(async (transaction) => {
    let released = 0;
    for (const { person, session } of await heldThings(transaction, tenant, name)) {
      const rows = await transaction`
        UPDATE clew.holds SET released_at = now() WHERE tenant = ${tenant.tenant} AND person = ${person}
          AND session_id IS NOT DISTINCT FROM ${session} AND released_at IS NULL RETURNING hold`;
      released += rows.length;
    }
    if (released === 0) throw new UserError(`"${name}" is not on hold`, 'clew team hold lists the holds');
    return released;
  });
}

/** A session with all its copies. */
async function heldThings(sql: AnySql, tenant: Tenant, name: string): Promise<readonly Held[]> {
  const person = await findPerson(sql, tenant, name);
  if (person !== undefined) return [{ person: person.person, name: person.name, session: null }];
  const found = await sql<Held[]>`
    SELECT DISTINCT s.person, p.name, s.session_id AS session FROM clew.sessions s JOIN clew.people p USING (tenant, person)
    WHERE s.tenant = ${tenant.tenant} AND (s.session_id = ${name} OR starts_with(s.session_id, ${`${name}@`}))`;
  if (found.length === 0)
    throw new UserError(
      `${tenant.name} has no person and no session "${name}"`,
      'give a name, or the full id of a session',
    );
  return found;
}

/** Before something is deleted. */
export async function refuseHeld(sql: AnySql, tenant: Tenant, name: string): Promise<void> {
  const [held] = (await listHolds(sql, tenant)).filter(({ person }) => person === name);
  if (held === undefined) return;
  const what = held.session === null ? `${name} is` : `the session ${held.session} of ${name} is`;
  throw new UserError(
    `${what} on legal hold (${held.reason})`,
    `clew team release ${held.session ?? name} ends it`,
    exitCodes.refused,
  );
}
