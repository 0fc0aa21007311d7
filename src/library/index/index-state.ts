// What the index knows of files and sessions, held in memory while it is brought up to date: asking for each file, and
// for the id of each row just written, cost more than the rows themselves.

import path from 'node:path';
import { type Inode, storedInode } from '../../base/files/index.ts';
import type { FileProof } from '../../store/index.ts';
import type { Database, Row } from './database.ts';
import type { SessionRow } from './row-writer.ts';

export interface KnownFile {
  readonly id: number;
  readonly session: number;
  readonly isMain: boolean;
  readonly dev: number;
  readonly ino: Inode;
  readonly size: number;
  readonly mtimeMs: number;
  readonly offset: number;
  readonly line: number;
}

export class IndexState {
  files: Map<string, KnownFile> = new Map();
  readonly #database: Database;
  /** Only these files are of interest. */
  readonly #only: readonly string[] | undefined;
  #sessions: Map<string, SessionRow> | undefined;
  #nextFile = 0;
  #nextSession = 0;
  #version = -1;

  constructor(database: Database, only?: readonly string[]) {
    this.#database = database;
    this.#only = only;
    this.refresh();
  }

  /** Reads again if another process has written. */
  refresh(): void {
    const version = Number(this.#database.prepare('PRAGMA data_version').get()?.data_version);
    if (version === this.#version) return;
    this.#version = version;
    const select = 'SELECT path, id, session, agent_id, dev, ino, size, mtime_ms, offset, line FROM files';
    const rows =
      this.#only === undefined
        ? this.#database.prepare(select).all()
        : this.#only.flatMap((file) => this.#database.prepare(`${select} WHERE path = ?`).all(file));
    this.files = new Map(rows.map((row) => [String(row.path), knownFile(row)]));
    this.#sessions = undefined;
    this.#nextFile = 0;
  }

  proofOf(id: number): FileProof {
    const row = this.#database.prepare('SELECT head_hash, tail_hash FROM files WHERE id = ?').get(id);
    return { headHash: String(row?.head_hash), tailHash: String(row?.tail_hash) };
  }

  /** Inside a transaction, where nobody else can take the same one. */
  newFileId(): number {
    if (this.#nextFile === 0) this.#nextFile = 1 + this.#largestId('files');
    return this.#nextFile++;
  }

  /** The session of the main transcript `main`, created if it is new. */
  sessionOf(main: string, slug: string, root: string): SessionRow {
    if (this.#sessions === undefined) this.#loadSessions();
    const known = this.#sessions?.get(main);
    if (known !== undefined) return known;
    const made = { id: this.#nextSession++, path: main, sessionId: path.basename(main, '.jsonl'), slug, root };
    this.#sessions?.set(main, made);
    return made;
  }

  #loadSessions(): void {
    const rows = this.#database.prepare('SELECT id, path, session_id, slug, root FROM sessions').all();
    this.#sessions = new Map(rows.map((row) => [String(row.path), sessionRow(row)]));
    this.#nextSession = 1 + this.#largestId('sessions');
  }

  #largestId(table: 'files' | 'sessions'): number {
    return Number(this.#database.prepare(`SELECT coalesce(max(id), 0) AS id FROM ${table}`).get()?.id);
  }
}

function knownFile(row: Row): KnownFile {
  return {
    id: Number(row.id),
    session: Number(row.session),
    isMain: row.agent_id === null,
    dev: Number(row.dev),
    ino: storedInode(row.ino),
    size: Number(row.size),
    mtimeMs: Number(row.mtime_ms),
    offset: Number(row.offset),
    line: Number(row.line),
  };
}

function sessionRow(row: Row): SessionRow {
  return {
    id: Number(row.id),
    path: String(row.path),
    sessionId: String(row.session_id),
    slug: String(row.slug),
    root: String(row.root),
  };
}
