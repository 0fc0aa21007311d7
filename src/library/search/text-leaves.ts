// A JSON value → the texts in it that the user might look for: every string, but no pictures, signatures and other
// encoded bytes. A loop, because a value may be nested deeper than the stack.
import { isArray, isObject, type JsonValue } from '../../base/json/json.ts';

/** The strings of the value in the order of the file, one below the other. */
export function leafText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return isEncoded(value) ? '' : value;
  const texts: string[] = [];
  const left: (JsonValue | undefined)[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') {
      if (next !== '' && !isEncoded(next)) texts.push(next);
    } else if (isArray(next)) {
      for (let i = next.length - 1; i >= 0; i--) left.push(next[i]);
    } else if (isObject(next) && next.type !== 'base64' && next.type !== 'image') {
      const members = Object.entries(next);
      for (let i = members.length - 1; i >= 0; i--) {
        const [key, inner] = members[i] as (typeof members)[number]; // i is in range
        if (!encodedKeys.has(key) && !(key === 'type' && inner === 'text')) left.push(inner);
      }
    }
  }
  return texts.join('\n');
}

const encodedKeys: ReadonlySet<string> = new Set(['signature', 'encrypted_content', 'encrypted_index', 'tool_use_id']);
const encodedLength = 1024;

/** Long and without a single space or punctuation mark: bytes in base64 or hexadecimal, or a data URL of them. */
function isEncoded(text: string): boolean {
  if (text.length < encodedLength) return false;
  const start = text.startsWith('data:') ? text.indexOf(',') + 1 : 0;
  return (
    /^[A-Za-z0-9+/_=-]+$/.test(text.slice(start, start + encodedLength)) &&
    /^[A-Za-z0-9+/_=\s-]+$/.test(text.slice(start))
  );
}
