// Keys of people: made, listed and revoked by the administrator. The store has only their hashes, so a key is shown once.
import { createHash, randomBytes } from 'node:crypto';
import { exitCodes, UserError } from '../../../base/errors/index.ts';
import type { Sql } from '../../database/index.ts';

const prefix = 'clew_gw_';

/** 256 random bits. */
export function makeKey(): string {
  return prefix + randomBytes(32).toString('base64url');
}

/** Others are refused without a question to the store. */
export function isKey(text: string): boolean {
  return /^clew_gw_[\w-]{43}$/.test(text);
}

export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

export interface KeyRow {
  readonly key: number;
  readonly person: string;
  /** Its first characters. */
  readonly hint: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/** Returns the key. */
export async function addKey(sql: Sql, person: string): Promise<string> {
  const { tenant, number } = await findPerson(sql, person);
  const key = makeKey();
  await sql`INSERT INTO clew.gateway_keys (tenant, person, hash, hint)
    VALUES (${tenant}, ${number}, ${hashKey(key)}, ${key.slice(0, prefix.length + 4)})`;
  return key;
}

/** Everyone's without a name. */
export async function listKeys(sql: Sql, person?: string): Promise<readonly KeyRow[]> {
  const found = person === undefined ? undefined : await findPerson(sql, person);
  return sql<KeyRow[]>`
    SELECT k.key, p.name AS person, k.hint, k.created_by AS "createdBy", k.created_at AS "createdAt",
      k.revoked_at AS "revokedAt", k.last_used_at AS "lastUsedAt"
    FROM clew.gateway_keys k JOIN clew.people p USING (tenant, person)
    WHERE ${found === undefined ? sql`true` : sql`k.tenant = ${found.tenant} AND k.person = ${found.number}`}
    ORDER BY p.name, k.key`;
}

/** All keys of the person, or the one with this number. Returns how many. */
export async function revokeKeys(sql: Sql, person: string, key?: number): Promise<number> {
  const { tenant, number } = await findPerson(sql, person);
  const rows = await sql`UPDATE clew.gateway_keys SET revoked_at = clock_timestamp()
    WHERE tenant = ${tenant} AND person = ${number} AND revoked_at IS NULL
      AND ${key === undefined ? sql`true` : sql`key = ${key}`} RETURNING key`;
  if (rows.length === 0)
    throw new UserError(
      key === undefined ? `${person} has no key` : `${person} has no key ${key}`,
      '`clew team gateway key list` shows all keys',
      exitCodes.failed,
    );
  return rows.length;
}

async function findPerson(sql: Sql, name: string): Promise<{ readonly tenant: number; readonly number: number }> {
  const rows = await sql<{ tenant: number; number: number }[]>`
    SELECT tenant, person AS number FROM clew.people WHERE name = ${name} AND forgotten_at IS NULL`;
  const [found, ...others] = rows;
  if (found === undefined)
    throw new UserError(`the store does not know "${name}"`, 'add them: `clew team grant`', exitCodes.failed);
  if (others.length > 0)
    throw new UserError(`${rows.length} teams have the name "${name}"`, 'rename one of them', exitCodes.failed);
  return found;
}
