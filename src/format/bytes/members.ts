// The members of the object that a line holds, as spans of its bytes: large values are left out or compared without
// decoding them.
import { type JsonValue, parseJson } from '../../base/json/index.ts';
import { skipKey, skipString, skipValue, skipWhitespace } from './json-bytes.ts';

const backslash = 0x5c;
const comma = 0x2c;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * Calls `visit` for each member of the object that `bytes` starts with. The key has no quotes; it is `undefined` if it
 * has escapes. Returns the position after the object; -1 if the bytes have another shape, and not all members were visited.
 */
function visitMembers(
  bytes: Buffer,
  visit: (key: string | undefined, keyStart: number, valueStart: number, valueEnd: number) => void,
): number {
  const start = skipWhitespace(bytes, 0);
  if (bytes[start] !== openObject) return -1;
  let keyStart = skipWhitespace(bytes, start + 1);
  if (bytes[keyStart] === closeObject) return keyStart + 1;
  for (;;) {
    const valueStart = skipKey(bytes, keyStart);
    const valueEnd = valueStart < 0 ? -1 : skipValue(bytes, valueStart);
    if (valueEnd < 0) return -1;
    visit(plainKey(bytes, keyStart), keyStart, valueStart, valueEnd);
    const next = skipWhitespace(bytes, valueEnd);
    if (bytes[next] === closeObject) return next + 1;
    if (bytes[next] !== comma) return -1;
    keyStart = skipWhitespace(bytes, next + 1);
  }
}

/** How many members are written, duplicates included; -1 for another shape. */
export function countMembers(bytes: Buffer): number {
  let count = 0;
  return visitMembers(bytes, () => count++) < 0 ? -1 : count;
}

function plainKey(bytes: Buffer, keyStart: number): string | undefined {
  const end = skipString(bytes, keyStart) - 1;
  for (let at = keyStart + 1; at < end; at++) if (bytes[at] === backslash) return undefined;
  return bytes.toString('utf8', keyStart + 1, end);
}

/**
 * Parses a record without these members of it. They are not decoded, so it is JSON even if only they are damaged. A key
 * with escapes stays.
 */
export function parseWithout(bytes: Buffer, leftOut: ReadonlySet<string>): JsonValue | undefined {
  const kept = scratchOf(bytes.length);
  kept[0] = openObject;
  let filled = 1;
  let [from, to] = [-1, -1];
  let isWhole = true;
  const keep = (): void => {
    if (from < 0) return;
    if (filled > 1) kept[filled++] = comma;
    filled += bytes.copy(kept, filled, from, to);
    from = -1;
  };
  const end = visitMembers(bytes, (key, keyStart, _, valueEnd) => {
    if (key !== undefined && leftOut.has(key)) {
      isWhole = false;
      keep();
      return;
    }
    if (from < 0) from = keyStart;
    to = valueEnd;
  });
  if (isWhole || end < 0 || skipWhitespace(bytes, end) < bytes.length) return parseJson(bytes.toString('utf8'));
  keep();
  kept[filled++] = closeObject;
  return parseJson(kept.toString('utf8', 0, filled));
}

/** One string of the kept bytes is faster than joined strings; the memory for them is used again. */
let scratch: Buffer = Buffer.alloc(0);
const keptScratch = 8 * 1024 * 1024;

function scratchOf(size: number): Buffer {
  if (size <= scratch.length) return scratch;
  const made = Buffer.allocUnsafeSlow(Math.max(2 * size, 64 * 1024));
  if (size <= keptScratch) scratch = made;
  return made;
}

/**
 * Whether these members have the same bytes in both records, or are in neither. `false` if they differ, and if that cannot
 * be seen without decoding.
 */
export function hasSameMembers(first: Buffer, second: Buffer, keys: readonly string[]): boolean {
  const [own, other] = [spansOf(first), spansOf(second)];
  if (own === undefined || other === undefined) return false;
  return keys.every((key) => {
    const [a, b] = [own.get(key), other.get(key)];
    return a === undefined || b === undefined ? a === b : a.equals(b);
  });
}

/** The last of duplicate keys counts. */
function spansOf(bytes: Buffer): ReadonlyMap<string, Buffer> | undefined {
  const spans = new Map<string, Buffer>();
  let isPlain = true;
  const end = visitMembers(bytes, (key, _, valueStart, valueEnd) => {
    if (key === undefined) isPlain = false;
    else spans.set(key, bytes.subarray(valueStart, valueEnd));
  });
  return end >= 0 && isPlain ? spans : undefined;
}
