// The bytes of a JSON value in a request, and an estimate of its tokens. Both use an explicit stack, because a value
// may nest deeper than the call stack, and neither builds the request as one string.

import { measureText } from '../../base/digest/index.ts';
import { isArray, isObject } from '../../base/json/index.ts';

export function jsonByteLength(value: unknown): number {
  let bytes = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') bytes += measureText(next, 'json');
    else if (isArray(next)) {
      bytes += 2 + Math.max(0, next.length - 1);
      for (const item of next) left.push(item === undefined ? null : item);
    } else if (isObject(next)) {
      const members = Object.entries(next).filter(([, inner]) => inner !== undefined);
      bytes += 2 + Math.max(0, members.length - 1) + members.length;
      for (const [key, inner] of members) left.push(key, inner);
    } else bytes += String(next).length;
  }
  return bytes;
}

/** What the model does not read as text: signatures, encoded data, type names. */
const unreadMembers: ReadonlySet<string> = new Set([
  'signature',
  'data',
  'cache_control',
  'type',
  'role',
  'tool_use_id',
]);

/** A low estimate for code and prose: whatever exceeds a limit by it is surely too long. */
const bytesPerToken = 4;

export function estimateTextTokens(value: unknown): number {
  let bytes = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') bytes += measureText(next, 'utf8');
    else if (isArray(next)) for (const item of next) left.push(item);
    else if (isObject(next)) {
      for (const [key, inner] of Object.entries(next)) if (!unreadMembers.has(key)) left.push(inner);
    }
  }
  return Math.floor(bytes / bytesPerToken);
}
