// Walks over the members of a JSON object in bytes: where a value starts, and which key it has. The place is module
// state instead of an object, because a transcript has millions of members and an allocation for each is what the lazy
// look avoids.

import { parseJson } from '../base/json.ts';
import { recall } from './byte-memo.ts';
import { skipString, skipWhitespace } from './json-bytes.ts';
import { knownKey } from './keys.ts';

export const openBrace = 0x7b;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
export const quote = 0x22;
export const comma = 0x2c;
export const backslash = 0x5c;
const closeBrace = 0x7d;
const colon = 0x3a;

let keyStart = 0;
let keyEnd = 0;
let keyEscaped = false;
/** Behind the object whose last member `nextMember` has passed. */
export let memberEnd = 0;

/** From behind `{`, `,` or a value to the next member's value; -1 for a broken object, 0 at its end (see `memberEnd`). */
export function nextMember(bytes: Buffer, at: number, first: boolean): number {
  let i = skipSpace(bytes, at);
  if (bytes[i] === closeBrace) {
    memberEnd = i + 1;
    return 0;
  }
  if (!first) {
    if (bytes[i] !== comma) return -1;
    i = skipSpace(bytes, i + 1);
  }
  if (bytes[i] !== quote) return -1;
  keyStart = ++i;
  let byte = bytes[i];
  while (byte !== quote && byte !== backslash && byte !== undefined) byte = bytes[++i];
  keyEscaped = byte === backslash;
  if (byte !== quote) i = skipString(bytes, keyStart - 1) - 1; // an escaped key, or none
  if (i < 0) return -1;
  keyEnd = i;
  i = skipSpace(bytes, i + 1);
  if (bytes[i] !== colon) return -1;
  return skipSpace(bytes, i + 1);
}

/** The client writes no white space between tokens, so the common answer is the place itself. */
function skipSpace(bytes: Buffer, at: number): number {
  return (bytes[at] as number) > 0x20 ? at : skipWhitespace(bytes, at);
}

/** The current key where it is one the scanner knows, however it is spelled; else an empty string. */
export function key(bytes: Buffer): string {
  const known = knownKey(bytes, keyStart, keyEnd);
  if (!keyEscaped) return known;
  const spelled = Buffer.from(stringAt(bytes, keyStart, keyEnd));
  return knownKey(spelled, 0, spelled.length);
}

/** The string value that spans [start, end) with its quotes; `undefined` for any other kind of value. */
export function text(bytes: Buffer, start: number, end: number): string | undefined {
  return bytes[start] === quote ? recall(bytes, start + 1, end - 1, stringAt) : undefined;
}

/** The string between two quotes. */
export function stringAt(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('utf8', start, end);
  if (!raw.includes('\\')) return raw;
  const value = parseJson(`"${raw}"`);
  return typeof value === 'string' ? value : raw;
}

export function isTrue(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x74; // t
}

export function isNull(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x6e; // n
}
