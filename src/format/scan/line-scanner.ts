// The scanner in WebAssembly (scan.as.ts), as an object: bytes of whole lines in its memory → rows of usage and facts, also
// in its memory. One is used for many files, because starting it and its memory cost more than scanning a small file.
import { instantiateWasm, type WasmMemory } from '../../base/wasm/index.ts';
import { fields, insides, keyNames, keySlot, lastInside } from './places.ts';
import { scanWasm } from './scan.wasm.ts';
import { stringAt } from './spans.ts';

interface ScannerModule {
  readonly memory: WasmMemory;
  begin(linesBefore: number): void;
  clearRows(): void;
  setEnds(rowsEnd: number, heapEnd: number): void;
  passLine(): void;
  scan(from: number, to: number): number;
  isFull(): number;
  hash(at: number, length: number, seed: bigint): bigint;
  findModel(at: number, length: number): number;
}

// As in scan.as.ts.
const places = {
  keyTable: 0x10000,
  keyNames: 0x11000,
  keyLengths: 0x11800,
  fields: 0x11900,
  insides: 0x11d00,
  lastInside: 0x11e00,
  result: 0x12200,
  origins: 0x12400,
  session: 0x12800,
  models: 0x14000,
  cwd: 0x18000,
  scratch: 0x1c000,
  rows: 0x20000,
  heap: 0x120000,
  window: 0x320000,
} as const;
/** The scanner loads up to 64 bytes after the last line, and ignores them. */
const slack = 64;
const pageBytes = 65536;
const maxSessionId = 250;
const maxScratch = 0x4000;

export class LineScanner {
  /** Where the host writes the bytes of a file. */
  readonly windowAt: number = places.window;
  readonly rowsAt: number = places.rows;
  readonly heapAt: number = places.heap;
  memory: Buffer;
  view: DataView;
  readonly #module: ScannerModule;
  #words: Uint32Array;
  #doubles: Float64Array;
  /** By number, from 1. */
  readonly #models: string[] = [''];

  constructor() {
    this.#module = instantiateWasm<ScannerModule>(scanWasm);
    this.#module.memory.grow(places.window / pageBytes + 1);
    this.memory = Buffer.from(this.#module.memory.buffer);
    this.view = new DataView(this.#module.memory.buffer);
    this.#words = new Uint32Array(this.#module.memory.buffer, places.result, 16);
    this.#doubles = new Float64Array(this.#module.memory.buffer, places.result, 3);
    this.#writeTables();
  }

  #writeTables(): void {
    for (const [i, name] of keyNames.entries()) {
      const at = places.keyNames + (i + 1) * 32;
      this.memory.write(name, at);
      this.memory[places.keyTable + keySlot(this.memory, at, at + name.length)] = i + 1;
      this.memory[places.keyLengths + i + 1] = name.length;
    }
    this.memory.set(fields, places.fields);
    this.memory.set(insides, places.insides);
    this.memory.set(lastInside, places.lastInside);
  }

  /** Makes room for `bytes` in the window. */
  reserve(bytes: number): void {
    const need = places.window + bytes + slack;
    if (need <= this.memory.length) return;
    const more = Math.max(need, Math.min(2 * this.memory.length, need + (4 << 20))) - this.memory.length;
    this.#module.memory.grow(Math.ceil(more / pageBytes));
    const { buffer } = this.#module.memory;
    this.memory = Buffer.from(buffer);
    this.view = new DataView(buffer);
    this.#words = new Uint32Array(buffer, places.result, 16);
    this.#doubles = new Float64Array(buffer, places.result, 3);
  }

  /** Begins a file after `linesBefore` lines. */
  begin(linesBefore: number, sessionId: string | undefined): void {
    const length = sessionId === undefined ? 0 : Buffer.byteLength(sessionId);
    if (length > maxSessionId) throw new RangeError('no file name can have a session id as long as this');
    this.view.setUint32(places.session, length, true);
    if (sessionId !== undefined) this.memory.write(sessionId, places.session + 4);
    this.#module.begin(linesBefore);
  }

  /**
   * Scans the lines in the window from `from` to `to`, which is after a newline. Returns `to`, or the start of a line
   * that is not usual, or for whose row there is no room (`isFull`).
   */
  scan(from: number, to: number): number {
    return this.#module.scan(from, to) >>> 0;
  }

  get isFull(): boolean {
    return this.#module.isFull() !== 0;
  }

  /** The caller has added rows of its own, up to these ends. */
  setEnds(rowsEnd: number, heapEnd: number): void {
    this.#module.setEnds(rowsEnd, heapEnd);
  }

  /** The caller has read the line at which the scan stopped. */
  passLine(): void {
    this.#module.passLine();
  }

  clearRows(): void {
    this.#module.clearRows();
  }

  get startedAt(): number {
    return this.#doubles[0] as number;
  }

  get endedAt(): number {
    return this.#doubles[1] as number;
  }

  get firstAt(): number {
    return this.#doubles[2] as number;
  }

  get rowsEnd(): number {
    return this.#words[6] as number;
  }

  get heapEnd(): number {
    return this.#words[7] as number;
  }

  get lines(): number {
    return this.#words[8] as number;
  }

  /** `undefined` as long as no line had it. */
  get cwd(): string | undefined {
    if (this.#words[11] === 0) return undefined;
    return stringAt(this.memory, places.cwd, places.cwd + (this.#words[12] as number));
  }

  /** Valid while the bytes of the line are in the window. */
  get sessionId(): string | undefined {
    if (this.#words[13] === 0 || this.#words[14] === 0) return undefined;
    const at = this.#words[14] as number;
    return stringAt(this.memory, at, at + (this.#words[15] as number));
  }

  /** Ids of other sessions that lines name. */
  get origins(): readonly string[] {
    return Array.from({ length: this.#words[10] as number }, (_, i) => this.#shortText(places.origins + i * 64));
  }

  /** The names of all models that were read, by number, from 1. */
  get models(): readonly string[] {
    const count = this.#words[9] as number;
    for (let i = this.#models.length; i <= count; i++) this.#models.push(this.#shortText(places.models + i * 64));
    return this.#models;
  }

  /** The number of a model; 0 if there is no room for another one. */
  modelNumber(name: string): number {
    const length = Buffer.byteLength(name);
    if (length > 63) return 0;
    this.memory.write(name, places.scratch);
    const number = this.#module.findModel(places.scratch, length);
    if (number === this.models.length) this.#models.push(name);
    return number;
  }

  /** The key of an id, as in rows. `undefined` if it is too long. */
  keyOf(id: string, isMessageId: boolean): bigint | undefined {
    const length = Buffer.byteLength(id);
    if (length > maxScratch) return undefined;
    this.memory.write(id, places.scratch);
    return BigInt.asUintN(64, this.#module.hash(places.scratch, length, isMessageId ? 0n : 1n));
  }

  #shortText(at: number): string {
    return this.memory.toString('utf8', at + 1, at + 1 + (this.memory[at] as number));
  }
}
