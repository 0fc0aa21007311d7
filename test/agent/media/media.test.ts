// Images and PDF files as they come from disks, servers and commands: too large, damaged, or made to harm.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { decode as decodeJpeg, encode as encodeJpeg } from 'jpeg-js';
import { GifWriter } from 'omggif';
import { type FittedImage, fitImage, imageLimits, pictureNote } from '../../../src/agent/media/image.ts';
import type { ImageJob } from '../../../src/agent/media/job.ts';
import { readPages } from '../../../src/agent/media/pdf.ts';
import { runMediaJob } from '../../../src/agent/media/run-job.ts';
import { readImageSize } from '../../../src/api/request/image-size.ts';
import { makePdf } from '../tools/parity/make-pdf.ts';

/** Left half red, right half blue. */
function pixels(width: number, height: number): Buffer {
  const data = Buffer.alloc(width * height * 4, 255);
  for (let i = 0; i < width * height; i++) data.set(i % width < width / 2 ? [220, 20, 30] : [20, 30, 220], i * 4);
  return data;
}

function png(width: number, height: number, data = pixels(width, height)): Buffer {
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.concat([Buffer.from([0]), data.subarray(y * width * 4, (y + 1) * width * 4)]),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND'),
  ]);
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function jpeg(width: number, height: number): Buffer {
  return Buffer.from(encodeJpeg({ data: pixels(width, height), width, height }, 90).data);
}

function gif(width: number, height: number): Buffer {
  const buffer = Buffer.alloc(width * height + 4096);
  const writer = new GifWriter(buffer, width, height, { palette: [0xdc141e, 0x141edc] });
  writer.addFrame(
    0,
    0,
    width,
    height,
    Array.from({ length: width * height }, (_, i) => (i % width < width / 2 ? 0 : 1)),
  );
  return buffer.subarray(0, writer.end());
}

async function webp(width: number, height: number): Promise<Buffer> {
  const { default: encode, init } = await import('@jsquash/webp/encode.js');
  const file = createRequire(import.meta.url).resolve('@jsquash/webp/codec/enc/webp_enc.wasm');
  await init(await WebAssembly.compile(readFileSync(file)));
  const data = new Uint8ClampedArray(pixels(width, height));
  return Buffer.from(await encode({ data, width, height, colorSpace: 'srgb' }, { quality: 90 }));
}

async function fitted(bytes: Buffer): Promise<FittedImage> {
  const image = await fitImage(bytes);
  assert.ok(image !== undefined && !('problem' in image), JSON.stringify(image));
  return image;
}

test('an image within the limits stays as it is', async () => {
  const bytes = png(2000, 3);
  const image = await fitted(bytes);
  assert.equal(image.bytes, bytes);
  assert.equal(pictureNote(image), undefined);
});

test('images of every kind are scaled to 2000 pixels and keep their picture', async () => {
  const kinds = { png: png(3000, 300), jpeg: jpeg(3000, 300), gif: gif(3000, 300), webp: await webp(3000, 300) };
  for (const [kind, bytes] of Object.entries(kinds)) {
    const image = await fitted(bytes);
    assert.deepEqual(
      [image.width, image.height, image.originalWidth, image.originalHeight],
      [2000, 200, 3000, 300],
      kind,
    );
    const { type, width, height } = readImageSize(image.bytes.toString('base64')) ?? {};
    assert.deepEqual([type, width, height], [image.type, 2000, 200], kind);
    assert.ok(image.bytes.length <= imageLimits.scaledBytes, kind);
    assert.match(pictureNote(image) ?? '', /original 3000x300, shown at 2000x200\. Multiply coordinates by 1\.50/);
    if (image.type !== 'image/jpeg') continue;
    const { data } = decodeJpeg(image.bytes);
    const at = (x: number): number[] => [...data.subarray((100 * 2000 + x) * 4, (100 * 2000 + x) * 4 + 3)];
    for (const [x, colour] of [
      [500, [220, 20, 30]],
      [1500, [20, 30, 220]],
    ] as const)
      assert.ok(
        at(x).every((value, i) => Math.abs(value - (colour[i] ?? 0)) < 12),
        `${kind} at ${x}: ${at(x)}`,
      );
  }
});

test('an image of noise becomes a JPEG, because a PNG of it would be large; transparency becomes white', async () => {
  const width = 2100;
  const data = Buffer.alloc(width * 700 * 4);
  for (let i = 0, seed = 1; i < data.length; i++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    data[i] = i % 4 === 3 ? 0 : seed >> 16;
  }
  const image = await fitted(png(width, 700, data));
  assert.ok(image.bytes.length <= imageLimits.scaledBytes);
  // All of it is transparent.
  const shown = image.type === 'image/jpeg' ? decodeJpeg(image.bytes).data[0] : 255;
  assert.ok((shown ?? 0) > 240);
});

test('a cut or changed image is an answer, never an exception, and the next image is fine', async () => {
  const originals = [png(2100, 40), jpeg(2100, 40), gif(2100, 40), await webp(2100, 40)];
  for (const bytes of originals) {
    const { type } = readImageSize(bytes.toString('base64')) ?? {};
    assert.ok(type);
    const half = bytes.subarray(0, bytes.length >> 1);
    for (const damaged of [bytes.subarray(0, 60), half, flipped(bytes, 3), flipped(bytes, 7)]) {
      // The GIF decoder never ends on one of them.
      const job: ImageJob = { kind: 'image', bytes: damaged, type, side: 2000, maxBytes: 500_000 };
      const answer = await runMediaJob(job, 2000);
      if ('problem' in answer) assert.match(answer.problem, /^its data is damaged|^it took longer than 2 s$/);
      else assert.equal(answer.width, 2000);
    }
  }
  assert.equal((await fitted(png(2100, 40))).width, 2000);
});

function flipped(bytes: Buffer, step: number): Buffer {
  const changed = Buffer.from(bytes);
  for (let i = 40; i < changed.length; i += 37 * step) changed[i] = (changed[i] ?? 0) ^ 0x55;
  return changed;
}

test('an image with very many pixels is not decoded', async () => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(60_000, 0);
  header.writeUInt32BE(60_000, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const bomb = Buffer.concat([png(1, 1).subarray(0, 8), chunk('IHDR', header), chunk('IDAT'), chunk('IEND')]);
  const answer = await fitImage(bomb);
  assert.ok(answer !== undefined && 'problem' in answer);
  assert.match(answer.problem, /more than 50 million pixels are not decoded/);
});

test('a job that takes too long ends with its thread, and the next one gets another', async () => {
  const bytes = png(2100, 1000);
  const job = { kind: 'image', bytes, type: 'image/png', side: 2000, maxBytes: 100_000 } as const;
  assert.deepEqual(await runMediaJob(job, 1), { problem: 'it took longer than 0.001 s' });
  assert.ok('width' in (await runMediaJob(job)));
});

test('pages of a PDF become a PDF with these pages', async () => {
  const texts = (bytes: Buffer): number[] =>
    [...inflated(bytes).matchAll(/Page (\d+)\)/g)].map((match) => Number(match[1])).sort((a, b) => a - b);
  const part = await readPages(makePdf(30), { first: 9, last: 11 });
  assert.ok(!('problem' in part));
  assert.deepEqual([part.total, part.count, texts(part.bytes)], [30, 3, [9, 10, 11]]);
  const again = await readPages(part.bytes);
  assert.ok(!('problem' in again) && again.total === 3);
  const whole = makePdf(3);
  assert.deepEqual(await readPages(whole, { first: 1, last: 9 }), { total: 3, count: 3, bytes: whole });
  const beyond = await readPages(whole, { first: 4, last: 9 });
  assert.deepEqual([beyond, 'count' in beyond && beyond.count], [{ total: 3, count: 0, bytes: Buffer.alloc(0) }, 0]);
});

/** pdf-lib writes the streams of pages as they are. */
function inflated(bytes: Buffer): string {
  return bytes.toString('latin1');
}

test('a damaged or hostile PDF is an answer that says so', async () => {
  const good = makePdf(3).toString('latin1');
  const cases = {
    cut: good.slice(0, 400),
    loop: good.replace('/Kids [4 0 R 6 0 R 8 0 R]', '/Kids [2 0 R 2 0 R 2 0 R]'),
    deep: `%PDF-1.4\n1 0 obj\n${'['.repeat(200_000)}\nendobj\nstartxref\n0\n%%EOF`,
    empty: '%PDF-1.4\nstartxref\n0\n%%EOF',
    'no pages': good.replace(/\/Kids \[.*?\] \/Count 3/, '/Kids [] /Count 0'),
  };
  for (const [name, text] of Object.entries(cases)) {
    const answer = await readPages(Buffer.from(text, 'latin1'), { first: 1, last: 2 });
    assert.ok('problem' in answer, `${name}: ${JSON.stringify(answer).slice(0, 200)}`);
  }
  assert.ok('total' in (await readPages(Buffer.from(good, 'latin1'))));
});
