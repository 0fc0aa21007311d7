// Words ↔ numbers. A text of a session repeats a few thousand words, so its words are numbers from the beginning: a word that
// was met before costs one look into a table, and no string is made for it.
import { Buffer } from 'node:buffer';

const none = -1;

export class Vocabulary {
  /** How many words there are. */
  size = 0;
  /** The UTF-8 of all words, one after the other. */
  #bytes = Buffer.allocUnsafeSlow(1 << 12);
  #used = 0;
  /** Where each word begins; the next one begins where it ends. */
  #starts = new Int32Array(1 << 8);
  #hashes = new Int32Array(1 << 8);
  #stems = new Int32Array(1 << 8).fill(none);
  /** By the low bits of the hash, then the next free place: the number of a word and 1, or 0. */
  #places = new Int32Array(1 << 10);
  /** Those that came as strings. */
  readonly #numbers = new Map<string, number>();

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Of a word in other bytes; `hash` is that of `addToHash` over it. */
  numberAt(from: Uint8Array, start: number, end: number, hash: number): number {
    const bytes = this.#bytes;
    const starts = this.#starts;
    const places = this.#places;
    const mask = places.length - 1;
    let place = firstPlaceOf(hash, mask);
    for (let found = places[place] as number; found !== 0; found = places[place] as number) {
      const number = found - 1;
      if (this.#hashes[number] === hash) {
        const known = (starts[number] as number) - start;
        let at = start;
        while (at < end && bytes[known + at] === from[at]) at++;
        if (at === end && known + at === starts[number + 1]) return number;
      }
      place = (place + 1) & mask;
    }
    return this.#add(from, start, end, hash);
  }

  numberOf(word: string): number {
    let number = this.#numbers.get(word);
    if (number === undefined) {
      number = this.#encode(word);
      this.#numbers.set(word, number);
    }
    return number;
  }

  #encode(word: string): number {
    const bytes = Buffer.from(word);
    let hash = hashStart;
    for (const byte of bytes) hash = addToHash(hash, byte);
    return this.numberAt(bytes, 0, bytes.length, hash);
  }

  wordOf(number: number): string {
    return this.#bytes.toString('utf8', this.startOf(number), this.startOf(number) + this.lengthOf(number));
  }

  startOf(number: number): number {
    return this.#starts[number] as number;
  }

  /** In bytes. */
  lengthOf(number: number): number {
    return (this.#starts[number + 1] as number) - (this.#starts[number] as number);
  }

  /** -1 if unknown. */
  stemOf(number: number): number {
    return this.#stems[number] as number;
  }

  setStem(number: number, stem: number): void {
    this.#stems[number] = stem;
  }

  #add(from: Uint8Array, start: number, end: number, hash: number): number {
    const number = this.size++;
    const used = this.#used + end - start;
    if (used > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * used);
      this.#bytes.copy(larger, 0, 0, this.#used);
      this.#bytes = larger;
    }
    this.#bytes.set(from.subarray(start, end), this.#used);
    this.#used = used;
    if (this.size + 1 > this.#starts.length) {
      this.#starts = doubled(this.#starts);
      this.#hashes = doubled(this.#hashes);
      this.#stems = doubled(this.#stems).fill(none, number);
    }
    this.#starts[this.size] = this.#used;
    this.#hashes[number] = hash;
    if (this.size * 2 > this.#places.length) this.#growPlaces();
    else this.#put(number, hash);
    return number;
  }

  #growPlaces(): void {
    this.#places = new Int32Array(2 * this.#places.length);
    for (let number = 0; number < this.size; number++) this.#put(number, this.#hashes[number] as number);
  }

  #put(number: number, hash: number): void {
    const mask = this.#places.length - 1;
    let place = firstPlaceOf(hash, mask);
    while (this.#places[place] !== 0) place = (place + 1) & mask;
    this.#places[place] = number + 1;
  }
}

/** FNV-1a. */
export const hashStart: number = 0x811c9dc5 | 0;

export function addToHash(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193);
}

function firstPlaceOf(hash: number, mask: number): number {
  return (hash ^ (hash >>> 15)) & mask;
}

export function doubled(list: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * list.length);
  larger.set(list);
  return larger;
}
