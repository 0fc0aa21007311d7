// Reads a line as a record of a transcript, with the grammar of JSON to the last byte: its strings, decoded, become texts;
// values that are never searched (ids, signatures, pictures: `isKeptValue` in json-view.ts) become blanks in the line.
// Anything that this reader does not decide exactly as JSON.parse would is refused.
import { bitsOfKey, hashKey } from './shared-keywords.as';
import {
  addBlank,
  addKey,
  addName,
  addQuoted,
  addSigned,
  addText,
  blankCount,
  blanks,
  closeKeys,
  frameAt,
  mostDepth,
  openKeys,
  out,
  setOut,
  signed,
  signedCount,
} from './shared-memory.as';
import { isDigit, readNumber, wasShortest } from './shared-number.as';
import { hasEscape, isUsual, readString } from './shared-string.as';

// Bits of a key's name; keyword-table.ts has the names.
const isId: u32 = 1;
const isMessageField: u32 = 2;
const isBlockField: u32 = 4;
const isSourceField: u32 = 8;
const isMessage: u32 = 16;
const isContent: u32 = 32;
const isSource: u32 = 64;
const isThinking: u32 = 128;
const isSignature: u32 = 256;
const isType: u32 = 512;
const isName: u32 = 1024;
const isToolName: u32 = 2048;
const isNames: u32 = 4096;

// The places in a record where values are kept.
const elsewhere: u8 = 0;
const root: u8 = 1;
const message: u8 = 2;
const content: u8 = 3;
const block: u8 = 4;
const innerContent: u8 = 5;
const innerBlock: u8 = 6;
const source: u8 = 7;

// Why an array or object is relevant to the names of tools.
const contentArray: u8 = 1;
const namesArray: u8 = 2;
const contentItem: u8 = 3;

/** Whether the line is what `JSON.stringify` writes for its value. */
export let isCanonical: bool = true;

let isAssistant: bool = false;
// Of the open block.
let isThinkingBlock: bool = false;
let isSigned: bool = false;
let thinkingStart: usize = 0;
let thinkingEnd: usize = 0;
let depth: u32 = 0;
// Of the object or array that is open: whether it is an array, its place, its relevance, its first key.
let inArray: bool = false;
let place: u8 = elsewhere;
let relevance: u8 = 0;
let firstKey: u32 = 0;
// Of the last key.
let bits: u32 = 0;
let keyStart: usize = 0;
let keyEnd: usize = 0;

/** Returns whether the line is a record that was read completely. */
export function readRecord(start: usize, end: usize): bool {
  isCanonical = true;
  isAssistant = false;
  depth = 0;
  bits = 0;
  place = elsewhere;
  inArray = false;
  relevance = 0;
  let at = skipSpace(start);
  const first = load<u8>(at);
  if (first !== 0x7b && first !== 0x5b) return false;
  at = readValue(at);
  while (at !== 0 && depth > 0) {
    at = skipSpace(at);
    const byte = load<u8>(at);
    if (byte === (inArray ? <u8>0x5d : <u8>0x7d)) {
      close();
      at++;
    } else if (byte === 0x2c) at = inArray ? readValue(skipSpace(at + 1)) : readMember(skipSpace(at + 1));
    else return false;
  }
  if (at === 0 || skipSpace(at) !== end) return false;
  hasFiller = false;
  blank(blanks, blankCount);
  if (isAssistant) blank(signed, signedCount);
  shownEnd = hasFiller ? withoutFiller(start, end) : end;
  return true;
}

/** The end of the line with blanks. */
export let shownEnd: usize = 0;
let hasFiller: bool = false;
/** No byte of UTF-8. */
const filler: u8 = 0xff;

/** A space for each unit of UTF-16, as in view.ts; the bytes that are left over are removed later. */
function blank(list: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const from = <usize>load<u32>(list + i * 8);
    const to = <usize>load<u32>(list + i * 8, 4);
    let units: usize = 0;
    for (let at = from; at < to; at++) {
      const byte = load<u8>(at);
      if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
    }
    memory.fill(from, 0x20, units);
    if (units === to - from) continue;
    memory.fill(from + units, filler, to - from - units);
    hasFiller = true;
  }
}

function withoutFiller(start: usize, end: usize): usize {
  let to = start;
  for (let at = start; at < end; at++) {
    const byte = load<u8>(at);
    if (byte === filler) continue;
    store<u8>(to, byte);
    to++;
  }
  return to;
}

function skipSpace(start: usize): usize {
  let at = start;
  for (let byte = load<u8>(at); byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = load<u8>(at))
    at++;
  if (at !== start) isCanonical = false;
  return at;
}

/** A member of an object: key, colon, value. Returns the place after it, or 0. */
function readMember(start: usize): usize {
  if (load<u8>(start) !== 0x22) return 0;
  const from = out;
  const end = readString(start + 1);
  if (end === 0 || hasEscape) return 0;
  keyStart = start + 1;
  keyEnd = end;
  const hash = hashKey(keyStart, keyEnd);
  if (!addKey(firstKey, hash)) return 0;
  // Keys like numbers move to the front.
  if (isDigit(load<u8>(keyStart))) isCanonical = false;
  bits = bitsOfKey(hash, keyStart, <u32>(keyEnd - keyStart));
  keepText(from);
  let at = skipSpace(end + 1);
  if (load<u8>(at) !== 0x3a) return 0;
  at = skipSpace(at + 1);
  return readValue(at);
}

/** The decoded string from `from` to `out`. No keyword fits into a shorter text. */
function keepText(from: usize): void {
  if (out - from >= 3) addText(from, out, 0);
  else setOut(from);
}

/** A string, number or literal, or the start of an object or array with its first element. */
function readValue(at: usize): usize {
  const byte = load<u8>(at);
  if (byte === 0x22) return readText(at + 1);
  if (byte === 0x7b || byte === 0x5b) return open(at, byte === 0x5b);
  if (byte === 0x2d || isDigit(byte)) {
    const end = readNumber(at);
    if (!wasShortest) isCanonical = false;
    return end;
  }
  if (load<u32>(at) === 0x65757274 || load<u32>(at) === 0x6c6c756e) return at + 4;
  if (load<u32>(at) === 0x736c6166 && load<u8>(at, 4) === 0x65) return at + 5;
  return 0;
}

function open(at: usize, isArray: bool): usize {
  if (depth === mostDepth) return 0;
  const frame = frameAt(depth);
  store<u8>(frame, inArray ? 1 : 0);
  store<u8>(frame, place, 1);
  store<u8>(frame, relevance, 2);
  store<u32>(frame, firstKey, 4);
  const outer = place;
  const outerRelevance = relevance;
  const named = inArray ? 0 : bits;
  place = placeOf(outer, named, isArray);
  relevance = 0;
  if (isArray) {
    if ((named & isContent) !== 0) relevance = contentArray;
    else if ((named & isNames) !== 0) relevance = namesArray;
  } else if (outerRelevance === contentArray) relevance = contentItem;
  if (place === block) {
    isThinkingBlock = false;
    isSigned = false;
    thinkingStart = 0;
  }
  depth++;
  inArray = isArray;
  firstKey = openKeys();
  const next = skipSpace(at + 1);
  if (load<u8>(next) === (isArray ? <u8>0x5d : <u8>0x7d)) {
    close();
    return next + 1;
  }
  return isArray ? readValue(next) : readMember(next);
}

function placeOf(outer: u8, named: u32, isArray: bool): u8 {
  if (depth === 0) return isArray ? elsewhere : root;
  if (outer === root) return !isArray && (named & isMessage) !== 0 ? message : elsewhere;
  if (outer === message) return isArray && (named & isContent) !== 0 ? content : elsewhere;
  if (outer === content) return isArray ? elsewhere : block;
  if (outer === innerContent) return isArray ? elsewhere : innerBlock;
  if (outer !== block && outer !== innerBlock) return elsewhere;
  if (!isArray && (named & isSource) !== 0) return source;
  return outer === block && isArray && (named & isContent) !== 0 ? innerContent : elsewhere;
}

function close(): void {
  if (place === block && isThinkingBlock && isSigned && thinkingStart !== 0) addSigned(thinkingStart, thinkingEnd);
  closeKeys(firstKey);
  depth--;
  const frame = frameAt(depth);
  inArray = load<u8>(frame) !== 0;
  place = load<u8>(frame, 1);
  relevance = load<u8>(frame, 2);
  firstKey = load<u32>(frame, 4);
}

/** A value that is a string. `at` follows its quote. */
function readText(at: usize): usize {
  const from = out;
  const end = readString(at);
  if (end === 0) return 0;
  if (!isUsual) isCanonical = false;
  const named = inArray ? 0 : bits;
  if ((named & isType) !== 0 && (place === root || place === block)) {
    if (hasEscape) return 0;
    if (place === root)
      isAssistant = end - at === 9 && load<u64>(at) === 0x6e61747369737361 && load<u8>(at, 8) === 0x74;
    else isThinkingBlock = end - at === 8 && load<u64>(at) === 0x676e696b6e696874;
  }
  if (place === block && (named & isSignature) !== 0) isSigned = end > at;
  if (place === block && (named & isThinking) !== 0) {
    thinkingStart = at;
    thinkingEnd = end;
  }
  const isTool = isNameOfTool(named);
  if (isTool) addName(at, end);
  if (isKept(named) || isMedia(at, end)) {
    // Names of tools are searched, too.
    if (isTool) return 0;
    setOut(from);
    addBlank(at, end);
    return end + 1;
  }
  keepText(from);
  if (!inArray && mayBeQuoted(at, end)) addQuoted(keyStart, keyEnd, at, end);
  return end + 1;
}

function isNameOfTool(named: u32): bool {
  if (inArray) return relevance === namesArray;
  return (named & isToolName) !== 0 || ((named & isName) !== 0 && relevance === contentItem);
}

function isKept(named: u32): bool {
  if (place === root) return (named & isId) !== 0;
  if (place === message) return (named & isMessageField) !== 0;
  if (place === source) return (named & isSourceField) !== 0;
  return (place === block || place === innerBlock) && (named & isBlockField) !== 0;
}

/** `isMediaData` of json-view.ts: png, jpeg, gif, webp or pdf in base64. */
function isMedia(start: usize, end: usize): bool {
  if (end - start < 64) return false;
  const four = load<u32>(start);
  const isKnown =
    (four === 0x4f425669 && load<u32>(start, 4) === 0x4b307752 && (load<u32>(start, 8) & 0xffffff) === 0x6f6747) ||
    four === 0x2f6a392f ||
    (four === 0x476c3052 && load<u16>(start, 4) === 0x444f) ||
    (four === 0x476c6b55 && load<u8>(start, 4) === 0x52) ||
    (four === 0x4542564a && (load<u32>(start, 4) & 0xffffff) === 0x306952);
  if (!isKnown) return false;
  let last = end;
  if (load<u8>(last - 1) === 0x3d) last--;
  if (load<u8>(last - 1) === 0x3d) last--;
  for (let at = start; at < last; at++) if (!isBase64(load<u8>(at))) return false;
  return true;
}

/** A bit for each of the bytes below 64, and from 64 on. */
const lowBase64: u64 = 0x03ff880000000000;
const highBase64: u64 = 0x07fffffe07fffffe;

export function isBase64(byte: u8): bool {
  return (((byte < 64 ? lowBase64 : highBase64) >> (byte & 63)) & 1) !== 0 && byte < 128;
}

const longestQuoted: usize = 600;

/** Whether the value may be one that the redactor reads as a whole: short, with a quote or an escape, without spaces. */
function mayBeQuoted(start: usize, end: usize): bool {
  if (end - start > longestQuoted) return false;
  let isQuoted = false;
  for (let at = start; at < end; at++) {
    const byte = load<u8>(at);
    if (byte === 0x20) return false;
    if (byte === 0x27 || byte === 0x60 || byte === 0x5c) isQuoted = true;
  }
  return isQuoted;
}
