// The answer of a server → what the model gets and what is stored. Every part is checked: images by their bytes, not by
// their label. What is too long for the model, or cannot be shown, is saved to a file that the model can read.
import {
  asObject,
  asString,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  wellFormed,
} from '../../base/json/index.ts';
import { formatBytes, formatCount } from '../../base/text/index.ts';
import type { ToolOutcome } from '../contract/index.ts';
import { fitImage } from '../media/index.ts';

export interface ResultLimits {
  /** Of all texts together; a longer result is saved to a file. */
  readonly chars: number;
  readonly images: number;
}

export const defaultResultLimits: ResultLimits = { chars: 50_000, images: 20 };

/** Saves a part of a result, and returns the path; `undefined` if that fails. */
export type SavePart = (part: {
  readonly kind: 'text' | 'blob';
  readonly extension: string;
  readonly bytes: Buffer;
}) => string | undefined;

export async function toOutcome(answer: JsonObject, limits: ResultLimits, save: SavePart): Promise<ToolOutcome> {
  const { structuredContent } = answer;
  // As in the client, it replaces the texts, which are the same in another form.
  if (isObject(structuredContent) && answer.isError !== true && !hasImages(answer)) {
    const text = writeJson(structuredContent, 0);
    const shown = text.length <= limits.chars ? text : saveText(text, 'json', limits, save);
    return { content: shown, isError: false, stored: shown };
  }
  const blocks = await readBlocks(answer, limits, save);
  const kept = fit(blocks.length > 0 ? blocks : [wholeAnswer(answer)], limits, save);
  if (answer.isError !== true) return { content: kept, isError: false, stored: kept };
  const text = kept.flatMap((block) => asString(block.text) ?? []).join('\n');
  return { content: kept, isError: true, stored: `Error: ${text}` };
}

function hasImages({ content }: JsonObject): boolean {
  return isArray(content) && content.some((part) => asObject(part)?.type !== 'text');
}

/** Without parts: the structured content, or the result of old servers. */
function wholeAnswer(answer: JsonObject): JsonObject {
  const value = answer.structuredContent ?? answer.toolResult;
  return textBlock(value === undefined ? '(the tool returned nothing)' : writeJson(value, isObject(value) ? 2 : 0));
}

async function readBlocks(answer: JsonObject, limits: ResultLimits, save: SavePart): Promise<readonly JsonObject[]> {
  const blocks: JsonObject[] = [];
  let images = 0;
  for (const piece of isArray(answer.content) ? answer.content : []) {
    const block = await toBlock(piece, save, images >= limits.images);
    if (block?.type === 'image') images++;
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

async function toBlock(piece: JsonValue, save: SavePart, isFull: boolean): Promise<JsonObject | undefined> {
  const part = asObject(piece);
  switch (part?.type) {
    case 'text': {
      const text = asString(part.text) ?? '';
      return text === '' ? undefined : textBlock(text);
    }
    case 'image':
      return toImage(asString(part.data), asString(part.mimeType), isFull, save);
    case 'audio':
      return textBlock(describeBlob('audio', asString(part.data), asString(part.mimeType), save));
    case 'resource':
      return toResource(asObject(part.resource), isFull, save);
    case 'resource_link': {
      const words = [part.name, part.uri, part.description].flatMap((word) => asString(word) ?? []);
      return textBlock(`[resource: ${words.join(' ')}]`);
    }
    default:
      return textBlock(writeJson(piece, isObject(piece) ? 2 : 0));
  }
}

async function toResource(resource: JsonObject | undefined, isFull: boolean, save: SavePart): Promise<JsonObject> {
  const uri = asString(resource?.uri) ?? 'without an address';
  const text = asString(resource?.text);
  if (text !== undefined) return textBlock(`[resource ${uri}]\n${text}`);
  const blob = asString(resource?.blob);
  const mimeType = asString(resource?.mimeType);
  if (blob !== undefined && mimeType?.startsWith('image/')) return toImage(blob, mimeType, isFull, save);
  return textBlock(describeBlob(`resource ${uri}`, blob, mimeType, save));
}

async function toImage(
  data: string | undefined,
  mimeType: string | undefined,
  isFull: boolean,
  save: SavePart,
): Promise<JsonObject> {
  const label = mimeType ?? 'unknown type';
  const bytes = readBase64(data);
  if (bytes === undefined) return textBlock(`[image (${label}): unreadable]`);
  if (isFull) return textBlock(describeBlob('image, more than fit into one result', data, mimeType, save));
  const image = await fitImage(bytes);
  if (image === undefined) return textBlock(`[image (${label}): not a PNG, JPEG, GIF or WebP]`);
  if ('problem' in image) return textBlock(`[image (${label}): ${image.problem}]`);
  const source = { type: 'base64', media_type: image.type, data: image.bytes.toString('base64') };
  return { type: 'image', source };
}

/** What cannot be shown is saved, so that a command can read it. */
export function describeBlob(
  what: string,
  data: string | undefined,
  mimeType: string | undefined,
  save: SavePart,
): string {
  const label = `${what} (${mimeType ?? 'unknown type'})`;
  const bytes = readBase64(data);
  if (bytes === undefined) return `[${label}: unreadable]`;
  const file = save({ kind: 'blob', extension: extensionOf(mimeType), bytes });
  return file === undefined
    ? `[${label}, ${formatBytes(bytes.length)}: cannot be shown]`
    : `[${label}, ${formatBytes(bytes.length)}, saved to ${file}]`;
}

function readBase64(data: string | undefined): Buffer | undefined {
  return data !== undefined && /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? Buffer.from(data, 'base64') : undefined;
}

const extensions: Readonly<Record<string, string>> = { jpeg: 'jpg', mpeg: 'mp3', plain: 'txt', 'svg+xml': 'svg' };

function extensionOf(mimeType: string | undefined): string {
  const name = /^[a-z]+\/(?:x-)?([a-z0-9+]{1,12})/.exec(mimeType ?? '')?.[1] ?? 'bin';
  return (extensions[name] ?? name).replace(/[^a-z0-9]/g, '');
}

/** If the texts are too long together, all of them go to a file, and the model gets the beginning and the path. */
function fit(blocks: readonly JsonObject[], limits: ResultLimits, save: SavePart): readonly JsonObject[] {
  const texts = blocks.flatMap((block) => asString(block.text) ?? []);
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  if (chars <= limits.chars) return blocks;
  const saved = textBlock(saveText(texts.join('\n'), 'txt', limits, save));
  return [saved, ...blocks.filter((block) => block.type !== 'text')];
}

const previewChars = 2000;

function saveText(text: string, extension: string, { chars }: ResultLimits, save: SavePart): string {
  const lines = text.split('\n').length;
  const size = `${formatCount(text.length)} characters${lines > 1 ? ` in ${formatCount(lines)} lines` : ''}`;
  const file = save({ kind: 'text', extension, bytes: Buffer.from(text) });
  if (file === undefined)
    return `${text.slice(0, chars).toWellFormed()}\n[cut: only the first ${formatCount(chars)} of ${size}; ask the tool for less (a filter, a page, a narrower question) if it can]`;
  const how =
    lines > 1
      ? 'Read it in parts with Read (offset, limit), or search it with Grep.'
      : 'It is one long line: use Bash with jq, or grep -o and cut -c.';
  return [
    '<persisted-output>',
    `The result is too large to show: ${size}. All of it is saved to: ${file}`,
    how,
    '',
    `Preview (first ${previewChars} characters):`,
    text.slice(0, previewChars).toWellFormed(),
    '...',
    '</persisted-output>',
  ].join('\n');
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text: text.toWellFormed() };
}

function writeJson(value: JsonValue, indent: number): string {
  try {
    return JSON.stringify(wellFormed(value), null, indent);
  } catch {
    // Nested deeper than the stack.
    return '[unreadable content]';
  }
}
