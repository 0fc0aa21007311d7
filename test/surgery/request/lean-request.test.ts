// Placeholders for long texts do not change the result of a proof, and a long session needs little memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRequest } from '../../../src/api/rules/check-request.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { leanRequest } from '../../../src/surgery/request/request.ts';
import { lookAtResume } from '../../../src/surgery/request/resume-look.ts';
import { jpegImage, jpegSegment, tinyImage } from '../../support/tiny-images.ts';
import { toolResult, toolUse, transcript } from '../../support/transcript-builder.ts';

test('long texts and images are short in it, and judged as they are', () => {
  const padded = (image: Buffer, bytes: number): string =>
    Buffer.concat([image, Buffer.alloc(bytes, 7)]).toString('base64');
  const image = (mediaType: string, data: string) => ({
    type: 'image',
    source: { type: 'base64', media_type: mediaType, data },
  });
  const builder = transcript()
    .user([
      image('image/png', padded(tinyImage('png', 9000, 10), 50_000)),
      image('image/png', padded(tinyImage('png', 10, 10), 4_000_000)),
      // The size is after the first characters.
      image('image/jpeg', padded(jpegImage(9000, 10, [jpegSegment(0xe1, 20_000)]), 50_000)),
      image('image/gif', padded(Buffer.from('no image'), 50_000)),
      { type: 'text', text: 'word '.repeat(200_000) },
    ])
    .assistant([
      { type: 'thinking', thinking: 'so '.repeat(5000), signature: '' },
      { ...toolUse('t1'), input: { big: 'x'.repeat(90_000) } },
    ])
    .user([toolResult('t1', `${'y'.repeat(90_000)}\n`)])
    .assistant(' '.repeat(5000));
  const source = builder.transcript();
  const full = requestMessages({ transcript: source }, 'go on');
  assert.ok('messages' in full);
  const { violations } = lookAtResume({ transcript: source });
  assert.deepEqual(violations, checkRequest(full));
  assert.deepEqual(
    new Set(violations.map(({ rule }) => rule)),
    new Set(['image-bytes', 'image-pixels', 'image-unreadable', 'prompt-tokens', 'thinking-signature']),
  );
  const lean = JSON.stringify(leanRequest({ transcript: source }));
  assert.ok(lean.length < 120_000, `${lean.length} characters`);
});

test('equal messages are judged by their own model, and different ones each', () => {
  const source = { type: 'base64', media_type: 'image/png', data: tinyImage('png', 10, 10).toString('base64') };
  const images = (count: number) => Array.from({ length: count }, () => ({ type: 'image', source }));
  const rulesOf = (count: number, model: string): readonly string[] => {
    const session = transcript().user(images(count)).assistant('seen', { message: { model } });
    return lookAtResume({ transcript: session.transcript() }).violations.map(({ rule }) => rule);
  };
  assert.deepEqual(rulesOf(101, 'claude-opus-4-5-20251101'), ['image-count']);
  assert.deepEqual(rulesOf(101, 'claude-opus-5-5'), []);
  assert.deepEqual(rulesOf(601, 'claude-opus-5-5'), ['image-count']);
  assert.deepEqual(rulesOf(1, 'claude-opus-5-5'), []);
});
