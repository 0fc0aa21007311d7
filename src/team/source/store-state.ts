// The sessions of a scope → a short text that is another one whenever any of them was pushed, lowered or removed, so that a page
// which stays open asks for the rows only then.
import type { Sql } from '../database/index.ts';
import type { Scope } from './people.ts';
import { ofPeople } from './usage-cells.ts';

/** With the sum of the times, not only the latest: a push that began earlier may be committed later. */
export async function readStoreState(sql: Sql, scope: Scope): Promise<string> {
  const [row] = await sql.unsafe<{ state: string }[]>(`
    SELECT concat_ws(' ', count(*), max(pushed_at), sum(extract(epoch FROM pushed_at)), sum(level)) AS state
    FROM clew.sessions WHERE ${ofPeople(scope)}`);
  return row?.state ?? '';
}
