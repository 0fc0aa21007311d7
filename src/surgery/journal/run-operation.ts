// Runs an operation through its states: the record of what will change is durable before the first change, and an operation
// that fails is settled at once. Also for changes that need no plan, such as deleting a session whose copy is in the archive.
import { statSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../../base/node/index.ts';
import { counted } from '../../base/text/index.ts';
import { withLock } from '../../store/index.ts';
import { applyChanges, carryAppended } from './apply-changes.ts';
import { type ChangeOnDisk, changesOnDisk } from './change-on-disk.ts';
import {
  clearUnfinished,
  markUnfinished,
  newOperationId,
  type OperationRecord,
  operationsFolder,
  writeRecord,
} from './operation-log.ts';
import { closeRecord, type Recovered, recoverLocked } from './recover-operations.ts';

export interface LogOptions {
  readonly env?: Environment;
  /** Of the operations that one undo undoes together. */
  readonly group?: string;
  readonly onWait?: (holder: string) => void;
  /** Called with what became of operations that were killed before. */
  readonly onRecovered?: (recovered: readonly Recovered[]) => void;
}

export type LoggedChange = Omit<OperationRecord, 'id' | 'at' | 'state' | 'group'>;

/**
 * `plan` runs while no other operation does; it gets the folder of the operation, writes the new files there, and returns
 * what is to change: `undefined` if there is nothing to do, and nothing is recorded. Returns the id of the operation.
 */
export function logOperation(
  options: LogOptions,
  plan: (folder: string) => Promise<LoggedChange | undefined>,
): Promise<string | undefined> {
  const operations = operationsFolder(options.env);
  return withLock(operations, { ...options, what: 'changing sessions' }, async () => {
    const recovered = await recoverLocked(operations, options.env ?? process.env);
    options.onRecovered?.(recovered);
    const at = new Date();
    const id = newOperationId(at);
    return withRecovery(operations, options.env ?? process.env, async () => {
      const change = await plan(path.join(operations, id));
      if (change === undefined) return undefined;
      const { group } = options;
      const own = group === undefined ? {} : { group };
      await runRecord(operations, { id, at: at.toISOString(), state: 'prepared', ...change, ...own });
      return id;
    });
  });
}

/** Marks that an operation runs, and settles it if it fails. */
export async function withRecovery<T>(operations: string, env: Environment, work: () => Promise<T>): Promise<T> {
  markUnfinished(operations);
  let isSettled = false;
  try {
    const value = await work();
    isSettled = true;
    return value;
  } finally {
    // The error of the work says more than one of the recovery; what that could not settle, the next command will.
    if (!isSettled) await recoverLocked(operations, env, true).catch(() => undefined);
    else await clearUnfinished(operations);
  }
}

/** Carries out a prepared record. Returns how many lines other programs appended meanwhile. */
export async function runRecord(operations: string, record: OperationRecord): Promise<number> {
  await writeRecord(operations, record);
  const changes = await changesOnDisk(operations, record);
  await writeRecord(operations, { ...record, state: 'applying' });
  const carried = await applyChanges(changes, record);
  await closeRecord(operations, withSizes(record, changes), changes);
  const late = await carryAppended(changes, record);
  if (late > 0) await writeRecord(operations, { ...withSizes(record, changes), state: 'done' });
  return carried + late;
}

/** What was appended during the operation does not prevent its undo. */
function withSizes(record: OperationRecord, changes: readonly ChangeOnDisk[]): OperationRecord {
  const files = changes.map(({ change, target }) => {
    const size = change.after === undefined ? undefined : statSync(target, { throwIfNoEntry: false })?.size;
    return size === undefined || size === change.after?.sizeBytes ? change : { ...change, leftBytes: size };
  });
  return { ...record, files };
}

export function carriedNotes(lines: number): readonly string[] {
  return lines === 0 ? [] : [`${counted(lines, 'line')} that another program appended meanwhile went along`];
}
