// The `message` of the walked record: its ids, its usage, the types of its blocks, and their calls and results.
import { stringAt } from './byte-memo.ts';
import { append, type CallHead, type MessageHead, none, type ResultHead } from './head.ts';
import { field } from './places.ts';
import { scannedUsage } from './scan-usage.ts';
import {
  blockCount,
  endOf,
  isObject,
  isOnRecord,
  isString,
  isTrue,
  selectBlock,
  startOf,
  strayCount,
  stringField,
  stringFields,
} from './spans.ts';

const openBrace = 0x7b;
const openBracket = 0x5b;
const quote = 0x22;
const backslash = 0x5c;

export function scannedMessage(bytes: Buffer): MessageHead | undefined {
  if (!isOnRecord && !isObject(bytes, field.message)) return undefined;
  const message: MessageHead = {
    role: stringField(bytes, field.role),
    id: stringField(bytes, field.messageId),
    model: stringField(bytes, field.model),
    stopReason: stringField(bytes, field.stopReason),
    usage: scannedUsage(bytes),
    content: isOnRecord ? 'on-record' : contentKind(bytes),
    blockTypes: blockCount === 0 ? none : scannedBlockTypes(bytes),
    calls: none,
    results: none,
    hasParts: startOf(field.parts) !== 0,
  };
  for (let i = 0; i < blockCount; i++) {
    selectBlock(i);
    const call = scannedCall(bytes);
    if (call !== undefined) message.calls = append(message.calls, call);
    const result = scannedResult(bytes);
    if (result !== undefined) message.results = append(message.results, result);
  }
  return message;
}

function contentKind(bytes: Buffer): MessageHead['content'] {
  const at = startOf(field.content);
  if (at === 0) return 'absent';
  const byte = bytes[at];
  if (byte === quote) return 'string';
  if (byte === openBracket) return strayCount === 0 ? 'blocks' : 'invalid';
  return byte === openBrace ? 'invalid' : 'absent';
}

/** The call of the selected block, if it is one. */
export function scannedCall(bytes: Buffer): CallHead | undefined {
  stringFields(bytes, callFields, texts);
  const [type, id, name, file] = texts;
  return type === 'tool_use' && id !== undefined ? { id, name: name ?? '', file } : undefined;
}

/** The result of the selected block, if it is one. */
export function scannedResult(bytes: Buffer): ResultHead | undefined {
  stringFields(bytes, resultFields, texts);
  const [type, toolUseId] = texts;
  if (type !== 'tool_result' || toolUseId === undefined) return undefined;
  return { toolUseId, isError: isTrue(bytes, field.isError) };
}

const callFields: readonly number[] = [field.blockType, field.blockId, field.blockName, field.filePath];
const resultFields: readonly number[] = [field.blockType, field.toolUseId];
const texts: (string | undefined)[] = [];

export function scannedBlockTypes(bytes: Buffer): string[] {
  const types: string[] = [];
  for (let i = 0; i < blockCount; i++) {
    selectBlock(i);
    types.push(stringField(bytes, field.blockType) ?? '');
  }
  return types;
}

/** The start of every text in the content. */
export function prefixes(bytes: Buffer): readonly string[] {
  return textsBy(bytes, prefix);
}

/** Every text in the content, without other blocks such as images. */
export function scannedTexts(bytes: Buffer): readonly string[] {
  return textsBy(bytes, stringAt);
}

function textsBy(bytes: Buffer, read: (bytes: Buffer, start: number, end: number) => string): readonly string[] {
  const whole = isOnRecord ? field.contentOnRecord : field.content;
  if (isString(bytes, whole)) return [read(bytes, startOf(whole) + 1, endOf(whole) - 1)];
  let found: string[] = none;
  for (let i = 0; i < blockCount; i++) {
    selectBlock(i);
    if (isString(bytes, field.text) && stringField(bytes, field.blockType) === 'text')
      found = append(found, read(bytes, startOf(field.text) + 1, endOf(field.text) - 1));
  }
  return found;
}

const prefixBytes = 64;

function prefix(bytes: Buffer, start: number, end: number): string {
  if (end - start <= prefixBytes) return stringAt(bytes, start, end);
  // An escape has up to six bytes for one letter.
  const isPlain = !isEscaped(bytes, start, start + prefixBytes);
  let cut = isPlain ? start + prefixBytes : Math.min(end, start + 6 * prefixBytes);
  // Cut before an escape or a UTF-8 sequence that crosses the limit.
  while (cut > start && ((bytes[cut] as number) & 0xc0) === 0x80) cut--;
  if (isPlain || cut === end) return stringAt(bytes, start, cut);
  const lastEscape = bytes.subarray(start, cut).lastIndexOf(backslash);
  if (lastEscape >= 0 && lastEscape > cut - start - 6) cut = start + lastEscape;
  while (cut > start && bytes[cut - 1] === backslash) cut--;
  return stringAt(bytes, start, cut);
}

function isEscaped(bytes: Buffer, start: number, end: number): boolean {
  const at = bytes.indexOf(backslash, start);
  return at >= 0 && at < end;
}
