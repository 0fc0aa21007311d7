// Parses the values of settings. An error names the setting, never its value.
import { UserError } from '../../base/errors/index.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import type { Environment } from '../../base/node/index.ts';

/** `name=value,name=value` with percent-encoded values, as in OpenTelemetry. */
export function headersOf(text: string | undefined, setting: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of split(text ?? '')) {
    const at = pair.indexOf('=');
    if (at < 1) throw wrong(`${setting} is not a list of NAME=VALUE`, 'write it like authorization=Bearer%20KEY');
    headers[headerName(pair.slice(0, at), setting)] = headerValue(decoded(pair.slice(at + 1).trim()), setting);
  }
  return headers;
}

export function headerName(name: string, setting: string): string {
  const bare = name.trim().toLowerCase();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(bare))
    throw wrong(`${setting} has a header name that HTTP does not allow`, 'correct it');
  return bare;
}

export function headerValue(value: string, setting: string): string {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw wrong(`${setting} has a header value that HTTP does not allow`, 'correct it');
  return value;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const defaultTimeoutMs = 60_000;
// The longest timer of Node.
const longestTimeoutMs = 2 ** 31 - 1;

/** The timeout of one request. */
export function timeoutOf(env: Environment): number {
  const names = ['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_TIMEOUT'] as const;
  const name = names.find((each) => env[each] !== undefined);
  if (name === undefined) return defaultTimeoutMs;
  const timeoutMs = Number(env[name]);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1)
    throw wrong(`${name} is not a number of milliseconds`, 'write it like 60000');
  return Math.min(timeoutMs, longestTimeoutMs);
}

export function split(text: string): readonly string[] {
  return text
    .split(',')
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
}

export function stringsOf(value: JsonValue | undefined, name: string): readonly string[] {
  if (value === undefined) return [];
  if (isArray(value) && value.every((each) => typeof each === 'string')) return value as readonly string[];
  throw wrong(`"${name}" in trace.json is not a list of strings`, 'see docs/tracing.md');
}

export type Shape = Readonly<Record<string, 'string' | 'boolean' | 'list' | 'object'>>;

/** A misspelled setting must not be ignored: more would be sent than the user wants. */
export function checkShape(value: JsonObject, shape: Shape, where: string): void {
  for (const [key, each] of Object.entries(value)) {
    const kind = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (kind === undefined)
      throw wrong(`${where} has an unknown setting "${key}"`, `use one of ${Object.keys(shape).join(', ')}`);
    const isRight = kind === 'list' ? isArray(each) : kind === 'object' ? isObject(each) : typeof each === kind;
    if (!isRight) throw wrong(`"${key}" of ${where} is not ${kinds[kind]}`, 'see docs/tracing.md');
  }
}

const kinds = { string: 'a string', boolean: 'true or false', list: 'a list', object: 'an object' } as const;

export function asBoolean(value: JsonValue | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

export function flagOf(text: string | undefined, fallback: JsonValue | undefined, name: string): boolean {
  return text === undefined ? fallback === true : isYes(text, name);
}

export function isYes(text: string, name: string): boolean {
  const word = text.trim().toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  if (['0', 'false', 'no', 'off', ''].includes(word)) return false;
  throw wrong(`${name} must be on or off`, 'write on or off');
}

export function oneOf<T extends string>(value: string, known: readonly T[], what: string): T {
  const found = known.find((each) => each === value);
  if (found === undefined) throw wrong(`${what} must be one of ${known.join(', ')}`, 'choose one of them');
  return found;
}

export function wrong(message: string, next: string): UserError {
  return new UserError(message, next);
}
