// The `usage` of a message, read from its bytes: seven numbers are cheaper to read than an object is to parse.
import { parseJson } from '../base/json.ts';
import type { MessageHead } from './head.ts';
import { skipValue } from './json-bytes.ts';
import { key, memberEnd, nextMember, openBrace, text } from './members.ts';
import { makeUsage, type RawUsage, tokenCount } from './usage.ts';

export function scanUsage(bytes: Buffer, at: number, message: MessageHead): number {
  message.usage = undefined;
  if (bytes[at] !== openBrace) return skipValue(bytes, at);
  const raw: RawUsage = {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    split5mTokens: undefined,
    split1hTokens: undefined,
    webSearches: 0,
    fast: false,
  };
  const end = scanUsageMembers(bytes, at, raw);
  if (end > 0) message.usage = makeUsage(raw);
  return end;
}

/** The members of `usage`; those of the two objects inside it have names of their own, so one function reads all. */
function scanUsageMembers(bytes: Buffer, at: number, raw: RawUsage): number {
  let i = at + 1;
  for (let first = true; ; first = false) {
    const value = nextMember(bytes, i, first);
    if (value <= 0) return value === 0 ? memberEnd : -1;
    const name = key(bytes);
    if ((name === 'cache_creation' || name === 'server_tool_use') && bytes[value] === openBrace) {
      i = scanUsageMembers(bytes, value, raw);
    } else {
      i = skipValue(bytes, value);
      if (i > 0 && name !== '') setUsage(bytes, raw, name, value, i);
    }
    if (i < 0) return -1;
  }
}

function setUsage(bytes: Buffer, raw: RawUsage, name: string, start: number, end: number): void {
  switch (name) {
    case 'input_tokens':
      raw.inputTokens = count(bytes, start, end);
      return;
    case 'output_tokens':
      raw.outputTokens = count(bytes, start, end);
      return;
    case 'cache_read_input_tokens':
      raw.cacheReadTokens = count(bytes, start, end);
      return;
    case 'cache_creation_input_tokens':
      raw.cacheWriteTokens = count(bytes, start, end);
      return;
    case 'ephemeral_5m_input_tokens':
      raw.split5mTokens = count(bytes, start, end);
      return;
    case 'ephemeral_1h_input_tokens':
      raw.split1hTokens = count(bytes, start, end);
      return;
    case 'web_search_requests':
      raw.webSearches = count(bytes, start, end);
      return;
    case 'speed':
      raw.fast = text(bytes, start, end) === 'fast';
      return;
  }
}

function count(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = (bytes[i] as number) - 0x30;
    if (digit < 0 || digit > 9 || end - start > 15) return tokenCount(parseJson(bytes.toString('utf8', start, end)));
    value = value * 10 + digit;
  }
  return value;
}
