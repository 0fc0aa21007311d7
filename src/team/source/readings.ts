// A session and whoever reads it → whether its text may be read. A reading of someone else's text is announced, and committed, before
// the store shows it.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { levelName, levelNumber } from '../contract/index.ts';
import type { Sql } from '../database/index.ts';
import type { Scope } from './people.ts';

export interface SessionKey {
  readonly person: number;
  readonly storeId: string;
}

export interface ReadableSession {
  /** Another one whenever what was pushed is another. */
  readonly contentKey: string;
  readonly isOwn: boolean;
}

/** Throws if the text of the session is not in the store, or not for this role. */
export async function readableSession(
  sql: Sql,
  { me }: Pick<Scope, 'me'>,
  { person, storeId }: SessionKey,
): Promise<ReadableSession> {
  const [row] = await sql<StateRow[]>`
    SELECT s.level, s.content_key, s.machine, p.name, clew.sees_others() AS sees_others
    FROM clew.sessions s JOIN clew.people p USING (tenant, person)
    WHERE s.tenant = (SELECT clew.my_tenant()) AND s.person = ${person} AND s.session_id = ${storeId}`;
  if (row === undefined)
    throw new UserError('the store no longer has this session', 'go back to the list', exitCodes.refused);
  const isOwn = person === me;
  if (row.level < levelNumber('text')) {
    const shared = levelName(row.level) === 'titles' ? 'metrics and titles' : 'metrics';
    throw new UserError(
      isOwn
        ? `only ${shared} of this session are in the store`
        : `${row.name} shares only ${shared} of this session, not its text`,
      isOwn ? `its text is on ${row.machine}` : `ask ${row.name} to share it`,
      exitCodes.refused,
    );
  }
  if (!isOwn && !row.sees_others)
    throw new UserError(
      'your role sees what others used, not what they said',
      "ask the store's administrator for another role",
      exitCodes.refused,
    );
  return { contentKey: row.content_key, isOwn };
}

interface StateRow {
  readonly level: number;
  readonly content_key: string;
  readonly machine: string;
  readonly name: string;
  readonly sees_others: boolean;
}

/** `action`: what the reader does, such as `open`. The store shows the text for ten minutes after it. */
export async function announceReading(sql: Sql, action: string, { person, storeId }: SessionKey): Promise<void> {
  await sql`SELECT clew.announce_reading(${action}, ${person}, ${storeId}, NULL)`;
}
