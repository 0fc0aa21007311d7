// What was counted, on the disk: for each transcript how far it was read and its sums (one file, read by every call), and
// its packed rows (another one, read only if something changed). Both can be made again from the transcripts, so a file
// that is damaged or of another version counts as absent.
import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { makeFolderSync } from '../../base/files/index.ts';
import { privateFileMode } from '../../store/index.ts';

/** Numbers of a transcript in `UsageState.files`. */
export const fileFields = {
  dev: 0,
  ino: 1,
  size: 2,
  mtimeMs: 3,
  bornMs: 4,
  firstAt: 5,
  startedAt: 6,
  endedAt: 7,
  offset: 8,
  line: 9,
  /** In `UsageHeader.cwds`; -1 for none. */
  cwd: 10,
  /** Another file has one of its messages. */
  isShared: 11,
  parts: 12,
  cells: 13,
  contextTokens: 14,
  contextModel: 15,
  /** How many rows it has. */
  rows: 16,
} as const;
export const fileWidth = 17;
/** A cell: the sums of one model, speed and quarter of an hour. */
export const cellWidth = 10;
/** Positions in a cell. */
export const cellFields = {
  /** The number of the model × 4, + 2 for fast mode, + 1 if a message has no stop reason. */
  model: 0,
  /** Of an hour since 1970; `NaN` without a time. */
  quarter: 1,
  messages: 2,
  inputTokens: 3,
  outputTokens: 4,
  cacheReadTokens: 5,
  cacheWrite5mTokens: 6,
  cacheWrite1hTokens: 7,
  /** `NaN` without a price. */
  costMicroUsd: 8,
} as const;

export const quarterMs: number = 15 * 60 * 1000;
/** Of a part: where it is in the file of rows, and its checksum. */
export const partWidth = 3;

export interface UsageHeader {
  /** The folders of projects that were looked at. */
  readonly folders: readonly string[];
  /** The names of models by number. */
  readonly models: readonly string[];
  /** Models that have no number in rows; in cells, their numbers begin at `firstOtherModel`. */
  readonly otherModels: readonly string[];
  readonly cwds: readonly string[];
  /** The prices that the sums were made with. */
  readonly prices: string;
  /** By path: the sessions that the lines of a file name as their origin. */
  readonly origins: Readonly<Record<string, readonly string[]>>;
  /** By path: the main transcript of an agent file of which only the lines say it. */
  readonly mains: Readonly<Record<string, string>>;
  /** By path: inodes that are not a number in `files` (base/files/inode.ts). */
  readonly inodes?: Readonly<Record<string, string>>;
  /** The name of the file of rows, and how much of it this state knows. */
  readonly rowsFile: string;
  readonly rowsBytes: number;
}

export const firstOtherModel = 1000;

export interface UsageState {
  readonly header: UsageHeader;
  /** All paths, each followed by a NUL. */
  readonly paths: string;
  /** For each path its proof: two hashes, each followed by a NUL. */
  readonly proofs: string;
  readonly files: Float64Array;
  readonly cells: Float64Array;
  readonly parts: Float64Array;
  /** Of all rows, two numbers each. */
  readonly keys: Uint32Array;
}

const magic = 0x77656c63; // "clew"
const version = 3;
const fixedBytes = 40;

/** `undefined` if there is none that can be used. */
export function readState(file: string): UsageState | undefined {
  let both: Buffer;
  try {
    both = readAligned(file);
  } catch {
    return undefined;
  }
  const half = both.length / 2;
  if (half < fixedBytes || half % 8 !== 0 || both.compare(both, half, both.length, 0, half) !== 0) return undefined;
  const bytes = both.subarray(0, half);
  const head = new Uint32Array(bytes.buffer, bytes.byteOffset, fixedBytes / 4);
  const [mark, format, headerBytes = 0, pathBytes = 0, proofBytes = 0, files = 0, cells = 0, parts = 0, keys = 0] =
    head;
  if (mark !== magic || format !== version) return undefined;
  const lengths = [headerBytes, pathBytes, proofBytes, files * 8, cells * 8, parts * 8, keys * 4].map(padded);
  if (lengths.reduce((a, b) => a + b, fixedBytes) !== half) return undefined;
  let at = fixedBytes;
  const starts = lengths.map((length) => {
    at += length;
    return at - length;
  });
  const [headerAt = 0, pathsAt = 0, proofsAt = 0, filesAt = 0, cellsAt = 0, partsAt = 0, keysAt = 0] = starts;
  const text = (start: number, length: number): string => bytes.toString('utf8', start, start + length);
  const doubles = (start: number, length: number): Float64Array =>
    new Float64Array(bytes.buffer, bytes.byteOffset + start, length);
  return {
    header: JSON.parse(text(headerAt, headerBytes)) as UsageHeader, // written by writeState, and both copies are equal
    paths: text(pathsAt, pathBytes),
    get proofs() {
      return text(proofsAt, proofBytes);
    },
    files: doubles(filesAt, files),
    cells: doubles(cellsAt, cells),
    parts: doubles(partsAt, parts),
    keys: new Uint32Array(bytes.buffer, bytes.byteOffset + keysAt, keys),
  };
}

/**
 * Replaces the file as a whole. It need not survive a crash of the machine: everything is in it twice, and damaged copies
 * differ. Comparing them is one call; a checksum in JavaScript was a third of the time of a hook on a large library.
 */
export function writeState(file: string, { header, paths, proofs, files, cells, parts, keys }: UsageState): void {
  const sections = [Buffer.from(JSON.stringify(header)), Buffer.from(paths), Buffer.from(proofs)];
  const numbers = [files, cells, parts, keys];
  const lengths = [...sections, ...numbers].map(({ byteLength }) => padded(byteLength));
  const half = lengths.reduce((a, b) => a + b, fixedBytes);
  const bytes = Buffer.alloc(2 * half);
  let at = fixedBytes;
  for (const [i, section] of [...sections, ...numbers].entries()) {
    bytes.set(new Uint8Array(section.buffer, section.byteOffset, section.byteLength), at);
    at += lengths[i] as number;
  }
  const counts = [...sections.map(({ length }) => length), ...numbers.map(({ length }) => length)];
  for (const [i, value] of [magic, version, ...counts].entries()) bytes.writeUInt32LE(value, i * 4);
  bytes.copyWithin(half, 0, half);
  // Not random bytes: node:crypto takes longer to load than all the rest of this.
  const temporary = `${file}.${process.pid}-${Date.now().toString(36)}`;
  try {
    writeFileSync(temporary, bytes, { mode: privateFileMode });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Where everything that was counted is kept, in Clew's own state folder. */
export function usageFolder(state: string): string {
  return path.join(state, 'usage');
}

/** The file of the state for some folders of projects. */
export function stateFile(state: string, folders: readonly string[]): string {
  const text = folders.join('\0');
  const bytes = Buffer.alloc(padded(Buffer.byteLength(text)));
  bytes.write(text);
  const name = [bytes, Buffer.from(bytes).reverse()]
    .map((each) => checksum(each).toString(36).padStart(7, '0'))
    .join('');
  return path.join(usageFolder(state), `${name}.state`);
}

/** The bytes of a file, at a multiple of 8 in memory. */
export function readAligned(file: string): Buffer {
  const bytes = readFileSync(file);
  return bytes.byteOffset % 8 === 0 ? bytes : Buffer.from(new Uint8Array(bytes).buffer);
}

/** A part of a file, at a multiple of 8 in memory; shorter where the file ends. */
export function readRange(file: string, at: number, length: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.allocUnsafeSlow(length);
    let filled = 0;
    while (filled < length) {
      const got = readSync(descriptor, bytes, filled, length - filled, at + filled);
      if (got === 0) break;
      filled += got;
    }
    return bytes.subarray(0, filled);
  } finally {
    closeSync(descriptor);
  }
}

function padded(length: number): number {
  return Math.ceil(length / 8) * 8;
}

/** 32 bits, a word at a time. The bytes start at a multiple of 4 in memory, and their length is one of 4. */
export function checksum(bytes: Buffer): number {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  let sum = 0x811c9dc5 ^ words.length;
  for (let i = 0; i < words.length; i++) {
    sum = Math.imul(sum ^ (words[i] as number), 0x01000193);
    sum ^= sum >>> 15;
  }
  return sum >>> 0;
}

/**
 * Appends rows to a file that has `known` bytes. False if another process has written to it since: then these rows are
 * not where this process believes, and nothing may refer to them.
 */
export function appendRows(file: string, known: number, parts: readonly Buffer[]): boolean {
  makeFolderSync(path.dirname(file));
  const bytes = Buffer.concat(parts);
  const descriptor = openSync(file, 'a', privateFileMode);
  try {
    if (fstatSync(descriptor).size !== known) return false;
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    return fstatSync(descriptor).size === known + bytes.length;
  } finally {
    closeSync(descriptor);
  }
}

/** Why the state cannot be kept, and what to do. */
export function stateProblem(error: unknown, file: string): UserError {
  const code = systemErrorCode(error);
  if (code === undefined) throw error;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new UserError(`the disk is full: ${file}`, 'make room and run it again');
  return new UserError(`${file} cannot be written (${code})`, 'set CLEW_HOME to a folder you may write to');
}
