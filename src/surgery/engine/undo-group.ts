// Undoes one operation, or all operations of a group: an action on several sessions. Either all of them can be undone, or
// none is.
import { UserError } from '../../base/errors/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { withLock } from '../../store/index.ts';
import { type OperationRecord, operationsFolder, readRecords, refuseUndo, undoOperation } from './operation-log.ts';

/** The operation with this id, or those of the group with this id that are not undone yet; newest first. */
export function operationsNamed(records: readonly OperationRecord[], id: string): readonly OperationRecord[] {
  const single = records.filter((record) => record.id === id);
  return single.length > 0 ? single : records.filter(({ group, state }) => group === id && state === 'done');
}

/** Returns what was undone. */
export async function undoTogether(
  records: readonly OperationRecord[],
  options: { readonly env?: Environment; readonly onWait?: (holder: string) => void } = {},
): Promise<readonly OperationRecord[]> {
  const { env = process.env } = options;
  const operations = operationsFolder(env);
  return withLock(operations, { ...options, what: 'changing sessions' }, async () => {
    // Another process may have undone some of them.
    const ids = new Set(records.map(({ id }) => id));
    const now = (await readRecords(operations)).filter(({ id }) => ids.has(id));
    if (now.length === 0) throw new UserError('there is no such operation', 'see `clew history`');
    for (const record of now) await refuseUndo(record, env);
    for (const record of now) await undoOperation(operations, record, env);
    return now;
  });
}
