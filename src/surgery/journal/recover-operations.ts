// Finishes or takes back operations that were killed. This runs at the start of every command that reads or changes sessions,
// before anything is resolved; a second run of it finds nothing to do.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { type ArchivedCopy, archiveFolder, forgetCopy } from '../../library/archive/index.ts';
import {
  isHeld,
  matchState,
  removeAbandonedLocks,
  removeStaleTemps,
  stateFolder,
  withLock,
} from '../../store/index.ts';
import { canFinish, finishChanges, parkOldFiles } from './apply-changes.ts';
import { type ChangeOnDisk, changesOnDisk, type Doubt } from './change-on-disk.ts';
import {
  clearUnfinished,
  findRecords,
  type OperationRecord,
  operationsFolder,
  quarantineRecord,
  refuseLinkedTargets,
  refuseOutsideSessions,
  removeBackup,
  removeUnrecorded,
  unfinishedMark,
  writeRecord,
} from './operation-log.ts';
import { canTakeBack, type TakenBack, takeBackChanges } from './take-back-changes.ts';

/** What became of an operation that was killed. */
export interface Recovered {
  readonly id: string;
  /** Such as `move`; `undefined` if its record cannot be read. */
  readonly operation: string | undefined;
  /**
   * `nothing`: it had changed nothing yet. `kept`: its files have changed since, so it is not undone. `set aside`: its record
   * cannot be used, and was kept with its backups.
   */
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
  await removeArchiveTemps(archiveFolder(env));
  removeAbandonedLocks(stateFolder(env));
  await clearUnfinished(operations);
  return recovered;
}

/** What a process was writing to the archive when it was killed: then its lock is there, and nobody holds it. */
async function removeArchiveTemps(archive: string): Promise<void> {
  const lock = path.join(archive, 'lock');
  if (!existsSync(lock) || isHeld(lock)) return;
  // Whoever takes the lock first removes them, now or with the next operation.
  await withLock(archive, { waitMs: 0 }, () => removeStaleTemps(archive, 0)).catch(() => undefined);
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
    const outcome = record.state === 'prepared' ? 'nothing' : 'taken back';
    return { id, operation, outcome, doubts: describeDoubts(doubts) };
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

export async function restoreFiles(
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
export async function closeUndone(
  operations: string,
  record: OperationRecord,
  doubts: readonly Doubt[],
): Promise<void> {
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

export function describeDoubts(doubts: readonly Doubt[]): readonly string[] {
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
export async function hasSources(record: OperationRecord, changes: readonly ChangeOnDisk[]): Promise<boolean> {
  if (record.isFromElsewhere === true) return !changes.some(({ change }) => change.kind === 'made');
  for (const { path: file, ...state } of record.sources ?? []) {
    const match = await matchState(file, state);
    if (match !== 'same' && match !== 'longer') return false;
  }
  return true;
}

/** A folder that became a link since the operation would lead to other files. */
export function refuseLinked({ files, from, to }: OperationRecord): void {
  refuseLinkedTargets(
    files.map((file) => file.path),
    [...to, ...from].map((session) => path.dirname(session.path)),
  );
}
