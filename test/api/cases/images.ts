// Images: their number, type, bytes and size.
import type { JsonObject } from '../../../src/base/json/json.ts';
import { assistant, call, image, imageBlock, result, text, user } from '../../support/api-request.ts';
import { tinyImage } from '../../support/tiny-images.ts';
import { bad, one, type RuleCase } from './rule-case.ts';

const many = (count: number): JsonObject[] => Array.from({ length: count }, () => image('png', 20, 20));

const wide = (width: number): string => tinyImage('jpeg', width, 10).toString('base64');
const inResult = (block: JsonObject): readonly JsonObject[] => [
  user('a'),
  assistant(call('t1')),
  user(result('t1', [text('shot'), block])),
];
const nested = 'messages.2.content.0.tool_result.content.1';

export const imageCases: readonly RuleCase[] = [
  one(
    'more images than a model with a context of 200k takes',
    { model: 'claude-haiku-4-5', messages: [user(...many(101))] },
    bad('image-count', '', 'Too much media: 0 document pages + 101 images > 100'),
  ),
  one(
    'more images than any model takes',
    { model: 'claude-opus-5-5', messages: [user(...many(601))] },
    bad('image-count', '', 'Too much media: 0 document pages + 601 images > 600'),
  ),
  one(
    'a type that is not supported',
    [user(imageBlock('image/bmp', wide(10)))],
    bad(
      'image-type',
      'messages.0.content.0',
      "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    ),
  ),
  one(
    'a byte too many',
    [user(imageBlock('image/jpeg', wide(10).padEnd(5_242_881, 'A')))],
    bad(
      'image-bytes',
      'messages.0.content.0',
      'messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 5242881 bytes > 5242880 bytes',
    ),
  ),
  one(
    'data that is not an image',
    [user(imageBlock('image/png', 'bm8gaW1hZ2U='))],
    bad(
      'image-unreadable',
      'messages.0.content.0',
      'messages.0.content.0.image.source.base64.data: Could not process image',
    ),
  ),
  one(
    'data of another type, inside a result',
    inResult(imageBlock('image/png', wide(10))),
    bad(
      'image-mismatch',
      nested,
      `${nested}.image.source.base64.data: Image does not match the provided media type image/png`,
    ),
  ),
  one(
    'a side too long',
    inResult(imageBlock('image/jpeg', wide(8001))),
    bad(
      'image-pixels',
      nested,
      `${nested}.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels`,
    ),
  ),
  one(
    'a side too long for a request with many images',
    [user(...many(20), image('webp-vp8', 10, 2001))],
    bad(
      'image-pixels-many',
      'messages.0.content.20',
      'messages.0.content.20.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
    ),
  ),
];
