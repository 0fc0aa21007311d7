// Repairs the content of messages, one after the other, so that the API accepts it: every call has one result right after
// its message, and nothing is empty, altered or misplaced. The doctor repairs the lines of a file with it, the agent the
// messages of a request.
import { createHash } from 'node:crypto';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { texts } from '../../session/resume/client/index.ts';
import { isThinking, resultFor } from '../../session/resume/messages/index.ts';
import { isCutSignature, readImageSize } from '../request/index.ts';
import { checkImageRules } from '../rules/index.ts';

/** The user message before an answer that has none. */
export const beginningText = '[The beginning of this conversation is not in the file.]';

export interface ContentRepairOptions {
  /** Whether the model sends thinking that has only a signature; otherwise its text was removed. */
  readonly mayOmitThinking: boolean;
  readonly replaceImage?: (image: JsonObject) => JsonObject;
}

export class ContentRepair {
  readonly #mayOmitThinking: boolean;
  readonly #replaceImage: (image: JsonObject) => JsonObject;
  readonly #used = new Set<string>();
  #open: string[] = [];

  constructor({ mayOmitThinking, replaceImage = (image) => image }: ContentRepairOptions) {
    this.#mayOmitThinking = mayOmitThinking;
    this.#replaceImage = replaceImage;
  }

  /** The ids of the calls that have no result yet. */
  get open(): readonly string[] {
    return this.#open;
  }

  /** The blocks of an answer. Their calls are open afterwards. */
  answer(blocks: readonly JsonObject[]): readonly JsonObject[] {
    return blocks.flatMap((block) => this.#answerBlock(block));
  }

  /** The blocks of a user message: the results of open calls, which are closed by it, and everything else. */
  input(blocks: readonly JsonObject[]): {
    readonly results: readonly JsonObject[];
    readonly others: readonly JsonObject[];
  } {
    const repaired = blocks.flatMap((block) => this.#inputBlock(block));
    const results = repaired.filter(({ type }) => type === 'tool_result');
    return { results, others: repaired.filter((block) => !results.includes(block)) };
  }

  /** Whether a block is the result of an open call. */
  isAwaited(block: JsonObject): boolean {
    return block.type === 'tool_result' && this.#open.includes(resultId(block));
  }

  /** Results for the calls that are still open: they were interrupted. */
  close(): readonly JsonObject[] {
    const results = this.#open.map((id) => resultFor(id, texts.interrupted));
    this.#open = [];
    return results;
  }

  #answerBlock(block: JsonObject): readonly JsonObject[] {
    switch (block.type) {
      case 'text':
        return isBlank(block) ? [] : [block];
      case 'thinking':
        return this.#isIntactThinking(block) ? [block] : [];
      case 'redacted_thinking':
        return asString(block.data) ? [block] : [];
      case 'tool_use':
        return this.#call(block);
      case 'tool_result':
        return [];
      default:
        return [block];
    }
  }

  #isIntactThinking(block: JsonObject): boolean {
    const signature = asString(block.signature);
    if (signature === undefined || signature === '' || isCutSignature(signature)) return false;
    return this.#mayOmitThinking || asString(block.thinking) !== '';
  }

  #call(block: JsonObject): readonly JsonObject[] {
    const id = validId(asString(block.id) || this.#missingId(block));
    if (this.#used.has(id)) return [];
    this.#used.add(id);
    this.#open.push(id);
    const name = validName(asString(block.name) ?? '');
    const input = isObject(block.input) ? block.input : {};
    return [id === block.id && name === block.name && input === block.input ? block : { ...block, id, name, input }];
  }

  /** The same for the same conversation, so that a repeated request has the same prefix. */
  #missingId(block: JsonObject): string {
    const hash = createHash('sha256')
      .update(`${this.#used.size} ${JSON.stringify(block)}`)
      .digest('hex');
    return `toolu_${hash.slice(0, 24)}`;
  }

  #inputBlock(block: JsonObject): readonly JsonObject[] {
    if (block.type === 'text') return isBlank(block) ? [] : [block];
    if (block.type === 'image') return [this.#replaceImage(block)];
    if (block.type === 'tool_use' || isThinking(block)) return [];
    if (block.type !== 'tool_result') return [block];
    const id = resultId(block);
    const result = this.#result(block);
    const at = this.#open.indexOf(id);
    if (at >= 0) {
      this.#open.splice(at, 1);
      return [id === result.tool_use_id ? result : { ...result, tool_use_id: id }];
    }
    // A second result of a call is dropped; a result without its call is kept as text.
    return this.#used.has(id) ? [] : [{ type: 'text', text: orphanText(result) }];
  }

  #result(block: JsonObject): JsonObject {
    if (!isArray(block.content)) return block;
    const before = block.content;
    const content = before.filter(isObject).flatMap((inner): readonly JsonObject[] => {
      if (inner.type === 'text') return isBlank(inner) ? [] : [inner];
      return [inner.type === 'image' ? this.#replaceImage(inner) : inner];
    });
    const isSame = content.length === before.length && content.every((inner, i) => inner === before[i]);
    return isSame ? block : { ...block, content };
  }
}

/** The images of some blocks, also those in tool results. */
export function imagesIn(blocks: readonly JsonObject[]): readonly JsonObject[] {
  return blocks.flatMap((block) => {
    if (block.type === 'image') return [block];
    return isArray(block.content) ? block.content.filter(isObject).filter(({ type }) => type === 'image') : [];
  });
}

/** The images that the API does not accept, alone or together. */
export function rejectedImages(images: readonly JsonObject[], model: string | undefined): readonly JsonObject[] {
  if (images.length === 0) return [];
  const found = checkImageRules({
    messages: [{ role: 'user', content: images }],
    ...(model === undefined ? {} : { model }),
  });
  return found.map(({ blockIndex }) => images[blockIndex ?? -1]).filter((image) => image !== undefined);
}

/** `image/png, 800 × 600 pixels`. */
export function describeImage(image: JsonObject): string {
  const source = asObject(image.source);
  const size = readImageSize(asString(source?.data) ?? '');
  const pixels = size === undefined ? '' : `, ${size.width} × ${size.height} pixels`;
  return `${asString(source?.media_type) ?? 'unknown type'}${pixels}`;
}

function isBlank(block: JsonObject): boolean {
  return (asString(block.text) ?? '').trim() === '';
}

function validId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_');
}

function resultId(block: JsonObject): string {
  return validId(asString(block.tool_use_id) ?? '');
}

function validName(name: string): string {
  const valid = validId(name).slice(0, 128);
  return valid === '' ? 'unknown' : valid;
}

function orphanText(result: JsonObject): string {
  const content: JsonValue = result.content ?? '';
  const said = typeof content === 'string' ? content : JSON.stringify(content);
  return `[Result of a tool call that is not in this session: ${asString(result.tool_use_id) ?? ''}]\n${said}`;
}
