// The files of a lake, by the month of their sessions.
import { type DataFile, type LakeMonth, parseDataFile, parseVersionsFile, type VersionsFile } from './lake-files.ts';
import type { LakeStorage } from './storage/index.ts';

export interface LakeList {
  readonly isEmpty: boolean;
  readonly versions: ReadonlyMap<LakeMonth, readonly VersionsFile[]>;
  /** Those of killed exports too. */
  readonly data: ReadonlyMap<LakeMonth, readonly DataFile[]>;
  /** The highest number of an export, finished or not. */
  readonly newest: number;
}

export async function listLake(storage: LakeStorage): Promise<LakeList> {
  const versions = new Map<LakeMonth, VersionsFile[]>();
  const data = new Map<LakeMonth, DataFile[]>();
  let newest = 0;
  let isEmpty = true;
  for await (const name of storage.list()) {
    isEmpty = false;
    const listed = parseVersionsFile(name);
    const rows = parseDataFile(name);
    newest = Math.max(newest, listed?.export ?? 0, rows?.version ?? 0);
    if (listed !== undefined) addTo(versions, listed.sessionMonth, listed);
    if (rows !== undefined) addTo(data, rows.sessionMonth, rows);
  }
  return { isEmpty, versions, data, newest };
}

function addTo<T>(lists: Map<LakeMonth, T[]>, month: LakeMonth, value: T): void {
  const list = lists.get(month);
  if (list === undefined) lists.set(month, [value]);
  else list.push(value);
}
