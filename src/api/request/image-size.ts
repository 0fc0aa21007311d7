// Reads the type and the size of a base64 image from its header; only the header is decoded, however large the image
// is. A header may be wrong, but the API reads the same.

/** A media type of images that the API accepts. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** The type and the size in pixels of an image. */
export interface ImageSize {
  readonly type: ImageType;
  readonly width: number;
  readonly height: number;
}

/** Reads the type and the size of an image from its header; `undefined` if that is not possible. */
export function readImageSize(base64: string): ImageSize | undefined {
  const type = readImageType(base64);
  if (type === undefined) return undefined;
  const sides = readers[type](base64);
  return sides === undefined || sides[0] === 0 || sides[1] === 0
    ? undefined
    : { type, width: sides[0], height: sides[1] };
}

export function readImageType(base64: string): ImageType | undefined {
  const start = bytesAt(base64, 0, 12).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : undefined;
}

/** Returns how many bytes a base64 text decodes to. */
export function decodedByteLength(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}

type Sides = readonly [width: number, height: number];

const readers: Readonly<Record<ImageType, (base64: string) => Sides | undefined>> = {
  'image/png': pngSides,
  'image/jpeg': jpegSides,
  'image/gif': gifSides,
  'image/webp': webpSides,
};

/** Up to `length` bytes of the image, fewer if it is shorter. */
function bytesAt(base64: string, start: number, length: number): Buffer {
  const group = Math.floor(start / 3);
  const end = Math.ceil((start + length) / 3);
  return Buffer.from(base64.slice(group * 4, end * 4), 'base64').subarray(
    start - group * 3,
    start - group * 3 + length,
  );
}

function pngSides(base64: string): Sides | undefined {
  const header = bytesAt(base64, 12, 12);
  if (header.length < 12 || header.toString('latin1', 0, 4) !== 'IHDR') return undefined;
  return [header.readUInt32BE(4), header.readUInt32BE(8)];
}

function gifSides(base64: string): Sides | undefined {
  const sides = bytesAt(base64, 6, 4);
  return sides.length < 4 ? undefined : [sides.readUInt16LE(0), sides.readUInt16LE(2)];
}

function webpSides(base64: string): Sides | undefined {
  const chunk = bytesAt(base64, 12, 18);
  if (chunk.length < 13) return undefined;
  switch (chunk.toString('latin1', 0, 4)) {
    case 'VP8 ':
      if (chunk.length < 18 || chunk.toString('latin1', 11, 14) !== '\x9d\x01\x2a') return undefined;
      return [chunk.readUInt16LE(14) & 0x3fff, chunk.readUInt16LE(16) & 0x3fff];
    case 'VP8L': {
      if (chunk[8] !== 0x2f) return undefined;
      const bits = chunk.readUInt32LE(9);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    case 'VP8X':
      return chunk.length < 18 ? undefined : [chunk.readUIntLE(12, 3) + 1, chunk.readUIntLE(15, 3) + 1];
    default:
      return undefined;
  }
}

/** More than any camera or editor writes before the image data; a longer header is an attack. */
const maxJpegSegments = 4096;

/** Walks the segments up to the frame header, which has the size. */
function jpegSides(base64: string): Sides | undefined {
  let at = 2;
  for (let i = 0; i < maxJpegSegments; i++) {
    const segment = bytesAt(base64, at, 9);
    if (segment.length < 4 || segment[0] !== 0xff) return undefined;
    const marker = segment[1] as number; // the length is checked above
    if (marker === 0xff) at += 1;
    else if (isStandalone(marker)) at += 2;
    else if (marker === 0xd9 || marker === 0xda) return undefined;
    else if (isFrameHeader(marker))
      return segment.length < 9 ? undefined : [segment.readUInt16BE(7), segment.readUInt16BE(5)];
    else at += 2 + Math.max(2, segment.readUInt16BE(2));
  }
  return undefined;
}

function isStandalone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
}

function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** The last two bytes of every whole signature in the corpora, at each of the three positions in a base64 group. */
const wholeEnd = /(?:GAE=|YAQ==|[BRhx]gB)$/;

/** A signature of another shape is not checked. */
export function isCutSignature(signature: string): boolean {
  const promised = promisedBytes(signature);
  if (promised === undefined || wholeEnd.test(signature)) return false;
  return signature.length % 4 !== 0 || decodedByteLength(signature) < promised;
}

/** Tags and lengths are variable-length integers: an optional small field 1, then field 2 with its length. */
function promisedBytes(signature: string): number | undefined {
  const bytes = Buffer.from(signature.slice(0, 16), 'base64');
  let at = bytes[0] === 0x08 ? 2 : 0;
  if (bytes[at++] !== 0x12) return undefined;
  let length = 0;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = bytes[at++];
    if (byte === undefined) return undefined;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) return at + length;
  }
  return undefined;
}
