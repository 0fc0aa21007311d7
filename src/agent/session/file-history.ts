// Copies files before they change to `<root>/file-history/<session>/`, with the names and lines of Claude Code
// (`<16 hex>@v<n>`), so that its /rewind can use them too. A snapshot lists every tracked file at a prompt.
import { createHash } from 'node:crypto';
import { realpathSync, type Stats, statSync } from 'node:fs';
import { copyFile, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { asObject, asString, isObject, type JsonObject } from '../../base/json/index.ts';
import type { Transcript } from '../../session/transcript/index.ts';
import { diskError, makeFolder, syncPath } from '../../store/index.ts';
import type { FileKept } from '../contract/index.ts';

/** Without `name` the file did not exist. */
export interface Backup {
  readonly name: string | undefined;
  readonly version: number;
  readonly time: string;
}

export interface Snapshot {
  /** The line of the prompt. */
  readonly messageId: string;
  readonly timestamp: string;
  /** By the stored path: relative to the session's folder, or absolute outside it. */
  readonly tracked: ReadonlyMap<string, Backup>;
}

export interface HistoryPlace {
  readonly root: string;
  readonly sessionId: string;
  /** The session's folder. */
  readonly cwd: string;
}

export class FileHistory {
  readonly folder: string;
  /** Relative paths start here. */
  readonly cwd: string;
  /** The newest backup of every tracked file. */
  readonly #tracked: Map<string, Backup>;
  #snapshot: Snapshot | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ root, sessionId, cwd }: HistoryPlace, snapshots: readonly Snapshot[] = []) {
    this.folder = historyFolder(root, sessionId);
    this.cwd = cwd;
    this.#tracked = newestBackups(snapshots);
  }

  /** At a prompt, files that changed since their last backup get a new one. */
  takeSnapshot(messageId: string, at: Date): Promise<JsonObject> {
    return this.#inTurn(async () => {
      const tracked = new Map<string, Backup>();
      for (const [key, known] of [...this.#tracked]) {
        const backup = await this.#backUpChanged(key, known);
        if (backup !== undefined) tracked.set(key, backup);
      }
      const snapshot = { messageId, timestamp: at.toISOString(), tracked };
      this.#snapshot = snapshot;
      return snapshotEntry(snapshot, messageId, false, this.cwd);
    });
  }

  /** Called before a file changes; `undefined` if the snapshot of this prompt already has it. */
  keep(file: string): Promise<FileKept | undefined> {
    return this.#inTurn(async () => {
      const snapshot = this.#snapshot;
      const key = keyOf(file, this.cwd);
      if (snapshot === undefined || snapshot.tracked.has(key)) return undefined;
      const backup = await this.#backUp(key, (this.#tracked.get(key)?.version ?? 0) + 1);
      this.#tracked.set(key, backup);
      this.#snapshot = { ...snapshot, tracked: new Map([...snapshot.tracked, [key, backup]]) };
      return { type: 'file-kept', file: fileOf(key, this.cwd), backupName: backup.name, version: backup.version };
    });
  }

  /** The line for what `keep` added; `lineUuid` is the line of the call. */
  update(lineUuid: string): JsonObject | undefined {
    return this.#snapshot === undefined ? undefined : snapshotEntry(this.#snapshot, lineUuid, true, this.cwd);
  }

  /** Keeps the current content as another version, so that a restore can be undone. */
  keepVersion(key: string): Promise<Backup> {
    return this.#inTurn(async () => {
      const known = this.#tracked.get(key);
      if (known !== undefined && (await this.#isAsKept(key, known))) return known;
      const backup = await this.#backUp(key, (known?.version ?? 0) + 1);
      this.#tracked.set(key, backup);
      return backup;
    });
  }

  /** A file that cannot be read is left out of the snapshot, so that the prompt can continue. */
  async #backUpChanged(key: string, known: Backup): Promise<Backup | undefined> {
    try {
      const backup = (await this.#isAsKept(key, known)) ? known : await this.#backUp(key, known.version + 1);
      this.#tracked.set(key, backup);
      return backup;
    } catch (error) {
      if (error instanceof UserError || systemErrorCode(error) !== undefined) return undefined;
      throw error;
    }
  }

  async #isAsKept(key: string, { name }: Backup): Promise<boolean> {
    return isAsKept(fileOf(key, this.cwd), name === undefined ? undefined : path.join(this.folder, name));
  }

  async #backUp(key: string, from: number): Promise<Backup> {
    const file = fileOf(key, this.cwd);
    const time = new Date().toISOString();
    if (!isRegularFile(file)) return { name: undefined, version: from, time };
    const hash = hashOf(file);
    let version = from;
    // A killed run may have left a copy that no line names.
    while (statSync(path.join(this.folder, `${hash}@v${version}`), { throwIfNoEntry: false }) !== undefined) version++;
    const name = `${hash}@v${version}`;
    await copyWhole(file, path.join(this.folder, name));
    return { name, version, time };
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

export function historyFolder(root: string, sessionId: string): string {
  return path.join(root, 'file-history', sessionId);
}

/** The stored path of a tracked file. */
export function keyOf(file: string, cwd: string): string {
  const absolute = path.resolve(cwd, file);
  const relative = path.relative(cwd, absolute);
  const isInside = relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`);
  return isInside && !path.isAbsolute(relative) ? relative : absolute;
}

export function fileOf(key: string, cwd: string): string {
  return path.resolve(cwd, key);
}

/** All snapshots in the order of their first lines, with later additions. */
export function readSnapshots(transcript: Pick<Transcript, 'nodes' | 'read'>): readonly Snapshot[] {
  const snapshots = new Map<string, Snapshot>();
  for (const node of transcript.nodes) {
    if (node.type === 'file-history-snapshot') addSnapshot(snapshots, transcript.read(node));
    else if (node.type === 'file-history-delta') addDelta(snapshots, transcript.read(node));
  }
  return [...snapshots.values()];
}

function addSnapshot(snapshots: Map<string, Snapshot>, entry: JsonObject): void {
  const snapshot = asObject(entry.snapshot);
  const messageId = asString(snapshot?.messageId);
  if (messageId === undefined) return;
  const tracked = new Map(snapshots.get(messageId)?.tracked);
  for (const [key, value] of Object.entries(asObject(snapshot?.trackedFileBackups) ?? {})) {
    const backup = backupOf(value);
    if (backup !== undefined) tracked.set(key, backup);
  }
  snapshots.set(messageId, { messageId, timestamp: asString(snapshot?.timestamp) ?? '', tracked });
}

/** 2.1.325 adds single files with a separate line. */
function addDelta(snapshots: Map<string, Snapshot>, entry: JsonObject): void {
  const snapshot = snapshots.get(asString(entry.snapshotMessageId) ?? '');
  const key = asString(entry.trackingPath);
  const backup = backupOf(entry.backup);
  if (snapshot === undefined || key === undefined || backup === undefined) return;
  snapshots.set(snapshot.messageId, { ...snapshot, tracked: new Map([...snapshot.tracked, [key, backup]]) });
}

function backupOf(value: unknown): Backup | undefined {
  if (!isObject(value)) return undefined;
  const { backupFileName, version, backupTime } = value;
  if (backupFileName !== null && typeof backupFileName !== 'string') return undefined;
  return {
    name: backupFileName ?? undefined,
    version: typeof version === 'number' && Number.isSafeInteger(version) ? version : 1,
    time: asString(backupTime) ?? '',
  };
}

function newestBackups(snapshots: readonly Snapshot[]): Map<string, Backup> {
  const newest = new Map<string, Backup>();
  for (const { tracked } of snapshots)
    for (const [key, backup] of tracked) if (backup.version >= (newest.get(key)?.version ?? 0)) newest.set(key, backup);
  return newest;
}

function snapshotEntry(snapshot: Snapshot, lineUuid: string, isUpdate: boolean, cwd: string): JsonObject {
  const backups = [...snapshot.tracked].map(([key, { name, version, time }]) => [
    key,
    {
      backupFileName: name ?? null,
      version,
      backupTime: time,
      realParentDir: realFolder(path.dirname(fileOf(key, cwd))),
    },
  ]);
  return {
    type: 'file-history-snapshot',
    messageId: lineUuid,
    snapshot: {
      messageId: snapshot.messageId,
      trackedFileBackups: Object.fromEntries(backups),
      timestamp: snapshot.timestamp,
    },
    isSnapshotUpdate: isUpdate,
  };
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function hashOf(file: string): string {
  return createHash('sha256').update(file).digest('hex').slice(0, 16);
}

/** Whether the file equals the backup; a backup without a name means that there is no file. */
export async function isAsKept(file: string, backup: string | undefined): Promise<boolean> {
  const now = statOf(file);
  if (backup === undefined || now === undefined) return backup === undefined && now === undefined;
  const kept = statOf(backup);
  if (kept === undefined || !now.isFile() || kept.size !== now.size) return false;
  const [a, b] = await Promise.all([hashFile(file), hashFile(backup)]);
  return a === b;
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(file, 'r');
  try {
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

function statOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return undefined;
    throw error;
  }
}

function isRegularFile(file: string): boolean {
  return statOf(file)?.isFile() === true;
}

/** The copy appears complete under its name, with the mode of the file, so that a restored script can run. */
export async function copyWhole(from: string, to: string): Promise<void> {
  const temp = `${to}.${process.pid}.tmp`;
  try {
    await makeFolder(path.dirname(to));
    await copyFile(from, temp);
    await syncPath(temp);
    await rename(temp, to);
    await syncPath(path.dirname(to));
  } catch (error) {
    await rm(temp, { force: true }).catch(() => undefined);
    throw diskError(error, 'write', to);
  }
}
