// Everything that was ever added to the outbox of one destination, and for which session, as append-only records. The
// first session that claims a span sends it, so that forks and resumed copies are not sent twice; a span that is recorded
// as spooled is never spooled again, even if the session's state is lost.
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { makeFolderSync } from '../../base/files/index.ts';
import { privateFileMode, withLock, writeAll } from '../../store/index.ts';

/** Key and owner, eight bytes each; the owner's lowest bit marks a span as spooled, not only claimed. */
const recordBytes = 16;

export interface Claims {
  /** This session sends them: claimed by it, now or before, and not spooled yet. */
  readonly mine: ReadonlySet<string>;
  /** Another session claimed them first. */
  readonly foreign: ReadonlySet<string>;
}

export class Ledger {
  readonly #file: string;
  readonly #owners = new OwnerTable();
  #offset = 0;

  constructor(file: string) {
    this.#file = file;
  }

  async claim(keys: readonly string[], sessionId: string): Promise<Claims> {
    return this.#locked((handle) => {
      const claims = this.#look(keys, sessionId);
      this.#append(handle, claims.free, ownerOf(sessionId));
      return claims;
    });
  }

  /** Records that the spans are in the outbox. Idempotent. */
  async record(keys: readonly string[], sessionId: string): Promise<void> {
    const spooled = ownerOf(sessionId) | 1n;
    await this.#locked((handle) => {
      const news = keys.filter((key) => (this.#owners.get(keyOf(key)) & 1n) === 0n);
      this.#append(handle, news, spooled);
    });
  }

  /** Like `claim` and `record`, but only in memory, for a dry run. */
  async imagineClaim(keys: readonly string[], sessionId: string): Promise<Claims> {
    return this.#locked(() => {
      const claims = this.#look(keys, sessionId);
      for (const key of claims.mine) this.#owners.set(keyOf(key), ownerOf(sessionId) | 1n);
      return claims;
    });
  }

  #look(keys: readonly string[], sessionId: string): Claims & { readonly free: readonly string[] } {
    const owner = ownerOf(sessionId);
    const [free, mine, foreign] = [[] as string[], new Set<string>(), new Set<string>()];
    for (const key of keys) {
      const found = this.#owners.get(keyOf(key));
      if (found === 0n) free.push(key);
      if (found === 0n || found === owner) mine.add(key);
      else if (found !== (owner | 1n)) foreign.add(key);
    }
    return { free, mine, foreign };
  }

  async #locked<T>(work: (handle: number) => T): Promise<T> {
    const folder = path.dirname(this.#file);
    const name = `${path.basename(this.#file)}.lock`;
    makeFolderSync(folder);
    return withLock(folder, { name, what: 'writing the trace ledger', waitMs: 10_000, pollMs: 5 }, async () => {
      const handle = openSync(this.#file, 'a+', privateFileMode);
      try {
        this.#readNews(handle);
        return work(handle);
      } finally {
        closeSync(handle);
      }
    });
  }

  #readNews(handle: number): void {
    const { size } = fstatSync(handle);
    const whole = size - (size % recordBytes);
    // A killed process left part of a record.
    if (whole !== size) ftruncateSync(handle, whole);
    if (whole < this.#offset) {
      this.#owners.clear();
      this.#offset = 0;
    }
    const chunk = Buffer.allocUnsafe(Math.min(1 << 16, Math.max(recordBytes, whole - this.#offset)));
    while (this.#offset < whole) {
      const length = readSync(handle, chunk, 0, Math.min(chunk.length, whole - this.#offset), this.#offset);
      const end = length - (length % recordBytes);
      if (end === 0) return;
      for (let at = 0; at < end; at += recordBytes)
        this.#owners.set(chunk.readBigUInt64LE(at), chunk.readBigUInt64LE(at + 8));
      this.#offset += end;
    }
  }

  #append(handle: number, keys: readonly string[], owner: bigint): void {
    if (keys.length === 0) return;
    const bytes = Buffer.allocUnsafe(keys.length * recordBytes);
    for (const [i, key] of keys.entries()) {
      bytes.writeBigUInt64LE(keyOf(key), i * recordBytes);
      bytes.writeBigUInt64LE(owner, i * recordBytes + 8);
    }
    writeAll(handle, bytes);
    fsyncSync(handle);
    this.#readNews(handle);
  }
}

/** Open addressing in one array: at most 32 bytes per span, where a Map of strings takes about 200. */
class OwnerTable {
  #cells = new BigUint64Array(2 * 1024);
  #count = 0;

  get(key: bigint): bigint {
    return this.#cells[this.#find(this.#cells, key) + 1] ?? 0n;
  }

  set(key: bigint, owner: bigint): void {
    if (4 * (this.#count + 1) > this.#cells.length) this.#grow();
    const at = this.#find(this.#cells, key);
    if (this.#cells[at + 1] === 0n) this.#count++;
    this.#cells[at] = key;
    this.#cells[at + 1] = owner;
  }

  clear(): void {
    this.#cells = new BigUint64Array(2 * 1024);
    this.#count = 0;
  }

  #find(cells: BigUint64Array, key: bigint): number {
    const slots = cells.length / 2;
    let slot = Number(key & 0x7fffffffn) % slots;
    while (cells[2 * slot + 1] !== 0n && cells[2 * slot] !== key) slot = (slot + 1) % slots;
    return 2 * slot;
  }

  #grow(): void {
    const larger = new BigUint64Array(this.#cells.length * 2);
    for (let at = 0; at < this.#cells.length; at += 2) {
      const [key = 0n, owner = 0n] = [this.#cells[at], this.#cells[at + 1]];
      if (owner === 0n) continue;
      const to = this.#find(larger, key);
      larger[to] = key;
      larger[to + 1] = owner;
    }
    this.#cells = larger;
  }
}

function keyOf(text: string): bigint {
  return createHash('sha256').update(text).digest().readBigUInt64LE(0);
}

/** Never 0, which means unclaimed; the lowest bit means "spooled". */
function ownerOf(sessionId: string): bigint {
  return (keyOf(sessionId) & ~1n) | 2n;
}
