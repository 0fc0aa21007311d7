// The messages of a damaged session → messages that the API accepts, and a note for each change. Only the request is
// repaired, not the file: `clew doctor --fix` does that, with the same rules for content.
import { asString, hasLoneSurrogate, isArray, isObject, type JsonObject, wellFormed } from '../../base/json/index.ts';
import { blocksOf } from '../../format/entry/index.ts';
import { modelFactsOf, otherMaxImages } from '../../models/index.ts';
import { texts } from '../../session/resume/client/index.ts';
import { isThinking, type WireMessage } from '../../session/resume/messages/index.ts';
import { checkRequest, type Violation } from '../rules/index.ts';
import { beginningText, ContentRepair, describeImage, imagesIn, rejectedImages } from './content.ts';

export interface RepairOptions {
  readonly model?: string;
  /** The API has counted the tokens of this session, so an estimate that it is too long proves nothing. */
  readonly isCounted?: boolean;
}

export interface RepairedRequest {
  readonly messages: readonly WireMessage[];
  /** One sentence for each change; empty if nothing was wrong. */
  readonly notes: readonly string[];
}

/** `messages`: a whole request with its prompt. */
export function repairRequest(messages: readonly WireMessage[], options: RepairOptions = {}): RepairedRequest {
  const found = violationsOf(messages, options);
  if (found.length === 0) return { messages, notes: [] };
  const notes = new Set(found.map(noteOf));
  let repaired = rebuild(messages, options.model);
  for (let round = 0; round < maxRounds; round++) {
    const left = violationsOf(repaired, options);
    if (left.length === 0) break;
    for (const violation of left) notes.add(noteOf(violation));
    repaired = rebuild(dropBlocks(shrinkRequest(repaired, left, options.model), left), options.model);
  }
  return { messages: repaired, notes: [...notes] };
}

const maxRounds = 12;

/** What the API would reject in this request. */
function violationsOf(messages: readonly WireMessage[], { model, isCounted }: RepairOptions): Violation[] {
  return checkRequest({ messages, ...(model === undefined ? {} : { model }) }).filter(
    (violation) => !(violation.isEstimate === true && isCounted === true),
  );
}

function noteOf({ message, path }: Violation): string {
  return `repaired in the request: ${message.replace(/^messages(?:\.\d+)[\w.]*: /, '')} (${path})`;
}

/** Drops the blocks that could not be repaired; `shrinkRequest` handles sizes. */
function dropBlocks(messages: readonly WireMessage[], left: readonly Violation[]): readonly WireMessage[] {
  const places = new Set(
    left
      .filter(({ rule, blockIndex }) => blockIndex !== undefined && !rule.startsWith('image-'))
      .map(({ messageIndex, blockIndex }) => `${messageIndex} ${blockIndex}`),
  );
  if (places.size === 0) return messages;
  return messages.map((message, i) => ({
    ...message,
    content: message.content.filter((_, at) => !places.has(`${i} ${at}`)),
  }));
}

function rebuild(messages: readonly WireMessage[], model: string | undefined): readonly WireMessage[] {
  const rebuilt: WireMessage[] = [];
  const repair = new ContentRepair({ mayOmitThinking: modelFactsOf(model ?? '')?.omitsThinking !== false });
  const add = (role: WireMessage['role'], content: readonly JsonObject[]): void => {
    if (content.length > 0) rebuilt.push({ role, content });
  };
  for (const message of messages) {
    const blocks = soundBlocks(message);
    if (message.role === 'assistant') {
      add('user', repair.close());
      const content = withoutLastThinking(repair.answer(blocks));
      if (content.length > 0 && rebuilt.length === 0) add('user', [text(beginningText)]);
      add('assistant', content);
    } else {
      const open = [...repair.open];
      const { results, others } = repair.input(blocks);
      const answered = new Map([...results, ...repair.close()].map((block) => [block.tool_use_id, block]));
      add('user', [...open.map((id) => answered.get(id)).filter((block) => block !== undefined), ...others]);
    }
  }
  add('user', repair.close());
  return rebuilt.length === 0 ? [{ role: 'user', content: [text(texts.noContent)] }] : rebuilt;
}

/** An answer must not end in thinking. */
function withoutLastThinking(blocks: readonly JsonObject[]): readonly JsonObject[] {
  return blocks.slice(0, blocks.findLastIndex((block) => !isThinking(block)) + 1);
}

function soundBlocks({ content }: WireMessage): readonly JsonObject[] {
  const blocks = blocksOf(content as JsonObject[string]).filter(isObject); // content is JSON
  return hasLoneSurrogate(blocks) ? (wellFormed(blocks) as readonly JsonObject[]) : blocks; // the same shape
}

function text(words: string): JsonObject {
  return { type: 'text', text: words };
}

/** Removes images first, the oldest first, then the middle of the longest texts. */
function shrinkRequest(
  messages: readonly WireMessage[],
  found: readonly Violation[],
  model: string | undefined,
): readonly WireMessage[] {
  const rules = new Set(found.map(({ rule }) => rule));
  const isTooLarge = rules.has('request-bytes') || rules.has('prompt-tokens');
  const hasBadImages = [...rules].some((rule) => rule.startsWith('image-'));
  const images = messages.flatMap(({ content }) => imagesIn(content));
  if (hasBadImages) return withoutImages(messages, badImages(images, model));
  if (!isTooLarge) return messages;
  // Half of the images first: they are the largest and matter least.
  if (images.length > 0) return withoutImages(messages, new Set(images.slice(0, Math.ceil(images.length / 2))));
  return withShorterTexts(messages);
}

function badImages(images: readonly JsonObject[], model: string | undefined): ReadonlySet<JsonObject> {
  const limit = (model === undefined ? undefined : modelFactsOf(model)?.maxImages) ?? otherMaxImages;
  return new Set([...rejectedImages(images, model), ...images.slice(0, Math.max(0, images.length - limit))]);
}

function withoutImages(messages: readonly WireMessage[], gone: ReadonlySet<JsonObject>): readonly WireMessage[] {
  const replaced = (block: JsonObject): JsonObject =>
    gone.has(block) ? text(`[image taken out of the request: ${describeImage(block)}]`) : block;
  return messages.map((message) => ({
    ...message,
    content: message.content.map((block) => {
      if (!isArray(block.content)) return replaced(block);
      return { ...block, content: block.content.map((inner) => (isObject(inner) ? replaced(inner) : inner)) };
    }),
  }));
}

const shortestCut = 2000;

/** Cuts every text to a quarter of the longest one: a few rounds are enough for any size. */
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
