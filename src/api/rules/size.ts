// The request as a whole: its bytes, its tokens (an estimate), its cache marks.
import { measureText } from '../../base/digest/index.ts';
import { isArray, isObject } from '../../base/json/index.ts';
import { otherMaxImages } from '../../models/index.ts';
import {
  estimateTextTokens,
  type ImageType,
  type ImageView,
  jsonByteLength,
  type Place,
  type RequestView,
  readImageSize,
  readImageType,
} from '../request/index.ts';
import { type ApiRule, type Finding, makeRule, requestPlace } from './rule.ts';

// Images: type, bytes, size and number, read from headers. The five megabytes count base64 characters: the error in
// langchain-ai/langchain#21654 gives the encoded length of a smaller file.

const maxImageBytes = 5_242_880;
const maxSide = 8000;
const maxSideOfMany = 2000;
/** With more images than this, the maximum size is smaller. */
const manyImages = 20;
const mediaTypes: ReadonlySet<string> = new Set<ImageType>(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

export const imageRules: readonly ApiRule[] = [
  makeRule({
    code: 'image-count',
    what: 'at most 100 images on models with a context of 200k tokens, 600 on others',
    errorText: 'Too much media: 0 document pages + {count} images > {limit}',
    find: ({ images, facts }) => {
      const limit = facts?.maxImages ?? otherMaxImages;
      return images.length > limit ? [{ place: requestPlace, values: { count: images.length, limit } }] : [];
    },
  }),
  makeRule({
    code: 'image-type',
    what: 'an image is a JPEG, PNG, GIF or WebP',
    errorText:
      "{path}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    find: (request) => inline(request, ({ mediaType }) => !mediaTypes.has(mediaType)),
  }),
  makeRule({
    code: 'image-bytes',
    what: 'an image has at most 5 MB, counted in base64',
    errorText: '{path}.image.source.base64: image exceeds 5 MB maximum: {bytes} bytes > 5242880 bytes',
    find: (request) =>
      inline(
        request,
        ({ data }) => measureText(data, 'chars') > maxImageBytes,
        ({ data }) => ({ bytes: measureText(data, 'chars') }),
      ),
  }),
  makeRule({
    code: 'image-unreadable',
    what: 'the data of an image is an image',
    errorText: '{path}.image.source.base64.data: Could not process image',
    find: (request) => inline(request, ({ data }) => readImageType(data) === undefined),
  }),
  makeRule({
    code: 'image-mismatch',
    what: 'the data of an image matches its media type',
    errorText: '{path}.image.source.base64.data: Image does not match the provided media type {mediaType}',
    find: (request) =>
      inline(
        request,
        ({ data, mediaType }) => {
          const type = readImageType(data);
          return mediaTypes.has(mediaType) && type !== undefined && type !== mediaType;
        },
        ({ mediaType }) => ({ mediaType }),
      ),
  }),
  makeRule({
    code: 'image-pixels',
    what: 'no side of an image is longer than 8000 pixels',
    errorText:
      '{path}.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
    find: (request) => inline(request, ({ data }) => longestSide(data) > maxSide),
  }),
  makeRule({
    code: 'image-pixels-many',
    what: 'in a request with more than 20 images no side is longer than 2000 pixels',
    errorText:
      '{path}.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
    find: (request) =>
      request.images.length <= manyImages
        ? []
        : inline(request, ({ data }) => {
            const side = longestSide(data);
            return side > maxSideOfMany && side <= maxSide;
          }),
  }),
];

interface InlineImage extends ImageView {
  readonly mediaType: string;
  readonly data: string;
}

/** Images by URL or file id cannot be checked. */
function inline(
  { images }: RequestView,
  isWrong: (image: InlineImage) => boolean,
  values: (image: InlineImage) => Readonly<Record<string, string | number>> = () => ({}),
): Finding[] {
  return images
    .filter((image): image is InlineImage => image.data !== undefined && image.mediaType !== undefined)
    .filter(isWrong)
    .map((image) => ({ place: image.place, values: values(image) }));
}

function longestSide(data: string): number {
  const size = readImageSize(data);
  return size === undefined ? 0 : Math.max(size.width, size.height);
}

const maxRequestBytes = 32 * 1024 * 1024;
const maxCacheMarks = 4;

export const sizeRules: readonly ApiRule[] = [
  makeRule({
    code: 'request-bytes',
    what: 'the body of a request has at most 32 MB',
    errorText: 'request_too_large: Request exceeds the maximum allowed number of bytes.',
    status: 413,
    find: ({ raw }) => (jsonByteLength(raw) > maxRequestBytes ? [{ place: requestPlace }] : []),
  }),
  makeRule({
    code: 'prompt-tokens',
    what: 'the prompt fits the context of the model (estimated)',
    errorText: 'prompt is too long: {tokens} tokens > {limit} maximum',
    find: (request) => {
      const limit = request.facts?.contextTokens;
      if (limit === undefined) return [];
      const tokens = estimateTokens(request);
      return tokens > limit ? [{ place: requestPlace, isEstimate: true, values: { tokens, limit } }] : [];
    },
  }),
  makeRule({
    code: 'cache-marks',
    what: 'at most four blocks have a cache_control',
    errorText: 'A maximum of 4 blocks with cache_control may be provided. Found {count}.',
    find: (request): Finding[] => {
      const marked = cacheMarks(request);
      const place = marked[maxCacheMarks];
      return place === undefined ? [] : [{ place, values: { count: marked.length } }];
    },
  }),
];

/** Counts texts by their bytes and images by their pixels. */
export function estimateTokens({ raw, images }: RequestView): number {
  const { messages, system, tools } = raw as { messages?: unknown; system?: unknown; tools?: unknown }; // an object, by viewRequest
  const text = estimateTextTokens([messages, system, tools]);
  return images.reduce((sum, image) => sum + imageTokens(image), text);
}

/** The published estimate; the API scales a larger image down to about this size. */
const maxImageTokens = 1600;
const pixelsPerToken = 750;

function imageTokens({ data }: ImageView): number {
  const size = data === undefined ? undefined : readImageSize(data);
  if (size === undefined) return maxImageTokens;
  return Math.min(maxImageTokens, Math.ceil((size.width * size.height) / pixelsPerToken));
}

/** In the order in which the API reads them. */
function cacheMarks({ tools, system, messages }: RequestView): Place[] {
  return [
    ...marksIn(tools, { path: 'tools' }),
    ...marksIn(system, { path: 'system' }),
    ...messages.flatMap(({ blocks }) =>
      blocks.flatMap(({ place, block }) => [
        ...(isObject(block.cache_control) ? [place] : []),
        ...(block.type === 'tool_result' ? marksIn(block.content, place, `${place.path}.tool_result.content`) : []),
      ]),
    ),
  ];
}

function marksIn(list: unknown, place: Place, path: string = place.path): Place[] {
  if (!isArray(list)) return [];
  return list.flatMap((item, i) =>
    isObject(item) && isObject(item.cache_control) ? [{ ...place, path: `${path}.${i}` }] : [],
  );
}
