// A text → its words as the tokenizer `unicode61 remove_diacritics 2` of SQLite splits and folds it, at many times its speed
// through the binding: the words of a team's store must equal those of the local index.
import { Buffer } from 'node:buffer';
import { continues, separator, sqliteWords } from './sqlite-words.ts';
import { addToHash, doubled, hashStart, type Vocabulary } from './vocabulary.ts';

/** By the byte of an ASCII character; 0 for a separator, and for the bytes of all other characters. */
const folds: Uint8Array = new Uint8Array(256);
for (const char of '0123456789abcdefghijklmnopqrstuvwxyz') {
  folds[char.charCodeAt(0)] = char.charCodeAt(0);
  folds[char.toUpperCase().charCodeAt(0)] = char.charCodeAt(0);
}

let numbers = new Int32Array(1 << 10);
const longestShared = 1 << 16;
/** Of one text at a time. */
const shared = Buffer.allocUnsafeSlow(3 * longestShared);

/** The words of a text in their order, valid until the next call. CJK characters must be apart (`indexable`). */
export function wordNumbers(text: string, vocabulary: Vocabulary): Int32Array {
  // Bytes are read several times as fast as the characters of a string. A lone surrogate becomes another separator.
  const bytes = text.length > longestShared ? Buffer.from(text) : shared;
  const length = bytes === shared ? bytes.write(text) : bytes.length;
  let count = 0;
  for (let at = 0; at < length; ) {
    const start = at;
    let hash = hashStart;
    for (; at < length; at++) {
      const folded = folds[bytes[at] as number] as number; // each byte has one
      if (folded === 0) break;
      bytes[at] = folded;
      hash = addToHash(hash, folded);
    }
    let number = -1;
    if (at < length && (bytes[at] as number) >= 128) {
      const { word, next } = wordFrom(bytes, start, at, length);
      at = next;
      if (word !== undefined) number = vocabulary.numberOf(word);
    } else {
      if (at > start) number = vocabulary.numberAt(bytes, start, at, hash);
      at++;
    }
    if (number < 0) continue;
    if (count === numbers.length) numbers = doubled(numbers);
    numbers[count++] = number;
  }
  return numbers.subarray(0, count);
}

/** A word from `start` on, or none, of which the bytes before `at` are folded ASCII; and where it ends. */
function wordFrom(
  bytes: Buffer,
  start: number,
  at: number,
  end: number,
): { readonly word: string | undefined; readonly next: number } {
  let word = bytes.toString('latin1', start, at);
  let isWord = at > start;
  let next = at;
  while (next < end) {
    const codePoint = codePointAt(bytes, next);
    const folded = foldedCodePoint(codePoint);
    const length = codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
    // A mark without a letter before it separates.
    if (folded === separator || (folded >= continues && !isWord))
      return isWord ? { word, next } : { word: undefined, next: next + length };
    isWord = true;
    const left = folded >= continues ? folded - continues : folded;
    if (left !== 0) word += String.fromCodePoint(left);
    next += length;
  }
  return { word, next };
}

/** Of valid UTF-8. */
function codePointAt(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return first;
  const second = (bytes[at + 1] as number) & 63;
  if (first < 0xe0) return ((first & 31) << 6) | second;
  const third = (bytes[at + 2] as number) & 63;
  if (first < 0xf0) return ((first & 15) << 12) | (second << 6) | third;
  return ((first & 7) << 18) | (second << 12) | (third << 6) | ((bytes[at + 3] as number) & 63);
}

let lastPage = -1;
let page: Int32Array = new Int32Array();

function foldedCodePoint(codePoint: number): number {
  if (codePoint < 128) return folds[codePoint] || separator;
  if (codePoint >> 8 !== lastPage) {
    page = sqliteWords().pageOf(codePoint);
    lastPage = codePoint >> 8;
  }
  return page[codePoint & 0xff] as number; // in range
}
