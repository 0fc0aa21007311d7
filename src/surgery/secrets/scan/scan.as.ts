// Finds the places in a line of a transcript where a secret may be: the keywords of the rules in every text that the slow
// way searches, in every layer of escaping. The host judges these places (line-filter.ts).
import { findKeywords } from './shared-keywords.as';
import { decodeLayer, isDecoded, isRefused } from './shared-layers.as';
import * as lists from './shared-memory.as';
import { isCanonical, readRecord, shownEnd } from './shared-record.as';
import { hasEncodedRun } from './shared-runs.as';

/** As in view.ts. */
const deepest: u32 = 4;

export function reserve(tableBytes: u32, lineBytes: u32): bool {
  return lists.reserve(tableBytes, lineBytes);
}

/** Where the lists are: table, line, texts, hits, names, quoted. */
export function addressOf(list: u32): usize {
  if (list === 0) return lists.table;
  if (list === 1) return lists.line;
  if (list === 2) return lists.texts;
  if (list === 3) return lists.hits;
  return list === 4 ? lists.names : lists.quoted;
}

/** How many entries a list has: texts, hits, names, quoted. */
export function countOf(list: u32): u32 {
  if (list === 2) return lists.textCount;
  if (list === 3) return lists.hitCount;
  return list === 4 ? lists.nameCount : lists.quotedCount;
}

/** 0: the line must be searched in the slow way. Bits: 1 the lists are complete, 2 `JSON.stringify` writes the same line, 4 plain. */
export function scanRecord(bytes: u32): u32 {
  lists.begin(bytes);
  const line = lists.line;
  lists.addText(line, line + bytes, 0);
  if (!readRecord(line, line + bytes) || lists.isFull) return 0;
  store<u32>(lists.textAt(0), <u32>shownEnd, 4);
  // Each layer is added at the end of the list.
  for (let i: u32 = 0; i < lists.textCount; i++) {
    const text = lists.textAt(i);
    const start = <usize>load<u32>(text);
    const end = <usize>load<u32>(text, 4);
    const depth = load<u32>(text, 8);
    findKeywords(i, start, end);
    const inner = lists.out;
    const result = depth < deepest ? decodeLayer(start, end) : 0;
    if (result === isRefused) return 0;
    if (result === isDecoded) lists.addText(inner, lists.out, depth + 1);
    else if (hasEncodedRun(start, end)) {
      store<u32>(text, 1, 12);
      lists.setNotPlain();
    }
    if (lists.isFull) return 0;
  }
  return 1 | (isCanonical ? 2 : 0) | (lists.isPlain ? 4 : 0);
}

/**
 * Finds keywords in a text of UTF-16 at the line's place. Each unit becomes one byte; what is not ASCII stays above 127.
 * Returns whether all hits are in the list.
 */
export function scanUnits(units: u32): bool {
  const line = lists.line;
  const highest = i16x8.splat(255);
  for (let i: usize = 0; i < <usize>units; i += 16) {
    const first = i16x8.min_u(v128.load(line + 2 * i), highest);
    const second = i16x8.min_u(v128.load(line + 2 * i, 16), highest);
    v128.store(line + i, i8x16.narrow_i16x8_u(first, second));
  }
  lists.begin(units);
  findKeywords(0, line, line + units);
  return !lists.isFull;
}
