// A text → the JSON object or list that it is, if a tree is easier to read than the text; and the entries of its nodes.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonNode = readonly Json[] | { readonly [key: string]: Json };

/** Parsing more would block the page. */
const maxChars = 500_000;

/** `undefined`: not JSON, a single value, or empty. */
export function readJsonNode(text: string): JsonNode | undefined {
  if (text.length > maxChars || !/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text.slice(-100))) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isJsonNode(value) && entriesOf(value).length > 0 ? value : undefined;
  } catch {
    return undefined; // it only looks like JSON
  }
}

export function isJsonNode(value: Json): value is JsonNode {
  return typeof value === 'object' && value !== null;
}

export function entriesOf(node: JsonNode): readonly (readonly [key: string, value: Json])[] {
  return Object.entries(node);
}

/** Counted up to a limit: more than that is folded anyway. */
export function countValues(value: Json, limit: number): number {
  if (limit <= 1 || !isJsonNode(value)) return 1;
  let count = 1;
  for (const [, inner] of entriesOf(value)) {
    count += countValues(inner, limit - count);
    if (count >= limit) return count;
  }
  return count;
}

/** `3 keys`, `1 item`: what a folded node says. */
export function sizeOf(node: JsonNode): string {
  const { length } = entriesOf(node);
  const noun = Array.isArray(node) ? 'item' : 'key';
  return `${length} ${noun}${length === 1 ? '' : 's'}`;
}
