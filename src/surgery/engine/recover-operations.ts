// Finishes or takes back operations that were killed, and undoes those that are done. Recovery runs at the start of every
// command that reads or changes sessions, before anything is resolved; a second run of it finds nothing to do.
import { existsSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { type ArchivedCopy, findArchivedFile, forgetCopy, refuseOnlyCopy } from '../../library/archive/index.ts';
import { refuseInUse, whileHolding } from '../../library/session-files/index.ts';
import { matchState, removeAbandonedLocks, removeStaleTemps, stateFolder, withLock } from '../../store/index.ts';
import {
  type ChangeOnDisk,
  canFinish,
  canTakeBack,
  changesOnDisk,
  type Doubt,
  findOldFile,
  finishChanges,
  parkOldFiles,
  readChangeState,
  type TakenBack,
  takeBackChanges,
} from './change-files.ts';
import {
  clearUnfinished,
  type FileChange,
  findRecords,
  markUnfinished,
  type OperationRecord,
  operationsFolder,
  quarantineRecord,
  readRecords,
  refuseLinkedTargets,
  refuseOutsideSessions,
  removeBackup,
  removeUnrecorded,
  unfinishedMark,
  writeRecord,
} from './operation-log.ts';

/** What became of an operation that was killed. */
export interface Recovered {
  readonly id: string;
  /** Such as `move`; `undefined` if its record cannot be read. */
  readonly operation: string | undefined;
  /** `nothing`: it had changed nothing yet. `kept`: its files have changed since, so it is not undone. `set aside`: its record cannot be used, and was kept with its backups. */
  readonly outcome: 'nothing' | 'taken back' | 'finished' | 'undone' | 'kept' | 'set aside' | 'left alone';
  /** Files that other programs changed meanwhile, and where both versions are; why a record is not used. */
  readonly doubts: readonly string[];
}

/** Whether an operation was killed, or one runs now. Costs one look at the disk. */
export function mayHaveUnfinished(env: Environment = process.env): boolean {
  return existsSync(unfinishedMark(operationsFolder(env)));
}

export interface RecoveryOptions {
  /** How long to wait for a process that works on an operation; 0 by default: then that process will finish it. */
  readonly waitMs?: number;
  readonly onWait?: (holder: string) => void;
  /** Look at every record, although nothing says that an operation was killed. */
  readonly isThorough?: boolean;
}

/** Recovers what was killed. */
export async function recoverOperations(
  env: Environment = process.env,
  options: RecoveryOptions = {},
): Promise<readonly Recovered[]> {
  if (options.isThorough !== true && !mayHaveUnfinished(env)) return [];
  const operations = operationsFolder(env);
  try {
    return await withLock(operations, { waitMs: 0, ...options, what: 'changing sessions' }, () =>
      recoverLocked(operations, env),
    );
  } catch (error) {
    if (error instanceof UserError && error.exitCode === exitCodes.refused && (options.waitMs ?? 0) === 0) return [];
    throw error;
  }
}

/** The same for the process that holds the lock. `isOwn`: its own operation failed, so that nobody else can have relied on it. */
export async function recoverLocked(
  operations: string,
  env: Environment,
  isOwn = false,
): Promise<readonly Recovered[]> {
  const recovered: Recovered[] = [];
  const wasKilled = existsSync(unfinishedMark(operations));
  if (wasKilled) await removeStaleTemps(operations, 0);
  for (const found of findRecords(operations)) {
    const { id } = found;
    if (wasKilled) await removeStaleTemps(path.join(operations, id), 0);
    if (found.is === 'record') recovered.push(...(await recoverRecord(operations, found.record, env, isOwn)));
    else if (found.is === 'broken') {
      const kept = quarantineRecord(operations, id);
      recovered.push({
        id,
        operation: undefined,
        outcome: 'set aside',
        doubts: [`${found.reason}; it is now in ${kept}`],
      });
    } else if (found.is === 'unread')
      recovered.push({ id, operation: undefined, outcome: 'left alone', doubts: [found.reason] });
    else if (await removeUnrecorded(operations, id))
      recovered.push({ id, operation: undefined, outcome: 'nothing', doubts: [] });
    else {
      const kept = quarantineRecord(operations, id);
      recovered.push({
        id,
        operation: undefined,
        outcome: 'set aside',
        doubts: [`it has no record; it is now in ${kept}`],
      });
    }
  }
  removeAbandonedLocks(stateFolder(env));
  await clearUnfinished(operations);
  return recovered;
}

async function recoverRecord(
  operations: string,
  record: OperationRecord,
  env: Environment,
  isOwn: boolean,
): Promise<readonly Recovered[]> {
  const { id, operation, state } = record;
  const folder = path.join(operations, id);
  if (state === 'done' || state === 'undone') {
    await rm(path.join(folder, 'staged'), { recursive: true, force: true });
    // That of an operation that was undone stays if there was a doubt.
    if (record.hasNoBackup === true) await removeBackup(operations, record);
    return [];
  }
  if (state === 'prepared') {
    await rm(folder, { recursive: true, force: true });
    return [{ id, operation, outcome: 'nothing', doubts: [] }];
  }
  try {
    refuseOutsideSessions(record, env);
    refuseLinked(record);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const kept = quarantineRecord(operations, id);
    return [{ id, operation, outcome: 'set aside', doubts: [`${error.message}; it is now in ${kept}`] }];
  }
  const changes = await changesOnDisk(operations, record);
  if (state === 'undoing') {
    const { doubts, isKept } = await restoreFiles(changes, record, false);
    if (isKept) await writeRecord(operations, { ...record, state: 'done' });
    else await closeUndone(operations, record, doubts);
    return [{ id, operation, outcome: isKept ? 'kept' : 'undone', doubts: describeDoubts(doubts) }];
  }
  return [await settleRecord(operations, record, changes, isOwn || (await hasSources(record, changes)))];
}

/** Takes it back if that is certain for every file, else finishes it if that is; in doubt nothing that it made is removed. */
async function settleRecord(
  operations: string,
  record: OperationRecord,
  changes: readonly ChangeOnDisk[],
  mayRemove: boolean,
): Promise<Recovered> {
  const { id, operation } = record;
  if (record.copies !== undefined) {
    await closeRecord(operations, record, changes);
    return { id, operation, outcome: 'finished', doubts: [] };
  }
  if (mayRemove && (await areAll(changes, (each) => canTakeBack(each, changes)))) {
    const doubts = await takeBackRecord(operations, record, changes, false);
    if (doubts.length === 0) await rm(path.join(operations, id), { recursive: true, force: true });
    return { id, operation, outcome: 'taken back', doubts: describeDoubts(doubts) };
  }
  if (await areAll(changes, canFinish)) {
    const doubts = await finishChanges(changes, record);
    await closeRecord(operations, record, changes);
    return { id, operation, outcome: 'finished', doubts: describeDoubts(doubts) };
  }
  const doubts = await takeBackRecord(operations, record, changes, !mayRemove);
  return { id, operation, outcome: 'taken back', doubts: describeDoubts(doubts) };
}

/** After the last file is in its state after the operation. */
export async function closeRecord(
  operations: string,
  record: OperationRecord,
  changes: readonly ChangeOnDisk[],
): Promise<void> {
  await parkOldFiles(changes);
  await writeRecord(operations, { ...record, state: 'done' });
  // The operation is done, whatever happens to what it no longer needs: a later command removes that.
  await rm(path.join(operations, record.id, 'staged'), { recursive: true, force: true }).catch(() => undefined);
  if (record.hasNoBackup === true) await removeBackup(operations, record);
}

async function takeBackRecord(
  operations: string,
  record: OperationRecord,
  changes: readonly ChangeOnDisk[],
  keepsMade: boolean,
): Promise<readonly Doubt[]> {
  const { doubts } = await restoreFiles(changes, record, keepsMade);
  await closeUndone(operations, record, doubts);
  return doubts;
}

async function restoreFiles(
  changes: readonly ChangeOnDisk[],
  record: OperationRecord,
  keepsMade: boolean,
): Promise<TakenBack> {
  const taken = await takeBackChanges(changes, record, keepsMade);
  const doubts = [...taken.doubts];
  for (const copy of taken.isKept ? [] : (record.copies ?? [])) doubts.push(...(await forgetOrKeep(copy)));
  return { ...taken, doubts };
}

/** After the last file is in its state before the operation. */
async function closeUndone(operations: string, record: OperationRecord, doubts: readonly Doubt[]): Promise<void> {
  await rm(path.join(operations, record.id, 'staged'), { recursive: true, force: true });
  await writeRecord(operations, { ...record, state: 'undone' });
  if (doubts.length === 0) await removeBackup(operations, record);
}

/** The copy may have become the only one since the undo began. */
async function forgetOrKeep(copy: ArchivedCopy): Promise<readonly Doubt[]> {
  try {
    await forgetCopy(copy);
    return [];
  } catch (error) {
    if (error instanceof UserError) return [{ path: copy.session, reason: `stays in the archive: ${error.message}` }];
    throw error;
  }
}

function describeDoubts(doubts: readonly Doubt[]): readonly string[] {
  return doubts.map(({ path: file, reason }) => `${file} ${reason}`);
}

async function areAll(
  changes: readonly ChangeOnDisk[],
  check: (change: ChangeOnDisk) => Promise<boolean>,
): Promise<boolean> {
  for (const each of changes) if (!(await check(each))) return false;
  return true;
}

/** Whether what was made could be made again: only then may it be removed. */
async function hasSources(record: OperationRecord, changes: readonly ChangeOnDisk[]): Promise<boolean> {
  if (record.isFromElsewhere === true) return !changes.some(({ change }) => change.kind === 'made');
  for (const { path: file, ...state } of record.sources ?? []) {
    const match = await matchState(file, state);
    if (match !== 'same' && match !== 'longer') return false;
  }
  return true;
}

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

/** A folder that became a link since the operation would lead to other files. */
function refuseLinked({ files, from, to }: OperationRecord): void {
  refuseLinkedTargets(
    files.map((file) => file.path),
    [...to, ...from].map((session) => path.dirname(session.path)),
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
