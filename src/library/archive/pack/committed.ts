// The file `committed` of an archive: how long each pack is, the sum of its records, and which copies of sessions it
// holds. It is written after the bytes of the packs are on the disk, so that what is missing from a pack, and what a
// killed writer added to it, can be told apart without the packs.
import { createHash, hash } from 'node:crypto';
import path from 'node:path';
import { systemErrorCode } from '../../../base/errors/index.ts';
import { readRegularFile } from '../../../base/files/index.ts';
import { asObject, asString, isArray, type JsonValue, parseJson } from '../../../base/json/index.ts';
import { diskError, writeDurably } from '../../../store/index.ts';
import { endOf, isRecord, type PackGap, type PackRecord } from './record.ts';

/** A copy of a session, by the record that lists its files. */
export interface CommittedCopy {
  /** The path that its main transcript had. */
  readonly session: string;
  readonly title: string;
  /** `contentHash` of its files. */
  readonly content: string;
  /** Of the body of its record, as in the header. */
  readonly record: string;
}

export interface PackState {
  readonly bytes: number;
  /** SHA-256 of the header lines of its records; each header has the hash of its body. */
  readonly sha256: string;
}

export interface CommittedPack extends PackState {
  /** A pack that is missing may have the name of another one that was renamed. */
  readonly name: string;
  /** All lists together say which copy of a session is the latest, wherever its record is. */
  readonly copies: readonly CommittedCopy[];
  /** The pack is being replaced: it has this state or that one. */
  readonly becomes?: PackState;
}

export interface Committed {
  /** The number for the next chunk. */
  readonly next: number;
  /** In the order in which they were begun. */
  readonly packs: readonly CommittedPack[];
}

export type CommittedFile =
  | { readonly kind: 'read'; readonly committed: Committed; readonly sum: string }
  | { readonly kind: 'none' | 'newer' }
  | { readonly kind: 'damaged'; readonly reason: string };

export const committedName = 'committed';
export const noPacks: Committed = { next: 0, packs: [] };

export function readCommitted(folder: string): CommittedFile {
  const file = path.join(folder, committedName);
  try {
    return parseCommitted(readRegularFile(file, { maxBytes: mostBytes }));
  } catch (error) {
    // Only a missing file is missing: one that cannot be read says nothing about the packs.
    if (systemErrorCode(error) === 'ENOENT') return { kind: 'none' };
    throw diskError(error, 'read', file);
  }
}

/** The caller holds the lock, and what the packs have is on the disk. */
export function writeCommitted(folder: string, committed: Committed): void {
  const text = `${JSON.stringify(committed, undefined, 1)}\n`;
  const file = path.join(folder, committedName);
  try {
    writeDurably(file, `${magic}1 ${sumOf('1', text)}\n`, text);
  } catch (error) {
    throw diskError(error, 'write', file);
  }
}

/** The sum of the records before `bytes`; `undefined` if no record or gap ends there. */
export function sumUpTo(items: readonly (PackRecord | PackGap)[], bytes: number): string | undefined {
  const sum = createHash('sha256');
  let at = 0;
  for (const item of items) {
    if (at >= bytes) break;
    if (isRecord(item)) sum.update(item.line);
    at = endOf(item);
  }
  return at === bytes ? sum.digest('hex') : undefined;
}

const mostBytes = 1 << 30;
const magic = 'clew-archive-committed ';

function parseCommitted(bytes: Buffer): CommittedFile {
  const end = bytes.indexOf(0x0a);
  const found = new RegExp(`^${magic}(\\d+) ([0-9a-f]{64})$`).exec(bytes.toString('latin1', 0, Math.max(0, end)));
  const [, version, sum = ''] = found ?? [];
  if (version === undefined) return { kind: 'damaged', reason: 'its first line is not one of Clew' };
  const text = bytes.toString('utf8', end + 1);
  if (sumOf(version, text) !== sum) return { kind: 'damaged', reason: 'its bytes do not match their hash' };
  if (version !== '1') return { kind: 'newer' };
  const committed = asCommitted(parseJson(text));
  return committed === undefined
    ? { kind: 'damaged', reason: 'it is not a list of packs' }
    : { kind: 'read', committed, sum };
}

/** With the version: a newer file has its own, a flipped digit has none. */
function sumOf(version: string, text: string): string {
  return hash('sha256', `${magic}${version}\n${text}`, 'hex');
}

function asCommitted(value: JsonValue | undefined): Committed | undefined {
  const list = asObject(value);
  if (!isCount(list?.next) || !isArray(list?.packs)) return undefined;
  for (const each of list.packs) {
    const pack = asObject(each);
    const name = asString(pack?.name) ?? '';
    // A name must not lead out of the folder.
    if (!isPackName(name) || !isState(pack) || !isArray(pack?.copies)) return undefined;
    if (!pack.copies.every(isCopy)) return undefined;
    if (pack?.becomes !== undefined && !isState(pack.becomes)) return undefined;
  }
  return list as object as Committed; // checked above
}

function isState(value: JsonValue | undefined): boolean {
  const state = asObject(value);
  return isCount(state?.bytes) && asString(state?.sha256) !== undefined;
}

function isCopy(value: JsonValue): boolean {
  const copy = asObject(value);
  return [copy?.session, copy?.title, copy?.content, copy?.record].every((text) => asString(text) !== undefined);
}

function isCount(value: JsonValue | undefined): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

export function isPackName(name: string): boolean {
  return /^\d{6,}\.pack$/.test(name);
}
