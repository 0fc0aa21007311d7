// Every operation has a folder in Clew's state: `operation.json` with the changes, and `backup/` with the replaced and
// removed files. The record is written before the first change and marked as done after the last, so that the next
// operation can clean up after a killed one.
import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors/errors.ts';
import { readRegularText } from '../../base/files/regular-file.ts';
import { asObject, parseJson } from '../../base/json/json.ts';
import type { Environment } from '../../base/node/node-types.ts';
import { diskError, makeFolder } from '../../store/disk.ts';
import { replaceFile, writeNewFile } from '../../store/replace.ts';
import { stateFolder } from '../../store/roots.ts';
import type { PlannedSource } from './plan.ts';

/** An operation in the history. */
export interface OperationRecord {
  readonly id: string;
  readonly operation: string;
  readonly words: readonly string[];
  /** ISO time. */
  readonly at: string;
  readonly state: 'begun' | 'done' | 'undone';
  readonly from: readonly PlannedSource[];
  readonly to: readonly PlannedSource[];
  /** In the order in which they are changed. */
  readonly files: readonly FileChange[];
  /** The backup is deleted, so that the operation cannot be undone. */
  readonly hasNoBackup?: boolean;
}

/** A file that an operation changed. */
export interface FileChange {
  readonly path: string;
  readonly kind: 'made' | 'replaced' | 'removed';
  /** Of a replaced or removed file, relative to the operation's folder. */
  readonly backup?: string;
  /** Absent if the file did not exist. */
  readonly before?: FileState;
  readonly after?: FileState;
  /** An undo keeps what other programs appended since. */
  readonly isLog?: boolean;
}

/** The size and the hash of a file. */
export interface FileState {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Returns the folder that holds the history of operations. */
export function operationsFolder(env: Environment = process.env): string {
  return path.join(stateFolder(env), 'operations');
}

/** Sorts by time. */
export function newOperationId(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace(/[-:]/g, '')}-${randomBytes(3).toString('hex')}`;
}

export async function writeRecord(operations: string, record: OperationRecord): Promise<void> {
  const folder = path.join(operations, record.id);
  await makeFolder(folder);
  const file = path.join(folder, recordName);
  const bytes = Buffer.from(`${JSON.stringify(record, undefined, 2)}\n`);
  if (record.state === 'begun') await writeNewFile(file, bytes);
  else await replaceFile(file, bytes);
}

/** Reads the history of operations, the newest first. Folders without a readable record are skipped. */
export async function readRecords(operations: string): Promise<readonly OperationRecord[]> {
  const names = await listNames(operations);
  // Two operations within a second have the same time in their ids.
  return names
    .flatMap((name) => readRecord(path.join(operations, name)) ?? [])
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

/** Removes what killed operations left: folders without a record, staged files, unwanted backups. */
export async function removeUnrecorded(operations: string): Promise<void> {
  for (const name of await readdir(operations).catch(() => [])) {
    if (!isOperationName(name)) continue;
    const folder = path.join(operations, name);
    const record = readRecord(folder);
    await rm(record === undefined ? folder : path.join(folder, 'staged'), { recursive: true, force: true });
    if (record?.hasNoBackup === true && record.state === 'done') await removeBackup(operations, record);
  }
}

export async function removeBackup(operations: string, { id }: OperationRecord): Promise<void> {
  await rm(path.join(operations, id, 'backup'), { recursive: true, force: true });
}

/** A missing folder is empty; an unreadable one is an error. */
async function listNames(operations: string): Promise<readonly string[]> {
  try {
    return await readdir(operations);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw diskError(error, 'read', operations);
  }
}

const recordName = 'operation.json';

function isOperationName(name: string): boolean {
  return /^\d{8}T\d{6}-[0-9a-f]{6}$/.test(name);
}

function readRecord(folder: string): OperationRecord | undefined {
  try {
    const value = asObject(parseJson(readRegularText(path.join(folder, recordName))));
    return value !== undefined && Array.isArray(value.files) && typeof value.id === 'string'
      ? (value as unknown as OperationRecord) // written by `writeRecord`
      : undefined;
  } catch {
    return undefined;
  }
}
