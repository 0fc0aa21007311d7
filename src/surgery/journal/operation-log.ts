// The journal of operations. Every operation has a folder in Clew's state: `operation.json` with the state of every file
// before and after, `staged/` with the new files, and `backup/` with the replaced and removed ones. Its states are
// prepared → applying → done → undoing → undone, each durable before the step that follows (recover-operations.ts).
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, renameSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { exitCodes, systemErrorCode, UserError } from '../../base/errors/index.ts';
import { makeFolderSync, readRegularText } from '../../base/files/index.ts';
import { asObject, asString, isArray, isObject, parseJson } from '../../base/json/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { isUuid } from '../../base/text/index.ts';
import type { ArchivedCopy, ArchivedPlace } from '../../library/archive/index.ts';
import { starsFolder } from '../../library/stars/index.ts';
import {
  diskError,
  type FileState,
  isBelow,
  privateFileMode,
  refuseLeaving,
  stateFolder,
  syncFolder,
  writeDurably,
} from '../../store/index.ts';

/** A session that an operation reads or writes. */
export interface PlannedSource {
  readonly sessionId: string;
  readonly path: string;
}

/** An operation in the history. */
export interface OperationRecord {
  readonly id: string;
  readonly operation: string;
  readonly words: readonly string[];
  /** ISO time. */
  readonly at: string;
  /** Until `done` and during `undoing`, some files may be in the state before and others in the state after. */
  readonly state: OperationState;
  readonly from: readonly PlannedSource[];
  readonly to: readonly PlannedSource[];
  /** In the order in which they are changed. */
  readonly files: readonly FileChange[];
  /** The backup is deleted, so that the operation cannot be undone. */
  readonly hasNoBackup?: boolean;
  /** Copies that the operation added to the archive; undo removes them. */
  readonly copies?: readonly ArchivedCopy[];
  /** One undo undoes all operations of a group: an action on several sessions. */
  readonly group?: string;
  /** The files that the new ones were made from: a new file is removed only while they exist. */
  readonly sources?: readonly SourceState[];
  /** The new files come from another machine, so that nothing here shows whether they could be written again. */
  readonly isFromElsewhere?: boolean;
  /** Folders that did not exist before. */
  readonly madeFolders?: readonly string[];
  /** Folders that stay when their last file is removed. */
  readonly tops?: readonly string[];
}

/** `begun` was written by versions before the journal, for `applying`. */
export type OperationState = 'begun' | 'prepared' | 'applying' | 'done' | 'undoing' | 'undone';

/** A file that was read for an operation, and what it began with. */
export interface SourceState extends FileState {
  readonly path: string;
}

/** A file that an operation changed. */
export interface FileChange {
  readonly path: string;
  readonly kind: 'made' | 'replaced' | 'removed';
  /** Of a replaced or removed file, relative to the operation's folder. */
  readonly backup?: string;
  /** The new file, relative to the operation's folder, until the operation is done. */
  readonly staged?: string;
  /** Of a removed file whose bytes are in the archive, instead of a backup. */
  readonly archived?: ArchivedPlace;
  /** Absent if the file did not exist. */
  readonly before?: FileState;
  readonly after?: FileState;
  /** An undo keeps what other programs appended since. */
  readonly isLog?: boolean;
  /** Of a removed file: the new file that has its lines, also those that other programs append meanwhile. */
  readonly continuedBy?: string;
  /** The size when the operation was done, if other programs had appended lines by then. */
  readonly leftBytes?: number;
  readonly mtimeMs?: number;
  readonly mode?: number;
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
  const file = path.join(operations, record.id, recordName);
  try {
    writeDurably(file, `${JSON.stringify(record, undefined, 2)}\n`);
  } catch (error) {
    throw diskError(error, 'write', file);
  }
}

/** While this file exists, an operation runs or was killed. */
export function unfinishedMark(operations: string): string {
  return path.join(operations, 'unfinished');
}

/** Durable before the first record, so that every later command finds an operation that was killed. */
export function markUnfinished(operations: string): void {
  const mark = unfinishedMark(operations);
  try {
    makeFolderSync(operations);
    closeSync(openSync(mark, 'a', privateFileMode));
  } catch (error) {
    throw diskError(error, 'write', mark);
  }
  syncFolder(operations);
}

export async function clearUnfinished(operations: string): Promise<void> {
  // If it stays, the next command looks for unfinished operations and finds none.
  await rm(unfinishedMark(operations), { force: true }).catch(() => undefined);
}

/** What is in the folder of an operation. */
export type RecordFound =
  | { readonly is: 'record'; readonly id: string; readonly record: OperationRecord }
  /** It has no record: it was killed before it changed anything. */
  | { readonly is: 'none'; readonly id: string }
  /** The record cannot be read now, or was written by a newer version: it stays as it is. */
  | { readonly is: 'unread'; readonly id: string; readonly reason: string }
  /** It is not a record. */
  | { readonly is: 'broken'; readonly id: string; readonly reason: string };

/** Every operation, newest first. */
export function findRecords(operations: string): readonly RecordFound[] {
  const found = listNames(operations)
    .filter(isOperationName)
    .map((id) => findRecord(operations, id));
  // Two operations within a second have the same time in their ids.
  const timeOf = (each: RecordFound): string => (each.is === 'record' ? each.record.at : '');
  return found.sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : timeOf(a) > timeOf(b) ? -1 : 0));
}

/** Reads the history of operations, the newest first. Folders without a readable record are skipped. */
export async function readRecords(operations: string): Promise<readonly OperationRecord[]> {
  return listRecords(operations);
}

/** The same, without waiting. */
export function listRecords(operations: string): readonly OperationRecord[] {
  return findRecords(operations).flatMap((each) => (each.is === 'record' ? [each.record] : []));
}

export async function removeBackup(operations: string, { id }: OperationRecord): Promise<void> {
  await rm(path.join(operations, id, 'backup'), { recursive: true, force: true });
}

/** Removes a folder without a record, but only if it has nothing that could be the only copy of something. */
export async function removeUnrecorded(operations: string, id: string): Promise<boolean> {
  const folder = path.join(operations, id);
  const names = await readdir(folder);
  if (names.some((name) => name !== 'staged' && !/^\.clew-[0-9a-f]{16}\.tmp$/.test(name))) return false;
  await rm(folder, { recursive: true, force: true });
  return true;
}

/** A record that cannot be understood is kept with its backups under a name that no command reads. Returns that name. */
export function quarantineRecord(operations: string, id: string): string {
  const kept = path.join(operations, `quarantine-${id}`);
  renameSync(path.join(operations, id), kept);
  syncFolder(operations);
  return kept;
}

const recordName = 'operation.json';
const states: ReadonlySet<unknown> = new Set(['begun', 'prepared', 'applying', 'done', 'undoing', 'undone']);

function findRecord(operations: string, id: string): RecordFound {
  const file = path.join(operations, id, recordName);
  let text: string;
  try {
    text = readRegularText(file);
  } catch (error) {
    const code = systemErrorCode(error);
    // ENOTDIR: a file of the user with such a name.
    if (code === 'ENOENT' && existsSync(path.join(operations, id))) return { is: 'none', id };
    return { is: 'unread', id, reason: `${file} cannot be read (${code ?? 'it is not a file'})` };
  }
  const parsed = asObject(parseJson(text));
  if (parsed === undefined) return { is: 'broken', id, reason: `${file} is cut off or damaged` };
  if (!states.has(parsed.state)) return { is: 'unread', id, reason: `${file} was written by a newer version of Clew` };
  const problem = problemIn(parsed, id);
  if (problem !== undefined) return { is: 'broken', id, reason: `${file} ${problem}` };
  return { is: 'record', id, record: parsed as unknown as OperationRecord };
}

function problemIn(record: Readonly<Record<string, unknown>>, id: string): string | undefined {
  const isPlace = (each: unknown): boolean =>
    isObject(each) && asString(each.path) !== undefined && asString(each.sessionId) !== undefined;
  const isChange = (each: unknown): boolean =>
    isObject(each) && asString(each.path) !== undefined && ['made', 'replaced', 'removed'].includes(String(each.kind));
  const { files, from, to } = record;
  if (record.id !== id) return 'names another operation';
  if (!isArray(files) || !files.every(isChange)) return 'does not name its files';
  if (!isArray(from) || !isArray(to) || ![...from, ...to].every(isPlace)) return 'does not name its sessions';
  if (typeof record.at !== 'string' || typeof record.operation !== 'string') return 'is incomplete';
  return undefined;
}

/** A missing folder is empty; an unreadable one is an error. */
function listNames(operations: string): readonly string[] {
  try {
    return readdirSync(operations);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw diskError(error, 'read', operations);
  }
}

function isOperationName(name: string): boolean {
  return /^\d{8}T\d{6}-[0-9a-f]{6}$/.test(name);
}

/** Refuses files that a link leads out of their project folder, or out of its root. */
export function refuseLinkedTargets(files: readonly string[], folders: readonly string[]): void {
  const roots = folders.map((folder) => path.dirname(path.dirname(folder)));
  for (const file of files) {
    const home = folders.find((folder) => isBelow(file, folder)) ?? roots.find((root) => isBelow(file, root));
    if (home !== undefined) refuseLeaving(file, home);
  }
}

/** Folders of a root in which Claude Code keeps data of sessions, and no settings or programs. */
export const sessionDataFolders: readonly string[] = ['file-history', 'todos', 'tasks', 'debug', 'session-env'];

/**
 * A record is only a file, which another program may have written: it must not lead to anything but the files of its
 * sessions. Every target is one of these by its path alone, whatever else the record says.
 */
export function refuseOutsideSessions(record: OperationRecord, env: Environment): void {
  const places = [...record.from, ...record.to].filter((place) => place.path.endsWith('.jsonl'));
  const stars = starsFolder(stateFolder(env));
  for (const { path: file, continuedBy = file } of record.files)
    for (const each of [file, continuedBy])
      if (!isStar(each, stars) && !places.some((place) => belongsTo(each, place)))
        throw new UserError(
          `the record of ${record.operation} (${record.id}) names ${each}, which is not a file of its sessions`,
          'it was not written by Clew: remove its folder from operations/',
          exitCodes.refused,
        );
}

function isStar(file: string, stars: string): boolean {
  return path.dirname(file) === stars && file.endsWith('.star');
}

function belongsTo(file: string, { sessionId, path: main }: PlannedSource): boolean {
  if (path.resolve(file) !== file || path.resolve(main) !== main) return false;
  if (file === main) return true;
  const folder = path.dirname(main);
  const projects = path.dirname(folder);
  const [first = '', ...rest] = namesBelow(folder, file);
  if (path.basename(projects) !== 'projects')
    return (first === sessionId && isUuid(first)) || (rest.length === 0 && /^agent-[^/]+\.jsonl$/.test(first));
  const root = path.dirname(projects);
  if (file === path.join(root, 'history.jsonl')) return true;
  const [data = ''] = namesBelow(root, file);
  if (sessionDataFolders.includes(data)) return true;
  return rest.length === 0 ? first.endsWith('.jsonl') : first === 'memory' || first === sessionId || isUuid(first);
}

/** Empty if the file is elsewhere, or in or below a hidden folder: those hold settings and programs. */
function namesBelow(folder: string, file: string): readonly string[] {
  const relative = path.relative(folder, file);
  const names = relative.split(path.sep);
  return names.some((name) => name === '' || name.startsWith('.')) ? [] : names;
}
