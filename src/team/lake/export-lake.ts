// The store → a lake: for each month the sessions that changed since the last export, as new files. Files that are there stay
// as they are; only a purge removes some, after it has written what they still had.
import { TableWriter } from '../../export/parquet/index.ts';
import type { Level } from '../contract/index.ts';
import type { Sql } from '../database/index.ts';
import { emptyFileName, type LakeMonth, lakeMonth, storeMonth } from './lake-files.ts';
import { type LakeList, listLake } from './lake-list.ts';
import { type LakeSettings, lakeSettings, type WantedSettings } from './lake-settings.ts';
import { outdatedSessions, readMonthState } from './lake-state.ts';
import { commonColumns, type LakeTableName, lakeTableNames, lakeTables, versionColumns } from './lake-tables.ts';
import { withLakeLock } from './lock.ts';
import { exportMonth, type MonthContext } from './month-export.ts';
import { type LakeLimits, lakeLimits, type WrittenFile } from './month-writer.ts';
import { purgeMonth } from './purge.ts';
import { type LakeStorage, writeWhole } from './storage/index.ts';
import { StoreReader } from './store-reader.ts';

export interface LakeOptions extends WantedSettings {
  /** Months of the sessions, `2026-03`; both are included. */
  readonly since?: LakeMonth;
  readonly until?: LakeMonth;
  /** Also removes the rows of sessions that changed or are gone, and rewrites what else is in their files. */
  readonly isPurge?: boolean;
  readonly limits?: LakeLimits;
  onMonth?(done: number, months: number): void;
}

export interface LakeReport {
  readonly level: Level;
  readonly tables: readonly {
    readonly table: LakeTableName;
    readonly files: number;
    readonly rows: number;
    readonly bytes: number;
  }[];
  /** `outdated`: older versions, and sessions that are gone, whose rows are still in files. */
  readonly sessions: {
    readonly written: number;
    readonly removed: number;
    readonly unchanged: number;
    readonly outdated: number;
  };
  readonly purgedFiles: number;
}

export async function exportLake(sql: Sql, storage: LakeStorage, options: LakeOptions = {}): Promise<LakeReport> {
  const reader = await StoreReader.open(sql, storage.name);
  return withLakeLock(sql, storage, async (checkLock) => {
    const list = await listLake(storage);
    const settings = await lakeSettings(storage, reader.reader, options, list.isEmpty);
    await writeEmptyFiles(storage, settings);
    let last = list.newest;
    const context: MonthContext = {
      storage,
      reader,
      settings,
      limits: options.limits ?? lakeLimits,
      nextVersion: () => {
        last = Math.max(Date.now(), last + 1);
        return last;
      },
    };
    const tally = new Tally();
    const months = await monthsOf(reader, list, options);
    for (const [i, month] of months.entries()) {
      options.onMonth?.(i, months.length);
      await exportOne(context, month, list, { isPurge: options.isPurge === true, checkLock, tally });
    }
    if (options.isPurge === true) await storage.removeUnfinished();
    return tally.report(settings);
  });
}

interface Work {
  readonly isPurge: boolean;
  readonly checkLock: () => Promise<void>;
  readonly tally: Tally;
}

async function exportOne(
  context: MonthContext,
  month: LakeMonth,
  list: LakeList,
  { isPurge, checkLock, tally }: Work,
): Promise<void> {
  const versions = list.versions.get(month) ?? [];
  const before = await readMonthState(context.storage, versions);
  const exported = await exportMonth(context, month, before);
  tally.add(exported);
  const files = exported.versionsFile === undefined ? versions : [...versions, exported.versionsFile];
  // The rows of the export are in memory no more: what the files say is read again.
  const state = exported.versionsFile === undefined ? before : await readMonthState(context.storage, files);
  if (!isPurge) {
    tally.outdated += outdatedSessions(state);
    return;
  }
  const purged = await purgeMonth(context, month, {
    state,
    versions: files,
    data: list.data.get(month) ?? [],
    checkLock,
  });
  tally.addFiles(purged.files);
  tally.purgedFiles += purged.removed;
}

async function monthsOf(
  reader: StoreReader,
  list: LakeList,
  { since, until }: LakeOptions,
): Promise<readonly LakeMonth[]> {
  const known = new Set([...(await reader.months()).map(lakeMonth), ...list.versions.keys(), ...list.data.keys()]);
  const isWanted = (month: LakeMonth): boolean =>
    month === 'unknown'
      ? since === undefined && until === undefined
      : (since === undefined || month >= since) && (until === undefined || month <= until);
  return [...known].filter(isWanted).sort((a, b) => storeMonth(a).localeCompare(storeMonth(b)));
}

async function writeEmptyFiles(storage: LakeStorage, { tables }: LakeSettings): Promise<void> {
  const columns = [
    ['versions', versionColumns] as const,
    ...tables.map((table) => [table, [...commonColumns, ...lakeTables[table].columns]] as const),
  ];
  for (const [table, own] of columns) {
    const name = emptyFileName(table);
    if ((await storage.read(name)) !== undefined) continue;
    await writeWhole(storage, name, new TableWriter(own).finish());
  }
}

class Tally {
  written = 0;
  removed = 0;
  unchanged = 0;
  outdated = 0;
  purgedFiles = 0;
  readonly #tables = new Map<LakeTableName, { files: number; rows: number; bytes: number }>();

  add(month: Awaited<ReturnType<typeof exportMonth>>): void {
    this.written += month.written;
    this.removed += month.removed;
    this.unchanged += month.unchanged;
    this.addFiles(month.files);
  }

  addFiles(files: readonly WrittenFile[]): void {
    for (const { table, rows, bytes } of files) {
      const sum = this.#tables.get(table) ?? { files: 0, rows: 0, bytes: 0 };
      this.#tables.set(table, { files: sum.files + 1, rows: sum.rows + rows, bytes: sum.bytes + bytes });
    }
  }

  report({ level, tables }: LakeSettings): LakeReport {
    const { written, removed, unchanged, outdated, purgedFiles } = this;
    return {
      level,
      tables: lakeTableNames
        .filter((table) => tables.includes(table))
        .map((table) => ({ table, ...(this.#tables.get(table) ?? { files: 0, rows: 0, bytes: 0 }) })),
      sessions: { written, removed, unchanged, outdated },
      purgedFiles,
    };
  }
}
