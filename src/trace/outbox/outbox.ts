// Spans on disk that are not acknowledged yet: one immutable file per batch and destination, whose name shows its stage.
// `pending` is not committed with its session's state, `ready` was not sent, `sending` was sent but for its last byte and
// perhaps completely, `acked` was accepted by the server and only has to be deleted.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { makeFolderSync } from '../../base/files/index.ts';
import { asObject, asString, isArray, parseJson } from '../../base/json/index.ts';
import { namesIn, readText, renameDurably, syncFolder, writeDurably } from '../../store/index.ts';
import { deadOf, outboxOf, type TracePlaces } from '../state/index.ts';

export interface BatchInfo {
  readonly destination: string;
  readonly contentType: string;
  readonly contentEncoding: string | undefined;
  readonly sessionId: string;
  readonly spanIds: readonly string[];
  readonly ledgerKeys: readonly string[];
  readonly createdMs: number;
}

export interface Batch {
  readonly info: BatchInfo;
  readonly body: Buffer;
}

export type BatchStage = 'ready' | 'sending' | 'acked';

/** Writes a pending batch. Returns its name. */
export function spoolBatch(places: TracePlaces, info: BatchInfo, body: Buffer, owner: string): string {
  const name = batchName(info);
  const head = { version: 1, ...info, contentEncoding: info.contentEncoding ?? null };
  writeDurably(pendingFile(places, info.destination, name, owner), `${JSON.stringify(head)}\n`, body);
  return name;
}

/** `undefined` if the batch was released before. */
export function readPending(
  places: TracePlaces,
  destination: string,
  name: string,
  owner: string,
): BatchInfo | undefined {
  return readBatch(pendingFile(places, destination, name, owner))?.info;
}

export function releaseBatch(places: TracePlaces, destination: string, name: string, owner: string): void {
  const from = pendingFile(places, destination, name, owner);
  renameDurably(from, path.join(outboxOf(places, destination), `${name}.ready`));
}

/** Deletes the batches of a run that ended before it committed; `kept`: the committed ones. */
export function dropPending(places: TracePlaces, destination: string, owner: string, kept: ReadonlySet<string>): void {
  const folder = outboxOf(places, destination);
  for (const name of namesIn(folder)) {
    const found = /^(.+)\.pending-(.+)$/.exec(name);
    if (found?.[2] === owner && !kept.has(found[1] ?? '')) rmSync(path.join(folder, name), { force: true });
  }
}

export function pendingOwners(places: TracePlaces, destination: string): ReadonlySet<string> {
  return new Set(namesIn(outboxOf(places, destination)).flatMap((name) => /\.pending-(.+)$/.exec(name)?.[1] ?? []));
}

/** Oldest first. */
export function listBatches(places: TracePlaces, destination: string, stage: BatchStage): readonly string[] {
  const suffix = `.${stage}`;
  return namesIn(outboxOf(places, destination))
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length));
}

export function moveBatch(
  places: TracePlaces,
  destination: string,
  name: string,
  from: BatchStage,
  to: BatchStage,
): boolean {
  const folder = outboxOf(places, destination);
  return renameDurably(path.join(folder, `${name}.${from}`), path.join(folder, `${name}.${to}`));
}

export function openBatch(
  places: TracePlaces,
  destination: string,
  name: string,
  stage: BatchStage,
): Batch | undefined {
  return readBatch(path.join(outboxOf(places, destination), `${name}.${stage}`));
}

export function deleteBatch(places: TracePlaces, destination: string, name: string, stage: BatchStage): void {
  rmSync(path.join(outboxOf(places, destination), `${name}.${stage}`), { force: true });
}

/** Moves a refused batch out of the outbox, with the reason; `clew trace retry` moves it back. */
export function parkBatch(places: TracePlaces, destination: string, name: string, reason: string): void {
  const dead = deadOf(places, destination);
  makeFolderSync(dead);
  writeDurably(path.join(dead, `${name}.reason`), `${reason}\n`);
  renameDurably(path.join(outboxOf(places, destination), `${name}.sending`), path.join(dead, `${name}.batch`));
  syncFolder(outboxOf(places, destination));
}

/** A batch that a server refused, and why. */
export interface ParkedBatch {
  readonly name: string;
  readonly reason: string;
  readonly spans: number;
}

export function listParked(places: TracePlaces, destination: string): readonly ParkedBatch[] {
  const dead = deadOf(places, destination);
  return namesIn(dead)
    .filter((file) => file.endsWith('.batch'))
    .map((file) => {
      const name = file.slice(0, -'.batch'.length);
      const reason = readText(path.join(dead, `${name}.reason`))?.trim() ?? 'unknown reason';
      return { name, reason, spans: readBatch(path.join(dead, file))?.info.spanIds.length ?? 0 };
    });
}

/** Moves refused batches back into the outbox. Returns how many. */
export function unparkBatches(places: TracePlaces, destination: string): number {
  const [dead, outbox] = [deadOf(places, destination), outboxOf(places, destination)];
  makeFolderSync(outbox);
  let count = 0;
  for (const { name } of listParked(places, destination)) {
    if (renameDurably(path.join(dead, `${name}.batch`), path.join(outbox, `${name}.ready`))) count++;
    rmSync(path.join(dead, `${name}.reason`), { force: true });
  }
  return count;
}

export function createdMsOf(name: string): number {
  return Number(name.slice(0, 15));
}

export function sizeOf(places: TracePlaces, destination: string, name: string, stage: BatchStage): number {
  return statSync(path.join(outboxOf(places, destination), `${name}.${stage}`), { throwIfNoEntry: false })?.size ?? 0;
}

/** Sorted by time, so that turns arrive in their order. */
function batchName({ destination, spanIds, createdMs }: BatchInfo): string {
  const hash = createHash('sha256')
    .update([destination, ...spanIds].join('\n'))
    .digest('hex')
    .slice(0, 24);
  return `${String(Math.max(0, Math.floor(createdMs))).padStart(15, '0')}-${hash}`;
}

function pendingFile(places: TracePlaces, destination: string, name: string, owner: string): string {
  return path.join(outboxOf(places, destination), `${name}.pending-${owner}`);
}

function readBatch(file: string): Batch | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return undefined;
  }
  const end = bytes.indexOf(0x0a);
  const head = end < 0 ? undefined : asObject(parseJson(bytes.toString('utf8', 0, end)));
  if (head === undefined) return undefined;
  const info: BatchInfo = {
    destination: asString(head.destination) ?? '',
    contentType: asString(head.contentType) ?? 'application/x-protobuf',
    contentEncoding: asString(head.contentEncoding),
    sessionId: asString(head.sessionId) ?? '',
    spanIds: stringsOf(head.spanIds),
    ledgerKeys: stringsOf(head.ledgerKeys),
    createdMs: Number(head.createdMs),
  };
  return { info, body: bytes.subarray(end + 1) };
}

function stringsOf(value: unknown): readonly string[] {
  return isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
