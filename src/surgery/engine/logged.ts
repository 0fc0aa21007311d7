// Changes that need no plan, such as deleting a session whose copy is in the archive, with the same history and undo as
// those of `operate`: recorded before the first change, undone if they fail or are killed.
import path from 'node:path';
import type { Environment } from '../../base/node/index.ts';
import { withLock } from '../../store/index.ts';
import {
  newOperationId,
  type OperationRecord,
  operationsFolder,
  removeUnrecorded,
  undoInterrupted,
  writeRecord,
} from './operation-log.ts';

export interface LogOptions {
  readonly env?: Environment;
  /** Of the operations that one undo undoes together. */
  readonly group?: string;
  readonly onWait?: (holder: string) => void;
}

export type LoggedChange = Omit<OperationRecord, 'id' | 'at' | 'state' | 'group'>;

/** What is about to change, and how; `undefined`: there is nothing to do, and nothing is recorded. */
export interface Logged<T> {
  readonly change: LoggedChange;
  write(): Promise<T>;
}

/** `plan` runs while no other operation does; it gets the folder of the operation, for backups. */
export function logOperation<T>(
  options: LogOptions,
  plan: (folder: string) => Promise<Logged<T> | undefined>,
): Promise<{ readonly id: string; readonly value: T } | undefined> {
  const operations = operationsFolder(options.env);
  return withLock(operations, { ...options, what: 'changing sessions' }, async () => {
    await removeUnrecorded(operations);
    await undoInterrupted(operations);
    const at = new Date();
    const id = newOperationId(at);
    const planned = await plan(path.join(operations, id));
    if (planned === undefined) return undefined;
    const { group } = options;
    const record: OperationRecord = {
      id,
      at: at.toISOString(),
      state: 'begun',
      ...planned.change,
      ...(group === undefined ? {} : { group }),
    };
    await writeRecord(operations, record);
    try {
      const value = await planned.write();
      await writeRecord(operations, { ...record, state: 'done' });
      return { id, value };
    } finally {
      // A failed write is undone at once, not by the next operation.
      await undoInterrupted(operations);
    }
  });
}
