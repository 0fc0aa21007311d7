// Pieces of Messages API requests for tests.
import type { JsonObject } from '../../src/base/json/json.ts';
import { signature } from './signature.ts';
import { type TinyFormat, tinyFormats, tinyImage } from './tiny-images.ts';

export type Content = string | readonly JsonObject[];

export function user(...content: readonly [string] | readonly JsonObject[]): JsonObject {
  return { role: 'user', content: plain(content) };
}

export function assistant(...content: readonly [string] | readonly JsonObject[]): JsonObject {
  return { role: 'assistant', content: plain(content) };
}

function plain(content: readonly [string] | readonly JsonObject[]): Content {
  const [first] = content;
  return typeof first === 'string' ? first : (content as readonly JsonObject[]); // a string is the only content
}

export function text(words: string): JsonObject {
  return { type: 'text', text: words };
}

export function call(id: string, more: JsonObject = {}): JsonObject {
  return { type: 'tool_use', id, name: 'Read', input: { file_path: 'a' }, ...more };
}

export function result(id: string, content: Content = 'done'): JsonObject {
  return { type: 'tool_result', tool_use_id: id, content };
}

export function thought(more: JsonObject = {}): JsonObject {
  return { type: 'thinking', thinking: 'hm', signature: signature(300), ...more };
}

export function image(format: TinyFormat, width: number, height: number, more: JsonObject = {}): JsonObject {
  return imageBlock(tinyFormats[format], tinyImage(format, width, height).toString('base64'), more);
}

export function imageBlock(mediaType: string, data: string, more: JsonObject = {}): JsonObject {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data, ...more } };
}
