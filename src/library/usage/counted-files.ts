// A transcript with what was counted in it, in memory; from and to the state on the disk.
import path from 'node:path';
import type { FileProof, TranscriptFile, TranscriptPlace } from '../../store/index.ts';
import { PackedRows, type ScannedRows } from '../rows/index.ts';
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
  readonly parts: readonly RowPart[];
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
    parts: [...(before?.parts ?? []), ...scanned.parts.map(newPart)],
    isShared: before?.isShared ?? false,
    cells: new Float64Array(0),
    contextTokens: Number.NaN,
    contextModel: 0,
  };
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
  const { header, files } = state;
  const proofs = state.proofs.split('\0');
  const counted: CountedFile[] = [];
  let cellAt = 0;
  let partAt = 0;
  for (const [i, file] of pathsOf(state).entries()) {
    const at = i * fileWidth;
    const number = (field: number): number => files[at + field] as number;
    const cells = state.cells.subarray(cellAt, cellAt + number(fileFields.cells) * cellWidth);
    const parts = state.parts.subarray(partAt, partAt + number(fileFields.parts) * partWidth);
    cellAt += cells.length;
    partAt += parts.length;
    const place = placeOf(file);
    if (place === undefined) continue;
    const { dev, ino, size, mtimeMs, bornMs } = fileFields;
    const born = number(bornMs);
    counted.push({
      found: {
        path: file,
        mainPath: place.mainPath,
        agentId: place.agentId,
        slug: place.slug,
        root: place.root,
        dev: number(dev),
        ino: number(ino),
        size: number(size),
        mtimeMs: number(mtimeMs),
        bornMs: Number.isNaN(born) ? null : born,
      },
      offset: number(fileFields.offset),
      line: number(fileFields.line),
      proof: { headHash: proofs[i * 2] ?? '', tailHash: proofs[i * 2 + 1] ?? '' },
      main: place.mainPath ?? header.mains[file] ?? file,
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
      isShared: number(fileFields.isShared) === 1,
      cells,
      contextTokens: number(fileFields.contextTokens),
      contextModel: number(fileFields.contextModel),
    });
  }
  return counted;
}

function pathsOf({ paths }: UsageState): readonly string[] {
  return paths === '' ? [] : paths.slice(0, -1).split('\0');
}

export type StateNames = Omit<UsageHeader, 'cwds' | 'origins' | 'mains'>;

export function stateOf(counted: readonly CountedFile[], names: StateNames): UsageState {
  const cwds = new Map<string, number>();
  const origins: Record<string, readonly string[]> = {};
  const mains: Record<string, string> = {};
  const files = new Float64Array(counted.length * fileWidth);
  const cells = new Float64Array(counted.reduce((sum, file) => sum + file.cells.length, 0));
  const parts: number[] = [];
  let proofs = '';
  let cellAt = 0;
  for (const [i, file] of counted.entries()) {
    const { found } = file;
    const at = i * fileWidth;
    files[at + fileFields.dev] = found.dev;
    files[at + fileFields.ino] = found.ino;
    files[at + fileFields.size] = found.size;
    files[at + fileFields.mtimeMs] = found.mtimeMs;
    files[at + fileFields.bornMs] = found.bornMs ?? Number.NaN;
    files[at + fileFields.firstAt] = file.firstAt;
    files[at + fileFields.startedAt] = file.startedAt;
    files[at + fileFields.endedAt] = file.endedAt;
    files[at + fileFields.offset] = file.offset;
    files[at + fileFields.line] = file.line;
    files[at + fileFields.cwd] = file.cwd === undefined ? -1 : numberIn(cwds, file.cwd);
    files[at + fileFields.isShared] = Number(file.isShared);
    files[at + fileFields.parts] = file.parts.length;
    files[at + fileFields.cells] = file.cells.length / cellWidth;
    files[at + fileFields.contextTokens] = file.contextTokens;
    files[at + fileFields.contextModel] = file.contextModel;
    cells.set(file.cells, cellAt);
    cellAt += file.cells.length;
    for (const part of file.parts) parts.push(part.at, part.length, part.sum);
    proofs += `${file.proof.headHash}\0${file.proof.tailHash}\0`;
    if (file.origins.length > 0) origins[found.path] = file.origins;
    if (found.mainPath === undefined) mains[found.path] = file.main;
  }
  return {
    header: { ...names, cwds: [...cwds.keys()], origins, mains },
    paths: joinPaths(counted.map(({ found }) => found)),
    proofs,
    files,
    cells,
    parts: Float64Array.from(parts),
  };
}

function numberIn(known: Map<string, number>, text: string): number {
  const number = known.get(text) ?? known.size;
  known.set(text, number);
  return number;
}
