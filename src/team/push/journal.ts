// What the store has of each session of this machine, as an append-only file: a record is durable when `put` returns, and a
// kill costs at most the record that was being written, whose push is then repeated without effect.

import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import path from 'node:path';
import { makeFolderSync } from '../../base/files/index.ts';
import { asObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import { privateFileMode, readText, writeAll, writeDurably } from '../../store/index.ts';
import type { LevelNumber } from '../contract/index.ts';

/** `stored`: the store has it at `level`. The others say why it does not have what was wanted. */
export type EntryState = 'stored' | 'removed' | 'blocked' | 'held' | 'other' | 'failed';

export interface JournalEntry {
  /** Of the main transcript. */
  readonly path: string;
  readonly cwd: string | null;
  readonly sessionId: string;
  readonly baseId: string;
  readonly state: EntryState;
  /** Of the rows in the store; 0 if it has none of this machine. */
  readonly level: LevelNumber;
  /** What was asked for. */
  readonly wanted: LevelNumber;
  readonly contentKey: string;
  /** Of what the rows were made from: the same print needs no reading. */
  readonly print: string;
  /** For the user. */
  readonly note: string | null;
  readonly atMs: number;
}

export interface JournalFacts {
  /** Of the last `goodbye` that was answered, and of one that was sent without an answer. */
  readonly digest: string | null;
  readonly pendingDigest: string | null;
  /** What the administrator asked for at most, when the store was last asked. */
  readonly mostLevel: LevelNumber;
}

const noFacts: JournalFacts = { digest: null, pendingDigest: null, mostLevel: 4 };
/** Records that are out of date, before the file is written again. */
const mostStale = 1000;

export class Journal {
  readonly #file: string;
  readonly #entries = new Map<string, JournalEntry>();
  readonly #pathsById = new Map<string, Set<string>>();
  #facts = noFacts;
  #handle: number | undefined;
  #records = 0;
  #isTorn = false;

  constructor(file: string) {
    this.#file = file;
    for (const line of (readText(file) ?? '').split('\n')) this.#read(line);
  }

  get facts(): JournalFacts {
    return this.#facts;
  }

  entries(): readonly JournalEntry[] {
    return [...this.#entries.values()];
  }

  get(main: string): JournalEntry | undefined {
    return this.#entries.get(main);
  }

  /** A session that was moved has an entry for each place. */
  withId(sessionId: string): readonly JournalEntry[] {
    return [...(this.#pathsById.get(sessionId) ?? [])].flatMap((main) => this.#entries.get(main) ?? []);
  }

  put(entry: JournalEntry): void {
    this.#set(entry);
    this.#append({ entry: entry as unknown as JsonObject });
  }

  putFacts(change: Partial<JournalFacts>): void {
    this.#facts = { ...this.#facts, ...change };
    this.#append({ facts: this.#facts as unknown as JsonObject });
  }

  /** Of everything in the store that this machine pushed. */
  digest(): string {
    const stored = this.entries().filter(({ level }) => level > 0);
    const lines = stored.map(({ sessionId, contentKey, level }) => `${sessionId} ${level} ${contentKey}`).sort();
    return createHash('sha256').update(lines.join('\n')).digest('hex');
  }

  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
    if (this.#records > this.#entries.size + mostStale) this.#rewrite();
  }

  #read(line: string): void {
    if (line === '') return;
    const record = asObject(parseJson(line));
    if (record === undefined) this.#isTorn = true;
    const entry = asObject(record?.entry) as unknown as JournalEntry | undefined; // written by `put`
    const facts = asObject(record?.facts) as unknown as JournalFacts | undefined; // written by `putFacts`
    if (entry !== undefined) this.#set(entry);
    if (facts !== undefined) this.#facts = facts;
    this.#records++;
  }

  #set(entry: JournalEntry): void {
    this.#entries.set(entry.path, entry);
    const paths = this.#pathsById.get(entry.sessionId) ?? new Set();
    this.#pathsById.set(entry.sessionId, paths.add(entry.path));
  }

  #append(record: JsonObject): void {
    if (this.#isTorn) this.#rewrite();
    if (this.#handle === undefined) {
      makeFolderSync(path.dirname(this.#file));
      this.#handle = openSync(this.#file, 'a', privateFileMode);
    }
    writeAll(this.#handle, Buffer.from(`${JSON.stringify(record)}\n`));
    fsyncSync(this.#handle);
    this.#records++;
  }

  #rewrite(): void {
    const records: readonly object[] = [{ facts: this.#facts }, ...this.entries().map((entry) => ({ entry }))];
    writeDurably(this.#file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    this.#records = records.length;
    this.#isTorn = false;
  }
}
