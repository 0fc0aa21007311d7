// Undoes operations that are done, unless a file has changed since or is open in a client.
import { existsSync, statSync } from 'node:fs';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { findArchivedFile, refuseOnlyCopy } from '../../library/archive/index.ts';
import { refuseInUse, whileHolding } from '../../library/session-files/index.ts';
import { matchState, withLock } from '../../store/index.ts';
import { type ChangeOnDisk, changesOnDisk, type Doubt, findOldFile, readChangeState } from './change-on-disk.ts';
import {
  clearUnfinished,
  type FileChange,
  markUnfinished,
  type OperationRecord,
  operationsFolder,
  readRecords,
  refuseOutsideSessions,
  writeRecord,
} from './operation-log.ts';
import { closeUndone, describeDoubts, hasSources, refuseLinked, restoreFiles } from './recover-operations.ts';

/** Undoes an operation: removes the files it created and restores those it replaced, byte for byte. */
export async function undoOperation(
  operations: string,
  record: OperationRecord,
  env: Environment = process.env,
): Promise<readonly Doubt[]> {
  await refuseUndo(record, env, operations);
  const { doubts, isClosed } = await undoRecord(operations, record, env);
  if (isClosed) await clearUnfinished(operations);
  return doubts;
}

async function undoRecord(
  operations: string,
  record: OperationRecord,
  env: Environment,
): Promise<{ readonly doubts: readonly Doubt[]; readonly isClosed: boolean }> {
  return whileHolding(sessionsTouched(record), env, async () => {
    const changes = await changesOnDisk(operations, record);
    // Another program may have written to them since the first look.
    await refuseChangedFiles(record, changes);
    markUnfinished(operations);
    await writeRecord(operations, { ...record, state: 'undoing' });
    const { doubts, isKept } = await restoreFiles(changes, record, false);
    if (isKept) {
      await writeRecord(operations, { ...record, state: 'done' });
      await clearUnfinished(operations);
      throw changedSince(record, `${doubts[0]?.path} has changed since`);
    }
    // The files are as they were: if the disk refuses the rest, the mark stays, and the next command does it.
    const isClosed = await closeUndone(operations, record, doubts).then(
      () => true,
      () => false,
    );
    return { doubts, isClosed };
  });
}

/** Throws if it cannot be undone: already undone, without a backup, changed since, or open in a client. */
export async function refuseUndo(
  record: OperationRecord,
  env: Environment = process.env,
  operations: string = operationsFolder(env),
): Promise<void> {
  if (record.state === 'undone') throw new UserError(`operation ${record.id} is already undone`, 'see `clew history`');
  if (record.hasNoBackup === true)
    throw new UserError(`operation ${record.id} has no backup and cannot be undone`, 'see `clew history`');
  refuseOutsideSessions(record, env);
  refuseLinked(record);
  for (const main of sessionsTouched(record)) refuseInUse(main, env);
  await refuseChangedFiles(record, await changesOnDisk(operations, record));
}

async function refuseChangedFiles(record: OperationRecord, changes: readonly ChangeOnDisk[]): Promise<void> {
  for (const each of changes) await refuseChanged(record, each);
  for (const copy of record.copies ?? []) await refuseOnlyCopy(copy);
  if (record.isFromElsewhere !== true && !(await hasSources(record, changes)))
    throw new UserError(
      `the session that ${record.operation} (${record.id}) copied has changed or is gone, so its copy stays`,
      'remove the copy with `clew rm`, which archives it first',
      exitCodes.refused,
    );
}

/** A client that has one of them open would continue writing to the old file. */
function sessionsTouched({ files, to }: OperationRecord): readonly string[] {
  const touched = new Set(files.map((file) => file.path));
  return to.flatMap(({ path: main }) => (touched.has(main) ? [main] : []));
}

/** A file that changed since the operation may hold later work. */
async function refuseChanged(record: OperationRecord, on: ChangeOnDisk): Promise<void> {
  const { change, target } = on;
  const isThere = existsSync(target);
  if (change.archived !== undefined && !isThere) findArchivedFile(change.archived);
  const what = await whatChanged(on, isThere);
  if (what !== undefined) throw changedSince(record, `${change.path} ${what}`);
}

function changedSince({ operation, id }: OperationRecord, what: string): UserError {
  return new UserError(
    `${what}, so ${operation} (${id}) cannot be undone`,
    'the backup has the original files: see `clew history --json`',
    exitCodes.refused,
  );
}

async function whatChanged(on: ChangeOnDisk, isThere: boolean): Promise<string | undefined> {
  const { change, target } = on;
  if (change.kind === 'removed') {
    if (isThere) return 'exists again';
    return change.archived === undefined && findOldFile(on) === undefined ? 'has no backup' : undefined;
  }
  if (!isThere) return 'no longer exists';
  const { is, isLonger } = await readChangeState(on);
  if (is !== 'after') return 'has changed since';
  if (change.kind === 'replaced' && findOldFile(on) === undefined) return 'has no backup';
  if (!isLonger || change.isLog === true || (await onlyAppended(change))) return undefined;
  return change.leftBytes === statSync(target).size ? undefined : 'has changed since';
}

/** Then lines that a client added since can stay. */
async function onlyAppended({ kind, before, path: file }: FileChange): Promise<boolean> {
  if (kind !== 'replaced' || before === undefined) return false;
  return ['same', 'longer'].includes(await matchState(file, before));
}

/** The operations with this id, or those of the group with this id that are not undone yet; newest first. */
export function operationsNamed(records: readonly OperationRecord[], id: string): readonly OperationRecord[] {
  const single = records.filter((record) => record.id === id);
  return single.length > 0 ? single : records.filter(({ group, state }) => group === id && state === 'done');
}

export interface UndoOptions {
  readonly env?: Environment;
  readonly onWait?: (holder: string) => void;
  /** Called for each file that another program has changed meanwhile, with where both versions are. */
  readonly onDoubt?: (line: string) => void;
}

/** Undoes one operation, or all of a group: either all of them can be undone, or none is. Returns what was undone. */
export async function undoTogether(
  records: readonly OperationRecord[],
  options: UndoOptions = {},
): Promise<readonly OperationRecord[]> {
  const { env = process.env, onDoubt } = options;
  const operations = operationsFolder(env);
  return withLock(operations, { ...options, what: 'changing sessions' }, async () => {
    // Another process may have undone some of them.
    const ids = new Set(records.map(({ id }) => id));
    const now = (await readRecords(operations)).filter(({ id }) => ids.has(id));
    if (now.length === 0) throw new UserError('there is no such operation', 'see `clew history`');
    for (const record of now) await refuseUndo(record, env);
    let isClosed = true;
    for (const record of now) {
      const undone = await undoRecord(operations, record, env);
      isClosed &&= undone.isClosed;
      for (const line of describeDoubts(undone.doubts)) onDoubt?.(line);
    }
    if (isClosed) await clearUnfinished(operations);
    return now;
  });
}
