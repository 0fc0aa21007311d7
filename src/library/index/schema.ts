// The tables of the index, and opening it: an index that is older or broken is rebuilt, because everything in it can be
// read again from the transcripts; one from a newer Clew is left alone.
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { makeFolderSync } from '../../base/files/index.ts';
import { continuationTables } from './continuations.ts';
import { type Database, openDatabase } from './database.ts';
import { exchangeTables, forgetExchanges } from './exchange-tables.ts';
import { verdictTables } from './session-summaries.ts';

/** Raised whenever a table changes: an index with an older number is rebuilt. */
export const schemaVersion = 22;

const tables = `
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL,
  slug TEXT NOT NULL,
  root TEXT NOT NULL,
  cwd TEXT,
  first_prompt TEXT,
  -- In all its files.
  started_at INTEGER,
  ended_at INTEGER,
  -- What only a reading of the whole main transcript shows (session-list.ts). summary_state names the state of the
  -- files that it was made from: with any other state it is out of date.
  summary_state TEXT,
  -- Another program wrote the transcript.
  is_foreign INTEGER NOT NULL DEFAULT 0,
  title TEXT,
  own_started_at INTEGER,
  own_ended_at INTEGER,
  entries INTEGER,
  turns INTEGER,
  agents INTEGER,
  own_size INTEGER,
  diagnostics INTEGER,
  damage INTEGER,
  tag TEXT,
  forked_from TEXT,
  first_uuid TEXT,
  -- JSON: OriginFacts.
  origin TEXT,
  git_branch TEXT,
  model TEXT,
  -- JSON: {path, repository, branch}.
  worktree TEXT,
  -- JSON: a list of {url, number, repository}.
  pull_requests TEXT
);
CREATE INDEX sessions_by_id ON sessions (session_id);
-- One row per transcript. A file is read up to offset, which is after a newline, or after a last record that lacks
-- one; line counts the newlines before it. text_offset and text_line say the same for the full text.
CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  session INTEGER NOT NULL,
  agent_id TEXT,
  dev INTEGER NOT NULL,
  -- A text if it is above 2^53 (base/files/inode.ts).
  ino INTEGER NOT NULL,
  size INTEGER NOT NULL,
  mtime_ms REAL NOT NULL,
  offset INTEGER NOT NULL,
  line INTEGER NOT NULL,
  head_hash TEXT NOT NULL,
  tail_hash TEXT NOT NULL,
  -- Of its own lines: a session gets them back when another of its files goes or is replaced.
  started_at INTEGER,
  ended_at INTEGER,
  text_offset INTEGER NOT NULL DEFAULT 0,
  text_line INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX files_by_session ON files (session);
CREATE TABLE prompts (
  file INTEGER NOT NULL,
  line INTEGER NOT NULL,
  uuid TEXT,
  time INTEGER,
  kind TEXT NOT NULL,
  is_copy INTEGER NOT NULL,
  PRIMARY KEY (file, line)
) WITHOUT ROWID;
CREATE TABLE tool_calls (
  file INTEGER NOT NULL,
  tool_use_id TEXT NOT NULL,
  line INTEGER NOT NULL,
  time INTEGER,
  name TEXT NOT NULL,
  touched TEXT,
  is_error INTEGER,
  agent_id TEXT,
  PRIMARY KEY (file, tool_use_id)
) WITHOUT ROWID;
`;

export interface IndexOptions {
  /** Clew's own state folder. */
  readonly folder: string;
  /** Called when the index had to be rebuilt. */
  readonly onNotice?: (message: string) => void;
}

/** The disk or another Clew keeps the index from being used: nothing is lost, everything in it can be read again. */
export class IndexUnavailable extends UserError {
  override name: string = 'IndexUnavailable';
}

export function indexPath(folder: string): string {
  return path.join(folder, 'index.db');
}

export function openIndex(options: IndexOptions): Database {
  const file = indexPath(options.folder);
  try {
    makeFolderSync(options.folder);
    return openOrRebuild(file, options.onNotice ?? (() => {}));
  } catch (error) {
    throw indexError(error, file);
  }
}

/** The index of this version, if there is one; a missing, older or newer one is left alone. */
export function openCurrentIndex(folder: string): Database | undefined {
  const file = indexPath(folder);
  if (!existsSync(file)) return undefined;
  const database = openDatabase(file);
  if (versionOf(database) === schemaVersion) return database;
  database.close();
  return undefined;
}

/** Reads the whole index. */
export function checkIndex(folder: string): 'missing' | 'sound' | 'damaged' {
  const file = indexPath(folder);
  if (!existsSync(file)) return 'missing';
  try {
    const database = openDatabase(file);
    try {
      const [first] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {});
      return first === 'ok' ? 'sound' : 'damaged';
    } finally {
      database.close();
    }
  } catch (error) {
    if (isBroken(error)) return 'damaged';
    throw indexError(error, file);
  }
}

function versionOf(database: Database): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
}

function openOrRebuild(file: string, notice: (message: string) => void): Database {
  try {
    const database = openDatabase(file);
    const found = versionOf(database);
    if (found === schemaVersion) return database;
    if (found > schemaVersion) {
      database.close();
      throw new IndexUnavailable(
        `${file} was written by a newer Clew`,
        'update Clew, or set CLEW_HOME to another folder',
      );
    }
    if (isEmpty(database)) return withTables(database);
    database.close();
    notice('the index is from an older Clew; rebuilding the index');
  } catch (error) {
    if (error instanceof UserError || !isBroken(error)) throw error;
    notice('the index was damaged; rebuilding the index');
  }
  removeIndex(file);
  return withTables(openDatabase(file));
}

/** An empty index that exists until it is closed, for a call that cannot use the one on the disk. */
export function openIndexInMemory(): Database {
  return withTables(openDatabase(':memory:'));
}

export function removeIndex(file: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
}

function isEmpty(database: Database): boolean {
  return database.prepare('SELECT count(*) AS count FROM sqlite_master').get()?.count === 0;
}

/** Two processes may find the index missing at the same time: the second one finds the tables already created. */
function withTables(database: Database): Database {
  database.transaction(() => {
    if (!isEmpty(database)) return;
    database.exec(tables);
    database.exec(textTables);
    database.exec(exchangeTables);
    database.exec(verdictTables);
    database.exec(continuationTables);
    database.exec(`PRAGMA user_version = ${schemaVersion}`);
  });
  return database;
}

export function isBroken(error: unknown): boolean {
  const text = error instanceof Error ? `${systemErrorCode(error) ?? ''} ${error.message}` : '';
  return /SQLITE_CORRUPT|SQLITE_NOTADB|malformed|corrupt|not a database|no such (table|column)/i.test(text);
}

/** What SQLite reports about the disk, as a `UserError`. */
export function indexError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || error instanceof UserError) return error;
  const text = `${systemErrorCode(error) ?? ''} ${error.message}`;
  if (/SQLITE_FULL|ENOSPC|disk is full/i.test(text))
    return new IndexUnavailable(`the disk is full: ${file}`, 'make room and run it again');
  if (/SQLITE_IOERR|disk I\/O error/i.test(text))
    return new IndexUnavailable(
      `the disk refuses the index: ${file}`,
      'check it, its quota and the size limit of the shell (ulimit -f)',
    );
  if (/SQLITE_READONLY|SQLITE_CANTOPEN|EACCES|EROFS|EPERM|ENOTDIR|EEXIST|readonly|unable to open/i.test(text)) {
    return new IndexUnavailable(`the index cannot be written: ${file}`, 'set CLEW_HOME to a folder you may write to');
  }
  if (/SQLITE_BUSY|database is locked/i.test(text)) {
    return new UserError(`another Clew is writing the index: ${file}`, 'run it again when that one has ended');
  }
  return error;
}

const textTables = `
-- One row per document: what one line says in one capacity. Its id is the rowid in document_text.
CREATE TABLE documents (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  line INTEGER NOT NULL,
  -- Of the line in its file, without the newline.
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  kind TEXT NOT NULL,
  -- Counts the documents of one kind in one line, from 0.
  part INTEGER NOT NULL,
  time INTEGER,
  tool TEXT
);
CREATE INDEX documents_by_file ON documents (file, offset);
CREATE VIRTUAL TABLE document_text USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
);
-- A larger buffer and rarer merges: a fifth less time for a first run, no difference that a search could feel.
INSERT INTO document_text (document_text, rank) VALUES ('hashsize', 33554432);
INSERT INTO document_text (document_text, rank) VALUES ('automerge', 16);
-- Documents from the queue of prompts, by the hash of their text: they go when the prompt itself is read.
CREATE TABLE queued_documents (
  file INTEGER NOT NULL,
  hash TEXT NOT NULL,
  document INTEGER NOT NULL,
  PRIMARY KEY (file, hash, document)
) WITHOUT ROWID;
-- Under which turn and branch the lines of a session are shown (places/hit-place.ts), by the transcript that is opened for
-- it. state names the files that it was made from: with any other state it is out of date.
CREATE TABLE places (
  path TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  title TEXT,
  tag TEXT,
  forked_from TEXT,
  places TEXT NOT NULL
);
`;

/** Removes the documents and exchanges of a file from the index. */
export function forgetDocuments(database: Database, file: number): void {
  forgetExchanges(database, file);
  database.prepare('DELETE FROM document_text WHERE rowid IN (SELECT id FROM documents WHERE file = ?)').run(file);
  database.prepare('DELETE FROM documents WHERE file = ?').run(file);
  database.prepare('DELETE FROM queued_documents WHERE file = ?').run(file);
}
