// Brings the files of an operation into their state after it. Every step looks at the file first and does nothing if the file is
// already in that state, so that a killed operation is finished by the same code. What other programs append meanwhile is carried
// along.
import { existsSync } from 'node:fs';
import { chmod, link, rm, utimes } from 'node:fs/promises';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import {
  carryLines,
  isOnSameDisk,
  isSameFile,
  matchState,
  parkFile,
  placeFile,
  swapFile,
  takeFile,
} from '../../store/index.ts';
import {
  type ChangeOnDisk,
  type Doubt,
  findChangedFolders,
  findOldFile,
  isNewTranscript,
  isThere,
  keepAside,
  keptDoubt,
  readChangeState,
  removeEmptyFolders,
} from './change-on-disk.ts';
import type { OperationRecord } from './operation-log.ts';

/** Brings every file into its state after the operation, in the order of the record. Returns the number of carried lines. */
export async function applyChanges(changes: readonly ChangeOnDisk[], record: OperationRecord): Promise<number> {
  for (const change of changes) await applyChange(change);
  return carryAppended(changes, record);
}

async function applyChange(on: ChangeOnDisk): Promise<void> {
  const { change, target, staged, temp } = on;
  if (change.kind === 'made') {
    if (!(await isSameFile(staged, target))) await placeFile(staged, target, temp);
    await applyTimes(on);
  } else if (change.kind === 'replaced') await replaceTarget(on);
  else await removeTarget(on);
}

async function replaceTarget(on: ChangeOnDisk): Promise<void> {
  const { change, target, staged, temp } = on;
  const old = findOldFile(on);
  const { is } = await readChangeState(on);
  if (old !== undefined && is === 'after' && !(await isSameFile(old, target))) return;
  if (is === 'other' || change.before === undefined) throw changedMeanwhile(target);
  await swapFile({
    target,
    content: staged,
    old: nameForOld(on),
    temp,
    expected: is === 'before' ? change.before : (change.after ?? change.before),
    keepsMode: true,
  });
  await applyTimes(on);
}

async function applyTimes({ change: { mode, mtimeMs }, target }: ChangeOnDisk): Promise<void> {
  if (mode !== undefined) await chmod(target, mode);
  // In seconds: a Date has no parts of a millisecond.
  if (mtimeMs !== undefined) await utimes(target, mtimeMs / 1000, mtimeMs / 1000);
}

async function removeTarget(on: ChangeOnDisk): Promise<void> {
  const { change, target } = on;
  if (!isThere(target) && findOldFile(on) !== undefined) return;
  const { is, isLonger } = await readChangeState(on);
  if (is !== 'before' || (isLonger && change.continuedBy === undefined)) throw changedMeanwhile(target);
  const old = nameForOld(on);
  await takeFile(target, old);
  // What was appended since the look has come along.
  const match = change.before === undefined ? 'same' : await matchState(old, change.before);
  if (match === 'same' || (match === 'longer' && change.continuedBy !== undefined)) return;
  await link(old, target);
  await rm(old);
  throw changedMeanwhile(target);
}

function nameForOld({ aside, backup, target }: ChangeOnDisk): string {
  return isOnSameDisk(path.dirname(backup), target) ? backup : aside;
}

/** Carries what other programs append until nothing more comes, and removes the folders that are empty then. */
export async function carryAppended(changes: readonly ChangeOnDisk[], record: OperationRecord): Promise<number> {
  for (let carried = 0; ; ) {
    let now = 0;
    for (const change of changes) now += await carryTail(change, changes);
    for (const folder of findChangedFolders(changes, 'removed')) await removeEmptyFolders(folder, new Set(record.tops));
    if (now === 0) return carried;
    carried += now;
  }
}

/** What reached the old file after its content was read; also what was written to a removed name since. */
async function carryTail(on: ChangeOnDisk, changes: readonly ChangeOnDisk[]): Promise<number> {
  const { change, target } = on;
  const old = findOldFile(on);
  const heir = change.kind === 'replaced' ? on : changes.find((each) => each.change.path === change.continuedBy);
  if (change.before === undefined || heir?.change.after === undefined || !existsSync(heir.target)) return 0;
  const to = { file: heir.target, start: heir.change.after.sizeBytes };
  let carried = old === undefined ? 0 : await carryLines({ file: old, start: change.before.sizeBytes }, to);
  if (old !== undefined && (await isNewTranscript(on))) await takeFile(target, on.undone);
  if (change.kind === 'removed' && existsSync(on.undone)) {
    carried += await carryLines({ file: on.undone, start: 0 }, to);
    await rm(on.undone, { force: true });
  }
  return carried;
}

/** After the last look at the old files: those that are on the wrong disk go to the backup. */
export async function parkOldFiles(changes: readonly ChangeOnDisk[]): Promise<void> {
  for (const { aside, backup, temp, change } of changes) {
    await rm(temp, { force: true });
    if (change.archived !== undefined) {
      await rm(aside, { force: true });
      await rm(backup, { force: true });
    } else if (existsSync(aside)) await parkFile(aside, backup);
  }
}

/** The same for a killed operation: what another program changed meanwhile stays as it is and is returned. */
export async function finishChanges(
  changes: readonly ChangeOnDisk[],
  record: OperationRecord,
): Promise<readonly Doubt[]> {
  const doubts: Doubt[] = [];
  for (const each of changes) doubts.push(...(await finishChange(each)));
  await carryAppended(changes, record);
  return doubts;
}

async function finishChange(on: ChangeOnDisk): Promise<readonly Doubt[]> {
  const { change, target, staged, temp } = on;
  const { is } = await readChangeState(on);
  if (is === 'after' && change.kind !== 'replaced') return [];
  if (!isThere(target) && change.kind !== 'removed') {
    await placeFile(staged, target, temp);
    await applyTimes(on);
    return [];
  }
  if (is !== 'other') {
    await applyChange(on);
    return [];
  }
  return change.kind === 'made' && existsSync(staged) ? keepAside(on, staged) : [keptDoubt(on)];
}

/** Whether `finishChanges` can bring this file into its state after the operation. */
export async function canFinish(on: ChangeOnDisk): Promise<boolean> {
  const { change, target, staged } = on;
  const { is, isLonger } = await readChangeState(on);
  if (is === 'after' || (change.kind === 'made' && isThere(target))) return true;
  if (change.kind === 'removed' && is === 'before') return !isLonger || change.continuedBy !== undefined;
  if (is === 'other' && isThere(target)) return findOldFile(on) !== undefined;
  return change.after !== undefined && (await matchState(staged, change.after)) === 'same';
}

function changedMeanwhile(file: string): UserError {
  return new UserError(`${file} has changed since it was read; nothing was changed`, 'run it again', exitCodes.refused);
}
