// Finds the copies of secrets in Clew's state folder after a session was redacted in place without a backup, and cleans
// them. Covers all files of the state folder except the archive (redact-archive.ts) and the batches of the tracer.
import { type Dirent, readFileSync, rmSync, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors/index.ts';
import { indexPath, removeIndex } from '../../library/index/index.ts';
import { usageFolder } from '../../library/usage/index.ts';
import { replaceFile, withLock } from '../../store/index.ts';
import { type OperationRecord, operationsFolder, readRecords, removeBackup, writeRecord } from '../engine/index.ts';
import type { Redactor } from './redactor.ts';
import { inspectContent, isBinary } from './survey.ts';

/** A file, or several that belong together, with a secret. */
export interface StateCopy {
  readonly action: 'delete' | 'redact';
  /** The object of the action: `the search index …`. */
  readonly what: string;
  clean(): Promise<unknown>;
  /** Other commands rebuild it from the sessions. */
  readonly isRebuilt?: boolean;
}

export interface StateCopies {
  readonly found: readonly StateCopy[];
  /** Files with a secret that are deliberately not changed, as sentences. */
  readonly kept: readonly string[];
  /** Files that cannot be read or changed, as sentences. */
  readonly problems: readonly string[];
}

export interface StateOptions {
  readonly state: string;
  readonly sessionId: string;
  readonly redactor: Redactor;
}

type Found = { readonly [Key in keyof StateCopies]: StateCopies[Key][number][] };

/** Changes nothing; call `clean` of each copy. */
export async function findStateCopies(options: StateOptions): Promise<StateCopies> {
  const found: Found = { found: [], kept: [], problems: [] };
  findIndex(options, found);
  findUsage(options, found);
  await findOperations(options, found);
  await walk(options.state, options, found);
  return found;
}

/** Deleted rows stay in the pages of the file, so the whole index is deleted. */
function findIndex({ state }: StateOptions, { found }: Found): void {
  const index = indexPath(state);
  if (['', '-wal', '-shm'].every((ending) => statSync(`${index}${ending}`, { throwIfNoEntry: false }) === undefined))
    return;
  const what = `the search index (${index}), which is rebuilt when needed`;
  found.push({ action: 'delete', what, clean: async () => removeIndex(index), isRebuilt: true });
}

/** It holds folders, models and ids, as transcripts have them. */
function findUsage({ state }: StateOptions, { found }: Found): void {
  const folder = usageFolder(state);
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return;
  const what = `what was counted of usage (${folder}), which is counted again when needed`;
  const clean = async (): Promise<void> => rmSync(folder, { recursive: true, force: true });
  found.push({ action: 'delete', what, clean, isRebuilt: true });
}

async function findOperations({ state, sessionId, redactor }: StateOptions, { found, kept }: Found): Promise<void> {
  const operations = operationsFolder({ CLEW_HOME: state });
  for (const record of await readRecords(operations)) {
    const isOwn = [...record.from, ...record.to].some((place) => place.sessionId === sessionId);
    const inRecord = redactor.holdsValue(Buffer.from(JSON.stringify(record)));
    const inBackup = holdsInBackup(operations, record, isOwn, redactor);
    if (!inRecord && !inBackup) continue;
    const name = `operation ${record.id} (${record.operation})`;
    if (!isOwn) {
      kept.push(`the backup of ${name} holds them for another session: \`clew undo ${record.id}\` would restore them`);
      continue;
    }
    const what = inBackup
      ? `the backup of ${name}, which can no longer be undone`
      : `file names in the record of ${name}`;
    const clean = (): Promise<void> =>
      withLock(operations, { what: 'changing sessions' }, async () => {
        const hidden = JSON.parse(redactor.hide(JSON.stringify(record))) as OperationRecord; // placeholders need no escapes
        await writeRecord(operations, { ...hidden, hasNoBackup: true });
        await removeBackup(operations, record);
      });
    found.push({ action: inBackup ? 'delete' : 'redact', what, clean });
  }
}

function holdsInBackup(operations: string, record: OperationRecord, isOwn: boolean, redactor: Redactor): boolean {
  return record.files.some(({ backup }) => {
    const file = backup === undefined ? undefined : path.join(operations, record.id, backup);
    if (file === undefined || statSync(file, { throwIfNoEntry: false }) === undefined) return false;
    const bytes = readFileSync(file);
    if (redactor.holdsValue(bytes) || redactor.holdsValue(Buffer.from(file))) return true;
    return isOwn && inspectContent(bytes, file, redactor).length > 0;
  });
}

/** Written by the user: a key that the tracer needs must not be replaced. */
const settingsFiles: ReadonlySet<string> = new Set(['trace.json', 'redact.json', 'prices.json']);
/** Folders that are searched elsewhere; the ledger has only hashes. */
const otherFolders: ReadonlySet<string> = new Set([
  'archive',
  'operations',
  'usage',
  'trace/outbox',
  'trace/dead',
  'trace/ledger',
]);

async function walk(folder: string, options: StateOptions, found: Found): Promise<void> {
  for (const entry of await list(folder, found)) {
    const file = path.join(folder, entry.name);
    const name = path.relative(options.state, file).split(path.sep).join('/');
    if (entry.isDirectory()) {
      if (!otherFolders.has(name)) await walk(file, options, found);
    } else if (entry.isFile() && !/^index\.db(?:-wal|-shm)?$/.test(name)) inspectFile(file, name, options, found);
  }
}

async function list(folder: string, { problems }: Found): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const code = systemErrorCode(error);
    if (code !== 'ENOENT') problems.push(unread(folder, code));
    return [];
  }
}

function inspectFile(file: string, name: string, { redactor }: StateOptions, { found, kept, problems }: Found): void {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code !== 'ENOENT') problems.push(unread(file, code));
    return;
  }
  if (redactor.holdsValue(Buffer.from(name))) {
    found.push({ action: 'delete', what: redactor.hide(file), clean: () => rm(file, { force: true }) });
    return;
  }
  if (!redactor.holdsValue(bytes)) return;
  if (settingsFiles.has(name)) kept.push(`${file} also holds them: it has your settings and is not changed`);
  else if (isBinary(bytes)) problems.push(`${file} holds them and cannot be changed: delete it`);
  else found.push({ action: 'redact', what: file, clean: () => replaceFile(file, redactor.replaceValues(bytes)) });
}

function unread(file: string, code: string | undefined): string {
  return `${file} cannot be read (${code ?? 'unknown error'}) and may hold them: delete it`;
}
