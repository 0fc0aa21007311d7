// How far a session was read, in one small file per session, with the batches that were committed but not released yet.
// Writing this file is what commits a run.
import { closeSync, fstatSync, readSync } from 'node:fs';
import path from 'node:path';
import { sha256 } from '../../base/digest/index.ts';
import { type Inode, openRegularFile, readInode, storedInode } from '../../base/files/index.ts';
import {
  asObject,
  asString,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../base/json/index.ts';
import { readText, writeDurably } from '../../store/index.ts';
import { sessionKey, type TracePlaces } from './places.ts';

export interface SessionState {
  readonly sessionId: string;
  readonly file: string;
  readonly identity: FileHead;
  /** See cursor.ts. */
  readonly cursor: unknown;
  /** The end that the last run was given. */
  readonly atEnd: 'turn' | 'session' | undefined;
  /** What cc-langfuse had sent before Clew traced the session. */
  readonly takenOver: CompatEntry | undefined;
  readonly updatedMs: number;
  readonly pending: readonly PendingBatch[];
}

/** How far cc-langfuse has sent a session. */
export interface CompatEntry {
  /** Lines up to the end of the last complete turn. */
  readonly lastLine: number;
  readonly turnCount: number;
}

export interface PendingBatch {
  readonly destination: string;
  readonly name: string;
}

/** Distinguishes a file that grew from one that was truncated or replaced. */
export interface FileHead {
  readonly dev: number;
  readonly ino: Inode;
  readonly sizeBytes: number;
  /** The hash of the first `headBytes` bytes. */
  readonly headHash: string;
  readonly headBytes: number;
}

export function readState(places: TracePlaces, sessionId: string): SessionState | undefined {
  return readStateOf(places, sessionKey(sessionId));
}

export function readStateOf(places: TracePlaces, key: string): SessionState | undefined {
  const found = asObject(parseJson(readText(path.join(places.sessions, `${key}.json`)) ?? ''));
  const identity = asObject(found?.identity);
  const sessionId = asString(found?.sessionId);
  if (found === undefined || identity === undefined || sessionId === undefined) return undefined;
  return {
    sessionId,
    file: asString(found.file) ?? '',
    identity: {
      dev: Number(identity.dev),
      ino: storedInode(identity.ino),
      sizeBytes: Number(identity.sizeBytes),
      headHash: asString(identity.headHash) ?? '',
      headBytes: Number(identity.headBytes),
    },
    cursor: found.cursor,
    atEnd: found.atEnd === 'turn' || found.atEnd === 'session' ? found.atEnd : undefined,
    takenOver: takenOverOf(asObject(found.takenOver)),
    updatedMs: Number(found.updatedMs),
    pending: isArray(found.pending) ? found.pending.flatMap(pendingOf) : [],
  };
}

export function writeState(places: TracePlaces, state: SessionState): void {
  writeDurably(path.join(places.sessions, `${sessionKey(state.sessionId)}.json`), `${JSON.stringify(state)}\n`);
}

/** Whether the file still holds what was read of it, so that reading can continue. */
export function hasOnlyGrown(before: FileHead, file: string): boolean {
  const now = identifyHead(file, before.headBytes);
  return (
    now !== undefined &&
    now.dev === before.dev &&
    now.ino === before.ino &&
    now.sizeBytes >= before.sizeBytes &&
    now.headHash === before.headHash
  );
}

const mostHeadBytes = 1024;

/** `undefined` if the file is missing. */
export function identifyHead(file: string, headBytes?: number): FileHead | undefined {
  let handle: number;
  try {
    handle = openRegularFile(file);
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(handle);
    const { dev, size } = stats;
    const ino = readInode(handle, stats);
    const head = Buffer.alloc(Math.min(headBytes ?? mostHeadBytes, mostHeadBytes, size));
    const length = readSync(handle, head, 0, head.length, 0);
    const headHash = sha256(head.subarray(0, length)).toString('base64url');
    return { dev, ino, sizeBytes: size, headHash, headBytes: length };
  } catch {
    return undefined;
  } finally {
    closeSync(handle);
  }
}

function takenOverOf(value: JsonObject | undefined): CompatEntry | undefined {
  const [lastLine, turnCount] = [Number(value?.lastLine), Number(value?.turnCount)];
  return Number.isInteger(lastLine) && Number.isInteger(turnCount) ? { lastLine, turnCount } : undefined;
}

function pendingOf(value: JsonValue): readonly PendingBatch[] {
  if (!isObject(value)) return [];
  const [destination, name] = [asString(value.destination), asString(value.name)];
  return destination === undefined || name === undefined ? [] : [{ destination, name }];
}
