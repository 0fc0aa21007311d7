// How tables describe a JSON object: one table gives the static type, the guard and the known keys, so that the three
// cannot disagree. A field marked `!` is required (the guard checks it); any other field may hold anything in a hostile
// line, and its type makes the compiler demand a check.
import { isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';

/** The static type of a table: required fields as they are, all others optional and unchecked, unknown keys allowed. */
export type Shape<F extends Fields> = {
  readonly [K in keyof F as IsPromised<F[K]> extends true ? K : never]: Promised<F[K]>;
} & {
  readonly [K in keyof F as IsPromised<F[K]> extends true ? never : K]?: Claimed<F[K]>;
};

/** A table: key → kind, or a nested table, which is required if it has a required field. */
export interface Fields {
  readonly [key: string]: Kind | `${Kind}!` | Fields;
}

export type Kind = keyof Kinds;
interface Kinds {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly strings: readonly string[];
  readonly array: readonly JsonValue[];
  readonly object: JsonObject;
  readonly json: JsonValue;
}

declare const odd: unique symbol;
/**
 * What a field that Clew does not check may hold instead of its expected type. It has no members, so the value must be
 * checked first.
 */
export interface Odd extends JsonObject {
  readonly [odd]: never;
}

type IsPromised<F> = F extends string
  ? F extends `${Kind}!`
    ? true
    : false
  : true extends { [K in keyof F]: IsPromised<F[K]> }[keyof F]
    ? true
    : false;

type Promised<F> = F extends `${infer K extends Kind}!` ? Kinds[K] : F extends Fields ? Shape<F> : never;

// A nested table needs no `Odd`: all its fields are optional, and reading a field of any JSON value but null is safe.
type Claimed<F> = F extends Kind ? Kinds[F] | Odd | null : F extends Fields ? Shape<F> | null : never;

/** Whether `value` has every required field of the table, in the right kind. */
export function keepsPromises<F extends Fields>(value: unknown, fields: F): value is Shape<F> & JsonObject {
  if (!isObject(value)) return false;
  for (const key in fields) {
    const field = fields[key] as Fields[string]; // a key of the table itself
    if (typeof field === 'string' ? !keepsKind(value[key], field) : !keepsNested(value[key], field)) return false;
  }
  return true;
}

function keepsKind(value: unknown, field: string): boolean {
  return !field.endsWith('!') || isOfKind(value, field.slice(0, -1) as Kind); // the table's type leaves only a kind
}

function keepsNested(value: unknown, fields: Fields): boolean {
  return isObject(value) ? keepsPromises(value, fields) : !promisesAnything(fields);
}

function promisesAnything(fields: Fields): boolean {
  return Object.values(fields).some((field) =>
    typeof field === 'string' ? field.endsWith('!') : promisesAnything(field),
  );
}

export function isOfKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === kind;
    case 'strings':
      return isArray(value) && value.every((element) => typeof element === 'string');
    case 'array':
      return isArray(value);
    case 'object':
      return isObject(value);
    case 'json':
      return value !== undefined;
  }
  return kind satisfies never;
}
