// Files whose rows are current → their full text in the index, by line and by exchange, the newest files first, so that a
// first search is useful early. Documents and the offset they end at are written in one transaction: a kill costs at most the current batch, and
// of two indexers the second finds the offset moved and drops its batch.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors/index.ts';
import { type DiskProblem, type Line, readLineBatches } from '../../store/index.ts';
import { ExchangeBuilder, ExchangeWriter, exchangeStarts, openSegment } from '../exchanges/index.ts';
import { type Database, type IndexProgress, insertMany, type SqlValue } from '../index/index.ts';
import { indexable, type LineText, textsOfLine } from '../text/index.ts';

export interface TextReport {
  /** Transcripts of which anything was read. */
  readonly filesRead: number;
  /** Bytes of transcripts read. */
  readonly bytesRead: number;
  readonly documentsWritten: number;
  readonly problems: readonly DiskProblem[];
}

export interface TextOptions {
  /** Only transcripts below these are read. */
  readonly roots: readonly string[];
  readonly onProgress?: (progress: IndexProgress) => void;
  /** How much of the transcripts goes into one transaction. */
  readonly batchBytes?: number;
}

// A larger batch makes fewer segments that FTS5 merges later: 48 MB instead of 16 save a tenth of a first run.
const defaultBatchBytes = 48 * 1024 * 1024;
const batchFiles = 256;

/** Call it when the rows are current (`updateRows`), which checks that a file is still the one that was read. */
export function updateText(database: Database, options: TextOptions): TextReport {
  const run = new TextRun(database, options);
  run.run();
  const { filesRead, bytesRead, documentsWritten, problems } = run;
  return { filesRead: filesRead.size, bytesRead, documentsWritten, problems };
}

interface PendingFile {
  readonly id: number;
  readonly path: string;
  readonly isAgent: boolean;
  readonly offset: number;
  readonly line: number;
  readonly endOffset: number;
  /** Changes when the file is replaced by another. */
  readonly headHash: string;
}

interface Advance extends PendingFile {
  readonly toOffset: number;
  readonly toLine: number;
  readonly texts: readonly PlacedText[];
  readonly exchanges: ExchangeBuilder;
}

/** One run over all files, with its counts. */
class TextRun {
  readonly filesRead = new Set<number>();
  readonly problems: DiskProblem[] = [];
  bytesRead = 0;
  documentsWritten = 0;
  readonly #database: Database;
  readonly #options: TextOptions;
  readonly #batchBytes: number;
  readonly #bytesTotal: number;
  #bytesDone = 0;

  constructor(database: Database, options: TextOptions) {
    this.#database = database;
    this.#options = options;
    this.#batchBytes = options.batchBytes ?? defaultBatchBytes;
    this.#bytesTotal = this.#pending().reduce((sum, file) => sum + file.endOffset - file.offset, 0);
  }

  run(): void {
    let batch: Advance[] = [];
    let bytes = 0;
    const flush = (): void => {
      if (batch.length > 0) this.#write(batch);
      batch = [];
      bytes = 0;
      this.#options.onProgress?.({ bytesDone: this.#bytesDone, bytesTotal: this.#bytesTotal });
    };
    for (const pending of this.#pending()) {
      for (let at = this.#again(pending); at !== undefined && at.offset < at.endOffset; ) {
        const read = this.#read(at);
        if (read === undefined || read.toOffset === at.offset) break;
        batch.push(read);
        bytes += read.toOffset - at.offset;
        const isDone = read.toOffset >= at.endOffset;
        if (bytes >= this.#batchBytes || batch.length >= batchFiles || !isDone) flush();
        at = isDone ? undefined : { ...at, offset: read.toOffset, line: read.toLine };
      }
    }
    flush();
  }

  #pending(): readonly PendingFile[] {
    return this.#database
      .prepare(
        `SELECT id, path, agent_id, text_offset, text_line, offset, head_hash FROM files WHERE text_offset < offset
         ORDER BY mtime_ms DESC, id`,
      )
      .all()
      .map((row) => ({
        id: Number(row.id),
        path: String(row.path),
        isAgent: row.agent_id !== null,
        offset: Number(row.text_offset),
        line: Number(row.text_line),
        endOffset: Number(row.offset),
        headHash: String(row.head_hash),
      }))
      .filter((file) => this.#isWanted(file.path));
  }

  /** How far the file is indexed now: another indexer may have worked on it since the list was made. */
  #again(file: PendingFile): PendingFile | undefined {
    const row = this.#database
      .prepare('SELECT text_offset, text_line, offset, head_hash FROM files WHERE id = ? AND path = ?')
      .get(file.id, file.path);
    if (row === undefined) return undefined;
    const [offset, line, endOffset] = [Number(row.text_offset), Number(row.text_line), Number(row.offset)];
    return { ...file, offset, line, endOffset, headHash: String(row.head_hash) };
  }

  #isWanted(file: string): boolean {
    return this.#options.roots.some((root) => file.startsWith(`${path.resolve(root)}${path.sep}`));
  }

  #read(file: PendingFile): Advance | undefined {
    const starts = exchangeStarts(this.#database, file.id);
    const isNext = file.offset === 0 || starts.has(file.line + 1);
    const open = isNext ? undefined : openSegment(this.#database, file.id);
    const exchanges = new ExchangeBuilder({ startsAt: (line) => starts.has(line), isAgent: file.isAgent, open });
    const read = this.#try(file.path, () => {
      if (open !== undefined) readAgain(exchanges, file, { offset: open.offset, number: open.firstLine });
      return readTexts({ ...file, maxBytes: this.#batchBytes }, exchanges);
    });
    if (read === undefined) return undefined;
    this.#count(file.id, read.offset - (open?.offset ?? file.offset), read.offset - file.offset);
    return { ...file, toOffset: read.offset, toLine: read.line, texts: read.texts, exchanges };
  }

  #try<T>(file: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === undefined) throw error;
      this.problems.push({ path: file, code });
      return undefined;
    }
  }

  #count(file: number, bytes: number, newBytes: number): void {
    if (bytes > 0) this.filesRead.add(file);
    this.bytesRead += bytes;
    this.#bytesDone += newBytes;
  }

  #write(batch: readonly Advance[]): void {
    const database = this.#database;
    this.documentsWritten += database.transaction(() => {
      const documents = new DocumentWriter(database);
      const exchanges = new ExchangeWriter(database);
      for (const advance of batch) {
        const now = database
          .prepare('SELECT text_offset, offset, head_hash FROM files WHERE id = ? AND path = ?')
          .get(advance.id, advance.path);
        // Another indexer may have found the file replaced: its rows, which name the tools, are gone or of the new file.
        if (now === undefined || Number(now.text_offset) !== advance.offset) continue;
        if (Number(now.offset) < advance.toOffset || now.head_hash !== advance.headHash) continue;
        documents.add(advance.id, advance.texts);
        exchanges.add(advance.id, advance.exchanges, advance.line);
        database
          .prepare('UPDATE files SET text_offset = ?, text_line = ? WHERE id = ?')
          .run(advance.toOffset, advance.toLine, advance.id);
      }
      exchanges.finish();
      return documents.finish();
    });
  }
}

/** Collects the documents of a transaction and writes them with few statements. */
class DocumentWriter {
  readonly #database: Database;
  readonly #rows: SqlValue[][] = [];
  readonly #texts: SqlValue[][] = [];
  readonly #queued = new QueuedDocuments();
  #nextId: number;

  constructor(database: Database) {
    this.#database = database;
    this.#nextId = 1 + Number(database.prepare('SELECT max(id) AS last FROM documents').get()?.last ?? 0);
  }

  add(file: number, texts: readonly PlacedText[]): void {
    for (const { kind, part, text, time, tool, toolUseId, isQueued, line, offset, length } of texts) {
      const id = this.#nextId++;
      if (isQueued) this.#queued.add(file, text, id);
      else if (kind === 'prompt') this.#queued.drop(this.#database, file, text);
      const name = tool ?? (toolUseId === undefined ? undefined : this.#toolOf(file, toolUseId));
      const when = Number.isFinite(time) ? time : null;
      this.#rows.push([id, file, line, offset, length, kind, part, when, name ?? null]);
      this.#texts.push([id, indexable(text)]);
    }
  }

  finish(): number {
    const isWanted = ([id]: SqlValue[]): boolean => !this.#queued.dropped.has(Number(id));
    const rows = this.#rows.filter(isWanted);
    insertMany(this.#database, 'INSERT INTO documents', 9, rows);
    insertMany(this.#database, 'INSERT INTO document_text (rowid, text)', 2, this.#texts.filter(isWanted));
    this.#queued.finish(this.#database);
    return rows.length;
  }

  /** The rows of the index have the call, wherever in the file it is. */
  #toolOf(file: number, toolUseId: string): string | undefined {
    const row = this.#database
      .prepare('SELECT name FROM tool_calls WHERE file = ? AND tool_use_id = ?')
      .get(file, toolUseId);
    return typeof row?.name === 'string' ? row.name : undefined;
  }
}

/**
 * A headless client writes each prompt to its queue, then as a prompt: one of the two is enough. The queue is read first,
 * often in another run.
 */
class QueuedDocuments {
  /** Of this transaction: must not be written. */
  readonly dropped = new Set<number>();
  readonly #waiting = new Map<string, { file: number; hash: string; ids: number[] }>();

  add(file: number, text: string, id: number): void {
    const hash = hashOf(text);
    const waiting = this.#waiting.get(`${file} ${hash}`) ?? { file, hash, ids: [] };
    this.#waiting.set(`${file} ${hash}`, waiting);
    waiting.ids.push(id);
  }

  /** The oldest entry of the queue that says the same. */
  drop(database: Database, file: number, text: string): void {
    const hash = hashOf(text);
    const known = database
      .prepare('SELECT min(document) AS id FROM queued_documents WHERE file = ? AND hash = ?')
      .get(file, hash)?.id;
    if (typeof known === 'number') {
      database
        .prepare('DELETE FROM queued_documents WHERE file = ? AND hash = ? AND document = ?')
        .run(file, hash, known);
      database.prepare('DELETE FROM document_text WHERE rowid = ?').run(known);
      database.prepare('DELETE FROM documents WHERE id = ?').run(known);
      return;
    }
    const id = this.#waiting.get(`${file} ${hash}`)?.ids.shift();
    if (id !== undefined) this.dropped.add(id);
  }

  finish(database: Database): void {
    const rows = [...this.#waiting.values()].flatMap(({ file, hash, ids }) => ids.map((id) => [file, hash, id]));
    insertMany(database, 'INSERT INTO queued_documents', 3, rows);
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text.trim()).digest('base64url').slice(0, 16);
}

export interface TextSource {
  readonly path: string;
  readonly offset: number;
  readonly line: number;
  /** Where to stop: the rows of the index end here. */
  readonly endOffset: number;
  /** Read no further than this from `offset`, so that one batch stays small. */
  readonly maxBytes: number;
}

interface PlacedText extends LineText {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

export interface NewTexts {
  /** After the last newline that was read, or after a last record that lacks one. */
  readonly offset: number;
  readonly line: number;
  readonly texts: readonly PlacedText[];
}

function readTexts(source: TextSource, exchanges: ExchangeBuilder): NewTexts {
  const { path, endOffset } = source;
  const texts: PlacedText[] = [];
  let { offset, line } = source;
  reading: for (const batch of readLineBatches(path, { from: { offset, number: line + 1 }, endOffset })) {
    for (const next of batch) {
      const end = next.offset + next.length;
      if (!next.terminated) {
        // The rows treat it as a whole record, though it lacks a newline; anything else was cut off since.
        if (end !== endOffset) break reading;
        addTexts(texts, next, exchanges);
        offset = end;
        break reading;
      }
      addTexts(texts, next, exchanges);
      offset = end + 1;
      line = next.number;
      if (offset - source.offset >= source.maxBytes) break reading;
    }
  }
  return { offset, line, texts };
}

function addTexts(into: PlacedText[], line: Line, exchanges: ExchangeBuilder): void {
  if (line.bytes.length < line.length) return;
  const { number, offset, length } = line;
  const texts = textsOfLine(line.bytes);
  exchanges.add(line, texts);
  // Without the input of a call, which would keep a second copy of its text until the batch is written.
  for (const { input: _, ...text } of texts) into.push({ ...text, line: number, offset, length });
}

/** The lines of the last segment, which the exchange that continues needs again. */
function readAgain(
  exchanges: ExchangeBuilder,
  { path, offset }: PendingFile,
  from: { readonly offset: number; readonly number: number },
): void {
  for (const batch of readLineBatches(path, { from, endOffset: offset }))
    for (const line of batch) if (line.bytes.length === line.length) exchanges.add(line, textsOfLine(line.bytes));
}
