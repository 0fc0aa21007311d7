// Searches JSON bytes for a text, in the memory of a WebAssembly module: the bytes are read straight into it.
import { instantiateWasm, type WasmMemory } from '../wasm/index.ts';
import { byteSearchWasm } from './byte-search.wasm.ts';

interface Exports {
  readonly codesAt: { readonly value: number };
  readonly textAt: { readonly value: number };
  readonly bytesAt: { readonly value: number };
  find(from: number, to: number, length: number, one: number, other: number): number;
  afterLastNewline(from: number, to: number): number;
  nextNewline(from: number, to: number): number;
}

/** A longer text is searched by its beginning. */
const maxTextBytes = 0x1000;
const pageBytes = 0x10000;
/** The module reads whole vectors. */
const spareBytes = maxTextBytes + 64;

export class ByteSearch {
  /** Read the bytes to search into it. */
  readonly buffer: Buffer;
  /** How much of the end of one buffer must begin the next, so that no match is cut in two. */
  readonly overlap: number;
  readonly #module: Exports & { readonly memory: WasmMemory };
  readonly #start: number;
  readonly #length: number;
  readonly #one: number;
  readonly #other: number;

  /** `text` is not empty; it has whole surrogate pairs only, and no character that JSON must escape. */
  constructor(text: string, bufferBytes: number) {
    const module = instantiateWasm<Exports>(byteSearchWasm);
    const bytes = Buffer.from(beginningOf(text));
    const start = module.bytesAt.value;
    module.memory.grow(Math.ceil((start + bufferBytes + spareBytes) / pageBytes));
    const memory = Buffer.from(module.memory.buffer);
    bytes.copy(memory, module.textAt.value);
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      const at = module.codesAt.value + (code >> 3);
      memory[at] = (memory[at] as number) | (1 << (code & 7));
    }
    this.#module = module;
    this.#start = start;
    this.#length = bytes.length;
    [this.#one, this.#other] = rarest(bytes);
    this.buffer = memory.subarray(start, start + bufferBytes);
    this.overlap = Math.max(bytes.length, escapeBytes) - 1;
  }

  /** The first place in [from, to) of the buffer where the text, or an escape of one of its characters, begins; else `to`. */
  find(from: number, to: number): number {
    const [low, high] = this.#range(from, to);
    return this.#module.find(low, high, this.#length, this.#one, this.#other) - this.#start;
  }

  /** The place after the last newline in [from, to), or -1. */
  afterLastNewline(from: number, to: number): number {
    const [low, high] = this.#range(from, to);
    const at = this.#module.afterLastNewline(low, high);
    return at < low ? -1 : at - this.#start;
  }

  /** The place of the first newline in [from, to), else `to`. */
  nextNewline(from: number, to: number): number {
    const [low, high] = this.#range(from, to);
    return this.#module.nextNewline(low, high) - this.#start;
  }

  #range(from: number, to: number): readonly [number, number] {
    if (!(from >= 0 && from <= to && to <= this.buffer.length))
      throw new RangeError(`[${from}, ${to}) is not in the buffer`);
    return [this.#start + from, this.#start + to];
  }
}

const escapeBytes = 6;

/** Whole characters. */
function beginningOf(text: string): string {
  const most = Math.floor(maxTextBytes / 4);
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}

/** The places of the two bytes that are least common in transcripts; the same one twice if there is only one. */
function rarest(bytes: Buffer): readonly [number, number] {
  const places = [...bytes.keys()].sort((a, b) => rank(bytes[a] as number) - rank(bytes[b] as number));
  return [places[0] ?? 0, places[1] ?? 0];
}

/** From the most common byte on, in English, code and JSON. */
const common = ' etaonirscldupmf"hg,.b:yv-_/wk0(1)x=2;3465897{}Sj\'TCE<>[]A\\zqIRPNLOMDFB*&$#@!+|UHGVWYJKXZQ?^~`%';

function rank(byte: number): number {
  const at = common.indexOf(String.fromCharCode(byte));
  // Other bytes are parts of other scripts, where the first byte of a character is the same for all.
  return at < 0 ? (byte >= 0xc0 ? 0.5 : 0) : common.length - at;
}
