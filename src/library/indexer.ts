// The roots → an index that is current. Only what changed is read: a file that grew from where it was left, a file that
// shrank or was replaced from its beginning, everything else not at all. Rows and the offset they end at are written in
// one transaction, so a kill costs at most the current batch, and two indexers at once do no harm.

import path from 'node:path';
import { scanRecord } from '../format/scan.ts';
import type { DiskProblem } from '../store/folders.ts';
import { readLines } from '../store/lines.ts';
import type { Database, Row } from './database.ts';
import { bytesForProof, type FileProof, proveFile } from './file-proof.ts';
import { type NewRows, readRows } from './row-reader.ts';
import { writeRows } from './row-writer.ts';
import { forgetDocuments } from './text-schema.ts';
import { findTranscripts, type TranscriptFile } from './transcript-files.ts';

export interface IndexReport {
  /** Transcripts found below the roots. */
  readonly files: number;
  /** Transcripts of which anything was read. */
  readonly filesRead: number;
  /** Bytes of transcripts read, proofs included. */
  readonly bytesRead: number;
  readonly rowsWritten: number;
  readonly problems: readonly DiskProblem[];
}

export interface IndexProgress {
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

export interface UpdateOptions {
  readonly roots: readonly string[];
  readonly onProgress?: (progress: IndexProgress) => void;
}

const batchBytes = 16 * 1024 * 1024;
const batchFiles = 256;

export function updateRows(database: Database, options: UpdateOptions): IndexReport {
  const { files, problems } = findTranscripts(options.roots);
  const known = knownFiles(database);
  const report = { files: files.length, filesRead: 0, bytesRead: 0, rowsWritten: 0, problems: [...problems] };
  const work = planWork(files, known, report);
  forgetMissing(database, files, known, options.roots);
  const bytesTotal = work.reduce((sum, each) => sum + Math.max(0, each.file.size - each.offset), 0);
  let batch: Advance[] = [];
  let pending = 0;
  let bytesDone = 0;
  const flush = (): void => {
    if (batch.length > 0) report.rowsWritten += writeBatch(database, batch);
    batch = [];
    pending = 0;
    options.onProgress?.({ bytesDone, bytesTotal });
  };
  for (const item of work) {
    let { offset, line } = item;
    for (;;) {
      const rows = tryRead(item.file, offset, line, report);
      if (rows === undefined) break;
      batch.push({ ...item, fromOffset: offset, isFirst: offset === item.offset, rows });
      bytesDone += rows.bytesRead;
      pending += rows.bytesRead;
      const isDone = rows.bytesRead === 0 || rows.offset >= item.file.size || rows.bytesRead < batchBytes;
      if (pending >= batchBytes || batch.length >= batchFiles || !isDone) flush();
      if (isDone) break;
      offset = rows.offset;
      line = rows.line;
    }
  }
  flush();
  return report;
}

interface KnownFile {
  readonly id: number;
  readonly session: number;
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly offset: number;
  readonly line: number;
  readonly proof: FileProof;
}

function knownFiles(database: Database): ReadonlyMap<string, KnownFile> {
  const rows = database.prepare('SELECT * FROM files').all();
  return new Map(rows.map((row) => [String(row.path), knownFile(row)]));
}

function knownFile(row: Row): KnownFile {
  return {
    id: Number(row.id),
    session: Number(row.session),
    dev: Number(row.dev),
    ino: Number(row.ino),
    size: Number(row.size),
    mtimeMs: Number(row.mtime_ms),
    offset: Number(row.offset),
    line: Number(row.line),
    proof: { headHash: String(row.head_hash), tailHash: String(row.tail_hash) },
  };
}

interface WorkItem {
  readonly file: TranscriptFile;
  readonly known: KnownFile | undefined;
  /** Where to read on; 0 for a file that is new, or no longer the one that was read. */
  readonly offset: number;
  readonly line: number;
}

interface Advance extends WorkItem {
  readonly fromOffset: number;
  readonly isFirst: boolean;
  readonly rows: NewRows;
}

type Counters = { filesRead: number; bytesRead: number; rowsWritten: number; problems: DiskProblem[] };

function planWork(
  files: readonly TranscriptFile[],
  known: ReadonlyMap<string, KnownFile>,
  report: Counters,
): WorkItem[] {
  const work: WorkItem[] = [];
  for (const file of files) {
    const before = known.get(file.path);
    if (before === undefined) work.push({ file, known: undefined, offset: 0, line: 0 });
    else if (hasChanged(file, before)) {
      const goesOn = file.ino === before.ino && file.dev === before.dev && file.size >= before.offset;
      const isSame = goesOn && isProved(file.path, before, report);
      work.push({ file, known: before, offset: isSame ? before.offset : 0, line: isSame ? before.line : 0 });
    }
  }
  return work;
}

function hasChanged(file: TranscriptFile, before: KnownFile): boolean {
  const { size, mtimeMs, ino, dev } = file;
  return size !== before.size || mtimeMs !== before.mtimeMs || ino !== before.ino || dev !== before.dev;
}

function isProved(file: string, before: KnownFile, report: Counters): boolean {
  try {
    const { headHash, tailHash } = proveFile(file, before.offset);
    report.bytesRead += bytesForProof(before.offset);
    return headHash === before.proof.headHash && tailHash === before.proof.tailHash;
  } catch {
    return true; // unreadable now: reading on will say so
  }
}

function tryRead(file: TranscriptFile, offset: number, line: number, report: Counters): NewRows | undefined {
  try {
    const rows = readRows({ path: file.path, offset, line, maxBytes: batchBytes });
    if (rows.bytesRead > 0) report.filesRead += 1;
    report.bytesRead += rows.bytesRead;
    return rows;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'EIO';
    report.problems.push({ path: file.path, code });
    return undefined;
  }
}

function writeBatch(database: Database, batch: readonly Advance[]): number {
  // Outside the transaction: it reads the files again, and another process may be waiting to write.
  const proofs = batch.map(({ file, rows }) => proveFile(file.path, rows.offset));
  return database.transaction(() => {
    let written = 0;
    for (const [i, advance] of batch.entries()) written += writeAdvance(database, advance, proofs[i] as FileProof);
    return written;
  });
}

function writeAdvance(database: Database, advance: Advance, proof: FileProof): number {
  const { file, rows, fromOffset } = advance;
  const now = database.prepare('SELECT id, session, offset FROM files WHERE path = ?').get(file.path);
  const startsAnew = fromOffset === 0;
  // Another indexer was here first; what it read is what we read.
  if (startsAnew ? now !== undefined && advance.known === undefined : Number(now?.offset) !== fromOffset) return 0;
  if (startsAnew && now !== undefined)
    forgetFile(database, Number(now.id), Number(now.session), file.agentId === undefined);
  const session = sessionFor(database, file, rows);
  const id = saveFile(database, file, session, rows, proof);
  const isAgent = file.agentId !== undefined;
  return 1 + writeRows(database, { id, session, path: file.path, isAgent, isNew: startsAnew }, rows);
}

/** The session a file belongs to, made where it is not known yet. */
function sessionFor(database: Database, file: TranscriptFile, rows: NewRows): number {
  const main = file.mainPath ?? mainOfFlatAgent(file, rows);
  const found = database.prepare('SELECT id FROM sessions WHERE path = ?').get(main);
  if (found !== undefined) return Number(found.id);
  database
    .prepare('INSERT INTO sessions (path, session_id, slug, root) VALUES (?, ?, ?, ?)')
    .run(main, path.basename(main, '.jsonl'), file.slug, file.root);
  return Number(database.prepare('SELECT id FROM sessions WHERE path = ?').get(main)?.id);
}

/** A flat agent file stands beside the transcript of the session that its lines name. */
function mainOfFlatAgent(file: TranscriptFile, rows: NewRows): string {
  const sessionId = rows.facts.sessionId ?? firstSessionId(file.path);
  return sessionId === undefined ? file.path : path.join(path.dirname(file.path), `${sessionId}.jsonl`);
}

function firstSessionId(file: string): string | undefined {
  for (const batch of readLines(file, { chunkBytes: 64 * 1024 })) {
    for (const line of batch) {
      const sessionId = scanRecord(line.bytes)?.sessionId;
      if (sessionId !== undefined) return sessionId;
    }
  }
  return undefined;
}

function saveFile(database: Database, file: TranscriptFile, session: number, rows: NewRows, proof: FileProof): number {
  // A batch that ends before the file does must be taken up again, so the size noted is what was reached.
  const isWhole = rows.offset >= file.size || rows.bytesRead < batchBytes;
  database
    .prepare(
      `INSERT INTO files (path, session, agent_id, dev, ino, size, mtime_ms, offset, line, head_hash, tail_hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (path) DO UPDATE SET session = excluded.session, dev = excluded.dev, ino = excluded.ino,
         size = excluded.size, mtime_ms = excluded.mtime_ms, offset = excluded.offset, line = excluded.line,
         head_hash = excluded.head_hash, tail_hash = excluded.tail_hash`,
    )
    .run(
      file.path,
      session,
      file.agentId ?? null,
      file.dev,
      file.ino,
      isWhole ? file.size : rows.offset,
      isWhole ? file.mtimeMs : 0,
      rows.offset,
      rows.line,
      proof.headHash,
      proof.tailHash,
    );
  return Number(database.prepare('SELECT id FROM files WHERE path = ?').get(file.path)?.id);
}

/** Takes everything that came from a file out of the index. */
function forgetFile(database: Database, id: number, session: number, isMain: boolean): void {
  for (const table of ['messages', 'prompts', 'tool_calls'])
    database.prepare(`DELETE FROM ${table} WHERE file = ?`).run(id);
  forgetDocuments(database, id);
  database.prepare('DELETE FROM files WHERE id = ?').run(id);
  if (!isMain) return;
  database
    .prepare(
      `UPDATE sessions SET cwd = NULL, version = NULL, custom_title = NULL, ai_title = NULL, last_prompt = NULL,
         first_prompt = NULL, started_at = NULL, ended_at = NULL, entries = 0, prompts = 0, damage = 0 WHERE id = ?`,
    )
    .run(session);
}

/** Files that are gone from the roots we looked through; what other roots hold stays. */
function forgetMissing(
  database: Database,
  files: readonly TranscriptFile[],
  known: ReadonlyMap<string, KnownFile>,
  roots: readonly string[],
): void {
  const present = new Set(files.map((file) => file.path));
  const searched = roots.map((root) => `${path.resolve(root)}${path.sep}`);
  const gone = [...known].filter(([file]) => !present.has(file) && searched.some((root) => file.startsWith(root)));
  if (gone.length === 0) return;
  database.transaction(() => {
    for (const [, { id, session }] of gone) forgetFile(database, id, session, false);
    database.exec('DELETE FROM sessions WHERE id NOT IN (SELECT session FROM files)');
  });
}
