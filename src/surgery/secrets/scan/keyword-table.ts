// Keywords and names of JSON keys → the table that the WebAssembly module searches with. All offsets are from the start of
// the table: a head of 64 bytes, a bitmap of hashes, the bucket of each hash, the first keyword of each bucket, the
// keywords, the names of keys, the characters of both, and the programs of the rules.
import type { ByteClass, PatternProgram } from './pattern-program.ts';

export interface TableKeyword {
  /** At least three bytes of UTF-8. */
  readonly text: string;
  readonly exact: boolean;
  /** Without it, every place of the keyword is a hit. */
  readonly rule?: TableRule;
}

/** When a rule may match at its keyword. */
export interface TableRule {
  readonly program: PatternProgram;
  /** How many characters the pattern begins before the keyword. */
  readonly leads: readonly number[];
  readonly inWord: boolean;
}

/** What the name of a key says about its value; the same numbers are in shared-record.as.ts. */
export const keyBits = {
  id: 1,
  messageField: 2,
  blockField: 4,
  sourceField: 8,
  message: 16,
  content: 32,
  source: 64,
  thinking: 128,
  signature: 256,
  type: 512,
  name: 1024,
  toolName: 2048,
  names: 4096,
} as const;

export interface KeywordTable {
  readonly bytes: Uint8Array;
  /** The index of the keyword of each hit. */
  readonly order: Uint32Array;
}

const head = 64;
const bitmapBytes = 8192;
const bucketBytes = 2 * 65536;
const keywordBytes = 12;
const keyPlaces = 128;
const keyBytes = 16;

export function makeKeywordTable(
  keywords: readonly TableKeyword[],
  keyNames: ReadonlyMap<string, number> = new Map(),
): KeywordTable {
  if (keyNames.size > keyPlaces / 2) throw new RangeError('too many names of keys');
  const encoded = keywords.map(({ text, exact }) => Buffer.from(exact ? text : foldCase(text)));
  const buckets = new Map<number, number[]>();
  for (const [i, bytes] of encoded.entries()) {
    const hash = hashThree(bytes, anchorOf(bytes));
    buckets.set(hash, [...(buckets.get(hash) ?? []), i]);
  }
  const names = [...keyNames].map(([name, bits]) => ({ bytes: Buffer.from(name), bits }));
  const firstsAt = head + bitmapBytes + bucketBytes;
  const keywordsAt = firstsAt + 4 * (buckets.size + 2);
  const keysAt = keywordsAt + keywordBytes * keywords.length;
  const charactersAt = keysAt + keyPlaces * keyBytes;
  const rules = new Map<TableRule, Buffer>();
  for (const { rule } of keywords) if (rule !== undefined && !rules.has(rule)) rules.set(rule, ruleBytes(rule));
  const rest = [...encoded, ...names.map(({ bytes }) => bytes), ...rules.values()];
  const table = Buffer.alloc(charactersAt + rest.reduce((sum, { length }) => sum + length, 0));
  table.writeUInt32LE(firstsAt, 0);
  table.writeUInt32LE(keywordsAt, 4);
  table.writeUInt32LE(keysAt, 8);
  let end = charactersAt;
  const addCharacters = (bytes: Buffer): number => {
    bytes.copy(table, end);
    end += bytes.length;
    return end - bytes.length;
  };
  const ruleAt = new Map<TableRule, number>();
  for (const [rule, bytes] of rules) {
    const at = addCharacters(bytes);
    // Its offsets are from its own start.
    for (const offset of [at, at + 4]) table.writeUInt32LE(table.readUInt32LE(offset) + at, offset);
    ruleAt.set(rule, at);
  }
  const order: number[] = [];
  let bucket = 0;
  for (const [hash, members] of buckets) {
    bucket++;
    const byte = head + (hash >>> 3);
    table.writeUInt8(table.readUInt8(byte) | (1 << (hash & 7)), byte);
    table.writeUInt16LE(bucket, head + bitmapBytes + 2 * hash);
    table.writeUInt32LE(order.length, firstsAt + 4 * bucket);
    for (const i of members) {
      const [bytes, keyword] = [encoded[i] as Buffer, keywords[i] as TableKeyword]; // an index of these lists
      const at = keywordsAt + keywordBytes * order.length;
      table.writeUInt32LE(addCharacters(bytes), at);
      table.writeUInt16LE(bytes.length, at + 4);
      table.writeUInt8(keyword.exact ? 1 : 0, at + 6);
      table.writeUInt8(anchorOf(bytes), at + 7);
      table.writeUInt32LE(keyword.rule === undefined ? 0 : (ruleAt.get(keyword.rule) ?? 0), at + 8);
      order.push(i);
    }
  }
  table.writeUInt32LE(order.length, firstsAt + 4 * (bucket + 1));
  for (const { bytes, bits } of names) {
    const hash = hashName(bytes);
    let place = hash & (keyPlaces - 1);
    while (table.readUInt32LE(keysAt + place * keyBytes + 4) !== 0) place = (place + 1) & (keyPlaces - 1);
    const at = keysAt + place * keyBytes;
    table.writeUInt32LE(hash, at);
    table.writeUInt32LE(bits, at + 4);
    table.writeUInt32LE(addCharacters(bytes), at + 8);
    table.writeUInt32LE(bytes.length, at + 12);
  }
  return { bytes: table, order: Uint32Array.from(order) };
}

const rulesAsBytes = new WeakMap<TableRule, Buffer>();

/** Offsets of code and classes, whether it may be in a word, its leads, code, classes. */
function ruleBytes(rule: TableRule): Buffer {
  const known = rulesAsBytes.get(rule);
  if (known !== undefined) return known;
  const { leads, inWord } = rule;
  const { code, classes } = rule.program;
  const codeAt = 16 + 4 * leads.length;
  const classesAt = codeAt + 4 * code.length;
  const numbers = Uint32Array.from([codeAt, classesAt, inWord ? 1 : 0, leads.length, ...leads, ...code]);
  const bytes = Buffer.concat([Buffer.from(numbers.buffer), ...classes.map(bytesOfClass)]);
  rulesAsBytes.set(rule, bytes);
  return bytes;
}

function bytesOfClass({ ascii, isWide }: ByteClass): Buffer {
  return Buffer.from(Uint32Array.from([...ascii, isWide ? 1 : 0]).buffer);
}

/** ASCII only, like the module. */
function foldCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function hashThree(bytes: Buffer, at: number): number {
  return Math.imul((bytes.readUIntLE(at, 3) | 0x202020) >>> 0, 0x8a64a14d) >>> 16;
}

/** The place of the three bytes that are rarest in texts: by them the keyword is found. */
function anchorOf(bytes: Buffer): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (let at = 0; at + 3 <= bytes.length && at < 256; at++) {
    const frequency = frequencyOf(bytes[at]) + frequencyOf(bytes[at + 1]) + frequencyOf(bytes[at + 2]);
    if (frequency < least) [best, least] = [at, frequency];
  }
  return best;
}

/** Roughly, on a scale from 0 to 27. */
function frequencyOf(byte = 0): number {
  const letter = String.fromCharCode(byte).toLowerCase();
  const rank = 'zqxjkvbywgpfmucdlhrsnioate '.indexOf(letter);
  if (rank >= 0) return rank;
  return /[0-9]/.test(letter) ? 14 : /["\\:/.,-]/.test(letter) ? 16 : 6;
}

/** FNV-1a. */
function hashName(bytes: Buffer): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
