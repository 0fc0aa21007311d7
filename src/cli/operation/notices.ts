// What an operation reports while it runs: that it waits, and what became of operations that were killed.
import { explainSystemError, UserError } from '../../base/errors/index.ts';
import { type Recovered, recoverOperations } from '../../surgery/journal/index.ts';
import type { CommandIo } from '../command/index.ts';
import { shortOperation } from '../render/index.ts';
import { writeNotice } from '../terminal/index.ts';

/** Options of every operation. */
export function operationNotices({ stderr, env }: Pick<CommandIo, 'stderr' | 'env'>): {
  readonly env: CommandIo['env'];
  readonly onWait: (holder: string) => void;
  readonly onRecovered: (recovered: readonly Recovered[]) => void;
  readonly onDoubt: (line: string) => void;
} {
  return {
    env,
    onWait: (holder) => writeNotice(stderr, `waiting for another clew (${holder})`),
    onRecovered: (recovered) => {
      for (const line of recovered.flatMap(recoveredLines)) writeNotice(stderr, line);
    },
    onDoubt: (line) => writeNotice(stderr, line),
  };
}

/** Settles them and reports it. If that fails, commands that only read continue; those that write meet the same error. */
export async function recoverKilled(io: Pick<CommandIo, 'stderr' | 'env'>): Promise<readonly Recovered[]> {
  const { env, onRecovered } = operationNotices(io);
  try {
    const recovered = await recoverOperations(env);
    onRecovered(recovered);
    return recovered;
  } catch (error) {
    const reason = error instanceof UserError ? error : explainSystemError(error);
    if (reason === undefined) throw error;
    writeNotice(io.stderr, `a killed operation could not be settled: ${reason.message}`);
    return [];
  }
}

function recoveredLines({ id, operation, outcome, doubts }: Recovered): readonly string[] {
  const name = operation ?? `operation ${shortOperation(id)}`;
  return [headline(name, id, outcome), ...doubts].filter((line) => line !== '');
}

function headline(name: string, id: string, outcome: Recovered['outcome']): string {
  switch (outcome) {
    case 'nothing':
      return '';
    case 'taken back':
      return `${name} was killed before it was done; its changes are taken back`;
    case 'finished':
      return `${name} was killed before it was done; it is finished now, and clew undo ${shortOperation(id)} undoes it`;
    case 'undone':
      return `an undo of ${name} was killed before it was done; it is finished now`;
    case 'kept':
      return `an undo of ${name} was killed before it was done; its files have changed since, so they stay`;
    case 'set aside':
      return `the record of ${name} cannot be used; it is kept with its backups`;
    case 'left alone':
      return `the record of ${name} is left alone`;
    default:
      return outcome satisfies never;
  }
}
