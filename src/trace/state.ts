// How far a session was read: one small file each, so that two sessions that end at the same moment do not touch one
// another's. It also names the batches that were committed with it and are not released yet: writing this file is the
// one moment at which a run has happened.
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import path from 'node:path';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue, parseJson } from '../base/json.ts';
import { openRegularFile } from '../base/regular-file.ts';
import { readText, writeDurably } from './durable.ts';
import { sessionKey, type TracePlaces } from './places.ts';

export interface SessionState {
  readonly sessionId: string;
  readonly file: string;
  readonly identity: FileHead;
  /** Where the reader goes on; its own business (cursor.ts). */
  readonly cursor: unknown;
  /** What the run that wrote this was told of the end of the file. */
  readonly atEnd: 'turn' | 'session' | undefined;
  /** What cc-langfuse had sent of it before we came. */
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

/** Tells a file from another one under its name, and a file that grew from one that was cut or replaced. */
export interface FileHead {
  readonly dev: number;
  readonly ino: number;
  readonly sizeBytes: number;
  /** Of the first bytes, as many as `headBytes` says. */
  readonly headHash: string;
  readonly headBytes: number;
}

export function readState(places: TracePlaces, sessionId: string): SessionState | undefined {
  return readStateOf(places, sessionKey(sessionId));
}

/** By the key that its file is called after. */
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
      ino: Number(identity.ino),
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

/** Whether what was read of the file still stands in it, so that reading can go on behind it. */
export function goesOn(before: FileHead, file: string): boolean {
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

/** `undefined` where there is no such file. */
export function identifyHead(file: string, headBytes?: number): FileHead | undefined {
  let handle: number;
  try {
    handle = openRegularFile(file);
  } catch {
    return undefined;
  }
  try {
    const { dev, ino, size } = fstatSync(handle);
    const head = Buffer.alloc(Math.min(headBytes ?? mostHeadBytes, mostHeadBytes, size));
    const length = readSync(handle, head, 0, head.length, 0);
    const headHash = createHash('sha256').update(head.subarray(0, length)).digest('base64url');
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
