import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodedByteLength, readImageSize, readImageType } from '../../../src/api/request/image-size.ts';
import { jpegImage, jpegSegment, type TinyFormat, tinyFormats, tinyImage } from '../../support/tiny-images.ts';

const formats = Object.keys(tinyFormats) as TinyFormat[]; // the keys are the formats

test('the size of an image is read from its header, in each format', () => {
  for (const format of formats) {
    assert.deepEqual(
      readImageSize(tinyImage(format, 1234, 567).toString('base64')),
      { type: tinyFormats[format], width: 1234, height: 567 },
      format,
    );
  }
});

test('the largest size of each format is read', () => {
  const largest = {
    png: 0x7fff_ffff,
    jpeg: 65_535,
    gif: 65_535,
    'webp-vp8': 16_383,
    'webp-vp8l': 16_384,
    'webp-vp8x': 2 ** 24,
  };
  for (const format of formats) {
    const side = largest[format];
    assert.deepEqual(
      readImageSize(tinyImage(format, side, side).toString('base64')),
      { type: tinyFormats[format], width: side, height: side },
      format,
    );
  }
});

test('data after the header is ignored, with or without padding', () => {
  for (const format of formats) {
    for (const extra of [0, 1, 2, 3000]) {
      const base64 = Buffer.concat([tinyImage(format, 30, 40), Buffer.alloc(extra, 7)]).toString('base64');
      const expected = { type: tinyFormats[format], width: 30, height: 40 };
      assert.deepEqual(readImageSize(base64), expected);
      assert.deepEqual(readImageSize(base64.replace(/=+$/, '')), expected);
    }
  }
});

test('a truncated header gives at most its type, but no size', () => {
  for (const format of formats) {
    const whole = tinyImage(format, 300, 200);
    const needed = neededBytes(format, whole);
    for (let length = 0; length < needed; length++) {
      assert.equal(readImageSize(whole.subarray(0, length).toString('base64')), undefined, `${format} ${length}`);
    }
    assert.notEqual(readImageSize(whole.subarray(0, needed).toString('base64')), undefined, format);
  }
});

test('an inconsistent header has no size', () => {
  const png = tinyImage('png', 3, 3);
  png.write('IDAT', 12, 'latin1');
  const vp8 = tinyImage('webp-vp8', 3, 3);
  vp8[23] = 0;
  const vp8l = tinyImage('webp-vp8l', 3, 3);
  vp8l[20] = 0;
  const unknownChunk = tinyImage('webp-vp8x', 3, 3);
  unknownChunk.write('ABCD', 12, 'latin1');
  const scanFirst = jpegImage(3, 3, [jpegSegment(0xda, 4)]);
  const noMarker = jpegImage(3, 3, [Buffer.from([0x00, 0x01, 0x02, 0x03])]);
  const flat = tinyImage('png', 0, 5);
  for (const image of [png, vp8, vp8l, unknownChunk, scanFirst, flat]) {
    assert.equal(readImageSize(image.toString('base64')), undefined);
    assert.notEqual(readImageType(image.toString('base64')), undefined);
  }
  assert.equal(readImageSize(noMarker.toString('base64')), undefined);
});

test('the frame of a JPEG is found after large segments, tables and restart marks', () => {
  const segments = [jpegSegment(0xe1, 65_000), jpegSegment(0xc4, 30), Buffer.from([0xff, 0xd0]), jpegSegment(0xfe, 0)];
  assert.deepEqual(readImageSize(jpegImage(640, 480, segments).toString('base64')), {
    type: 'image/jpeg',
    width: 640,
    height: 480,
  });
});

test('a JPEG made of endless empty segments is given up', () => {
  const segments = Array.from({ length: 5000 }, () => jpegSegment(0xfe, 0));
  assert.equal(readImageSize(jpegImage(640, 480, segments).toString('base64')), undefined);
});

test('data that is not an image, or not base64, has neither type nor size', () => {
  for (const text of ['', 'A', '====', 'not base64 at all!', 'data:image/png;base64,iVBORw0KGgo=', '\ud800', 'iVBOR']) {
    assert.equal(readImageSize(text), undefined, text);
    assert.equal(readImageType(text), undefined, text);
  }
});

test('any string is read without an exception', () => {
  fc.assert(
    fc.property(fc.constantFrom(...formats), fc.uint8Array({ maxLength: 80 }), fc.nat(40), (format, noise, at) => {
      const image = Buffer.concat([tinyImage(format, 9, 9).subarray(0, at), noise]);
      const size = readImageSize(image.toString('base64'));
      assert.ok(size === undefined || (size.width > 0 && size.height > 0));
    }),
  );
});

test('the decoded length is that of the decoded bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
      const base64 = Buffer.from(bytes).toString('base64');
      assert.equal(decodedByteLength(base64), bytes.length);
      assert.equal(decodedByteLength(base64.replace(/=+$/, '')), bytes.length);
    }),
  );
});

/** Up to and including the second side. */
function neededBytes(format: TinyFormat, image: Buffer): number {
  switch (format) {
    case 'png':
      return 24;
    case 'gif':
      return 10;
    case 'jpeg':
      return image.length - 10;
    case 'webp-vp8':
    case 'webp-vp8x':
      return 30;
    case 'webp-vp8l':
      return 25;
  }
}
