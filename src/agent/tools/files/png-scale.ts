// Scales a PNG down row by row, so that memory holds two rows and not the whole image. docs/decisions.md compares image
// libraries.
import { promisify } from 'node:util';
import { crc32, createInflate, deflate } from 'node:zlib';
import { limits } from '../shared/index.ts';

export interface ScaledPng {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

export async function scalePng(bytes: Buffer, maxSide: number): Promise<ScaledPng | { readonly problem: string }> {
  const png = parsePng(bytes);
  if ('problem' in png) return png;
  const ratio = Math.min(1, maxSide / Math.max(png.width, png.height));
  const width = Math.max(1, Math.round(png.width * ratio));
  const height = Math.max(1, Math.round(png.height * ratio));
  const picture = makeShrinker(png, width, height);
  try {
    let rows = 0;
    for await (const row of unfilteredRows(png)) {
      picture.addRow(toRgba(png, row));
      if (++rows === png.height) break;
    }
    if (rows < png.height) return { problem: 'its data ends too early' };
  } catch {
    return { problem: 'its data is damaged' };
  }
  return { bytes: await encodePng(width, height, picture.pixels), width, height };
}

interface Png {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly channels: number;
  readonly color: number;
  readonly palette: Buffer;
  readonly alpha: Buffer;
  readonly data: readonly Buffer[];
}

const channelsOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function parsePng(bytes: Buffer): Png | { readonly problem: string } {
  const chunks = readChunks(bytes);
  const header = chunks.find(({ type }) => type === 'IHDR')?.data;
  if (header === undefined || header.length < 13) return { problem: 'it has no header' };
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth = 0, color = 0, , , interlace] = header.subarray(8);
  const channels = channelsOf[color];
  if (channels === undefined || ![1, 2, 4, 8, 16].includes(depth)) return { problem: 'its pixel format is unknown' };
  if (interlace !== 0) return { problem: 'interlaced pictures are not made smaller' };
  if (width * height > limits.read.imagePixels || width * height === 0) return { problem: 'it has too many pixels' };
  return {
    width,
    height,
    depth,
    channels,
    color,
    palette: chunks.find(({ type }) => type === 'PLTE')?.data ?? Buffer.alloc(0),
    alpha: chunks.find(({ type }) => type === 'tRNS')?.data ?? Buffer.alloc(0),
    data: chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data),
  };
}

function readChunks(bytes: Buffer): { readonly type: string; readonly data: Buffer }[] {
  const chunks: { readonly type: string; readonly data: Buffer }[] = [];
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    chunks.push({ type: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

async function* unfilteredRows(png: Png): AsyncGenerator<Buffer> {
  const rowBytes = Math.ceil((png.width * png.channels * png.depth) / 8);
  const pixelBytes = Math.max(1, (png.channels * png.depth) >> 3);
  const inflate = createInflate();
  inflate.end(Buffer.concat(png.data));
  let previous: Buffer = Buffer.alloc(rowBytes);
  let row: Buffer = Buffer.alloc(rowBytes + 1);
  let filled = 0;
  for await (const piece of inflate as AsyncIterable<Buffer>) {
    for (let at = 0; at < piece.length; ) {
      const taken = piece.copy(row, filled, at, at + row.length - filled);
      at += taken;
      filled += taken;
      if (filled < row.length) continue;
      unfilter(row, previous, pixelBytes);
      previous = row.subarray(1);
      yield previous;
      row = Buffer.alloc(rowBytes + 1);
      filled = 0;
    }
  }
}

/** The first byte of the row is its filter; see section 9 of the PNG specification. */
function unfilter(row: Buffer, above: Buffer, pixelBytes: number): void {
  const filter = row[0];
  for (let i = 1; i < row.length; i++) {
    const left = i > pixelBytes ? (row[i - pixelBytes] ?? 0) : 0;
    const up = above[i - 1] ?? 0;
    if (filter === 1) row[i] = (row[i] ?? 0) + left;
    else if (filter === 2) row[i] = (row[i] ?? 0) + up;
    else if (filter === 3) row[i] = (row[i] ?? 0) + ((left + up) >> 1);
    else if (filter === 4)
      row[i] = (row[i] ?? 0) + paeth(left, up, i > pixelBytes ? (above[i - 1 - pixelBytes] ?? 0) : 0);
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

function toRgba(png: Png, row: Buffer): Uint8Array {
  const { width, depth, channels, color, palette, alpha } = png;
  const out = new Uint8Array(width * 4);
  const scale = color === 3 || depth >= 8 ? 1 : 255 / ((1 << depth) - 1);
  const sample = (x: number, channel: number): number => {
    const index = x * channels + channel;
    if (depth === 8) return row[index] ?? 0;
    if (depth === 16) return row[index * 2] ?? 0;
    const bit = index * depth;
    return (((row[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & ((1 << depth) - 1)) * scale;
  };
  for (let x = 0; x < width; x++) {
    const first = sample(x, 0);
    const isPalette = color === 3;
    const isGray = color === 0 || color === 4;
    out[x * 4] = isPalette ? (palette[first * 3] ?? 0) : first;
    out[x * 4 + 1] = isPalette ? (palette[first * 3 + 1] ?? 0) : isGray ? first : sample(x, 1);
    out[x * 4 + 2] = isPalette ? (palette[first * 3 + 2] ?? 0) : isGray ? first : sample(x, 2);
    out[x * 4 + 3] = isPalette ? (alpha[first] ?? 255) : color === 4 ? sample(x, 1) : color === 6 ? sample(x, 3) : 255;
  }
  return out;
}

/** Each pixel of the result is the mean of the pixels that it covers, weighted by their opacity. */
function makeShrinker(from: Png, width: number, height: number) {
  const pixels = Buffer.alloc(width * height * 4);
  const sums = new Float64Array(width * 4);
  const counts = new Uint32Array(width);
  let row = 0;
  const finishRow = (y: number): void => {
    for (let x = 0; x < width; x++) {
      const to = (y * width + x) * 4;
      const alpha = sums[x * 4 + 3] ?? 0;
      for (let c = 0; c < 3; c++) pixels[to + c] = alpha === 0 ? 0 : Math.round((sums[x * 4 + c] ?? 0) / alpha);
      pixels[to + 3] = Math.round(alpha / Math.max(1, counts[x] ?? 1));
    }
    sums.fill(0);
    counts.fill(0);
  };
  const addRow = (rgba: Uint8Array): void => {
    for (let x = 0; x < from.width; x++) {
      const to = Math.floor((x * width) / from.width);
      const alpha = rgba[x * 4 + 3] ?? 0;
      for (let c = 0; c < 3; c++) sums[to * 4 + c] = (sums[to * 4 + c] ?? 0) + (rgba[x * 4 + c] ?? 0) * alpha;
      sums[to * 4 + 3] = (sums[to * 4 + 3] ?? 0) + alpha;
      counts[to] = (counts[to] ?? 0) + 1;
    }
    const at = Math.floor((row * height) / from.height);
    row++;
    if (Math.floor((row * height) / from.height) !== at) finishRow(at);
  };
  return { pixels, addRow };
}

async function encodePng(width: number, height: number, rgba: Buffer): Promise<Buffer> {
  const stride = width * 4;
  const raw = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y++) {
    const to = y * (stride + 1);
    // The `Sub` filter: neighbouring pixels are similar, and it costs one pass.
    raw[to] = 1;
    for (let i = 0; i < stride; i++)
      raw[to + 1 + i] = (rgba[y * stride + i] ?? 0) - (i >= 4 ? (rgba[y * stride + i - 4] ?? 0) : 0);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const data = await promisify<Buffer, Buffer>(deflate)(raw);
  return Buffer.concat([
    signature,
    makeChunk('IHDR', header),
    makeChunk('IDAT', data),
    makeChunk('IEND', Buffer.alloc(0)),
  ]);
}

function makeChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
