// Stores doctor's findings in the index, so that `clew ls` and the page show them without another check.
import { IndexHandle } from '../../library/index/index-handle.ts';
import { type JudgedSession, saveVerdicts } from '../../library/index/verdicts.ts';
import { stateFolder } from '../../store/roots.ts';
import type { CommandIo } from '../command/command.ts';

export function keepVerdicts({ env }: Pick<CommandIo, 'env'>, judged: readonly JudgedSession[]): void {
  if (judged.length === 0) return;
  try {
    const index = new IndexHandle({ folder: stateFolder(env) });
    index.ask((database) => saveVerdicts(database, judged));
    index.close();
  } catch {
    // Doctor works without an index; other commands report why it cannot be written.
  }
}
