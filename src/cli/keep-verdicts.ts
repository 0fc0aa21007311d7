// What doctor found → the index, so that `clew ls` and the page say the same without examining again. Without an index
// the findings are printed all the same.
import { openIndex } from '../library/schema.ts';
import { type JudgedSession, saveVerdicts } from '../library/verdicts.ts';
import { stateFolder } from '../store/roots.ts';
import type { CommandIo } from './command.ts';

export function keepVerdicts({ env }: Pick<CommandIo, 'env'>, judged: readonly JudgedSession[]): void {
  if (judged.length === 0) return;
  try {
    const database = openIndex({ folder: stateFolder(env) });
    try {
      saveVerdicts(database, judged);
    } finally {
      database.close();
    }
  } catch {
    // The disk is full, or the state folder cannot be written: every other command says so.
  }
}
