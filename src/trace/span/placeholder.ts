// Replaces the bytes of images and documents in a message or tool result by their type, size and hash.
import { createHash } from 'node:crypto';
import { asObject, asString, isArray, isObject, type JsonValue } from '../../base/json/json.ts';
import { type Block, isDocument, isImage } from '../../format/entry/block.ts';
import type { ImagePlaceholder } from './span.ts';

const maxDepth = 64;

export function imagesOf(blocks: readonly Block[]): readonly ImagePlaceholder[] {
  return blocks.flatMap((block) => placeholderOf(block) ?? []);
}

/** Cuts a value that is nested deeper than any tool nests, to protect this process and the receiver. */
export function withoutImages(value: JsonValue | undefined, depth = 0): JsonValue | undefined {
  if (depth > maxDepth && typeof value === 'object' && value !== null) return '[nested too deep]';
  if (isArray(value)) return value.map((item) => withoutImages(item, depth + 1) ?? null);
  if (!isObject(value)) return value;
  const placeholder = placeholderOf(value);
  if (placeholder !== undefined) return { ...placeholder };
  const entries = Object.entries(value).map(([key, inner]) => [key, withoutImages(inner, depth + 1)] as const);
  return Object.fromEntries(entries);
}

function placeholderOf(block: Block): ImagePlaceholder | undefined {
  if (!isImage(block) && !isDocument(block)) return undefined;
  const source = asObject(block.source);
  const data = asString(source?.data);
  const bytes = data === undefined ? undefined : dataBytes(data, asString(source?.type));
  return {
    type: block.type,
    media_type: asString(source?.media_type) ?? null,
    bytes: bytes?.length ?? null,
    sha256: bytes === undefined ? null : createHash('sha256').update(bytes).digest('hex'),
  };
}

function dataBytes(data: string, type: string | undefined): Buffer {
  return Buffer.from(data, type === 'base64' ? 'base64' : 'utf8');
}
