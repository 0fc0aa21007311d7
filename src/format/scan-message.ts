// The `message` of a record: its ids, its usage, and of its content which blocks there are and which calls they make
// or answer.
import { append, emptyMessage, type Head, type MessageHead, none } from './head.ts';
import { skipString, skipValue, skipWhitespace } from './json-bytes.ts';
import {
  backslash,
  closeBracket,
  comma,
  isTrue,
  key,
  memberEnd,
  nextMember,
  openBrace,
  openBracket,
  quote,
  stringAt,
  text,
} from './members.ts';
import { scanUsage } from './scan-usage.ts';

/** Starts and ends of the texts in the message; only those of user lines are looked at, when the type is known. */
const textSpans: number[] = [];

export function forgetTexts(): void {
  textSpans.length = 0;
}

export function scanMessage(bytes: Buffer, at: number, head: Head): number {
  const message = emptyMessage();
  head.message = message;
  let i = at + 1;
  for (let first = true; ; first = false) {
    const value = nextMember(bytes, i, first);
    if (value <= 0) return value === 0 ? memberEnd : -1;
    const name = key(bytes);
    if (name === 'content') i = scanContent(bytes, value, message);
    else if (name === 'usage') i = scanUsage(bytes, value, message);
    else i = bytes[value] === quote ? skipString(bytes, value) : skipValue(bytes, value);
    if (i < 0) return -1;
    switch (name) {
      case 'id':
        message.id = text(bytes, value, i);
        break;
      case 'role':
        message.role = text(bytes, value, i);
        break;
      case 'model':
        message.model = text(bytes, value, i);
        break;
      case 'stop_reason':
        message.stopReason = text(bytes, value, i);
        break;
      case 'parts':
        message.hasParts = true;
        break;
    }
  }
}

export function scanContent(bytes: Buffer, at: number, message: MessageHead): number {
  message.blockTypes = [];
  message.calls = message.results = none;
  textSpans.length = 0;
  if (bytes[at] === quote) {
    message.content = 'string';
    const end = skipString(bytes, at);
    textSpans.push(at + 1, end - 1);
    return end;
  }
  if (bytes[at] !== openBracket) {
    message.content = bytes[at] === openBrace ? 'invalid' : 'absent';
    return skipValue(bytes, at);
  }
  message.content = 'blocks';
  let i = skipWhitespace(bytes, at + 1);
  if (bytes[i] === closeBracket) return i + 1;
  for (;;) {
    if (bytes[i] === openBrace) {
      i = scanBlock(bytes, i, message);
    } else {
      message.content = 'invalid';
      i = skipValue(bytes, i);
    }
    if (i < 0) return -1;
    i = skipWhitespace(bytes, i);
    if (bytes[i] === closeBracket) return i + 1;
    if (bytes[i] !== comma) return -1;
    i = skipWhitespace(bytes, i + 1);
  }
}

function scanBlock(bytes: Buffer, at: number, message: MessageHead): number {
  let type = '';
  let id: string | undefined;
  let toolUseId: string | undefined;
  let name = '';
  let isError = false;
  let file: string | undefined;
  let textStart = 0;
  let textEnd = 0;
  let i = at + 1;
  for (let first = true; ; first = false) {
    const value = nextMember(bytes, i, first);
    if (value < 0) return -1;
    if (value === 0) break;
    const member = key(bytes);
    if (member === 'input') {
      i = scanForText(bytes, value, 'file_path');
      file = foundText;
    } else i = bytes[value] === quote ? skipString(bytes, value) : skipValue(bytes, value);
    if (i < 0) return -1;
    switch (member) {
      case 'type':
        type = text(bytes, value, i) ?? '';
        break;
      case 'id':
        id = text(bytes, value, i);
        break;
      case 'name':
        name = text(bytes, value, i) ?? '';
        break;
      case 'tool_use_id':
        toolUseId = text(bytes, value, i);
        break;
      case 'is_error':
        isError = isTrue(bytes, value);
        break;
      case 'text':
        textStart = bytes[value] === quote ? value + 1 : 0;
        textEnd = i - 1;
        break;
    }
  }
  const end = memberEnd;
  message.blockTypes.push(type);
  if (type === 'tool_use' && id !== undefined) message.calls = append(message.calls, { id, name, file });
  else if (type === 'tool_result' && toolUseId !== undefined) {
    message.results = append(message.results, { toolUseId, isError });
  } else if (type === 'text' && textStart > 0) {
    textSpans.push(textStart, textEnd);
  }
  return end;
}

/** Passes over a value; where it is an object, `foundText` is its member `wanted`, if that is a string. */
export function scanForText(bytes: Buffer, at: number, wanted: string): number {
  foundText = undefined;
  if (bytes[at] !== openBrace) return skipValue(bytes, at);
  let i = at + 1;
  for (let first = true; ; first = false) {
    const value = nextMember(bytes, i, first);
    if (value <= 0) return value === 0 ? memberEnd : -1;
    const isWanted = key(bytes) === wanted;
    i = skipValue(bytes, value);
    if (i < 0) return -1;
    if (isWanted) foundText = text(bytes, value, i);
  }
}
export let foundText: string | undefined;

export function prefixes(bytes: Buffer): readonly string[] {
  if (textSpans.length === 0) return none;
  const texts: string[] = [];
  for (let i = 0; i < textSpans.length; i += 2) {
    texts.push(prefix(bytes, textSpans[i] as number, textSpans[i + 1] as number));
  }
  return texts;
}

const prefixBytes = 64;

function prefix(bytes: Buffer, start: number, end: number): string {
  if (end - start <= prefixBytes) return stringAt(bytes, start, end);
  // An escape takes up to six bytes for one letter.
  const isPlain = !isEscaped(bytes, start, start + prefixBytes);
  let cut = isPlain ? start + prefixBytes : Math.min(end, start + 6 * prefixBytes);
  // Cut before an escape or a UTF-8 sequence that the limit would break in two.
  while (cut > start && ((bytes[cut] as number) & 0xc0) === 0x80) cut--;
  if (isPlain || cut === end) return stringAt(bytes, start, cut);
  const lastEscape = bytes.subarray(start, cut).lastIndexOf(backslash);
  if (lastEscape >= 0 && lastEscape > cut - start - 6) cut = start + lastEscape;
  while (cut > start && bytes[cut - 1] === backslash) cut--;
  return stringAt(bytes, start, cut);
}

function isEscaped(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] === backslash) return true;
  return false;
}
