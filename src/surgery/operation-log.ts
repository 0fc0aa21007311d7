// Every operation has a folder in Clew's state: what was done, in `operation.json`, and the files that were replaced or
// removed, in `backup/`. The record is written before the first change and marked when all are made, so that what a
// killed operation left is known to the next one.

import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../base/errors.ts';
import { asObject, parseJson } from '../base/json.ts';
import type { Environment } from '../base/node-types.ts';
import { readRegularText } from '../base/regular-file.ts';
import { diskError, makeFolder } from '../store/disk.ts';
import { replaceFile, writeNewFile } from '../store/replace.ts';
import { stateFolder } from '../store/roots.ts';
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
  /** The files as they were are not kept beyond the operation, so that it cannot be taken back. */
  readonly hasNoBackup?: boolean;
}

/** A file that an operation changed. */
export interface FileChange {
  readonly path: string;
  readonly kind: 'made' | 'replaced' | 'removed';
  /** Below the operation's folder; of what was replaced or removed. */
  readonly backup?: string;
  /** Absent where the file was not there before, or is gone after. */
  readonly before?: FileState;
  readonly after?: FileState;
  /** What others appended since stays when it is taken back. */
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

/** Its name sorts by time. */
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
  // Two within a second have ids of the same time.
  return names
    .flatMap((name) => readRecord(path.join(operations, name)) ?? [])
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

/** Removes what killed operations left: folders without a record, staged files, backups that were not to be kept. */
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

/** A folder that is not there holds no operations; one that cannot be read may. */
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
