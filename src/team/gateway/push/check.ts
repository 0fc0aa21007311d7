// Checks of values that came over HTTP. A check returns what is wrong, in words that fit after the name of the value, and
// never quotes it.
import { isArray, isObject, type JsonValue } from '../../../base/json/index.ts';

export type Check = (value: JsonValue | undefined) => string | undefined;

/** One check for every member of a row: a member that is added to a row needs a check. */
export type Shape<T> = { readonly [K in keyof T]-?: Check };

/** Members without a check are refused: they would be lost without notice. */
export function checkShape(value: JsonValue | undefined, shape: Readonly<Record<string, Check>>): string | undefined {
  if (!isObject(value)) return 'is not an object';
  for (const name of Object.keys(value)) if (!Object.hasOwn(shape, name)) return 'has a member that is not known';
  for (const [name, check] of Object.entries(shape)) {
    const wrong = check(Object.hasOwn(value, name) ? value[name] : undefined);
    if (wrong !== undefined) return `: ${name} ${wrong}`;
  }
  return undefined;
}

export function orNull(check: Check): Check {
  return (value) => (value === null ? undefined : check(value));
}

export function orMissing(check: Check): Check {
  return (value) => (value === undefined ? undefined : check(value));
}

export function textUpTo(most: number, pattern?: RegExp): Check {
  return (value) => {
    if (typeof value !== 'string') return 'is not a text';
    if (value.length > most) return `is longer than ${most} characters`;
    return pattern === undefined || pattern.test(value) ? undefined : 'is malformed';
  };
}

export function oneOf(values: readonly JsonValue[]): Check {
  return (value) => (value !== undefined && values.includes(value) ? undefined : 'is not one of the known values');
}

export const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'is not true or false');

export function wholeNumber(least: number, most: number): Check {
  return (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      ? undefined
      : `is not a whole number from ${least} to ${most}`;
}

/** `integer` and `bigint` of PostgreSQL, without negative numbers. */
export const integer: Check = wholeNumber(0, 2 ** 31 - 1);
export const bigInteger: Check = wholeNumber(0, Number.MAX_SAFE_INTEGER);

export function numberIn(least: number, most: number): Check {
  return (value) =>
    typeof value === 'number' && value >= least && value <= most
      ? undefined
      : `is not a number from ${least} to ${most}`;
}

/** Until the year 10000. */
export const time: Check = numberIn(0, 253_402_300_799_999);

export const isoTime: Check = (value) => {
  const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(value);
  return isTime && !Number.isNaN(Date.parse(value)) ? undefined : 'is not a time in ISO 8601';
};

export function listOf(check: Check, most: number): Check {
  return (value) => {
    if (!isArray(value)) return 'is not a list';
    if (value.length > most) return `has more than ${most} elements`;
    for (const each of value) {
      const wrong = check(each);
      if (wrong !== undefined) return `has an element that ${wrong}`;
    }
    return undefined;
  };
}

const mostDepth = 64;

/** What `jsonb` can store: nesting that no stack overflows by, and finite numbers. */
export const json: Check = (value) => (value === undefined ? 'is missing' : checkJson(value, 0));

export const jsonObject: Check = (value) => (isObject(value) ? checkJson(value, 0) : 'is not an object');

function checkJson(value: JsonValue | undefined, depth: number): string | undefined {
  if (depth > mostDepth) return 'is nested too deep';
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'has a number that is too large';
  if (typeof value !== 'object' || value === null) return undefined;
  for (const each of isArray(value) ? value : Object.values(value)) {
    const wrong = checkJson(each, depth + 1);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** What PostgreSQL accepts as a `tsvector`, as it writes one itself: `'word':1,2A 'other':3`. */
export const words: Check = (value) => {
  if (typeof value !== 'string') return 'is not a text';
  let at = 0;
  let size = 0;
  while (at < value.length) {
    wordForm.lastIndex = at;
    const found = wordForm.exec(value);
    if (found === null) return 'is not a list of words and positions';
    const bytes = Buffer.byteLength(found[1] ?? '');
    if (bytes > mostWordBytes) return 'has a word that is too long';
    size += bytes + 4;
    at = wordForm.lastIndex;
  }
  return size > mostVectorBytes ? 'has too many words' : undefined;
};

const wordForm = /'((?:[^'\\\0]|''|\\\\){1,2046})'(?::(?:\d{1,5}[A-D]?)(?:,\d{1,5}[A-D]?)*)?(?: |$)/y;
/** The limits of PostgreSQL. */
const mostWordBytes = 2046;
const mostVectorBytes = 1_048_575;
