import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { scalePng } from '../../../../src/agent/tools/files/png-scale.ts';
import { readImageSize } from '../../../../src/api/request/image-size.ts';
import { makeBench, storedOf } from '../tool-kit.ts';

interface PngOptions {
  readonly depth?: number;
  readonly color?: number;
  readonly extra?: readonly (readonly [string, Buffer])[];
}

/** Each row begins with its filter byte. */
function makePng(
  width: number,
  height: number,
  rows: Buffer,
  { depth = 8, color = 6, extra = [] }: PngOptions = {},
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, color], 8);
  const chunks: (readonly [string, Buffer])[] = [
    ['IHDR', header],
    ...extra,
    ['IDAT', deflateSync(rows)],
    ['IEND', Buffer.alloc(0)],
  ];
  const parts = chunks.map(([type, data]) => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(named), 4);
    return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
  });
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...parts]);
}

/** The pixels of an image made by `scalePng`: RGBA with the `Sub` filter. */
function pixelsOf(png: Buffer, width: number): number[] {
  const length = png.readUInt32BE(33);
  const raw = inflateSync(png.subarray(41, 41 + length));
  const stride = width * 4;
  const pixels: number[] = [];
  for (let at = 0; at < raw.length; at += stride + 1) {
    assert.equal(raw[at], 1);
    const row: number[] = [];
    for (let i = 0; i < stride; i++) row.push(((raw[at + 1 + i] ?? 0) + (row[i - 4] ?? 0)) & 0xff);
    pixels.push(...row);
  }
  return pixels;
}

async function scaled(png: Buffer, side: number): Promise<number[]> {
  const result = await scalePng(png, side);
  assert.ok('bytes' in result, JSON.stringify(result));
  return pixelsOf(result.bytes, result.width);
}

test('each pixel is the mean of those that it covers, and transparent ones have no colour', async () => {
  const rows = Buffer.from([...[0, 100, 0, 0, 255, 200, 0, 0, 255], ...[0, 0, 0, 0, 0, 255, 255, 255, 0]]);
  assert.deepEqual(await scaled(makePng(2, 2, rows), 1), [150, 0, 0, 128]);
});

test('every filter and every pixel format is decoded', async () => {
  const flat = [9, 9, 9, 255];
  // One colour through Sub, Up, Average and Paeth.
  const filtered = Buffer.from([
    ...[1, 9, 9, 9, 0, 0, 0],
    ...[2, 0, 0, 0, 0, 0, 0],
    ...[3, 5, 5, 5, 0, 0, 0],
    ...[4, 0, 0, 0, 0, 0, 0],
  ]);
  assert.deepEqual(await scaled(makePng(2, 4, filtered, { color: 2 }), 2), [...flat, ...flat]);
  const gray1 = makePng(8, 1, Buffer.from([0, 0b1111_0000]), { depth: 1, color: 0 });
  assert.deepEqual(await scaled(gray1, 2), [255, 255, 255, 255, 0, 0, 0, 255]);
  const gray16 = makePng(1, 1, Buffer.from([0, 77, 1]), { depth: 16, color: 0 });
  assert.deepEqual(await scaled(gray16, 1), [77, 77, 77, 255]);
  const grayAlpha = makePng(1, 1, Buffer.from([0, 50, 40]), { color: 4 });
  assert.deepEqual(await scaled(grayAlpha, 1), [50, 50, 50, 40]);
  const palette = makePng(2, 1, Buffer.from([0, 0b0001_0000]), {
    depth: 4,
    color: 3,
    extra: [
      ['PLTE', Buffer.from([1, 2, 3, 4, 5, 6])],
      ['tRNS', Buffer.from([255, 255])],
    ],
  });
  assert.deepEqual(await scaled(palette, 2), [4, 5, 6, 255, 1, 2, 3, 255]);
});

test('a damaged, truncated, interlaced or huge image is a problem, never an exception', async () => {
  const good = makePng(4, 4, Buffer.alloc(4 * 17));
  const problems: string[] = [];
  for (let cut = 8; cut < good.length; cut += 3) {
    const result = await scalePng(good.subarray(0, cut), 2);
    if ('problem' in result) problems.push(result.problem);
  }
  assert.ok(problems.includes('it has no header') && problems.some((text) => text.startsWith('its data')));
  assert.deepEqual(await scalePng(makePng(60_000, 60_000, Buffer.alloc(9)), 2), { problem: 'it has too many pixels' });
  assert.deepEqual(await scalePng(makePng(4, 4, Buffer.alloc(9), { color: 5 }), 2), {
    problem: 'its pixel format is unknown',
  });
});

test('Read scales down a PNG that is too large', async (t) => {
  const width = 3000;
  const height = 15;
  const bench = makeBench(t, {
    'big.png': makePng(width, height, Buffer.alloc((width + 1) * height, 0), { color: 0 }),
  });
  const outcome = await bench.call('Read', { file_path: 'big.png' });
  const file = storedOf(outcome).file as { base64: string; type: string; dimensions: unknown };
  assert.deepEqual(file.dimensions, {
    originalWidth: 3000,
    originalHeight: 15,
    displayWidth: 2000,
    displayHeight: 10,
  });
  assert.deepEqual(readImageSize(file.base64), { type: 'image/png', width: 2000, height: 10 });
});
