// The request as a whole: its bytes, its tokens (an estimate), its cache marks.
import { isArray, isObject } from '../../base/json/json.ts';
import { readImageSize } from '../request/image-size.ts';
import { estimateTextTokens, jsonByteLength } from '../request/json-size.ts';
import type { ImageView, Place, RequestView } from '../request/request-view.ts';
import { type ApiRule, type Finding, makeRule, requestPlace } from './rule.ts';

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
