// A request that is too large in some way → the same with less: images that the API does not take, or too many of them,
// become a line of text, the oldest first; then the longest texts lose their middle.

import { checkImageRules } from '../../api/check-request.ts';
import { readImageSize } from '../../api/image-size.ts';
import type { Violation } from '../../api/rule.ts';
import { asObject, asString, isArray, isObject, type JsonObject } from '../../base/json.ts';
import { modelFactsOf, otherMaxImages } from '../../models/facts.ts';
import type { WireMessage } from '../../session/resume/draft.ts';

export function shrinkRequest(
  messages: readonly WireMessage[],
  found: readonly Violation[],
  model: string | undefined,
): readonly WireMessage[] {
  const rules = new Set(found.map(({ rule }) => rule));
  const isTooLarge = rules.has('request-bytes') || rules.has('prompt-tokens');
  const hasBadImages = [...rules].some((rule) => rule.startsWith('image-'));
  const images = imagesOf(messages);
  if (hasBadImages) return withoutImages(messages, badImages(images, model));
  if (!isTooLarge) return messages;
  // Half of the images first: they are the largest and the least missed.
  if (images.length > 0) return withoutImages(messages, new Set(images.slice(0, Math.ceil(images.length / 2))));
  return withShorterTexts(messages);
}

function badImages(images: readonly JsonObject[], model: string | undefined): ReadonlySet<JsonObject> {
  const limit = (model === undefined ? undefined : modelFactsOf(model)?.maxImages) ?? otherMaxImages;
  const found = checkImageRules({
    messages: [{ role: 'user', content: images }],
    ...(model === undefined ? {} : { model }),
  });
  const bad = found.map(({ blockIndex }) => images[blockIndex ?? -1]).filter((block) => block !== undefined);
  return new Set([...bad, ...images.slice(0, Math.max(0, images.length - limit))]);
}

function imagesOf(messages: readonly WireMessage[]): readonly JsonObject[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => {
      if (block.type === 'image') return [block];
      if (!isArray(block.content)) return [];
      return block.content.filter(isObject).filter(({ type }) => type === 'image');
    }),
  );
}

function withoutImages(messages: readonly WireMessage[], gone: ReadonlySet<JsonObject>): readonly WireMessage[] {
  const replaced = (block: JsonObject): JsonObject => (gone.has(block) ? placeholder(block) : block);
  return messages.map((message) => ({
    ...message,
    content: message.content.map((block) => {
      if (!isArray(block.content)) return replaced(block);
      return { ...block, content: block.content.map((inner) => (isObject(inner) ? replaced(inner) : inner)) };
    }),
  }));
}

function placeholder(block: JsonObject): JsonObject {
  const source = asObject(block.source);
  const size = readImageSize(asString(source?.data) ?? '');
  const pixels = size === undefined ? '' : `, ${size.width} × ${size.height} pixels`;
  return {
    type: 'text',
    text: `[image taken out of the request: ${asString(source?.media_type) ?? 'unknown type'}${pixels}]`,
  };
}

const shortestCut = 2000;

/** Every text of more than a quarter of the longest keeps a quarter of it: a few rounds are enough for any size. */
function withShorterTexts(messages: readonly WireMessage[]): readonly WireMessage[] {
  let longest = 0;
  const measure = (text: string): string => {
    longest = Math.max(longest, text.length);
    return text;
  };
  for (const { content } of messages) for (const block of content) mapTexts(block, measure);
  const limit = Math.max(shortestCut, Math.floor(longest / 4));
  return messages.map((message) => ({
    ...message,
    content: message.content.map((block) => mapTexts(block, (text) => shortened(text, limit))),
  }));
}

function mapTexts(block: JsonObject, change: (text: string) => string): JsonObject {
  if (block.type === 'text') return { ...block, text: change(asString(block.text) ?? '') };
  if (block.type !== 'tool_result') return block;
  if (typeof block.content === 'string') return { ...block, content: change(block.content) };
  if (!isArray(block.content)) return block;
  return { ...block, content: block.content.map((inner) => (isObject(inner) ? mapTexts(inner, change) : inner)) };
}

function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const cut = `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out of the request …]\n${text.slice(-half)}`;
  return cut.toWellFormed();
}
