// Prompts, answers and tool content → what may leave the machine: filtered by the content mode, redacted, cut to size,
// well-formed and with bounded nesting. All content of attributes passes through here.
import { isArray, isObject, type JsonValue, parseJson } from '../../base/json/index.ts';
import type { TraceSpan } from './span.ts';

/**
 * How much content spans carry. `no-tool-content`: without inputs and outputs of tools and sub-agents. `metadata`: no
 * content.
 */
export type ContentMode = 'full' | 'no-tool-content' | 'metadata';

/** A text → the same text with placeholders for its secrets. */
export type Redact = (text: string) => string;

export interface ContentRules {
  readonly mode: ContentMode;
  readonly redact: Redact;
  /** UTF-16 units of one text. */
  readonly maxChars?: number;
}

/** `tool`: of a tool or a sub-agent. */
export type ContentOrigin = 'talk' | 'tool';

export const defaultMaxChars = 100_000;
const maxDepth = 64;

/** `undefined` if the mode excludes it. */
export function textContent(text: string | undefined, origin: ContentOrigin, rules: ContentRules): string | undefined {
  if (text === undefined || !isAllowed(origin, rules.mode)) return undefined;
  return cut(rules.redact(text), rules.maxChars ?? defaultMaxChars);
}

/** A value as JSON, a text unquoted, like Langfuse's own clients encode an input or output. */
export function valueContent(value: unknown, origin: ContentOrigin, rules: ContentRules): string | undefined {
  if (value === undefined || value === null || !isAllowed(origin, rules.mode)) return undefined;
  return typeof value === 'string' ? textContent(value, origin, rules) : jsonContent(value, origin, rules);
}

export function jsonContent(value: unknown, origin: ContentOrigin, rules: ContentRules): string | undefined {
  if (value === undefined || !isAllowed(origin, rules.mode)) return undefined;
  const plain = JSON.stringify(mapTexts(value as JsonValue, (text) => text.toWellFormed(), 0)) as string | undefined;
  if (plain === undefined) return undefined;
  // Redact the JSON, because some rules need the key of a value; and before cutting, because half a secret is a secret.
  const json = rules.redact(plain);
  const maxChars = rules.maxChars ?? defaultMaxChars;
  if (json.length <= maxChars) return json;
  const redacted = parseJson(json);
  const short = redacted === undefined ? json : JSON.stringify(mapTexts(redacted, (text) => cut(text, maxChars), 0));
  // Many short texts can be long together.
  return cut(short, maxChars * 2);
}

/**
 * Shows all content to the redaction before any of it is used: a bare secret in a reply may be recognizable only by the
 * output of a later tool.
 */
export function showContent(spans: readonly TraceSpan[], rules: ContentRules): void {
  if (rules.mode === 'metadata') return;
  for (const { detail, errorText } of spans) {
    rules.redact(JSON.stringify(detail));
    if (errorText !== undefined) rules.redact(errorText);
  }
}

export function isAllowed(origin: ContentOrigin, mode: ContentMode): boolean {
  return mode === 'full' || (mode === 'no-tool-content' && origin === 'talk');
}

function mapTexts(value: JsonValue | undefined, map: (text: string) => string, depth: number): JsonValue | undefined {
  if (typeof value === 'string') return map(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) return '[nested too deep]';
  if (isArray(value)) return value.map((item) => mapTexts(item, map, depth + 1) ?? null);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [map(key), mapTexts(inner, map, depth + 1)]));
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text.toWellFormed();
  return `${text.slice(0, maxChars).toWellFormed()}… [cut: ${text.length} characters in all]`;
}
