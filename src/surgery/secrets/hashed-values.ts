// Recognises secrets of which only salted hashes are known: what was redacted is looked for again later, without keeping it.
// A rolling hash of eight characters is compared at every position of a text, and only where it fits is the whole value
// hashed and compared.
import { createHmac, randomBytes } from 'node:crypto';

/** A value that can be recognised, but not read. */
export interface HashedValue {
  /** Number of UTF-16 units. */
  readonly length: number;
  /** Where in the value the eight units are that `filter` was made of. */
  readonly offset: number;
  /** 16 bits: enough to pass over nearly all positions, too few to say anything about the value. */
  readonly filter: number;
  /** HMAC-SHA-256 with the salt. */
  readonly sha256: string;
}

/** Shorter values would match inside unrelated words; they are found only by the rules. */
export const shortestHashed = 8;

export function makeSalt(): string {
  return randomBytes(32).toString('hex');
}

/** `undefined` for a value that is too short to be recognised without context. */
export function hashValue(raw: string, salt: string): HashedValue | undefined {
  // A byte that is not UTF-8 is a lone surrogate in a value, and a replacement character in a text.
  const value = Buffer.from(raw).toString('utf8');
  if (value.length < shortestHashed) return undefined;
  const offset = mostVaried(value);
  return { length: value.length, offset, filter: rollingKeys(salt).filterAt(value, offset), sha256: mac(value, salt) };
}

export class HashedValueFinder<T extends HashedValue> {
  readonly #salt: string;
  readonly #keys: RollingKeys;
  /** For each filter, 1 if a value has it. */
  readonly #isWanted = new Uint8Array(1 << 16);
  readonly #byFilter = new Map<number, T[]>();

  constructor(salt: string, values: Iterable<T>) {
    this.#salt = salt;
    this.#keys = rollingKeys(salt);
    for (const value of values) {
      this.#isWanted[value.filter] = 1;
      const known = this.#byFilter.get(value.filter);
      if (known === undefined) this.#byFilter.set(value.filter, [value]);
      else known.push(value);
    }
  }

  get isEmpty(): boolean {
    return this.#byFilter.size === 0;
  }

  /** Calls `visit` for every place of a value, as the text has it. */
  find(text: string, visit: (found: T, value: string) => void): void {
    if (this.isEmpty || text.length < shortestHashed) return;
    const { base, last, mix } = this.#keys;
    const isWanted = this.#isWanted;
    let hash = 0;
    for (let at = 0; at < shortestHashed; at++) hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0;
    for (let at = shortestHashed; ; at++) {
      const filter = Math.imul(hash, mix) >>> 16;
      if (isWanted[filter] === 1) this.#confirm(text, at - shortestHashed, filter, visit);
      if (at >= text.length) return;
      hash = (Math.imul(hash, base) + text.charCodeAt(at) - Math.imul(text.charCodeAt(at - shortestHashed), last)) | 0;
    }
  }

  #confirm(text: string, at: number, filter: number, visit: (found: T, value: string) => void): void {
    for (const wanted of this.#byFilter.get(filter) ?? []) {
      const start = at - wanted.offset;
      if (start < 0 || start + wanted.length > text.length) continue;
      const value = text.slice(start, start + wanted.length);
      if (mac(value, this.#salt) === wanted.sha256) visit(wanted, value);
    }
  }
}

interface RollingKeys {
  readonly base: number;
  /** `base` to the power of the window. */
  readonly last: number;
  readonly mix: number;
  filterAt(text: string, offset: number): number;
}

/** Odd numbers from the salt: without it the filters say nothing. */
function rollingKeys(salt: string): RollingKeys {
  const bytes = createHmac('sha256', Buffer.from(salt, 'hex')).update('keys of the rolling hash').digest();
  const base = bytes.readInt32LE(0) | 1;
  const mix = bytes.readInt32LE(4) | 1;
  let last = 1;
  for (let i = 0; i < shortestHashed; i++) last = Math.imul(last, base);
  const filterAt = (text: string, offset: number): number => {
    let hash = 0;
    for (let at = offset; at < offset + shortestHashed; at++) hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0;
    return Math.imul(hash, mix) >>> 16;
  };
  return { base, last, mix, filterAt };
}

function mac(value: string, salt: string): string {
  return createHmac('sha256', Buffer.from(salt, 'hex')).update(value).digest('hex');
}

/** The beginning of a value may be the same in thousands of places: `-----BEG`, `aaaaaaaa`. */
function mostVaried(value: string): number {
  let [best, most] = [0, 0];
  for (let at = 0; at + shortestHashed <= value.length; at++) {
    const varied = new Set(value.slice(at, at + shortestHashed)).size;
    if (varied >= most) [best, most] = [at, varied];
  }
  return best;
}
