// Roots → the records that are appended to their transcripts, as they are written. A line without its newline is waited
// for; in a file that was cut or replaced, only what is newer than what it had is new.
import { closeSync, readSync, statSync } from 'node:fs';
import { type Inode, openRegularFile, readInode } from '../../base/files/index.ts';
import { isObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import { parseLine } from '../../format/line/index.ts';
import { type Head, scanRecord } from '../../format/scan/index.ts';
import {
  type FileProof,
  findTranscripts,
  projectsFolders,
  proveFile,
  readLineBatches,
  type TranscriptPlace,
  transcriptPlace,
} from '../../store/index.ts';

import { type WatchOptions, watchLibrary } from './watch.ts';

/** A record that was just written to a transcript. */
export interface NewRecord {
  readonly place: TranscriptPlace;
  readonly head: Head;
  readonly entry: JsonObject;
  readonly offset: number;
  readonly length: number;
}

/** Options of `followRecords`. */
export interface FollowOptions {
  readonly roots: readonly string[];
  readonly signal: AbortSignal;
  /** Begin with records written since then, instead of only with new ones. */
  readonly sinceMs?: number;
  readonly wants?: (place: TranscriptPlace) => boolean;
  /** Each batch is in the order of its times. */
  readonly onRecords: (records: readonly NewRecord[]) => void;
  readonly onProblem?: (path: string, error: unknown) => void;
  /** @internal */
  readonly watch?: WatchOptions;
}

/**
 * Calls back with new records of all sessions as they are written, until the signal; returns how many transcripts it
 * follows.
 */
export function followRecords(options: FollowOptions): number {
  const { roots, signal, wants = () => true, onRecords, onProblem = () => {} } = options;
  const reader = new NewRecordReader(Date.now());
  const readAll = (places: readonly TranscriptPlace[]): void => {
    const records: NewRecord[] = [];
    for (const place of places) {
      try {
        for (const record of reader.read(place)) records.push(record);
      } catch (error) {
        onProblem(place.path, error);
      }
    }
    if (records.length > 0) onRecords(records.sort(byTime));
  };
  const changed = (paths: readonly string[]): void => {
    const folders = projectsFolders(roots);
    readAll(paths.flatMap((path) => transcriptPlace(path, folders) ?? []).filter(wants));
  };
  // Watched before it is listed: lines written in between are read from the end that the list has for the file.
  watchLibrary(roots, changed, signal, options.watch);
  const { sinceMs = Number.POSITIVE_INFINITY } = options;
  const files = findTranscripts(roots).files.filter(wants);
  const recent = files.filter((file) => file.mtimeMs >= sinceMs);
  for (const file of files) reader.know(file, file.size, Number.NEGATIVE_INFINITY);
  for (const file of recent) reader.know(file, 0, sinceMs);
  readAll(recent);
  return files.length;
}

/** Records without a time stay after the one before them. */
function byTime(a: NewRecord, b: NewRecord): number {
  if (a.place.path === b.place.path) return a.offset - b.offset;
  return a.head.time - b.head.time || 0;
}

interface Position {
  readonly dev: number;
  readonly ino: Inode;
  /** Everything before it was read, or written before the start; not always the end of a line. */
  readonly offset: number;
  /** Of the bytes before the offset, where they were read. */
  readonly proof: FileProof | undefined;
  /** Records that are older are not new. */
  readonly sinceMs: number;
}

class NewRecordReader {
  readonly #positions = new Map<string, Position>();
  /** The latest time in each file, needed if the file is replaced. */
  readonly #latest = new Map<string, number>();
  readonly #startedAt: number;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  know({ path, dev, ino }: { path: string; dev: number; ino: Inode }, offset: number, sinceMs: number): void {
    this.#positions.set(path, { dev, ino, offset, proof: undefined, sinceMs });
  }

  *read(place: TranscriptPlace): Generator<NewRecord> {
    const { path } = place;
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile()) {
      this.#positions.delete(path);
      return;
    }
    const { dev, size } = stats;
    const ino = readInode(path, stats);
    const start = this.#start(path, { dev, ino, size });
    let { offset, sinceMs } = start;
    reading: for (const batch of readLineBatches(path, { from: { offset, number: 1 } })) {
      for (const line of batch) {
        if (!line.terminated) break reading;
        offset = line.offset + line.length + 1;
        for (const record of recordsOf(place, line.bytes, line.offset)) {
          const { time } = record.head;
          if (time > this.#latestOf(path)) this.#latest.set(path, time);
          if (time < sinceMs) continue;
          yield record;
          // After the first new record all are new, whatever the clock says.
          if (!Number.isNaN(time)) sinceMs = Number.NEGATIVE_INFINITY;
        }
      }
    }
    this.#positions.set(path, { dev, ino, offset, proof: proveFile(path, offset), sinceMs });
  }

  /** Where to continue reading, and from which time on a record counts as new. */
  #start(path: string, now: { dev: number; ino: Inode; size: number }): { offset: number; sinceMs: number } {
    const before = this.#positions.get(path);
    if (before === undefined && !this.#latest.has(path)) return { offset: 0, sinceMs: Number.NEGATIVE_INFINITY };
    const goesOn = before?.ino === now.ino && before.dev === now.dev && now.size >= before.offset;
    if (!goesOn || !isProved(path, before)) return { offset: 0, sinceMs: this.#latestOf(path) + 1 };
    const offset = before.proof === undefined ? lineStart(path, before.offset) : before.offset;
    return { offset, sinceMs: before.sinceMs };
  }

  #latestOf(path: string): number {
    return this.#latest.get(path) ?? this.#startedAt;
  }
}

function isProved(path: string, { offset, proof }: Position): boolean {
  if (proof === undefined) return true;
  const { headHash, tailHash } = proveFile(path, offset);
  return headHash === proof.headHash && tailHash === proof.tailHash;
}

const stepBytes = 64 * 1024;

/** Where the line begins that `offset` is in: a file may end in a line that is still being written. */
function lineStart(path: string, offset: number): number {
  const file = openRegularFile(path);
  try {
    const buffer = Buffer.alloc(stepBytes);
    for (let end = offset; end > 0; end -= stepBytes) {
      const start = Math.max(0, end - stepBytes);
      const length = readSync(file, buffer, 0, end - start, start);
      const at = buffer.subarray(0, length).lastIndexOf(0x0a);
      if (at >= 0) return start + at + 1;
    }
    return 0;
  } finally {
    closeSync(file);
  }
}

/** The records of a line; of a damaged line, those that can be read. */
export function* recordsOf(place: TranscriptPlace, bytes: Buffer, offset: number): Generator<NewRecord> {
  const head = scanRecord(bytes);
  const entry = head === undefined ? undefined : parseJson(bytes.toString('utf8'));
  if (head !== undefined && isObject(entry)) {
    yield { place, head, entry, offset, length: bytes.length };
    return;
  }
  for (const piece of parseLine(bytes).pieces) {
    const recovered = piece.entry === undefined ? undefined : scanRecord(piece.bytes);
    if (recovered !== undefined && isObject(piece.entry)) {
      yield { place, head: recovered, entry: piece.entry, offset, length: piece.bytes.length };
    }
  }
}
