// The prompt cache of the API, as it is documented: an entry for the prefix up to each mark; a mark is looked up at its
// own block and at most 19 blocks before it. Sizes are bytes of the blocks without marks.

import { createHash } from 'node:crypto';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../src/base/json/json.ts';

export interface CachedRequest {
  /** What was in the cache, of what the request consists of. */
  readonly readBytes: number;
  readonly writtenBytes: number;
  readonly totalBytes: number;
}

const lookback = 20;

export class PromptCache {
  /** The hashes of cached prefixes. */
  readonly #entries = new Set<string>();

  /** Takes a request, and returns which part of it was in the cache. */
  take(body: JsonObject): CachedRequest {
    const blocks = prefixBlocks(body);
    const marked = blocks.flatMap(({ isMarked }, i) => (isMarked ? [i] : []));
    let read = -1;
    for (const at of marked)
      for (let i = at; i > at - lookback && i > read; i--) if (this.#entries.has(blocks[i]?.hash ?? '')) read = i;
    for (const at of marked) this.#entries.add(blocks[at]?.hash ?? '');
    const end = (index: number | undefined): number => (index === undefined ? 0 : (blocks[index]?.end ?? 0));
    const readBytes = end(read);
    return {
      readBytes,
      writtenBytes: Math.max(0, end(marked.at(-1)) - readBytes),
      totalBytes: end(blocks.length - 1),
    };
  }
}

interface PrefixBlock {
  /** Of everything up to the block. */
  readonly hash: string;
  readonly end: number;
  readonly isMarked: boolean;
}

/** Tools, system and messages, in the order in which the API reads them. A model has its own cache. */
function prefixBlocks({ model, tools, system, thinking, output_config, messages }: JsonObject): readonly PrefixBlock[] {
  const blocks: PrefixBlock[] = [];
  let hash = asString(model) ?? '';
  let end = 0;
  const pass = (value: JsonValue, place: string): void => {
    const { cache_control: mark, ...plain } = asObject(value) ?? { text: value };
    const text = JSON.stringify([place, plain]);
    hash = createHash('sha256').update(`${hash}${text}`).digest('base64');
    end += Buffer.byteLength(text);
    blocks.push({ hash, end, isMarked: mark !== undefined });
  };
  for (const tool of listOf(tools)) pass(tool, 'tools');
  for (const block of listOf(system)) pass(block, 'system');
  // These fields are part of the prompt before the messages; the display of the thinking is not.
  hash += JSON.stringify([isObject(thinking) ? [thinking.type, thinking.budget_tokens] : null, output_config]);
  for (const message of listOf(messages)) {
    const { role, content, output_config: config } = asObject(message) ?? {};
    const inner = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
    if (config !== undefined) pass({ config }, String(role));
    for (const block of inner) pass(block, String(role));
  }
  return blocks;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}
