// A file of an operation as it is now: before or after its change, or as another program wrote it; and the names that the change
// uses next to it.
import { existsSync, lstatSync } from 'node:fs';
import { realpath, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { type FileState, matchState, placeFile, type StateMatch } from '../../store/index.ts';
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

export function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Where the old file is now, under a second name. */
export function findOldFile({ aside, backup }: ChangeOnDisk): string | undefined {
  return [aside, backup].find((file) => existsSync(file));
}

/** Claude Code creates the file again if it appends to a transcript that was moved. */
export async function isNewTranscript({ target, change }: ChangeOnDisk): Promise<boolean> {
  if (!target.endsWith('.jsonl') || change.kind !== 'removed' || change.before === undefined) return false;
  return (
    lstatSync(target, { throwIfNoEntry: false })?.isFile() === true &&
    (await matchState(target, change.before)) === 'other'
  );
}

/** A file that is not in the state it should be in, and where the other version is. */
export interface Doubt {
  readonly path: string;
  readonly reason: string;
}

export function keptDoubt({ change }: ChangeOnDisk): Doubt {
  return { path: change.path, reason: 'was changed by another program, so it stays as it is' };
}

/** Another program wrote the file since: its version stays, and ours gets a name next to it. */
export async function keepAside(on: ChangeOnDisk, old: string): Promise<readonly Doubt[]> {
  const { change, target, temp } = on;
  const kept = `${target}.before-${path.basename(temp, '.tmp').slice('.clew-'.length)}`;
  if (!existsSync(kept)) await placeFile(old, kept, temp);
  await rm(on.aside, { force: true });
  return [{ path: change.path, reason: `was written by another program; the earlier version is ${kept}` }];
}

export function findChangedFolders(changes: readonly ChangeOnDisk[], kind: FileChange['kind']): ReadonlySet<string> {
  return new Set(changes.filter(({ change }) => change.kind === kind).map(({ target }) => path.dirname(target)));
}

/** Up to one of `tops`. */
export async function removeEmptyFolders(folder: string, tops: ReadonlySet<string>): Promise<void> {
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
