// Moves the files of an operation between their two states, before and after. Every step looks at the file first and does
// nothing if the file is already in the wanted state, so that a killed operation can be finished or taken back by the same code.
// What other programs append meanwhile is carried along.
import { existsSync, lstatSync } from 'node:fs';
import { chmod, link, realpath, rm, rmdir, utimes } from 'node:fs/promises';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { type ArchivedPlace, findArchivedFile, restoreArchivedFile } from '../../library/archive/index.ts';
import {
  carryLines,
  type FileState,
  isOnDiskOf,
  isSameFile,
  matchState,
  parkFile,
  placeFile,
  type StateMatch,
  swapFile,
  syncPath,
  takeFile,
} from '../../store/index.ts';
import type { FileChange, OperationRecord } from './operation-log.ts';

/** A change of a record, with the names that it uses on the disk. */
export interface ChangeOnDisk {
  readonly change: FileChange;
  /** The file itself, or what a link at its end leads to. */
  readonly target: string;
  readonly staged: string;
  readonly backup: string;
  /** Next to the target: the old file while the other disk does not have it, or for the moment of an undo. */
  readonly aside: string;
  readonly undone: string;
  readonly temp: string;
}

export async function changesOnDisk(operations: string, record: OperationRecord): Promise<readonly ChangeOnDisk[]> {
  const folder = path.join(operations, record.id);
  return Promise.all(
    record.files.map(async (change, i) => {
      const target = change.kind === 'replaced' ? await realpath(change.path).catch(() => change.path) : change.path;
      const near = path.join(path.dirname(target), `.clew-${record.id}-${i}`);
      return {
        change,
        target,
        staged: path.join(folder, change.staged ?? path.join('staged', 'none')),
        backup: path.join(folder, change.backup ?? path.join('backup', String(i))),
        aside: `${near}.old`,
        undone: `${near}.undone`,
        temp: `${near}.tmp`,
      };
    }),
  );
}

/** What a file is compared to its two states. */
export interface ChangeState {
  readonly is: 'before' | 'after' | 'other';
  /** It begins with that state and has more. */
  readonly isLonger: boolean;
}

/** If a file begins with both states, because one is the beginning of the other, the longer one counts. */
export async function readChangeState({ change, target }: ChangeOnDisk): Promise<ChangeState> {
  const before = await matchOrAbsent(target, change.before);
  const after = await matchOrAbsent(target, change.after);
  const fits = (match: StateMatch): boolean => match === 'same' || match === 'longer' || match === 'absent';
  const isAfterLonger = (change.after?.sizeBytes ?? -1) >= (change.before?.sizeBytes ?? -1);
  const order = isAfterLonger ? (['after', 'before'] as const) : (['before', 'after'] as const);
  for (const is of order) {
    const match = is === 'after' ? after : before;
    if (fits(match)) return { is, isLonger: match === 'longer' };
  }
  return { is: 'other', isLonger: false };
}

/** `absent` only if that is the recorded state. */
async function matchOrAbsent(target: string, state: FileState | undefined): Promise<StateMatch> {
  if (state === undefined) return isThere(target) ? 'other' : 'absent';
  const match = await matchState(target, state);
  return match === 'absent' ? 'other' : match;
}

function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Where the old file is now, under a second name. */
export function findOldFile({ aside, backup }: ChangeOnDisk): string | undefined {
  return [aside, backup].find((file) => existsSync(file));
}

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
  return isOnDiskOf(path.dirname(backup), target) ? backup : aside;
}

/** Carries what other programs append until nothing more comes, and removes the folders that are empty then. */
export async function carryAppended(changes: readonly ChangeOnDisk[], record: OperationRecord): Promise<number> {
  for (let carried = 0; ; ) {
    let now = 0;
    for (const change of changes) now += await carryTail(change, changes);
    for (const folder of foldersOf(changes, 'removed')) await removeEmptyFolders(folder, new Set(record.tops));
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

/** Claude Code creates the file again if it appends to a transcript that was moved. */
async function isNewTranscript({ target, change }: ChangeOnDisk): Promise<boolean> {
  if (!target.endsWith('.jsonl') || change.kind !== 'removed' || change.before === undefined) return false;
  return (
    lstatSync(target, { throwIfNoEntry: false })?.isFile() === true &&
    (await matchState(target, change.before)) === 'other'
  );
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

/** Whether `finishChanges` can bring this file into its state after the operation. */
export async function canFinish(on: ChangeOnDisk): Promise<boolean> {
  const { change, target, staged } = on;
  const { is, isLonger } = await readChangeState(on);
  if (is === 'after' || (change.kind === 'made' && isThere(target))) return true;
  if (change.kind === 'removed' && is === 'before') return !isLonger || change.continuedBy !== undefined;
  if (is === 'other' && isThere(target)) return findOldFile(on) !== undefined;
  return change.after !== undefined && (await matchState(staged, change.after)) === 'same';
}

function isInArchive(place: ArchivedPlace): boolean {
  try {
    findArchivedFile(place);
    return true;
  } catch {
    return false;
  }
}

/** A file that is not in the state it should be in, and where the other version is. */
export interface Doubt {
  readonly path: string;
  readonly reason: string;
}

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
  for (const { undone } of copies) await rm(undone, { force: true });
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

/** Another program wrote the file since: its version stays, and ours gets a name next to it. */
async function keepAside(on: ChangeOnDisk, old: string): Promise<readonly Doubt[]> {
  const { change, target, temp } = on;
  const kept = `${target}.before-${path.basename(temp, '.tmp').slice('.clew-'.length)}`;
  if (!existsSync(kept)) await placeFile(old, kept, temp);
  await rm(on.aside, { force: true });
  return [{ path: change.path, reason: `was written by another program; the earlier version is ${kept}` }];
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

function keptDoubt({ change }: ChangeOnDisk): Doubt {
  return { path: change.path, reason: 'was changed by another program, so it stays as it is' };
}

const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

function foldersOf(changes: readonly ChangeOnDisk[], kind: FileChange['kind']): ReadonlySet<string> {
  return new Set(changes.filter(({ change }) => change.kind === kind).map(({ target }) => path.dirname(target)));
}

/** The folders that the operation created, the deepest first; never one that has files. */
async function removeMadeFolders(changes: readonly ChangeOnDisk[], record: OperationRecord): Promise<void> {
  const made = record.madeFolders;
  if (made === undefined)
    for (const folder of foldersOf(changes, 'made')) await removeEmptyFolders(folder, new Set(record.tops));
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

/** Up to one of `tops`. */
async function removeEmptyFolders(folder: string, tops: ReadonlySet<string>): Promise<void> {
  if (tops.size === 0) return;
  for (let at = folder; !tops.has(at) && at !== path.dirname(at); at = path.dirname(at)) {
    try {
      await rmdir(at);
    } catch {
      return;
    }
  }
}

/** The parents of a file that do not exist yet. */
export function missingFolders(file: string): readonly string[] {
  const missing: string[] = [];
  for (let at = path.dirname(file); !existsSync(at) && at !== path.dirname(at); at = path.dirname(at)) missing.push(at);
  return missing;
}

function changedMeanwhile(file: string): UserError {
  return new UserError(`${file} has changed since it was read; nothing was changed`, 'run it again', exitCodes.refused);
}
