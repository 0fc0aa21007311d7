// Images as small as their headers: their sizes are real fields of the format, the picture data is missing.
import type { ImageType } from '../../src/api/request/image-size.ts';

export type TinyFormat = 'png' | 'jpeg' | 'gif' | 'webp-vp8' | 'webp-vp8l' | 'webp-vp8x';

export const tinyFormats: Readonly<Record<TinyFormat, ImageType>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  'webp-vp8': 'image/webp',
  'webp-vp8l': 'image/webp',
  'webp-vp8x': 'image/webp',
};

export function tinyImage(format: TinyFormat, width: number, height: number): Buffer {
  switch (format) {
    case 'png':
      return pngImage(width, height);
    case 'jpeg':
      return jpegImage(width, height);
    case 'gif':
      return Buffer.concat([text('GIF89a'), little(width, 2), little(height, 2), Buffer.from([0x80, 0, 0])]);
    case 'webp-vp8':
      return webpImage('VP8 ', [0x30, 0x01, 0x00, 0x9d, 0x01, 0x2a], little(width, 2), little(height, 2));
    case 'webp-vp8l':
      return webpImage('VP8L', [0x2f], little((width - 1) | ((height - 1) << 14), 4));
    case 'webp-vp8x':
      return webpImage('VP8X', [0x10, 0, 0, 0], little(width - 1, 3), little(height - 1, 3));
  }
}

/** A picture with the prefix of cameras: segments, fill bytes, a restart mark. */
export function jpegImage(
  width: number,
  height: number,
  segments: readonly Buffer[] = [jpegSegment(0xe0, 14)],
): Buffer {
  const frame = Buffer.concat([Buffer.from([0xff, 0xc2, 0, 17, 8]), big(height, 2), big(width, 2), Buffer.alloc(10)]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments, Buffer.from([0xff, 0xff]), frame]);
}

export function jpegSegment(marker: number, bytes: number): Buffer {
  return Buffer.concat([Buffer.from([0xff, marker]), big(bytes + 2, 2), Buffer.alloc(bytes, 0xff)]);
}

function pngImage(width: number, height: number): Buffer {
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    big(13, 4),
    text('IHDR'),
    big(width, 4),
    big(height, 4),
    Buffer.from([8, 6, 0, 0, 0]),
  ]);
}

function webpImage(chunk: string, start: readonly number[], ...rest: readonly Buffer[]): Buffer {
  const data = Buffer.concat([Buffer.from(start), ...rest]);
  return Buffer.concat([
    text('RIFF'),
    little(data.length + 12, 4),
    text('WEBP'),
    text(chunk),
    little(data.length, 4),
    data,
  ]);
}

function text(ascii: string): Buffer {
  return Buffer.from(ascii, 'latin1');
}

function big(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}

function little(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value >>> 0, 0, bytes);
  return buffer;
}
