// The packs in a folder + what is committed of them → which file is which pack. A pack is known by its records, not by its
// name: one that was renamed or changed places with another is still found.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../../../base/errors/index.ts';
import { diskError } from '../../../store/index.ts';
import { type Committed, type CommittedPack, isPackName, type PackState, sumUpTo } from './committed.ts';
import { endOf, type PackGap, type PackRecord, scanPack } from './record.ts';

export interface ScannedPack {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  readonly items: readonly (PackRecord | PackGap)[];
}

/** A pack that is committed, and the file that begins with what is committed, if there is one. */
export interface KnownPack {
  readonly entry: CommittedPack;
  /** `altered`: the file has its name, but not its records. */
  readonly condition: 'sound' | 'altered' | 'missing';
  readonly file: ScannedPack | undefined;
  /** What the file begins with, or should. */
  readonly state: PackState;
}

export interface MatchedPacks {
  /** In the committed order. */
  readonly known: readonly KnownPack[];
  /** Files of which nothing is committed. */
  readonly others: readonly ScannedPack[];
}

export function packPath(folder: string, index: number): string {
  return path.join(folder, `${String(index).padStart(6, '0')}.pack`);
}

export function packNumber(name: string): number {
  return Number.parseInt(name, 10);
}

/** By their numbers. A missing folder has none. */
export function scanPacks(folder: string): readonly ScannedPack[] {
  return listPacks(folder).map((pack) => scanOne(pack, false));
}

/** The same pack, with every record that is whole. */
export function scanCarefully(pack: ScannedPack): ScannedPack {
  return pack.items.length === 0 ? pack : scanOne(pack.path, true);
}

function scanOne(pack: string, isCareful: boolean): ScannedPack {
  try {
    const items = [...scanPack(pack, isCareful)];
    const last = items.at(-1);
    return { path: pack, name: path.basename(pack), bytes: last === undefined ? 0 : endOf(last), items };
  } catch (error) {
    throw diskError(error, 'read', pack);
  }
}

function listPacks(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter(isPackName);
    return names.sort((a, b) => packNumber(a) - packNumber(b)).map((name) => path.join(folder, name));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw diskError(error, 'read', folder);
  }
}

export function matchPacks({ packs }: Committed, files: readonly ScannedPack[]): MatchedPacks {
  const free = new Set(files);
  const found = new Map<CommittedPack, KnownPack>();
  const take = (entry: CommittedPack, file: ScannedPack, state: PackState): void => {
    free.delete(file);
    found.set(entry, { entry, condition: 'sound', file, state });
  };
  for (const entry of packs) {
    const file = files.find(({ name }) => name === entry.name);
    const state = file && stateIn(entry, file);
    if (file !== undefined && state !== undefined && free.has(file)) take(entry, file, state);
  }
  for (const entry of packs) {
    if (found.has(entry) || entry.bytes === 0) continue;
    for (const file of free) {
      const state = stateIn(entry, file);
      if (state === undefined || state.bytes === 0) continue;
      take(entry, file, state);
      break;
    }
  }
  const known = packs.map((entry): KnownPack => {
    const sound = found.get(entry);
    if (sound !== undefined) return sound;
    const file = [...free].find(({ name }) => name === entry.name);
    if (file !== undefined) free.delete(file);
    if (file === undefined) return { entry, condition: 'missing', file, state: entry };
    return { entry, condition: 'altered', file: scanCarefully(file), state: entry };
  });
  return { known, others: [...free].map(scanCarefully) };
}

function stateIn(entry: CommittedPack, { items }: ScannedPack): PackState | undefined {
  const states = entry.becomes === undefined ? [entry] : [entry, entry.becomes];
  return states.find(({ bytes, sha256 }) => sumUpTo(items, bytes) === sha256);
}
