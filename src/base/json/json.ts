// JSON values as they come from a transcript: anything may be anything, so every look inside is guarded.

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isArray(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** `JSON.parse` that returns `undefined` for text that is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Whether a string or key is not well-formed Unicode. A loop, because values may nest deeper than the stack allows. */
export function hasLoneSurrogate(value: JsonValue): boolean {
  const left: (JsonValue | undefined)[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string' && !next.isWellFormed()) return true;
    if (isArray(next)) for (const item of next) left.push(item);
    else if (isObject(next)) for (const [key, inner] of Object.entries(next)) left.push(key, inner);
  }
  return false;
}

/** The same value with U+FFFD for every lone surrogate in strings and keys. */
export function wellFormed(value: unknown): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (isArray(value)) return value.map(wellFormed);
  if (!isObject(value)) return value as JsonValue; // number, boolean or null
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]));
}
