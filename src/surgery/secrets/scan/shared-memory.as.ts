// The memory of the line scanner: [table][frames][keys][texts][hits][names][quoted][blanks][signed][line][layers…]. The host writes
// the table and the line; everything else is written here. Every list has a fixed size, and a line that does not fit into
// one of them is refused: the host searches it without this module.

/** How deep a line may nest, how many keys one object may have, and the sizes of the lists. */
export const mostDepth: u32 = 256;
export const mostKeys: u32 = 512;
const mostOpenKeys: u32 = 8192;
const mostTexts: u32 = 65536;
const mostHits: u32 = 65536;
const mostNames: u32 = 4096;
const mostSigned: u32 = 512;

/** The table of keywords and key names, see keyword-table.ts. */
export let table: usize = 0;
export let frames: usize = 0;
let keys: usize = 0;
export let texts: usize = 0;
export let hits: usize = 0;
export let names: usize = 0;
export let quoted: usize = 0;
export let blanks: usize = 0;
/** Signed thinking. */
export let signed: usize = 0;
/** The first byte of the line. */
export let line: usize = 0;
/** Where the next decoded byte goes. */
export let out: usize = 0;

export let textCount: u32 = 0;
export let hitCount: u32 = 0;
export let nameCount: u32 = 0;
export let quotedCount: u32 = 0;
export let blankCount: u32 = 0;
export let signedCount: u32 = 0;
let keyCount: u32 = 0;
/** Whether a list was too small. */
export let isFull: bool = false;
/** Whether text without quotes, backslashes and control characters is in a layer only if it is in the line as it is. */
export let isPlain: bool = true;

const frameBytes: u32 = 16;
const textBytes: u32 = 16;

/** Makes room for a table and a line. Returns whether there is enough memory. */
export function reserve(tableBytes: u32, lineBytes: u32): bool {
  table = (__heap_base + 15) & ~15;
  frames = (table + tableBytes + 15) & ~15;
  keys = frames + mostDepth * frameBytes;
  texts = keys + mostOpenKeys * 4;
  hits = texts + mostTexts * textBytes;
  names = hits + mostHits * 12;
  quoted = names + mostNames * 8;
  blanks = quoted + mostNames * 16;
  signed = blanks + mostNames * 8;
  line = (signed + mostSigned * 8 + 15) & ~15;
  // The decoded strings of the line take at most its length, like each of the nine layers below it and them.
  const end: usize = line + (lineBytes + 64) * 11;
  const pages = <i32>((end + 65535) >>> 16);
  return pages <= memory.size() || memory.grow(pages - memory.size()) >= 0;
}

/** Begins a line. The layers start after its end and the zeros that end every search in it. */
export function begin(lineBytes: u32): void {
  textCount = 0;
  hitCount = 0;
  nameCount = 0;
  quotedCount = 0;
  blankCount = 0;
  signedCount = 0;
  keyCount = 0;
  isFull = false;
  isPlain = true;
  memory.fill(line + lineBytes, 0, 32);
  out = line + lineBytes + 32;
}

export function setNotPlain(): void {
  isPlain = false;
}

export function setOut(at: usize): void {
  out = at;
}

/** A text: where it starts and ends, how many layers were removed, and its flags. */
export function addText(start: usize, end: usize, depth: u32): void {
  if (textCount === mostTexts) {
    isFull = true;
    return;
  }
  const at = texts + textCount * textBytes;
  store<u32>(at, <u32>start);
  store<u32>(at, <u32>end, 4);
  store<u32>(at, depth, 8);
  store<u32>(at, 0, 12);
  textCount++;
}

export function textAt(index: u32): usize {
  return texts + index * textBytes;
}

export function addHit(keyword: u32, text: u32, at: usize): void {
  if (hitCount === mostHits) {
    isFull = true;
    return;
  }
  const place = hits + hitCount * 12;
  store<u32>(place, keyword);
  store<u32>(place, text, 4);
  store<u32>(place, <u32>at, 8);
  hitCount++;
}

export function addName(start: usize, end: usize): void {
  if (nameCount === mostNames) {
    isFull = true;
    return;
  }
  store<u32>(names + nameCount * 8, <u32>start);
  store<u32>(names + nameCount * 8, <u32>end, 4);
  nameCount++;
}

export function addQuoted(keyStart: usize, keyEnd: usize, start: usize, end: usize): void {
  if (quotedCount === mostNames) {
    isFull = true;
    return;
  }
  const at = quoted + quotedCount * 16;
  store<u32>(at, <u32>keyStart);
  store<u32>(at, <u32>keyEnd, 4);
  store<u32>(at, <u32>start, 8);
  store<u32>(at, <u32>end, 12);
  quotedCount++;
}

export function addBlank(start: usize, end: usize): void {
  if (blankCount === mostNames) {
    isFull = true;
    return;
  }
  store<u32>(blanks + blankCount * 8, <u32>start);
  store<u32>(blanks + blankCount * 8, <u32>end, 4);
  blankCount++;
}

export function addSigned(start: usize, end: usize): void {
  if (signedCount === mostSigned) {
    isFull = true;
    return;
  }
  store<u32>(signed + signedCount * 8, <u32>start);
  store<u32>(signed + signedCount * 8, <u32>end, 4);
  signedCount++;
}

export function frameAt(depth: u32): usize {
  return frames + depth * frameBytes;
}

export function openKeys(): u32 {
  return keyCount;
}

export function closeKeys(count: u32): void {
  keyCount = count;
}

/** Adds the hash of a key. Returns false if the object has it already, or has too many keys. */
export function addKey(first: u32, hash: u32): bool {
  if (keyCount === mostOpenKeys || keyCount - first === mostKeys) return false;
  for (let i = first; i < keyCount; i++) if (load<u32>(keys + i * 4) === hash) return false;
  store<u32>(keys + keyCount * 4, hash);
  keyCount++;
  return true;
}
