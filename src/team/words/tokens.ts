// A text → its words as the tokenizer `unicode61 remove_diacritics 2` of SQLite splits and folds it, at many times its speed
// through the binding: the words of a team's store must equal those of the local index.
import { continues, separator, sqliteWords } from './sqlite-words.ts';

const asciiFolds: Int32Array = new Int32Array(128).fill(separator);
for (const char of '0123456789abcdefghijklmnopqrstuvwxyz') {
  asciiFolds[char.charCodeAt(0)] = char.charCodeAt(0);
  asciiFolds[char.toUpperCase().charCodeAt(0)] = char.charCodeAt(0);
}

/** Calls `add` for each word. CJK characters must be apart (`indexable`). */
export function forEachToken(text: string, add: (word: string) => void): void {
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code >= 128) {
      at = addFrom(text, at, at, add);
      continue;
    }
    if (asciiFolds[code] === separator) {
      at++;
      continue;
    }
    const start = at;
    let isLower = true;
    for (; at < text.length; at++) {
      const next = text.charCodeAt(at);
      if (next >= 128) break;
      const folded = asciiFolds[next] as number; // below 128
      if (folded === separator) break;
      if (folded !== next) isLower = false;
    }
    if (at < text.length && text.charCodeAt(at) >= 128) {
      at = addFrom(text, start, at, add);
      continue;
    }
    const word = text.slice(start, at);
    add(isLower ? word : word.toLowerCase());
  }
}

/** A word from `start` on, or none, of which the characters before `at` are ASCII; returns where it ends. */
function addFrom(text: string, start: number, at: number, add: (word: string) => void): number {
  let word = text.slice(start, at).toLowerCase();
  let isWord = at > start;
  let next = at;
  while (next < text.length) {
    const codePoint = text.codePointAt(next) as number; // in range
    const folded = foldedCodePoint(codePoint);
    if (folded === separator || (folded >= continues && !isWord)) {
      // A mark without a letter before it separates, and so does a lone surrogate.
      if (isWord) break;
      next += codePoint > 0xffff ? 2 : 1;
      return next;
    }
    isWord = true;
    const left = folded >= continues ? folded - continues : folded;
    if (left !== 0) word += String.fromCodePoint(left);
    next += codePoint > 0xffff ? 2 : 1;
  }
  add(word);
  return next;
}

let lastPage = -1;
let page: Int32Array = asciiFolds;

function foldedCodePoint(codePoint: number): number {
  if (codePoint < 128) return asciiFolds[codePoint] as number; // in range
  if (codePoint >> 8 !== lastPage) {
    page = sqliteWords().pageOf(codePoint);
    lastPage = codePoint >> 8;
  }
  return page[codePoint & 0xff] as number; // in range
}
