// A transcript with what was counted in it, in memory; from and to the state on the disk.
import path from 'node:path';
import type { FileProof, TranscriptFile, TranscriptPlace } from '../../store/index.ts';
import { keysOf, PackedRows, type ScannedRows } from '../rows/index.ts';
import { joinPaths, type SummedFile } from './current-usage.ts';
import {
  cellWidth,
  checksum,
  fileFields,
  fileWidth,
  partWidth,
  type UsageHeader,
  type UsageState,
} from './state-file.ts';

/** `found` is the transcript as it was when it was read. */
export interface CountedFile extends SummedFile {
  /** How far it was read. */
  readonly offset: number;
  readonly line: number;
  readonly proof: FileProof;
  /** `NaN` if no line has a time. */
  readonly firstAt: number;
  readonly endedAt: number;
  readonly origins: readonly string[];
  parts: readonly RowPart[];
  /** Of its rows. */
  readonly keys: Uint32Array;
  /** Another file has one of its messages, or it has one twice. */
  isShared: boolean;
  cells: Float64Array;
  contextTokens: number;
  contextModel: number;
}

/** Packed rows: on the disk, or new. */
export interface RowPart {
  /** Where they are in the file of rows; -1 if they are not there yet. */
  at: number;
  readonly length: number;
  readonly sum: number;
  rows?: PackedRows;
}

/** A file of which new lines were read, after `before`. */
export function countedFile(found: TranscriptFile, scanned: ScannedRows, before: CountedFile | undefined): CountedFile {
  const { facts, offset, line, proof } = scanned;
  const parts = scanned.parts.map(newPart);
  const earliest = minOf(before?.startedAt, facts.startedAt);
  const latest = maxOf(before?.endedAt, facts.endedAt);
  const firstAt = before === undefined || Number.isNaN(before.firstAt) ? facts.firstAt : before.firstAt;
  return {
    found,
    offset,
    line,
    proof,
    main: mainOf(found, before, facts.sessionId),
    cwd: before?.cwd ?? facts.cwd,
    firstAt,
    startedAt: earliest,
    endedAt: latest,
    origins: [...new Set([...(before?.origins ?? []), ...facts.origins])],
    parts: [...(before?.parts ?? []), ...parts],
    keys: joined(before?.keys ?? noKeys, keysOf(parts.map(({ rows }) => rows as PackedRows))), // new parts have rows
    isShared: before?.isShared ?? false,
    cells: new Float64Array(0),
    contextTokens: Number.NaN,
    contextModel: 0,
  };
}

const noKeys = new Uint32Array(0);

function joined(a: Uint32Array, b: Uint32Array): Uint32Array {
  if (a.length === 0) return b;
  const both = new Uint32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

export function newPart(bytes: Buffer): RowPart {
  return { at: -1, length: bytes.length, sum: checksum(bytes), rows: new PackedRows(bytes) };
}

/** A flat agent file is next to the transcript of the session that its lines name. */
function mainOf(found: TranscriptFile, before: CountedFile | undefined, sessionId: string | undefined): string {
  if (found.mainPath !== undefined) return found.mainPath;
  if (before !== undefined && before.main !== found.path) return before.main;
  return sessionId === undefined ? found.path : path.join(path.dirname(found.path), `${sessionId}.jsonl`);
}

function minOf(a = Number.NaN, b = Number.NaN): number {
  if (!Number.isFinite(a)) return Number.isFinite(b) ? b : Number.NaN;
  return Number.isFinite(b) ? Math.min(a, b) : a;
}

function maxOf(a = Number.NaN, b = Number.NaN): number {
  if (!Number.isFinite(a)) return Number.isFinite(b) ? b : Number.NaN;
  return Number.isFinite(b) ? Math.max(a, b) : a;
}

/** All files of a state. `placeOf` says what a path means; files that it does not know are left out. */
export function countedFiles(state: UsageState, placeOf: (path: string) => TranscriptPlace | undefined): CountedFile[] {
  const proofs = state.proofs.split('\0');
  const counted: CountedFile[] = [];
  const at = { cells: 0, parts: 0, keys: 0 };
  for (const [i, file] of pathsOf(state).entries()) {
    const place = placeOf(file);
    if (place !== undefined) counted.push(countedFileAt(state, i, at, place, proofs));
    advance(at, state, i);
  }
  return counted;
}

/** Where the numbers of a file begin. */
export interface Offsets {
  cells: number;
  parts: number;
  keys: number;
}

/** From the file `i` to the next one. */
export function advance(at: Offsets, { files }: UsageState, i: number): void {
  at.cells += (files[i * fileWidth + fileFields.cells] as number) * cellWidth;
  at.parts += (files[i * fileWidth + fileFields.parts] as number) * partWidth;
  at.keys += (files[i * fileWidth + fileFields.rows] as number) * 2;
}

export function countedFileAt(
  { header, files, ...state }: UsageState,
  i: number,
  offsets: Offsets,
  { path: file, mainPath, agentId, slug, root }: TranscriptPlace,
  proofs: readonly string[],
): CountedFile {
  const number = (field: number): number => files[i * fileWidth + field] as number;
  const parts = state.parts.subarray(offsets.parts, offsets.parts + number(fileFields.parts) * partWidth);
  const { dev, ino, size, mtimeMs, bornMs } = fileFields;
  const born = number(bornMs);
  return {
    found: {
      ...{ path: file, mainPath, agentId, slug, root },
      dev: number(dev),
      ino: header.inodes?.[file] ?? number(ino),
      size: number(size),
      mtimeMs: number(mtimeMs),
      bornMs: Number.isNaN(born) ? null : born,
    },
    offset: number(fileFields.offset),
    line: number(fileFields.line),
    proof: { headHash: proofs[i * 2] ?? '', tailHash: proofs[i * 2 + 1] ?? '' },
    main: mainPath ?? header.mains[file] ?? file,
    cwd: header.cwds[number(fileFields.cwd)],
    firstAt: number(fileFields.firstAt),
    startedAt: number(fileFields.startedAt),
    endedAt: number(fileFields.endedAt),
    origins: header.origins[file] ?? [],
    parts: Array.from({ length: parts.length / partWidth }, (_, part) => ({
      at: parts[part * partWidth] as number,
      length: parts[part * partWidth + 1] as number,
      sum: parts[part * partWidth + 2] as number,
    })),
    keys: state.keys.subarray(offsets.keys, offsets.keys + number(fileFields.rows) * 2),
    isShared: number(fileFields.isShared) === 1,
    cells: state.cells.subarray(offsets.cells, offsets.cells + number(fileFields.cells) * cellWidth),
    contextTokens: number(fileFields.contextTokens),
    contextModel: number(fileFields.contextModel),
  };
}

function pathsOf({ paths }: UsageState): readonly string[] {
  return paths === '' ? [] : paths.slice(0, -1).split('\0');
}

export type StateNames = Omit<UsageHeader, 'cwds' | 'origins' | 'mains' | 'inodes'>;

export function stateOf(counted: readonly CountedFile[], names: StateNames): UsageState {
  const cwds = new Map<string, number>();
  const origins: Record<string, readonly string[]> = {};
  const mains: Record<string, string> = {};
  const inodes: Record<string, string> = {};
  const files = new Float64Array(counted.length * fileWidth);
  const cells = new Float64Array(counted.reduce((sum, file) => sum + file.cells.length, 0));
  const keys = new Uint32Array(counted.reduce((sum, file) => sum + file.keys.length, 0));
  const parts: number[] = [];
  let proofs = '';
  let cellAt = 0;
  let keyAt = 0;
  for (const [i, file] of counted.entries()) {
    const { found } = file;
    setNumbers(files, i, file, file.cwd === undefined ? -1 : numberIn(cwds, file.cwd));
    keys.set(file.keys, keyAt);
    keyAt += file.keys.length;
    cells.set(file.cells, cellAt);
    cellAt += file.cells.length;
    for (const part of file.parts) parts.push(part.at, part.length, part.sum);
    proofs += `${file.proof.headHash}\0${file.proof.tailHash}\0`;
    if (file.origins.length > 0) origins[found.path] = file.origins;
    if (found.mainPath === undefined) mains[found.path] = file.main;
    if (typeof found.ino === 'string') inodes[found.path] = found.ino;
  }
  return {
    header: { ...names, cwds: [...cwds.keys()], origins, mains, inodes },
    paths: joinPaths(counted.map(({ found }) => found)),
    proofs,
    files,
    cells,
    parts: Float64Array.from(parts),
    keys,
  };
}

function setNumbers(files: Float64Array, i: number, file: CountedFile, cwd: number): void {
  const { found } = file;
  const at = i * fileWidth;
  files[at + fileFields.dev] = found.dev;
  files[at + fileFields.ino] = Number(found.ino);
  files[at + fileFields.size] = found.size;
  files[at + fileFields.mtimeMs] = found.mtimeMs;
  files[at + fileFields.bornMs] = found.bornMs ?? Number.NaN;
  files[at + fileFields.firstAt] = file.firstAt;
  files[at + fileFields.startedAt] = file.startedAt;
  files[at + fileFields.endedAt] = file.endedAt;
  files[at + fileFields.offset] = file.offset;
  files[at + fileFields.line] = file.line;
  files[at + fileFields.cwd] = cwd;
  files[at + fileFields.isShared] = Number(file.isShared);
  files[at + fileFields.parts] = file.parts.length;
  files[at + fileFields.cells] = file.cells.length / cellWidth;
  files[at + fileFields.contextTokens] = file.contextTokens;
  files[at + fileFields.contextModel] = file.contextModel;
  files[at + fileFields.rows] = file.keys.length / 2;
}

/** The state with the file `i` as it is now; `at` is where its numbers begin. */
export function withFile(state: UsageState, i: number, at: Offsets, file: CountedFile, names: StateNames): UsageState {
  const next = { ...at };
  advance(next, state, i);
  const { header } = state;
  const proofs = state.proofs.split('\0');
  proofs.splice(i * 2, 2, file.proof.headHash, file.proof.tailHash);
  const cwds = [...header.cwds];
  const cwd = file.cwd === undefined ? -1 : cwds.indexOf(file.cwd);
  const files = state.files.slice();
  setNumbers(files, i, file, file.cwd !== undefined && cwd === -1 ? cwds.push(file.cwd) - 1 : cwd);
  const parts = Float64Array.from(file.parts.flatMap((part) => [part.at, part.length, part.sum]));
  const { path } = file.found;
  return {
    header: {
      ...names,
      cwds,
      origins: file.origins.length === 0 ? header.origins : { ...header.origins, [path]: file.origins },
      mains: file.found.mainPath !== undefined ? header.mains : { ...header.mains, [path]: file.main },
    },
    paths: state.paths,
    proofs: proofs.join('\0'),
    files,
    cells: spliced(state.cells, at.cells, next.cells, file.cells),
    parts: spliced(state.parts, at.parts, next.parts, parts),
    keys: spliced(state.keys, at.keys, next.keys, file.keys),
  };
}

function spliced<T extends Float64Array | Uint32Array>(all: T, from: number, to: number, own: T): T {
  const Numbers = all.constructor as new (length: number) => T;
  const result = new Numbers(all.length - (to - from) + own.length);
  result.set(all.subarray(0, from));
  result.set(own, from);
  result.set(all.subarray(to), from + own.length);
  return result;
}

function numberIn(known: Map<string, number>, text: string): number {
  const number = known.get(text) ?? known.size;
  known.set(text, number);
  return number;
}
