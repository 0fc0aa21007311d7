// A session of a store → the row of the list, as the local index gives it. What its person does not share is empty.
import { levelName } from '../../../team/contract/index.ts';
import type { SessionCost, StoredSession } from '../../../team/source/index.ts';
import { type ListedRow, rowOfListed } from '../answers/index.ts';
import { placeText } from './stored-place.ts';

/** `person`: the name, if rows name people. */
export function rowOfStored(stored: StoredSession, cost: SessionCost | undefined, person: string | null): ListedRow {
  const { session, named, projectHash, level } = stored;
  const { costMicroUsd = null, isPart: costIsPart = false } = cost ?? {};
  const row = rowOfListed(session, { costMicroUsd, costIsPart });
  return {
    ...row,
    path: placeText(stored),
    // The folders of another machine.
    root: '',
    project: named === undefined ? hiddenProject(projectHash) : row.project,
    changedAt: firstNumber(session.mtimeMs, session.endedAt, session.startedAt),
    person,
    shared: levelName(level) ?? null,
  };
}

/** As in the reports of usage: sessions of one folder have one hash. */
function hiddenProject(hash: string): string {
  return `hash:${hash}`;
}

function firstNumber(...values: readonly number[]): number {
  return Math.round(values.find((value) => Number.isFinite(value)) ?? 0);
}
