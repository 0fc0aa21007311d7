// Removes from one month of a lake what no longer counts: older versions of sessions, sessions that are gone, and files of
// killed exports. First the sessions that share their files are written again, then one versions file names all that counts;
// only then the old files go, so that a query sees the same rows before, in between and after.
import type { DataFile, LakeMonth, VersionsFile } from './lake-files.ts';
import { entryKey, type LakeEntry, type MonthState, outdatedVersions } from './lake-state.ts';
import { commit, type MonthContext, SessionExport } from './month-export.ts';
import type { WrittenFile } from './month-writer.ts';

export interface PurgedMonth {
  /** What was written again. */
  readonly files: readonly WrittenFile[];
  readonly removed: number;
}

export interface MonthFiles {
  readonly state: MonthState;
  readonly versions: readonly VersionsFile[];
  readonly data: readonly DataFile[];
  /** Throws if another export may be at work. */
  checkLock(): Promise<void>;
}

export async function purgeMonth(
  context: MonthContext,
  month: LakeMonth,
  { state, versions, data, checkLock }: MonthFiles,
): Promise<PurgedMonth> {
  const outdated = outdatedVersions(state);
  const isClean = outdated.size === 0 && !state.hasRemovals && versions.length < 2;
  const { entries, files } = isClean
    ? { entries: state.entries, files: [] }
    : await writeAgain(context, month, state, outdated);
  const kept = new Set([...entries.values()].map(({ version }) => version));
  const unnamed = data.filter(({ version }) => !kept.has(version));
  // A session that is removed is named by a later file than the one that has it: the oldest file goes first.
  const replaced = isClean ? [] : [...versions].sort((a, b) => a.export - b.export);
  const goes = [...unnamed, ...replaced];
  if (goes.length > 0) await checkLock();
  for (const { name } of goes) await context.storage.remove(name);
  return { files, removed: goes.length };
}

async function writeAgain(
  context: MonthContext,
  month: LakeMonth,
  { entries: before }: MonthState,
  outdated: ReadonlySet<number>,
): Promise<{ readonly entries: ReadonlyMap<string, LakeEntry>; readonly files: readonly WrittenFile[] }> {
  const number = context.nextVersion();
  const again = new SessionExport(context, month, number);
  try {
    const survivors = [...before.values()].filter(({ version }) => outdated.has(version));
    for (const entry of survivors.sort((a, b) => a.personId - b.personId)) await again.add(entry);
    const files = await again.finish();
    const entries = new Map(before);
    for (const entry of again.entries) entries.set(entryKey(entry), entry);
    // Gone from the store since the export a moment ago.
    const removals = again.vanished.map((key) => before.get(key)).filter((entry) => entry !== undefined);
    for (const key of again.vanished) entries.delete(key);
    await commit(context, month, { export: number, entries: entries.values(), removals });
    return { entries, files };
  } catch (error) {
    await again.abandon();
    throw error;
  }
}
