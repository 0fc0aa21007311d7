// Runs the WebAssembly module over a line or a text. There is one module with one memory: results are copied out before the
// next scan.
import { instantiateWasm } from '../../../base/wasm/index.ts';
import type { KeywordTable } from './keyword-table.ts';
import { scanWasm } from './scan.wasm.ts';

interface Module {
  reserve(tableBytes: number, lineBytes: number): number;
  addressOf(list: number): number;
  countOf(list: number): number;
  scanRecord(bytes: number): number;
  scanUnits(units: number): number;
}

const lists = { table: 0, line: 1, texts: 2, hits: 3, names: 4, quoted: 5 } as const;

/** Longer lines are searched in the slow way: a line takes eleven times its length of memory. */
export const longestLine: number = 16 * 1024 * 1024;

/** What was found in a line. Valid until the next scan. */
export interface LineScan {
  readonly memory: Buffer;
  /** Four numbers each: start and end in the memory, the depth, 1 if it may have encoded text. */
  readonly texts: Uint32Array;
  /** Three numbers each: the keyword, the text, the place in its bytes. */
  readonly hits: Uint32Array;
  /** Two numbers each: start and end in the line. */
  readonly names: Uint32Array;
  /** Four numbers each: start and end of key and value in the line. */
  readonly quoted: Uint32Array;
  /** Whether `JSON.stringify` writes the same line for the same value. */
  readonly isCanonical: boolean;
  /** Whether text without quotes, backslashes and control characters is in a layer only if it is in the line as it is. */
  readonly isPlain: boolean;
}

/** A keyword of the table at a place of a text. */
export interface TextHit {
  readonly keyword: number;
  readonly at: number;
}

let loaded:
  | { readonly module: Module & { readonly memory: { readonly buffer: ArrayBuffer } }; memory: Buffer }
  | undefined;
let current: KeywordTable | undefined;
let reserved = 0;

/** `undefined` if the line is not a record that the module can read: invalid, too long, or unusual. */
export function scanRecord(table: KeywordTable, line: Uint8Array): LineScan | undefined {
  const scanner = prepare(table, line.length);
  if (scanner === undefined) return undefined;
  const { module } = scanner;
  const start = module.addressOf(lists.line);
  scanner.memory.set(line, start);
  const result = module.scanRecord(line.length);
  if (result === 0) return undefined;
  return {
    memory: scanner.memory,
    texts: numbers(scanner.memory, module, lists.texts, 4),
    hits: ownHits(scanner.memory, module, table),
    names: inLine(numbers(scanner.memory, module, lists.names, 2), start),
    quoted: inLine(numbers(scanner.memory, module, lists.quoted, 4), start),
    isCanonical: (result & 2) !== 0,
    isPlain: (result & 4) !== 0,
  };
}

/** The keywords in a text, from left to right. `undefined` if there are too many. */
export function scanText(table: KeywordTable, text: string): TextHit[] | undefined {
  const scanner = prepare(table, text.length);
  if (scanner === undefined) return undefined;
  const { module } = scanner;
  scanner.memory.write(text, module.addressOf(lists.line), 2 * text.length, 'utf16le');
  if (module.scanUnits(text.length) === 0) return undefined;
  const hits = ownHits(scanner.memory, module, table);
  const listed = Array.from({ length: hits.length / 3 }, (_, i): TextHit => {
    return { keyword: hits[3 * i] as number, at: hits[3 * i + 2] as number }; // three numbers each
  });
  return listed.sort((a, b) => a.at - b.at || a.keyword - b.keyword);
}

function prepare(table: KeywordTable, length: number): NonNullable<typeof loaded> | undefined {
  if (length > longestLine) return undefined;
  if (loaded === undefined) {
    const module = instantiateWasm<Module>(scanWasm);
    loaded = { module, memory: Buffer.from(module.memory.buffer) };
  }
  const { module } = loaded;
  if (current !== table || length > reserved) {
    const size = Math.max(64 * 1024, 2 ** Math.ceil(Math.log2(Math.max(1, length))));
    if (module.reserve(table.bytes.length, size) === 0) return undefined;
    loaded.memory = Buffer.from(module.memory.buffer);
    loaded.memory.set(table.bytes, module.addressOf(lists.table));
    [current, reserved] = [table, size];
  }
  return loaded;
}

function numbers(memory: Buffer, module: Module, list: number, each: number): Uint32Array {
  return new Uint32Array(memory.buffer, module.addressOf(list), each * module.countOf(list));
}

function ownHits(memory: Buffer, module: Module, { order }: KeywordTable): Uint32Array {
  const hits = numbers(memory, module, lists.hits, 3).slice();
  for (let i = 0; i < hits.length; i += 3) hits[i] = order[hits[i] as number] as number; // indexes of these lists
  return hits;
}

function inLine(places: Uint32Array, start: number): Uint32Array {
  return places.map((place) => place - start);
}
