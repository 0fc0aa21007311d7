// What a lake says about the sessions of one month: for each the version whose rows count, read from the files of
// `versions/`. The latest export that names a session decides.
import { parquetReadObjects } from 'hyparquet';
import { type Row, TableWriter } from '../../export/parquet/index.ts';
import type { VersionsFile } from './lake-files.ts';
import { versionColumns } from './lake-tables.ts';
import type { LakeStorage } from './storage/index.ts';

/** A session in the lake. */
export interface LakeEntry {
  readonly personId: number;
  readonly person: string;
  readonly sessionId: string;
  /** Of its rows. */
  readonly version: number;
  readonly level: string;
  /** The same key is the same content, at the same level. */
  readonly contentKey: string;
}

export interface Removal {
  readonly personId: number;
  readonly sessionId: string;
}

export interface MonthState {
  /** By `entryKey`. */
  readonly entries: ReadonlyMap<string, LakeEntry>;
  /** How many sessions each version had, whether they still count or not. */
  readonly sizes: ReadonlyMap<number, number>;
  /** Whether a versions file names sessions that no longer count. */
  readonly hasRemovals: boolean;
}

export function entryKey({ personId, sessionId }: Pick<LakeEntry, 'personId' | 'sessionId'>): string {
  return `${personId} ${sessionId}`;
}

export async function readMonthState(storage: LakeStorage, files: readonly VersionsFile[]): Promise<MonthState> {
  const entries = new Map<string, LakeEntry>();
  const ever = new Map<number, Set<string>>();
  let hasRemovals = false;
  for (const file of [...files].sort((a, b) => a.export - b.export)) {
    const bytes = await storage.read(file.name);
    // Removed since the files were listed: a later one says the same.
    if (bytes === undefined) continue;
    for (const row of await parquetReadObjects({ file: bufferOf(bytes) })) {
      const entry = readEntry(row);
      const key = entryKey(entry);
      if (row.is_removed === true) {
        entries.delete(key);
        hasRemovals = true;
        continue;
      }
      entries.set(key, entry);
      const known = ever.get(entry.version);
      if (known === undefined) ever.set(entry.version, new Set([key]));
      else known.add(key);
    }
  }
  return { entries, sizes: new Map([...ever].map(([version, keys]) => [version, keys.size])), hasRemovals };
}

/** The versions with rows of sessions that no longer count. */
export function outdatedVersions({ entries, sizes }: MonthState): ReadonlySet<number> {
  const current = new Map<number, number>();
  for (const { version } of entries.values()) current.set(version, (current.get(version) ?? 0) + 1);
  return new Set(
    [...sizes].filter(([version, size]) => size > (current.get(version) ?? 0)).map(([version]) => version),
  );
}

/** Versions of sessions that no longer count, but are still in files. */
export function outdatedSessions({ entries, sizes }: MonthState): number {
  return [...sizes.values()].reduce((sum, size) => sum + size, 0) - entries.size;
}

export interface ExportNumber {
  readonly tenant: string;
  readonly export: number;
}

/** The bytes of a versions file. */
export function versionsBytes(
  { tenant, export: number }: ExportNumber,
  entries: Iterable<LakeEntry>,
  removals: Iterable<Removal>,
): Uint8Array {
  const writer = new TableWriter(versionColumns);
  const groups: Uint8Array[] = [];
  const add = (row: Row): void => {
    writer.add({ tenant, export: number, exported_at: number, ...row });
    if (writer.waitingRows >= rowsPerGroup) groups.push(writer.takeGroup());
  };
  for (const { personId, person, sessionId, version, level, contentKey } of entries)
    add({
      person_id: personId,
      person,
      session_id: sessionId,
      version,
      is_removed: false,
      level,
      content_key: contentKey,
    });
  for (const { personId, sessionId } of removals)
    add({ person_id: personId, session_id: sessionId, version: number, is_removed: true });
  return Buffer.concat([...groups, writer.finish()]);
}

const rowsPerGroup = 50_000;

function readEntry(row: Readonly<Record<string, unknown>>): LakeEntry {
  return {
    personId: Number(row.person_id),
    person: String(row.person),
    sessionId: String(row.session_id),
    version: Number(row.version),
    level: String(row.level),
    contentKey: String(row.content_key),
  };
}

function bufferOf(bytes: Uint8Array): { byteLength: number; slice(start: number, end?: number): ArrayBuffer } {
  return {
    byteLength: bytes.length,
    slice: (start, end = bytes.length) => new Uint8Array(bytes.subarray(start, end)).buffer,
  };
}
