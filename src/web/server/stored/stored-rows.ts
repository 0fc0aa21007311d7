// A store → the rows of the list of all its sessions in scope.
import { readSessionCosts, type StoreSource } from '../../../team/source/index.ts';
import type { ListedRow } from '../answers/index.ts';
import { rowOfStored } from './stored-row.ts';

export async function readStoredRows(source: StoreSource): Promise<readonly ListedRow[]> {
  const { sql, scope } = source;
  const [stored, costOf] = await Promise.all([source.stored(), readSessionCosts(sql, scope)]);
  return stored
    .filter(({ isListed }) => isListed)
    .map((each) => {
      const person = scope.namesPeople ? scope.nameOf(each.person) : null;
      return rowOfStored(each, costOf(each.person, each.storeId), person);
    });
}
