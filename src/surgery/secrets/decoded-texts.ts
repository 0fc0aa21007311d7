// Bytes of any file → every text that they may hold: as they are, without each layer of escapes, in UTF-16, and unpacked from
// base64, hex digits, dumps and gzip, also inside one another. It decodes more than it should rather than less: a search for
// known values can only find too little.
import { isUtf8 } from 'node:buffer';
import { constants, gunzipSync, inflateSync } from 'node:zlib';
import { hexDumps } from './encoded-text.ts';
import { viewsOf } from './view.ts';

export interface TextVisitor {
  visit(text: string): void;
  /** A compressed part that is too large to be unpacked. */
  skip(reason: string): void;
}

/** base64 in gzip in base64 was seen, in exported requests; deeper nesting never. */
const deepest = 3;
const mostUnpacked = 512 << 20;

export function visitTexts(bytes: Buffer, visitor: TextVisitor, depth = 0): void {
  visitStretch(bytes, visitor, depth);
  if (depth < deepest) visitUnpacked(bytes, visitor, depth);
}

/** Part of a larger file: nothing is unpacked. */
export function visitStretch(bytes: Buffer, visitor: TextVisitor, depth = 0): void {
  visitText(bytes.toString('utf8'), visitor, depth);
  visitWide(bytes, visitor);
}

function visitText(text: string, visitor: TextVisitor, depth: number): void {
  let innermost = text;
  for (const view of viewsOf(text)) {
    visitor.visit(view.text);
    innermost = view.text;
  }
  if (depth < deepest) visitEncoded(innermost, visitor, depth);
}

/** Text in UTF-16 begins at an even or an odd byte, in either order. */
function visitWide(bytes: Buffer, visitor: TextVisitor): void {
  if (!bytes.includes(0)) return;
  const isWide = countZeros(bytes) > bytes.length / 8;
  for (const start of [0, 1]) {
    const even = bytes.subarray(start, bytes.length - ((bytes.length - start) % 2));
    const swapped = Buffer.from(even).swap16();
    for (const half of [even, swapped]) {
      const text = half.toString('utf16le');
      if (isWide) for (const view of viewsOf(text)) visitor.visit(view.text);
      else visitor.visit(text);
    }
  }
}

function countZeros(bytes: Buffer): number {
  let zeros = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0) zeros++;
  return zeros;
}

const gzipMark = Buffer.from([0x1f, 0x8b, 0x08]);

/** The first bytes of a file say whether all of it must be read to unpack it. */
export function mayUnpack(bytes: Buffer): boolean {
  return bytes.includes(gzipMark) || isZlib(bytes);
}

function isZlib(bytes: Buffer): boolean {
  return bytes[0] === 0x78 && bytes.length > 2 && bytes.readUInt16BE(0) % 31 === 0;
}

export function visitUnpacked(bytes: Buffer, visitor: TextVisitor, depth = 0): void {
  for (let at = bytes.indexOf(gzipMark); at >= 0; at = bytes.indexOf(gzipMark, at + gzipMark.length)) {
    const unpacked = unpack(() => gunzipSync(bytes.subarray(at), unpackOptions), visitor);
    if (unpacked !== undefined) visitTexts(unpacked, visitor, depth + 1);
  }
  // Objects of git, for example.
  if (isZlib(bytes)) {
    const unpacked = unpack(() => inflateSync(bytes, unpackOptions), visitor);
    if (unpacked !== undefined) visitTexts(unpacked, visitor, depth + 1);
  }
}

/** What was cut off is unpacked as far as it goes. */
const unpackOptions = { maxOutputLength: mostUnpacked, finishFlush: constants.Z_SYNC_FLUSH };

/** Three bytes may look like the mark of gzip by chance: then there is nothing to unpack. */
function unpack(work: () => Buffer, visitor: TextVisitor): Buffer | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) visitor.skip(`unpacks to more than ${mostUnpacked >> 20} MB`);
    return undefined;
  }
}

const opaqueFormats: readonly (readonly [name: string, mark: Buffer])[] = [
  ['a zip archive', Buffer.from('PK\x03\x04', 'latin1')],
  ['packed with zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ['packed with xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a])],
  ['packed with bzip2', Buffer.from('BZh')],
  ['a 7z archive', Buffer.from([0x37, 0x7a, 0xbc, 0xaf])],
  ['a pack of git', Buffer.from('PACK\0')],
  // A text that continues on another page has a number in between.
  ['a database', Buffer.from('SQLite format 3\0')],
];

/** Why the texts of a file that begins with these bytes are not all of them. */
export function whyOpaque(head: Buffer): string | undefined {
  return opaqueFormats.find(([, mark]) => head.subarray(0, mark.length).equals(mark))?.[0];
}

/** Eight bytes in base64. */
const shortestRun = 11;
const shortestHex = 16;
const batchBytes = 1 << 16;

/** Parts in base64 or hex digits may begin at any of their characters, because text may be in front of them. */
function visitEncoded(text: string, visitor: TextVisitor, depth: number): void {
  const joined = text.includes('\n') ? text.replace(lineEnds, '$1') : text;
  let batch: string[] = [];
  let size = 0;
  const flush = (): void => {
    // Without zero bytes, ASCII in UTF-16 is plain text.
    const plain = batch.join('\n');
    if (plain !== '')
      visitText(plain.includes('\0') ? `${plain}\n${plain.replaceAll('\0', '')}` : plain, visitor, depth + 1);
    [batch, size] = [[], 0];
  };
  const add = (decoded: Buffer): void => {
    if (mayUnpack(decoded)) visitUnpacked(decoded, visitor, depth);
    // An image, or text that was decoded from the wrong place: nothing in it is encoded again.
    if (decoded.length >= shortPart && !isUtf8(wholeCharacters(decoded))) {
      visitor.visit(decoded.toString('latin1'));
      if (decoded.includes(0)) visitor.visit(decoded.toString('latin1').replaceAll('\0', ''));
      return;
    }
    batch.push(decoded.toString('utf8'));
    size += decoded.length;
    if (size >= batchBytes) flush();
  };
  for (const [start, end] of runsIn(joined, 1, shortestRun))
    for (let shift = 0; shift < 4; shift++) add(Buffer.from(joined.slice(start + shift, end), 'base64'));
  for (const [start, end] of runsIn(joined, 2, shortestHex))
    for (let shift = 0; shift < 2; shift++)
      add(Buffer.from(joined.slice(start + shift, end - ((end - start - shift) % 2)), 'hex'));
  if (dumpStart.test(text)) for (const dump of hexDumps(text)) add(Buffer.from(dump.text, 'latin1'));
  flush();
}

const shortPart = 64;

/** Without the rest of a character that is cut off at either end. */
function wholeCharacters(bytes: Buffer): Buffer {
  let [start, end] = [0, bytes.length];
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  for (let back = 1; back <= 3; back++) if ((bytes[bytes.length - back] ?? 0) >= 0xc0) end = bytes.length - back;
  return bytes.subarray(start, end);
}

const dumpStart = /(?:^|\n).{0,12}?[0-9a-f]{7,8}:? {1,3}[0-9a-f]{2,4} /;

/** `base64` and `xxd -p` break their output into lines. */
const lineEnds = /([A-Za-z0-9+/_-]{16})\r?\n[ \t]{0,40}(?=[A-Za-z0-9+/_-])/g;

/** 1: base64, also in its form for URLs; 2: a hex digit too. */
const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code);
  return /[0-9a-fA-F]/.test(letter) ? 2 : /[A-Za-z0-9+/_-]/.test(letter) ? 1 : 0;
});

function* runsIn(text: string, least: 1 | 2, shortest: number): Generator<readonly [start: number, end: number]> {
  const isIn = (at: number): boolean => {
    const code = text.charCodeAt(at);
    return code < 128 && (classes[code] as number) >= least;
  };
  // Every run of this length includes one of these positions, so most characters are skipped.
  for (let at = shortest - 1; at < text.length; ) {
    if (!isIn(at)) {
      at += shortest;
      continue;
    }
    let [start, end] = [at, at + 1];
    while (start > 0 && isIn(start - 1)) start--;
    while (end < text.length && isIn(end)) end++;
    if (end - start >= shortest) yield [start, end];
    at = end + shortest;
  }
}
