// The answer of a server, cut to what a request may hold.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultResultLimits, toOutcome } from '../../../src/agent/mcp/server-tool.ts';
import { tinyImage } from '../../support/tiny-images.ts';

const text = (words: string) => ({ type: 'text', text: words });
const data = (width: number): string => tinyImage('png', width, 4).toString('base64');
const image = (width = 4) => ({ type: 'image', mimeType: 'image/png', data: data(width) });
const shown = (width = 4) => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: data(width) },
});

test('texts are cut at 25,000 tokens of four characters, images at 20', () => {
  assert.deepEqual(defaultResultLimits, { chars: 100_000, images: 20, imageBytes: 3_750_000 });
});

test('a long answer keeps its beginning, and says how to get less', () => {
  const content = [text('a'.repeat(6)), image(), text('b'.repeat(6)), image(), text('c'), image()];
  const { content: kept, isError } = toOutcome({ content }, { chars: 10, images: 2, imageBytes: 1_000_000 });
  assert.equal(isError, false);
  assert.deepEqual(kept, [
    text('aaaaaa'),
    shown(),
    text('bbbb'),
    shown(),
    text(
      '[cut: only the first 10 of 13 characters and the first 2 of 3 images; ask the tool for less (a filter, a page, a narrower question) if it can]',
    ),
  ]);
});

test('an answer at the limits is whole', () => {
  const content = [text('a'.repeat(10)), image(), image()];
  assert.deepEqual(toOutcome({ content }, { chars: 10, images: 2, imageBytes: 1_000_000 }).content, [
    text('a'.repeat(10)),
    shown(),
    shown(),
  ]);
});

test('an image that the API does not take is named instead', () => {
  assert.deepEqual(
    toOutcome({ content: [image(8000), image(8001), { ...image(), data: 'AAAA' }] }, defaultResultLimits).content,
    [
      shown(8000),
      text('[image (image/png, 8001×4): too large]'),
      text('[image (image/png): not a PNG, JPEG, GIF or WebP]'),
    ],
  );
});
