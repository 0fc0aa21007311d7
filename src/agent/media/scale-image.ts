// Decodes an image, makes it smaller and encodes it again. Runs in the worker thread. JPEG, PNG and WebP are decoded by
// WebAssembly codecs, GIF (its first picture) by a small library.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { encode as encodeJpeg } from 'jpeg-js';
// Not loaded on demand: a bundle gives a CommonJS module no named exports then.
import { GifReader } from 'omggif';
import type { ImageJob, MediaAnswer, ScaledImage } from './job.ts';

interface Pixels {
  /** RGBA. */
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

export async function scaleImage({ bytes, type, side, maxBytes }: ImageJob): Promise<MediaAnswer<ImageJob>> {
  provideImageData();
  const full = await decode(bytes, type);
  let size = side;
  for (;;) {
    const ratio = Math.min(1, size / Math.max(full.width, full.height));
    const width = Math.max(1, Math.round(full.width * ratio));
    const height = Math.max(1, Math.round(full.height * ratio));
    const small = width === full.width && height === full.height ? full : resize(full, width, height);
    const encoded = await encode(small, type, maxBytes);
    if (encoded.bytes.length <= maxBytes || size <= 256) return encoded;
    size = Math.floor(size * 0.7);
  }
}

async function decode(bytes: Uint8Array, type: ImageJob['type']): Promise<Pixels> {
  switch (type) {
    case 'image/jpeg': {
      const { default: decodeJpeg, init } = await import('@jsquash/jpeg/decode.js');
      await init(await loadWasm('jpeg', 'codec/dec/mozjpeg_dec.wasm'));
      return decodeJpeg(exactBuffer(bytes), { preserveOrientation: true });
    }
    case 'image/png': {
      const { default: decodePng, init } = await import('@jsquash/png/decode.js');
      await init(await loadWasm('png', 'codec/pkg/squoosh_png_bg.wasm'));
      return decodePng(exactBuffer(bytes));
    }
    case 'image/webp': {
      const { default: decodeWebp, init } = await import('@jsquash/webp/decode.js');
      await init(await loadWasm('webp', 'codec/dec/webp_dec.wasm'));
      return decodeWebp(exactBuffer(bytes));
    }
    case 'image/gif': {
      // A cut file ends in zeros, because the reader does not stop at the end of its bytes.
      const gif = new GifReader(Buffer.concat([bytes, Buffer.alloc(1024)]));
      const { width, height } = gif;
      const data = new Uint8ClampedArray(width * height * 4);
      gif.decodeAndBlitFrameRGBA(0, data);
      return { data, width, height };
    }
  }
}

/** Averages the pixels of each box: a quarter of the time and memory of a codec for resizing (docs/decisions.md). */
function resize({ data, width: fullWidth, height: fullHeight }: Pixels, width: number, height: number): Pixels {
  const small = new Uint8ClampedArray(width * height * 4);
  const columns = boxEdges(fullWidth, width);
  const rows = boxEdges(fullHeight, height);
  for (let y = 0; y < height; y++) {
    const [top = 0, bottom = 0] = [rows[y], rows[y + 1]];
    for (let x = 0; x < width; x++) {
      const [left = 0, right = 0] = [columns[x], columns[x + 1]];
      let [red, green, blue, alpha] = [0, 0, 0, 0];
      for (let row = top; row < bottom; row++) {
        for (let at = (row * fullWidth + left) * 4; at < (row * fullWidth + right) * 4; at += 4) {
          // A transparent pixel has no colour.
          const weight = data[at + 3] ?? 0;
          red += (data[at] ?? 0) * weight;
          green += (data[at + 1] ?? 0) * weight;
          blue += (data[at + 2] ?? 0) * weight;
          alpha += weight;
        }
      }
      const at = (y * width + x) * 4;
      if (alpha > 0) small.set([red / alpha, green / alpha, blue / alpha], at);
      small[at + 3] = alpha / ((bottom - top) * (right - left));
    }
  }
  return { data: small, width, height };
}

function boxEdges(full: number, count: number): Uint32Array {
  return Uint32Array.from({ length: count + 1 }, (_, i) => Math.floor((i * full) / count));
}

const qualities = [80, 55, 35];

/** A PNG or GIF stays without loss if it is small enough. */
async function encode(pixels: Pixels, type: ImageJob['type'], maxBytes: number): Promise<ScaledImage> {
  const { width, height } = pixels;
  if (type === 'image/png' || type === 'image/gif') {
    const { default: encodePng, init } = await import('@jsquash/png/encode.js');
    await init(await loadWasm('png', 'codec/pkg/squoosh_png_bg.wasm'));
    const png = new Uint8Array(await encodePng({ ...pixels, colorSpace: 'srgb' }));
    if (png.length <= maxBytes) return { bytes: png, type: 'image/png', width, height };
  }
  const data = overWhite(pixels.data);
  let bytes: Uint8Array = new Uint8Array();
  for (const quality of qualities) {
    bytes = encodeJpeg({ data, width, height }, quality).data;
    if (bytes.length <= maxBytes) break;
  }
  return { bytes, type: 'image/jpeg', width, height };
}

/** JPEG has no transparency. */
function overWhite(data: Uint8ClampedArray<ArrayBuffer>): Uint8Array {
  const flat = new Uint8Array(data);
  for (let i = 3; i < flat.length; i += 4) {
    const alpha = flat[i] ?? 255;
    if (alpha === 255) continue;
    for (let channel = i - 3; channel < i; channel++)
      flat[channel] = Math.round(((flat[channel] ?? 0) * alpha + 255 * (255 - alpha)) / 255);
    flat[i] = 255;
  }
  return flat;
}

function exactBuffer(bytes: Uint8Array): ArrayBuffer {
  return bytes.slice().buffer as ArrayBuffer; // `slice` copies into a buffer of its own
}

/** The codecs are written for browsers. */
function provideImageData(): void {
  Object.assign(globalThis, {
    ImageData: class {
      readonly data: Uint8ClampedArray<ArrayBuffer>;
      readonly width: number;
      readonly height: number;
      constructor(data: Uint8ClampedArray<ArrayBuffer>, width: number, height: number) {
        this.data = data;
        this.width = width;
        this.height = height;
      }
    },
  });
}

/** In the package in a checkout; a bundle has copies in `wasm/` (scripts/build.mjs). */
async function loadWasm(name: string, file: string): Promise<WebAssembly.Module> {
  const copy = `wasm/${file.slice(file.lastIndexOf('/') + 1)}`;
  const copies = [`./${copy}`, `../${copy}`].map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = copies.find((place) => existsSync(place));
  return WebAssembly.compile(
    await readFile(found ?? createRequire(import.meta.url).resolve(`@jsquash/${name}/${file}`)),
  );
}
