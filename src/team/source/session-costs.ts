// The cells of a scope → what each session cost, for a list.
import type { Sql } from '../database/index.ts';
import type { Scope } from './people.ts';
import { ofPeople } from './usage-cells.ts';

export interface SessionCost {
  /** `undefined`: none of its messages has a price. */
  readonly costMicroUsd: number | undefined;
  /** Some of its messages have no price. */
  readonly isPart: boolean;
}

/** By person and id in the store; `undefined` for a session without usage. */
export type SessionCosts = (person: number, storeId: string) => SessionCost | undefined;

export async function readSessionCosts(sql: Sql, scope: Scope): Promise<SessionCosts> {
  const rows = await sql.unsafe<{ person: number; session_id: string; cost: number | null; is_part: boolean }[]>(
    `SELECT person, session_id, sum(cost_micro_usd) AS cost, bool_or(cost_micro_usd IS NULL) AS is_part
      FROM clew.cells WHERE ${ofPeople(scope)} GROUP BY person, session_id`,
  );
  const costs = new Map(
    rows.map(({ person, session_id: id, cost, is_part: isPart }) => [
      `${person} ${id}`,
      { costMicroUsd: cost ?? undefined, isPart },
    ]),
  );
  return (person, storeId) => costs.get(`${person} ${storeId}`);
}
