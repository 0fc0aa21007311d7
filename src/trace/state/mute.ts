// Muted sessions and folders: what is said while they are muted is never sent. Stored in `muted.json` of the tracer's
// folder, which every run reads.

import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { UserError } from '../../base/errors/index.ts';
import { asObject, asString, isArray, type JsonValue, parseJson } from '../../base/json/index.ts';
import { namesIn, readText, syncFolder, withLock, writeDurably } from '../../store/index.ts';
import type { AboutTurn, TraceTurn } from '../read/index.ts';
import type { TracePlaces } from './places.ts';

/** A period in which a session, or all sessions of a folder, are muted. */
export interface Mute {
  readonly kind: 'session' | 'project';
  /** The id of the session, or the folder. */
  readonly name: string;
  readonly sinceMs: number;
  /** Absent while it lasts. */
  readonly untilMs?: number;
}

export type MuteTarget = Pick<Mute, 'kind' | 'name'>;

export interface MutePlace {
  readonly sessionId: string;
  readonly cwd: string | undefined;
}

/** An invalid file is an error: it may name what must not be sent. */
export function readMutes(places: TracePlaces): readonly Mute[] {
  const file = mutesFile(places);
  const text = readText(file);
  if (text === undefined) return [];
  const list = asObject(parseJson(text))?.muted;
  if (!isArray(list) || !list.every(isMute))
    throw new UserError(`${file} is not a list of mutes`, 'delete it and mute again with `clew trace mute`');
  return list as unknown as readonly Mute[]; // every entry was checked
}

/** The mute that applies now, if any. */
export function activeMute(mutes: readonly Mute[], place: MutePlace): Mute | undefined {
  return mutes.find((mute) => mute.untilMs === undefined && isOf(mute, place));
}

/** Whether a turn must not be sent: it is muted now, or was during the turn. */
export function isMutedTurn(
  mutes: readonly Mute[],
  turn: Pick<TraceTurn, 'sessionId' | 'startMs' | 'endMs'> & { readonly about: Pick<AboutTurn, 'cwd'> },
): boolean {
  const { sessionId, about, endMs } = turn;
  const place = { sessionId, cwd: about.cwd };
  const startMs = turn.startMs ?? endMs;
  return mutes.some((mute) => {
    if (!isOf(mute, place)) return false;
    if (mute.untilMs === undefined || startMs === undefined) return true;
    return startMs < mute.untilMs && (endMs ?? startMs) >= mute.sinceMs;
  });
}

/** Whether a session was ever muted: then agents that belong to no turn are not sent. */
export function wasMuted(mutes: readonly Mute[], place: MutePlace): boolean {
  return mutes.some((mute) => isOf(mute, place) || (mute.kind === 'project' && place.cwd === undefined));
}

/** `false` if it is muted already. */
export async function mute(places: TracePlaces, target: MuteTarget, nowMs: number): Promise<boolean> {
  return change(places, (mutes) =>
    mutes.some((each) => isSame(each, target) && each.untilMs === undefined)
      ? undefined
      : [...mutes, { kind: target.kind, name: target.name, sinceMs: nowMs }],
  );
}

/** `false` if it is not muted. */
export async function unmute(places: TracePlaces, target: MuteTarget, nowMs: number): Promise<boolean> {
  return change(places, (mutes) =>
    mutes.some((each) => isSame(each, target) && each.untilMs === undefined)
      ? mutes.map((each) => (isSame(each, target) && each.untilMs === undefined ? { ...each, untilMs: nowMs } : each))
      : undefined,
  );
}

async function change(
  places: TracePlaces,
  changed: (mutes: readonly Mute[]) => readonly Mute[] | undefined,
): Promise<boolean> {
  const lock = { name: 'muted.lock', what: 'changing the mutes', waitMs: 5_000 };
  return withLock(places.folder, lock, async () => {
    const next = changed(readMutes(places));
    if (next === undefined) return false;
    writeDurably(mutesFile(places), `${JSON.stringify({ muted: next }, null, 2)}\n`);
    return true;
  });
}

function mutesFile(places: TracePlaces): string {
  return path.join(places.folder, 'muted.json');
}

function isSame(mute: Mute, { kind, name }: MuteTarget): boolean {
  return mute.kind === kind && mute.name === name;
}

function isOf({ kind, name }: Mute, { sessionId, cwd }: MutePlace): boolean {
  if (kind === 'session') return name === sessionId;
  if (cwd === undefined) return false;
  const inside = path.relative(name, cwd);
  return inside !== '..' && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside);
}

function isMute(value: JsonValue): boolean {
  const { kind, name, sinceMs, untilMs } = asObject(value) ?? {};
  const isKnown = kind === 'session' || kind === 'project';
  return isKnown && asString(name) !== undefined && isTime(sinceMs) && (untilMs === undefined || isTime(untilMs));
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

export interface HeldBatch {
  readonly file: string;
  readonly sessionId: string | undefined;
}

/** Waiting and refused batches; `holds` gets what the server would get. */
export function findBatches(places: TracePlaces, holds: (bytes: Buffer) => boolean): readonly HeldBatch[] {
  const folders = ['outbox', 'dead'].flatMap((kind) => {
    const top = path.join(places.folder, kind);
    return namesIn(top).map((destination) => path.join(top, destination));
  });
  return folders.flatMap((folder) =>
    namesIn(folder).flatMap((name) => {
      const file = path.join(folder, name);
      const content = batchContent(file);
      if (content === undefined || !holds(content)) return [];
      const head = content.toString('utf8', 0, content.indexOf(0x0a));
      return [{ file, sessionId: asString(asObject(parseJson(head))?.sessionId) }];
    }),
  );
}

export function deleteHeldBatch({ file }: HeldBatch): void {
  rmSync(file, { force: true });
  rmSync(file.replace(/\.batch$/, '.reason'), { force: true });
  syncFolder(path.dirname(file));
}

/** The head line and the uncompressed spans; of another file, its bytes. */
function batchContent(file: string): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return undefined; // sent and deleted meanwhile
  }
  const end = bytes.indexOf(0x0a) + 1;
  const body = bytes.subarray(end);
  if (body[0] !== 0x1f || body[1] !== 0x8b) return bytes;
  try {
    return Buffer.concat([bytes.subarray(0, end), gunzipSync(body)]);
  } catch {
    return bytes;
  }
}
