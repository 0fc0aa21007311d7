// A tool of a server → a tool of the agent, or why it cannot be one. The check is here because one invalid tool would
// make the Messages API refuse every request of the session.

import { readImageSize } from '../../api/request/index.ts';
import {
  asObject,
  asString,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  wellFormed,
} from '../../base/json/index.ts';
import { type CallContext, failedOutcome, type ParsedInput, type Tool, type ToolOutcome } from '../contract/index.ts';

export type CallServer = (
  tool: string,
  input: JsonObject,
  context: Pick<CallContext, 'signal' | 'progress'>,
) => Promise<ToolOutcome>;

const maxDescription = 4096;
const maxSchemaChars = 100_000;

export function makeServerTool(
  description: JsonObject,
  name: string,
  call: CallServer,
): Tool | { readonly problem: string } {
  const own = asString(description.name);
  if (own === undefined || own === '') return { problem: 'it has no name' };
  const schema = readSchema(description.inputSchema);
  if (typeof schema === 'string') return { problem: schema };
  const isReadOnly = asObject(description.annotations)?.readOnlyHint === true;
  const text = asString(description.description) ?? asString(description.title) ?? own;
  return {
    name,
    description: text.slice(0, maxDescription).toWellFormed(),
    inputSchema: schema,
    parse: (input) => parseInput(input, schema),
    isReadOnly: () => isReadOnly,
    run: (input, context) =>
      context.signal.aborted
        ? Promise.resolve(failedOutcome('The call was interrupted before it began.'))
        : call(own, input, context),
  };
}

function readSchema(value: JsonValue | undefined): JsonObject | string {
  if (value === undefined || value === null) return { type: 'object', properties: {} };
  if (!isObject(value) || (value.type !== undefined && value.type !== 'object')) return 'its input is not an object';
  try {
    const { anyOf, oneOf, allOf, ...rest } = wellFormed(value) as JsonObject;
    // The API refuses alternatives at the top level; the server still checks its input.
    const schema: JsonObject = { ...rest, type: 'object', properties: asObject(rest.properties) ?? {} };
    if (JSON.stringify(schema).length > maxSchemaChars) return 'the description of its input is too long';
    const odd = Object.keys(asObject(schema.properties) ?? {}).find((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key));
    return odd === undefined ? schema : `the API does not take its input name ${JSON.stringify(odd)}`;
  } catch {
    return 'the description of its input is nested too deep';
  }
}

/** The server validates its own schema; only what every server refuses is refused here. */
function parseInput(input: JsonValue | undefined, schema: JsonObject): ParsedInput {
  if (!isObject(input)) return { problem: 'The input must be an object.' };
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = required.filter((key) => typeof key === 'string' && input[key] === undefined);
  return missing.length === 0 ? { input } : { problem: `The input lacks ${missing.join(', ')}.` };
}

// The answer of a server → what the model gets and what is stored. Every part is checked: images by their bytes, not by
// their label, and the total length is limited.

export interface ResultLimits {
  /** Of all texts together. */
  readonly chars: number;
  readonly images: number;
  readonly imageBytes: number;
}

export const defaultResultLimits: ResultLimits = { chars: 100_000, images: 20, imageBytes: 3_750_000 };

export function toOutcome(answer: JsonObject, limits: ResultLimits): ToolOutcome {
  const pieces = isArray(answer.content) ? answer.content : [];
  const blocks = pieces.flatMap((piece) => toBlocks(piece, limits));
  const kept = cut(blocks.length > 0 ? blocks : whole(answer), limits);
  if (answer.isError !== true) return { content: kept, isError: false, stored: kept };
  const text = kept.flatMap((block) => asString(block.text) ?? []).join('\n');
  return { content: kept, isError: true, stored: `Error: ${text}` };
}

/** Without parts: the structured content, or the result of old servers. */
function whole(answer: JsonObject): readonly JsonObject[] {
  const value = answer.structuredContent ?? answer.toolResult;
  return [textBlock(value === undefined ? '(the tool returned nothing)' : writeJson(value))];
}

function toBlocks(piece: JsonValue, limits: ResultLimits): readonly JsonObject[] {
  const part = asObject(piece);
  switch (part?.type) {
    case 'text':
      return [textBlock(asString(part.text) ?? '')].filter((block) => block.text !== '');
    case 'image':
      return [toImage(asString(part.data), asString(part.mimeType), limits)];
    case 'audio':
      return [textBlock(`[audio (${asString(part.mimeType) ?? 'unknown type'}): cannot be shown]`)];
    case 'resource':
      return [toResource(asObject(part.resource), limits)];
    case 'resource_link': {
      const words = [part.name, part.uri, part.description].flatMap((word) => asString(word) ?? []);
      return [textBlock(`[resource: ${words.join(' ')}]`)];
    }
    default:
      return [textBlock(writeJson(piece))];
  }
}

function toResource(resource: JsonObject | undefined, limits: ResultLimits): JsonObject {
  const uri = asString(resource?.uri) ?? 'without an address';
  const text = asString(resource?.text);
  if (text !== undefined) return textBlock(`[resource ${uri}]\n${text}`);
  const blob = asString(resource?.blob);
  const mimeType = asString(resource?.mimeType);
  if (blob !== undefined && mimeType?.startsWith('image/')) return toImage(blob, mimeType, limits);
  return textBlock(`[resource ${uri} (${mimeType ?? 'unknown type'}): cannot be shown]`);
}

function toImage(data: string | undefined, mimeType: string | undefined, limits: ResultLimits): JsonObject {
  const label = mimeType ?? 'unknown type';
  if (data === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return textBlock(`[image (${label}): unreadable]`);
  const size = readImageSize(data);
  if (size === undefined) return textBlock(`[image (${label}): not a PNG, JPEG, GIF or WebP]`);
  if (data.length * 0.75 > limits.imageBytes || Math.max(size.width, size.height) > 8000)
    return textBlock(`[image (${label}, ${size.width}×${size.height}): too large]`);
  return { type: 'image', source: { type: 'base64', media_type: size.type, data } };
}

function cut(blocks: readonly JsonObject[], limits: ResultLimits): readonly JsonObject[] {
  const kept: JsonObject[] = [];
  let chars = 0;
  let images = 0;
  for (const block of blocks) {
    const text = asString(block.text);
    if (text === undefined) {
      if (++images <= limits.images) kept.push(block);
      continue;
    }
    const room = limits.chars - chars;
    chars += text.length;
    if (room > 0) kept.push(text.length <= room ? block : textBlock(text.slice(0, room)));
  }
  const notes = [
    ...(chars > limits.chars ? [`the first ${limits.chars} of ${chars} characters`] : []),
    ...(images > limits.images ? [`the first ${limits.images} of ${images} images`] : []),
  ];
  if (notes.length === 0) return kept;
  const ask = 'ask the tool for less (a filter, a page, a narrower question) if it can';
  return [...kept, textBlock(`[cut: only ${notes.join(' and ')}; ${ask}]`)];
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text: text.toWellFormed() };
}

function writeJson(value: JsonValue): string {
  try {
    return JSON.stringify(wellFormed(value), null, isObject(value) ? 2 : undefined);
  } catch {
    // Nested deeper than the stack.
    return '[unreadable content]';
  }
}
