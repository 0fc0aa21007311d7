// The roots → an index that is current. Only what changed is read: a file that grew from where it was left, a file that
// shrank or was replaced from its beginning, everything else not at all. Rows and the offset they end at are written in
// one transaction, so a kill costs at most the current batch, and two indexers at once do no harm.

import path from 'node:path';
import { systemErrorCode } from '../../base/errors/index.ts';
import { scanRecord } from '../../format/scan/index.ts';
import { rememberOwner } from '../../session/load/index.ts';
import { Loader, makeTranscript } from '../../session/transcript/index.ts';
import {
  bytesForProof,
  type DiskProblem,
  type FileProof,
  findNamedTranscripts,
  findTranscripts,
  ProjectListings,
  proofOfBytes,
  proveFile,
  readLineBatches,
  readWholeFile,
  type TranscriptFile,
  wholeFileBytes,
} from '../../store/index.ts';
import { type Database, insertValues, type SqlValue } from './database.ts';
import { forgetContents, forgetEmptySessions, forgetMissing } from './forgotten-files.ts';
import { IndexState, type KnownFile } from './index-state.ts';
import { type NewRows, readRows } from './row-reader.ts';
import { type FileRows, keepTimes, timeValue, writeRows } from './row-writer.ts';
import { type ReadSummaries, summaryOfTranscript } from './session-summaries.ts';

/** What an update of the index read and wrote. */
export interface IndexReport {
  /** Transcripts found below the roots. */
  readonly files: number;
  /** Transcripts that had new lines. */
  readonly filesRead: number;
  /** Transcripts in the index that no longer exist. */
  readonly filesGone: number;
  /** Bytes of transcripts read from the disk, including read-ahead and the checks that a file is the same. */
  readonly bytesRead: number;
  readonly rowsWritten: number;
  readonly problems: readonly DiskProblem[];
}

/** How much of an update is done. */
export interface IndexProgress {
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

export interface UpdateOptions {
  readonly roots: readonly string[];
  /** Look at these transcripts only, including deleted ones; no other file is listed or checked. */
  readonly files?: readonly string[];
  readonly onProgress?: (progress: IndexProgress) => void;
  /** Gets the summary of every main transcript that is read from its beginning, for `listSessions`. */
  readonly summaries?: ReadSummaries;
  /** How much is read for one transaction. */
  readonly batchBytes?: number;
}

const defaultBatchBytes = 64 * 1024 * 1024;
const batchFiles = 1024;

export function updateRows(database: Database, options: UpdateOptions): IndexReport {
  const { files: named, roots } = options;
  const { files, problems } = named === undefined ? findTranscripts(roots) : findNamedTranscripts(roots, named);
  const state = new IndexState(database, named);
  const filesGone = forgetMissing(database, files, state, roots);
  const report = {
    files: files.length,
    filesRead: 0,
    filesGone,
    bytesRead: 0,
    rowsWritten: 0,
    problems: [...problems],
  };
  readWork(database, state, planWork(files, state, report), report, options);
  return report;
}

function readWork(
  database: Database,
  state: IndexState,
  work: readonly WorkItem[],
  report: Counters,
  { onProgress, summaries, batchBytes = defaultBatchBytes }: Omit<UpdateOptions, 'roots' | 'files'>,
): void {
  const bytesTotal = work.reduce((sum, each) => sum + Math.max(0, each.file.size - each.offset), 0);
  let batch: Advance[] = [];
  let pending = 0;
  let bytesDone = 0;
  const flush = (): void => {
    if (batch.length > 0) report.rowsWritten += writeBatch(database, state, batch, report);
    batch = [];
    pending = 0;
    onProgress?.({ bytesDone, bytesTotal });
  };
  const listings = new ProjectListings();
  // A summary counts flat agents, and only their lines name their session: so they come first.
  const ordered = summaries === undefined ? work : work.toSorted((a, b) => Number(isFlat(b)) - Number(isFlat(a)));
  for (const item of ordered) {
    const { path: file } = item.file;
    const isWhole = item.offset === 0 && item.file.size <= Math.min(wholeFileBytes, batchBytes);
    const problemsBefore = report.problems.length;
    const bytes = isWhole ? tryRead(file, report, () => readWholeFile(file, reuseMemory)) : undefined;
    if (report.problems.length > problemsBefore) continue;
    report.bytesRead += bytes?.length ?? 0;
    const isSummarised = summaries !== undefined && item.offset === 0 && item.file.mainPath === file;
    const loader = isSummarised ? new Loader({ withoutMessages: true }) : undefined;
    const source = { path: file, sessionId: sessionIdOf(item.file), maxBytes: batchBytes, bytes, loader };
    let { offset, line } = item;
    for (;;) {
      const onRead = countInto(report);
      const rows = tryRead(file, report, () => readRows({ ...source, offset, line, onRead }));
      if (rows === undefined) break;
      const isDone = rows.offset >= item.file.size || rows.bytesRead < batchBytes;
      const proof = bytes === undefined ? undefined : proofOfBytes(bytes, rows.offset);
      batch.push({ ...item, fromOffset: offset, rows, isDone, proof });
      if (isFlat(item) && offset === 0 && rows.facts.sessionId !== undefined) rememberOwner(file, rows.facts.sessionId);
      if (isDone && loader !== undefined) {
        loader.finish();
        const transcript = makeTranscript(file, loader, bytes);
        const summary = tryRead(file, report, () => summaryOfTranscript(item.file, transcript, listings));
        if (summary !== undefined) summaries?.set(file, summary);
      }
      bytesDone += rows.bytesRead;
      pending += rows.bytesRead;
      if (pending >= batchBytes || batch.length >= batchFiles || !isDone) flush();
      offset = rows.offset;
      line = rows.line;
      if (isDone) break;
    }
    if (offset > item.offset) report.filesRead += 1;
  }
  if (batch.length > 0) flush();
}

function isFlat({ file }: WorkItem): boolean {
  return file.mainPath === undefined;
}

let memory = Buffer.alloc(0);

/** For one file after the other: fresh memory for each of thousands of files costs more than reading them. */
function reuseMemory(size: number): Buffer {
  if (memory.length < size) memory = Buffer.allocUnsafeSlow(Math.max(size, 1024 * 1024));
  return memory;
}

/** By its place; only its lines say which session a flat agent file belongs to. */
function sessionIdOf({ mainPath }: TranscriptFile): string | undefined {
  return mainPath === undefined ? undefined : path.basename(mainPath, '.jsonl');
}

interface WorkItem {
  readonly file: TranscriptFile;
  readonly known: KnownFile | undefined;
  /** Where to continue reading; 0 for a file that is new or was replaced. */
  readonly offset: number;
  readonly line: number;
}

interface Advance extends WorkItem {
  readonly fromOffset: number;
  readonly rows: NewRows;
  /** The file was read to its end. */
  readonly isDone: boolean;
  /** `undefined` if the file was too large to be in memory. */
  readonly proof: FileProof | undefined;
}

type Counters = { filesRead: number; bytesRead: number; rowsWritten: number; problems: DiskProblem[] };

function planWork(files: readonly TranscriptFile[], state: IndexState, report: Counters): WorkItem[] {
  const work: WorkItem[] = [];
  for (const file of files) {
    const before = state.files.get(file.path);
    if (before === undefined) work.push({ file, known: undefined, offset: 0, line: 0 });
    else if (hasChanged(file, before)) {
      const goesOn = file.ino === before.ino && file.dev === before.dev && file.size >= before.offset;
      const isSame = goesOn && isProved(file.path, before, state, report);
      work.push({ file, known: before, offset: isSame ? before.offset : 0, line: isSame ? before.line : 0 });
    }
  }
  return work;
}

function hasChanged(file: TranscriptFile, before: KnownFile): boolean {
  const { size, mtimeMs, ino, dev } = file;
  return size !== before.size || mtimeMs !== before.mtimeMs || ino !== before.ino || dev !== before.dev;
}

function isProved(file: string, before: KnownFile, state: IndexState, report: Counters): boolean {
  try {
    const { headHash, tailHash } = proveFile(file, before.offset);
    report.bytesRead += bytesForProof(before.offset);
    const proof = state.proofOf(before.id);
    return headHash === proof.headHash && tailHash === proof.tailHash;
  } catch {
    return true; // unreadable now: reading on will say so
  }
}

/** `undefined` after a failure, which is then among the problems. */
function tryRead<T>(file: string, report: Counters, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'EIO';
    report.problems.push({ path: file, code });
    return undefined;
  }
}

function countInto(report: Counters): (bytes: number) => void {
  return (bytes) => {
    report.bytesRead += bytes;
  };
}

function writeBatch(database: Database, state: IndexState, batch: readonly Advance[], report: Counters): number {
  // Outside the transaction: it may read the files again, and another process may be waiting to write.
  const proved = batch.flatMap((advance) => proveAdvance(advance, report));
  return database.transaction(() => {
    state.refresh();
    const saved: SqlValue[] = [];
    const written: FileRows[] = [];
    // A flat agent file may now be one of another session.
    let haveLeft = false;
    for (const advance of proved) {
      const { file, rows, fromOffset, proof } = advance;
      const now = state.files.get(file.path);
      const startsAnew = fromOffset === 0;
      // Another indexer has written the same lines first.
      if (startsAnew ? now !== undefined && advance.known === undefined : now?.offset !== fromOffset) continue;
      if (startsAnew && now !== undefined) forgetContents(database, file.path, now);
      const session = state.sessionOf(file.mainPath ?? mainOfFlatAgent(file, rows, report), file.slug, file.root);
      const known = knownAs(now?.id ?? state.newFileId(), session.id, advance);
      if (now !== undefined && now.session !== known.session) haveLeft = true;
      state.files.set(file.path, known);
      saved.push(...fileValues(advance, known, proof));
      written.push({
        id: known.id,
        session,
        isAgent: file.agentId !== undefined,
        isNew: startsAnew,
        rows,
      });
    }
    insertValues(database, saveFiles, 14, saved, keepFiles);
    const rows = writeRows(database, written);
    if (haveLeft) forgetEmptySessions(database);
    return written.length + rows;
  });
}

/** Nothing where the file has vanished since it was read: the next update will not find it either. */
function proveAdvance(advance: Advance, report: Counters): readonly (Advance & { readonly proof: FileProof })[] {
  const { path: file } = advance.file;
  if (advance.proof !== undefined) return [{ ...advance, proof: advance.proof }];
  try {
    const proof = proveFile(file, advance.rows.offset);
    report.bytesRead += bytesForProof(advance.rows.offset);
    return [{ ...advance, proof }];
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT') report.problems.push({ path: file, code });
    return [];
  }
}

function knownAs(id: number, session: number, { file, rows, isDone }: Advance): KnownFile {
  // A batch that ends before the file does must be continued, so the stored size is the offset that it reached.
  const { dev, ino } = file;
  const [size, mtimeMs] = isDone ? [file.size, file.mtimeMs] : [rows.offset, 0];
  const isMain = file.agentId === undefined;
  return { id, session, isMain, dev, ino, size, mtimeMs, offset: rows.offset, line: rows.line };
}

const saveFiles = `INSERT INTO files (id, path, session, agent_id, dev, ino, size, mtime_ms, offset, line, head_hash, tail_hash,
     started_at, ended_at)`;
const keepFiles = `ON CONFLICT (path) DO UPDATE SET session = excluded.session, dev = excluded.dev, ino = excluded.ino,
  size = excluded.size, mtime_ms = excluded.mtime_ms, offset = excluded.offset, line = excluded.line,
  head_hash = excluded.head_hash, tail_hash = excluded.tail_hash, ${keepTimes('files')}`;

function fileValues({ file, rows }: Advance, known: KnownFile, { headHash, tailHash }: FileProof): SqlValue[] {
  const { id, session, dev, ino, size, mtimeMs, offset, line } = known;
  const place = [id, file.path, session, file.agentId ?? null, dev, ino, size, mtimeMs, offset, line];
  return [...place, headHash, tailHash, timeValue(rows.facts.startedAt), timeValue(rows.facts.endedAt)];
}

/** A flat agent file is next to the transcript of the session that its lines name. */
function mainOfFlatAgent(file: TranscriptFile, rows: NewRows, report: Counters): string {
  const sessionId = rows.facts.sessionId ?? firstSessionId(file.path, report);
  return sessionId === undefined ? file.path : path.join(path.dirname(file.path), `${sessionId}.jsonl`);
}

function firstSessionId(file: string, report: Counters): string | undefined {
  for (const batch of readLineBatches(file, { chunkBytes: 64 * 1024, onRead: countInto(report) })) {
    for (const line of batch) {
      const sessionId = scanRecord(line.bytes)?.sessionId;
      if (sessionId !== undefined) return sessionId;
    }
  }
  return undefined;
}
