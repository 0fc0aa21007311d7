// Brings the files of an operation back into their state before it: for an undo, and for an operation that failed or was killed.
// Every step can be repeated, and what other programs appended is carried back.
import { existsSync, lstatSync } from 'node:fs';
import { link, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { type ArchivedPlace, findArchivedFile, restoreArchivedFile } from '../../library/archive/index.ts';
import { carryLines, isSameFile, matchState, placeFile, swapFile, syncPath, takeFile } from '../../store/index.ts';
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

export interface TakenBack {
  readonly doubts: readonly Doubt[];
  /** Another program wrote to a file that was only made, so that nothing was changed: the operation is still done. */
  readonly isKept: boolean;
}

/**
 * Brings every file back into its state before the operation: first what was replaced or removed, then what continued it, so
 * that the bytes of a session are always somewhere. What another program changed stays as it is and is returned. `keepsMade`:
 * what was made may be the only copy.
 */
export async function takeBackChanges(
  changes: readonly ChangeOnDisk[],
  record: OperationRecord,
  keepsMade: boolean,
): Promise<TakenBack> {
  const doubts: Doubt[] = [];
  const old = changes.filter(({ change }) => change.kind !== 'made').reverse();
  const made = changes.filter(({ change }) => change.kind === 'made').reverse();
  const originOf = (each: ChangeOnDisk): ChangeOnDisk | undefined =>
    old.find(({ change }) => change.continuedBy === each.change.path);
  const copies = keepsMade ? [] : made.filter((each) => originOf(each) === undefined);
  // All or none: a copied session without some of its files would be damaged.
  const isWhole = copies.length === made.length;
  const keepChanged = async (): Promise<boolean> => {
    const changed = await setAside(copies);
    for (const each of isWhole && changed.length > 0 ? copies : changed) await giveBack(each);
    doubts.push(...changed.map(keptDoubt));
    return changed.length > 0;
  };
  const wasDone = record.state === 'done' || record.state === 'undoing';
  if (isWhole && (await keepChanged()) && wasDone && !(await anyRestored(old))) return { doubts, isKept: true };
  for (const each of old) doubts.push(...(await restoreTarget(each)));
  if (!isWhole) await keepChanged();
  for (const each of copies) {
    if (existsSync(each.undone) && isThere(each.target)) doubts.push(keptDoubt(each));
    await rm(each.undone, { force: true });
  }
  const removed: ChangeOnDisk[] = [];
  for (const each of made) {
    const origin = originOf(each);
    if (keepsMade) doubts.push(...(isThere(each.target) ? [keptDoubt(each)] : []));
    else if (origin === undefined) continue;
    else if ((await readChangeState(origin)).is !== 'before') doubts.push(...(await keepBeside(each, origin)));
    else {
      const found = await removeContinued(each, origin);
      if (found.length === 0) removed.push(each);
      doubts.push(...found);
    }
  }
  for (const { temp } of changes) await rm(temp, { force: true });
  let now = 0;
  do {
    await removeMadeFolders(changes, record);
    now = 0;
    for (const each of removed) now += await carryMadeAgain(each, originOf(each));
  } while (now > 0);
  return { doubts, isKept: false };
}

/** Whether `takeBackChanges` would leave no doubt about this file. */
export async function canTakeBack(on: ChangeOnDisk, changes: readonly ChangeOnDisk[]): Promise<boolean> {
  const { change, target, undone } = on;
  const old = findOldFile(on);
  const { is, isLonger } = await readChangeState(on);
  if (change.kind === 'made') {
    const isContinued = changes.some((each) => each.change.continuedBy === change.path);
    return existsSync(undone) || !isThere(target) || (is === 'after' && (!isLonger || isContinued));
  }
  if (is === 'before') return isThere(target);
  if (is === 'other' && isThere(target)) return old === undefined || (await isNewTranscript(on));
  if (old === undefined && change.archived !== undefined) return isInArchive(change.archived);
  return old !== undefined;
}

function isInArchive(place: ArchivedPlace): boolean {
  try {
    findArchivedFile(place);
    return true;
  } catch {
    return false;
  }
}

async function anyRestored(old: readonly ChangeOnDisk[]): Promise<boolean> {
  for (const each of old) if (isThere(each.target) && (await readChangeState(each)).is === 'before') return true;
  return false;
}

/** Returns those that another program wrote to. */
async function setAside(copies: readonly ChangeOnDisk[]): Promise<readonly ChangeOnDisk[]> {
  const changed: ChangeOnDisk[] = [];
  for (const each of copies) {
    const { change, target, undone } = each;
    if (existsSync(undone) || !isThere(target) || change.after === undefined) continue;
    if ((await matchState(target, change.after)) === 'same') await takeFile(target, undone);
    else changed.push(each);
  }
  for (const each of copies) {
    const { change, target, undone, aside } = each;
    if (change.after === undefined || !(existsSync(undone) || existsSync(aside))) continue;
    if (isThere(target) || existsSync(aside) || (await matchState(undone, change.after)) !== 'same') changed.push(each);
  }
  return changed;
}

/** With the lines of a transcript that Claude Code has created again meanwhile. */
async function giveBack({ change, target, undone, aside, temp }: ChangeOnDisk): Promise<void> {
  if (existsSync(undone) && !existsSync(aside) && target.endsWith('.jsonl') && isThere(target))
    await takeFile(target, aside);
  if (existsSync(undone) && !isThere(target)) await placeFile(undone, target, temp);
  await rm(undone, { force: true });
  if (!existsSync(aside)) return;
  await carryLines({ file: aside, start: 0 }, { file: target, start: change.after?.sizeBytes ?? 0 });
  await rm(aside);
}

/** The lines of a transcript that Claude Code has created again after it was removed. */
async function carryMadeAgain({ target, undone }: ChangeOnDisk, origin: ChangeOnDisk | undefined): Promise<number> {
  const start = origin?.change.before?.sizeBytes;
  if (origin === undefined || start === undefined || !target.endsWith('.jsonl')) return 0;
  if (lstatSync(target, { throwIfNoEntry: false })?.isFile() !== true) return 0;
  await takeFile(target, undone);
  const carried = await carryLines({ file: undone, start: 0 }, { file: origin.target, start });
  await rm(undone);
  return carried;
}

/** The origin of a made file was written by another program: ours gets a name next to it. */
async function keepBeside(on: ChangeOnDisk, origin: ChangeOnDisk): Promise<readonly Doubt[]> {
  const { change, target } = on;
  if (!isThere(target)) return [];
  if (change.after === undefined || (await matchState(target, change.after)) !== 'same') return [keptDoubt(on)];
  const doubts = await keepAside(origin, target);
  await rm(target);
  return doubts;
}

async function restoreTarget(on: ChangeOnDisk): Promise<readonly Doubt[]> {
  const { change, target, temp } = on;
  const { before, after } = change;
  if (before === undefined) return [];
  const old = findOldFile(on);
  const { is } = await readChangeState(on);
  if (is === 'before' && isThere(target)) return finishRestore(on);
  if (!isThere(target)) return restoreAbsent(on, old);
  const isNew = await isNewTranscript(on);
  // Without an old file we have not touched it: another program wrote it first.
  if (old === undefined) return is === 'other' ? [] : [keptDoubt(on)];
  if (is === 'other' && !isNew) return keepAside(on, old);
  const expected = isNew ? { sizeBytes: 0, sha256: emptyHash } : (after ?? before);
  await swapFile({ target, content: old, old: on.undone, temp, expected, keepsMode: false });
  return finishRestore(on);
}

/** The lines that the replaced file got, which the restored one does not have. */
async function finishRestore({ change, target, undone, aside }: ChangeOnDisk): Promise<readonly Doubt[]> {
  const { before, after } = change;
  if (existsSync(undone) && before !== undefined)
    await carryLines({ file: undone, start: after?.sizeBytes ?? 0 }, { file: target, start: before.sizeBytes });
  await rm(undone, { force: true });
  if (await isSameFile(aside, target)) await rm(aside);
  return [];
}

async function restoreAbsent(on: ChangeOnDisk, old: string | undefined): Promise<readonly Doubt[]> {
  const { change, target, backup, temp } = on;
  if (old === undefined && change.archived === undefined)
    return [{ path: change.path, reason: 'is gone, and so is its backup' }];
  // Not next to the session: what a kill leaves of the writing goes with the backup.
  if (old === undefined && change.archived !== undefined) await restoreArchivedFile(change.archived, backup);
  await placeFile(old ?? backup, target, temp);
  return finishRestore(on);
}

/** Its origin is back, and gets the lines that were appended to it. */
async function removeContinued(on: ChangeOnDisk, origin: ChangeOnDisk): Promise<readonly Doubt[]> {
  const { change, target, undone } = on;
  const { after } = change;
  if (after === undefined) return [];
  if (!existsSync(undone)) {
    if (!isThere(target)) return [];
    if ((await matchState(target, after)) === 'other') return [keptDoubt(on)];
    await takeFile(target, undone);
  }
  const match = await matchState(undone, after);
  if (match === 'same' || match === 'longer') {
    if (origin.change.before !== undefined)
      await carryLines(
        { file: undone, start: after.sizeBytes },
        { file: origin.target, start: origin.change.before.sizeBytes },
      );
    await rm(undone);
    return [];
  }
  if (!isThere(target)) await link(undone, target);
  await rm(undone);
  return [keptDoubt(on)];
}

/** The folders that the operation created, the deepest first; never one that has files. */
async function removeMadeFolders(changes: readonly ChangeOnDisk[], record: OperationRecord): Promise<void> {
  const made = record.madeFolders;
  if (made === undefined)
    for (const folder of findChangedFolders(changes, 'made')) await removeEmptyFolders(folder, new Set(record.tops));
  for (const folder of [...(made ?? [])].sort((a, b) => b.length - a.length)) {
    if (
      await rmdir(folder).then(
        () => true,
        () => false,
      )
    )
      await syncPath(path.dirname(folder)).catch(() => undefined); // after a power cut it may be there again, and empty
  }
}

const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
